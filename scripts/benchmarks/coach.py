"""The coach against exact solutions: No Thanks! with two players and small decks, and one round of Dicht dran.

Decks: positions of two players whose solution is known. Printed are the mean regret of the advised move in points (how
much lead it gives away under perfect play; in wins where the share of the win comes first) and the mean error of its
expected lead, once as the coach answers, which solves such decks, and once with estimates forced, as on decks that are
too large to be solved in a second.

Rounds: two players with hands of several sizes. Printed is by how many peppers a round, in excess of the other's, both
players together gain if each knows what the coach advises for every hand of the other, and plays the best card against
that. `--plain` runs the coach without numba.

Expectations: the same with twelve cards, against an opponent who plays like the trained bot. Printed is the error of
what the coach says that a round brings, with the playouts of a review, against enumeration of all hands.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from statistics import fmean
from time import process_time
from typing import NamedTuple

from _arguments import bench_parser
from _card_oracle import CardOracle, Position, points
from _dicht_rounds import expectations, rounds

from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.coach.base import Policy
from scoville_shared.coach.no_thanks import exact
from scoville_shared.coach.no_thanks.question import CardQuestion
from scoville_shared.coach.no_thanks.table import Round
from scoville_shared.coach.sample import Aim
from scoville_shared.coach.study import study
from scoville_shared.coach.tally import LEAD, WIN
from scoville_thinking.machines import machine

PLAYOUTS = 8_000
MOVES = [{"action": "take"}, {"action": "pass"}]
MOST_REGRET, MOST_OFF = 0.02, 0.3
"""The goal: mean regret in points and mean error of the lead."""

SMALL, HIGHEST = 14, 35
SKIPPED = 1
"""So many first answers are left out, since they wait for the kernels."""


class Size(NamedTuple):
    """A size of decks: cards face down, cards that may be, most chips of a seat, and how many decks at most."""

    left: int
    unseen: int
    chips: int
    decks: int = 1_000

    def named(self, decks: int, aim: Aim) -> str:
        """Describe so many decks."""
        cards = f"{self.left} cards face down of {self.unseen} unseen"
        return f"no_thanks, 2 players, {cards}, up to {self.chips} chips, {decks} decks, aim {aim}"


SIZES = (
    Size(1, 3, 4), Size(2, 4, 4), Size(3, 5, 4), Size(4, 6, 4, 20), Size(4, 4, 11, 20), Size(5, 5, 6, 20),
    Size(6, 6, 4, 20), Size(6, 8, 2, 5), Size(8, 8, 2, 5),
)  # fmt: skip
"""Sizes that an oracle of another kind solves."""

LARGER = (Size(6, 15, 11, 20), Size(7, 16, 5, 20), Size(9, 13, 5, 20), Size(10, 13, 5, 20), Size(12, 12, 8, 20))
"""Sizes that the coach's own solver solves if it may take many seconds."""


def deck(luck: Random, size: Size, highest: int) -> Position:
    """Draw a position of two players in the middle of a deck; twelve cards, or nine more than unseen."""
    cards = luck.sample(range(3, highest + 1), max(12, size.unseen + 9) if highest > SMALL else 12)
    owned: tuple[set[int], set[int]] = (set(), set())
    for card in cards[size.unseen + 1 :]:
        owned[luck.randrange(2)].add(card)
    chips = luck.randint(1, size.chips), luck.randint(0, size.chips)
    hands = frozenset(owned[0]), frozenset(owned[1])
    pot = luck.randrange(3)
    return Position(chips, hands, frozenset(cards[: size.unseen]), size.left, cards[size.unseen], pot, 0)


def asked(position: Position, aim: Aim) -> CardQuestion:
    """Return the question of the seat that decides."""
    table = Round(
        chips=list(position.chips),
        owned=[sum(1 << card for card in cards) for cards in position.cards],
        points=[points(cards) for cards in position.cards],
        unseen=sorted(position.unseen),
        left=position.left,
        card=position.card,
        pot=position.pot,
        mover=position.mover,
        totals=[0, 0],
        whole=list(range(3, 36)),
        rounds=0,
        chips_each=11,
    )
    return CardQuestion(moves=MOVES, round=table, policy=Policy.MIXED, aim=aim)


class Results:
    """Regrets, errors and times of answers."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, float, float, float]] = []

    def add(self, question: CardQuestion, seed: int, right: Sequence[exact.Row]) -> None:
        """Ask the coach, and compare its answer with what the moves lead to."""
        began = process_time()
        sample = study(question, PLAYOUTS, seed, machine()).sample
        took = process_time() - began
        worths = [lead if question.aim is Aim.LEAD else share + lead / 1000 for _, share, lead in right]
        best = sample.best
        self._rows.append(
            (
                max(worths) - worths[best],
                abs(sample.mean(best, LEAD) - right[best][LEAD]),
                abs(sample.mean(best, WIN) - right[best][WIN]),
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
        regrets, leads, wins, times = zip(*self._rows[SKIPPED:], strict=True)
        return (
            f"regret {fmean(regrets):.4f}, error of the lead {fmean(leads):.2f}, of the share of the win "
            f"{fmean(wins):.3f}; {1000 * fmean(times):.0f} ms, at most {1000 * max(times):.0f}"
        )


@contextmanager
def unsolved() -> Iterator[None]:
    """Have the coach estimate what it would solve."""
    usual = exact.MOST_POSITIONS, exact.PATIENT_POSITIONS
    exact.MOST_POSITIONS = exact.PATIENT_POSITIONS = 0
    try:
        yield
    finally:
        exact.MOST_POSITIONS, exact.PATIENT_POSITIONS = usual


def decks(number: int) -> bool:
    """Measure regret and error over so many decks of each size, against an oracle without the coach's kernels.

    Returns whether the answers meet the goal.
    """
    good = True
    luck = Random(1)
    for size in SIZES:
        for aim in Aim:
            answered, estimated = Results(), Results()
            many = min(number, size.decks) + SKIPPED
            for each in range(many):
                position, oracle = deck(luck, size, SMALL), CardOracle(aim)
                question = asked(position, aim)
                right = [(0.0, share, lead) for lead, share in (oracle.take(position), oracle.leave(position))]
                answered.add(question, each + 1, right)
                with unsolved():
                    estimated.add(question, each + 1, right)
            print(f"{size.named(many - SKIPPED, aim)}, as it answers: {answered}")
            if size.left > 1:
                print(f"{size.named(many - SKIPPED, aim)}, estimated: {estimated}")
            good = good and answered.good
    return good


def larger_decks(number: int) -> None:
    """Measure regret and error of estimates on decks that are solved only if that may take long."""
    luck = Random(4)
    for size in LARGER:
        for aim in Aim:
            results, many = Results(), min(number, size.decks) + SKIPPED
            for each in range(many):
                question = asked(deck(luck, size, HIGHEST), aim)
                found = exact.solve_two(machine(), question.round, lead_only=aim is Aim.LEAD)
                with unsolved():
                    results.add(question, each + 1, [found[move["action"]] for move in MOVES])
            print(f"{size.named(many - SKIPPED, aim)}, estimated: {results}")


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
        good = decks(options.decks)
        larger_decks(options.decks)
    rounds(options.rounds, options.hands, options.seed, INTERPRETED if options.plain else machine())
    expectations(options.circles)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
