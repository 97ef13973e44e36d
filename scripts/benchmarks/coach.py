"""The coach against exact solutions: the last cards of No Thanks!, and one round of Dicht dran.

Decks: positions whose solution is known. Printed are the mean regret of the advised move in points (how much lead it
gives away under perfect play; in wins where the share of the win comes first), the mean error of its expected lead, and
how many of the positions the coach solves; others are too large, and it samples games instead.

Rounds: two players with hands of several sizes. Printed is by how many peppers a round, in excess of the other's, both
players together gain if each knows what the coach advises for every hand of the other, and plays the best card against
that. `--plain` runs the coach without numba.

Expectations: the same with twelve cards, against an opponent who plays like the trained bot. Printed is the error of
what the coach says that a round brings, with the playouts of a review, against enumeration of all hands.
"""

import sys
from collections.abc import Sequence
from random import Random
from statistics import fmean
from time import process_time
from typing import NamedTuple

from _arguments import bench_parser
from _card_oracle import CardOracle, Outcome, Position, count_points
from _dicht_rounds import measure_expectations, measure_rounds

from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.bots.no_thanks.search import Opponents
from scoville_shared.bots.no_thanks.table import Round
from scoville_shared.coach.base import DRAWN, Policy
from scoville_shared.coach.no_thanks.coach import CardQuestion
from scoville_shared.coach.sample import Aim
from scoville_shared.coach.study import study_moves
from scoville_shared.coach.tally import LEAD, WIN
from scoville_shared.games.no_thanks.state import Options
from scoville_thinking.machines import fastest_machine

PLAYOUTS = 8_000
MOVES = [{"action": "take"}, {"action": "pass"}]
MOST_REGRET, MOST_OFF = 0.02, 0.3
"""The goal: mean regret in points and mean error of the lead."""

HIGHEST, DECK = 14, 12
"""The highest card, and how many cards the owned and unseen ones are together."""

SKIPPED = 1
"""So many first answers are left out, since they wait for the kernels."""


class Size(NamedTuple):
    """A size of decks: seats, cards face down, cards that may be, most chips of a seat, how many decks at most."""

    seats: int
    left: int
    unseen: int
    chips: int
    decks: int = 1_000

    def named(self, decks: int, aim: Aim) -> str:
        """Describe so many decks."""
        cards = f"{self.left} cards face down of {self.unseen} unseen"
        return f"no_thanks, {self.seats} players, {cards}, up to {self.chips} chips, {decks} decks, aim {aim}"


SIZES = (
    Size(3, 1, 3, 4), Size(3, 2, 4, 4), Size(3, 3, 5, 3, 20), Size(3, 4, 6, 1, 20), Size(4, 2, 4, 4),
    Size(4, 3, 5, 1, 20), Size(5, 2, 4, 3), Size(7, 2, 4, 2),
)  # fmt: skip


def draw_position(luck: Random, size: Size) -> Position:
    """Draw a position in the middle of a small deck."""
    cards = luck.sample(range(3, HIGHEST + 1), DECK)
    owned: list[set[int]] = [set() for _ in range(size.seats)]
    for card in cards[size.unseen + 1 :]:
        luck.choice(owned).add(card)
    chips = (luck.randint(1, size.chips), *(luck.randint(0, size.chips) for _ in range(size.seats - 1)))
    hands = tuple(map(frozenset, owned))
    pot = luck.randrange(3)
    return Position(chips, hands, frozenset(cards[: size.unseen]), size.left, cards[size.unseen], pot, 0)


def ask_question(position: Position, aim: Aim) -> CardQuestion:
    """Return the question of the seat that decides."""
    table = Round(
        chips=list(position.chips),
        owned=[sum(1 << card for card in cards) for cards in position.cards],
        points=[count_points(cards) for cards in position.cards],
        unseen=sorted(position.unseen),
        left=position.left,
        card=position.card,
        pot=position.pot,
        mover=position.mover,
        totals=[0] * len(position.chips),
        whole=list(range(3, 36)),
        rounds=0,
        chips_each=11,
    )
    seats = len(position.chips)
    learned = Opponents().expect_policies(Options(), seats, range(seats))
    known = [DRAWN] * seats
    return CardQuestion(
        moves=MOVES,
        round=table,
        learned=learned,
        known=known,
        vague=[0] * seats,
        careless=[0] * seats,
        policy=Policy.LEARNED,
        aim=aim,
    )


class Results:
    """Regrets, errors and times of answers."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, float, float, float, float]] = []

    def add(self, question: CardQuestion, seed: int, right: Sequence[Outcome]) -> None:
        """Ask the coach, and compare its answer with what the moves lead to."""
        began = process_time()
        found = study_moves(question, PLAYOUTS, seed, fastest_machine())
        sample, mover = found.sample, question.round.mover
        took = process_time() - began
        leads, shares = ([each[mover] for each in part] for part in zip(*right, strict=True))
        worths = [
            lead if question.aim is Aim.LEAD else share + lead / 1000 for lead, share in zip(leads, shares, strict=True)
        ]
        best = sample.best_move
        self._rows.append(
            (
                max(worths) - worths[best],
                abs(sample.mean_of(best, LEAD) - leads[best]),
                abs(sample.mean_of(best, WIN) - shares[best]),
                found.policy is Policy.BEST,
                took,
            )
        )

    @property
    def good(self) -> bool:
        """Whether the goal is met."""
        return all(
            fmean(row[column] for row in self._rows) <= most for column, most in enumerate((MOST_REGRET, MOST_OFF))
        )

    def __str__(self) -> str:
        regrets, leads, wins, solved, times = zip(*self._rows[SKIPPED:], strict=True)
        return (
            f"regret {fmean(regrets):.4f}, error of the lead {fmean(leads):.2f}, of the share of the win "
            f"{fmean(wins):.3f}, {fmean(solved):.0%} solved; "
            f"{1000 * fmean(times):.0f} ms, at most {1000 * max(times):.0f}"
        )


def measure_decks(number: int) -> bool:
    """Measure regret and error over so many decks of each size, against an oracle without the coach's kernels.

    Returns whether the answers meet the goal.
    """
    good = True
    luck = Random(1)
    for size in SIZES:
        for aim in Aim:
            results = Results()
            many = min(number, size.decks) + SKIPPED
            for each in range(many):
                position, oracle = draw_position(luck, size), CardOracle(aim)
                results.add(ask_question(position, aim), each + 1, [oracle.take(position), oracle.leave(position)])
            print(f"{size.named(many - SKIPPED, aim)}: {results}", flush=True)
            good = good and results.good
    return good


def main() -> int:
    """Run all parts."""
    parser = bench_parser("coach", __doc__)
    parser.add_argument("--decks", type=int, default=60, help="positions of each size")
    parser.add_argument("--circles", type=int, default=20, help="circles of Dicht dran for expectations")
    parser.add_argument("--rounds", type=int, default=3, help="circles of Dicht dran for each size of hands")
    parser.add_argument("--hands", type=int, default=150, help="hands for each of them, if there are too many")
    parser.add_argument("--seed", type=int, default=2, help="seed of the circles of these")
    parser.add_argument("--plain", action="store_true", help="rounds in plain Python")
    parser.add_argument("--only-rounds", action="store_true", help="leave out No Thanks!")
    options = parser.parse_args()
    good = True
    if not options.only_rounds:
        good = measure_decks(options.decks)
    measure_rounds(options.rounds, options.hands, options.seed, INTERPRETED if options.plain else fastest_machine())
    measure_expectations(options.circles)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
