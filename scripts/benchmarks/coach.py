"""The coach against exact solutions: No Thanks! with two players and small decks, and one round of Dicht dran.

Decks: positions of two players whose solution is known. Printed are the mean regret of the advised move in points (how
much lead it gives away under perfect play; in wins where the share of the win comes first) and the mean error of its
expected lead, once as the coach answers, which solves such decks, and once with estimates forced, as on decks that are
too large to be solved in a second.

Rounds: two players with two cards each, from eight unseen ones. Printed is by how many peppers a round, in excess of
the other's, a player gains who knows what the coach advises for every hand, and plays the best card against that.

Expectations: the same with twelve cards, against an opponent who plays like the trained bot. Printed is the error of
what the coach says that a round brings, with the playouts of a review, against enumeration of all hands.
"""

import sys
from collections.abc import Sequence
from itertools import combinations
from random import Random
from statistics import fmean
from time import process_time
from typing import NamedTuple

from _arguments import bench_parser
from _card_oracle import CardOracle, Position, points

from scoville_shared.bots.dicht_dran.kernel import choose, closeness
from scoville_shared.bots.dicht_dran.policies import WEIGHTS, chances
from scoville_shared.coach.base import Policy
from scoville_shared.coach.dicht_dran.coach import RoundCoach
from scoville_shared.coach.dicht_dran.question import Cycle, RoundQuestion
from scoville_shared.coach.no_thanks import exact
from scoville_shared.coach.no_thanks.question import CardQuestion
from scoville_shared.coach.no_thanks.table import Round
from scoville_shared.coach.sample import Aim
from scoville_shared.coach.study import study
from scoville_shared.coach.tally import LEAD, SECOND, WIN
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_thinking.machines import machine

PLAYOUTS = 8_000
MOVES = [{"action": "take"}, {"action": "pass"}]
SMALL, HIGHEST = 14, 35
SKIPPED = 1
"""So many first answers are left out, since they wait for the kernels."""
PILE, EACH, UNSEEN = 4, 2, 8
LARGER_PILE = 8


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

    def __str__(self) -> str:
        regrets, leads, wins, times = zip(*self._rows[SKIPPED:], strict=True)
        return (
            f"regret {fmean(regrets):.4f}, error of the lead {fmean(leads):.2f}, of the share of the win "
            f"{fmean(wins):.3f}; {1000 * fmean(times):.0f} ms, at most {1000 * max(times):.0f}"
        )


def decks(number: int) -> None:
    """Measure regret and error over so many decks of each size, against an oracle without the coach's kernels."""
    luck, usual = Random(1), exact.MOST_POSITIONS
    for size in SIZES:
        for aim in Aim:
            answered, estimated = Results(), Results()
            many = min(number, size.decks) + SKIPPED
            for each in range(many):
                position, oracle = deck(luck, size, SMALL), CardOracle(aim)
                question = asked(position, aim)
                right = [(0.0, share, lead) for lead, share in (oracle.take(position), oracle.leave(position))]
                answered.add(question, each + 1, right)
                exact.MOST_POSITIONS = 0
                estimated.add(question, each + 1, right)
                exact.MOST_POSITIONS = usual
            print(f"{size.named(many - SKIPPED, aim)}, as it answers: {answered}")
            if size.left > 1:
                print(f"{size.named(many - SKIPPED, aim)}, estimated: {estimated}")


def larger_decks(number: int) -> None:
    """Measure regret and error of estimates on decks that are solved only if that may take long."""
    luck = Random(4)
    for size in LARGER:
        for aim in Aim:
            results, many = Results(), min(number, size.decks) + SKIPPED
            usual = exact.MOST_POSITIONS
            exact.MOST_POSITIONS = 0
            for each in range(many):
                question = asked(deck(luck, size, HIGHEST), aim)
                found = exact.solve_two(machine(), question.round, lead_only=aim is Aim.LEAD)
                results.add(question, each + 1, [found[move["action"]] for move in MOVES])
            exact.MOST_POSITIONS = usual
            print(f"{size.named(many - SKIPPED, aim)}, estimated: {results}")


def rounds(number: int) -> None:
    """Measure how much can be gained against the coach's advice, over so many circles."""
    luck = Random(2)
    gains = [exploited(luck, each) for each in range(number)]
    print(f"dicht_dran, 2 players, one round, {number} circles: exploitable by {fmean(gains):.3f} peppers a round")


def exploited(luck: Random, seed: int) -> float:
    """Return the mean gain of the best reply to the coach's advice, in one circle."""
    cards = luck.sample(range(2, 100), 4 + UNSEEN)
    circle = [1, *cards[:2], 100, *cards[2:4]]
    unseen, peppers = sorted(cards[4:]), peppers_by_card(None)
    slot = luck.randrange(6)
    hands = list(combinations(unseen, EACH))
    advised = {hand: advice(circle, slot, hand, unseen, peppers, seed) for hand in hands}
    gains = []
    for hand in hands:
        replies = [
            fmean(payoff(circle, slot, card, advised[other], peppers) for other in hands if not {*other} & {*hand})
            for card in hand
        ]
        gains.append(max(replies))
    return fmean(gains)


def expectations(number: int) -> None:
    """Measure the error of what a round brings, over so many circles."""
    luck = Random(3)
    errors = [error for each in range(number) for error in expectation_errors(luck, each)]
    print(
        f"dicht_dran, 2 players, one round, {number} circles, playouts of a review: "
        f"error of what the round brings: mean {fmean(errors):.4f} peppers, worst {max(errors):.3f}"
    )


def expectation_errors(luck: Random, seed: int) -> list[float]:
    """Return for each card of a hand by how many peppers the coach is wrong."""
    cards = luck.sample(range(2, 100), 4 + 2 * EACH + LARGER_PILE)
    circle, peppers, slot = [1, *cards[:2], 100, *cards[2:4]], peppers_by_card(None), luck.randrange(6)
    hand, unseen = tuple(sorted(cards[4 : 4 + EACH])), sorted(cards[4 + EACH :])
    low, high = sorted((circle[slot - 1], circle[(slot + 1) % 6]))
    brought: dict[int, list[float]] = {card: [] for card in hand}
    for other in combinations(unseen, EACH):
        reply = choose(circle, slot, other, EACH, 0, peppers, chances(2), WEIGHTS, 0)
        drawn = fmean(peppers[card] for card in unseen if card not in other)
        for card in hand:
            wins = closeness(card, circle[slot]) < closeness(reply, circle[slot])
            costs = 0 if wins or low < card < high else peppers[card] * drawn
            brought[card].append(peppers[card] + wins * peppers[circle[slot]] - costs)
    asked = question(circle, slot, hand, unseen, peppers, LARGER_PILE, Policy.TRAINED)
    sample = study(asked, RoundCoach.playouts, seed + 1, machine()).sample
    return [abs(sample.mean(place, SECOND) - fmean(brought[card])) for place, card in enumerate(hand)]


def advice(
    circle: list[int], slot: int, hand: tuple[int, ...], unseen: list[int], peppers: tuple[int, ...], seed: int
) -> int:
    """Return the card that the coach advises."""
    others = [card for card in unseen if card not in hand]
    sample = study(
        question(circle, slot, hand, others, peppers, PILE, Policy.MIXED), PLAYOUTS, seed + 1, machine()
    ).sample
    return int(sample.moves[sample.best]["card"])


def question(
    circle: list[int], slot: int, hand: tuple[int, ...], unseen: list[int], peppers: tuple[int, ...], pile: int,
    policy: Policy,
) -> RoundQuestion:  # fmt: skip
    """Return the coach's question about a hand of the last round."""
    cycle = Cycle(
        circle=circle, slot=slot, sizes=[EACH, EACH], won=[0, 0], discard=[], peppers=list(peppers), totals=[0, 0],
        cycles=0,
    )  # fmt: skip
    return RoundQuestion(
        moves=[{"card": card} for card in hand], cycle=cycle, me=0, hand=list(hand), unseen=unseen, pile=pile,
        policy=policy, aim=Aim.LEAD,
    )  # fmt: skip


def payoff(circle: list[int], slot: int, mine: int, other: int, peppers: tuple[int, ...]) -> float:
    """Return the peppers that a round brings a player in excess of the other; a drawn card counts two on average."""
    low, high = sorted((circle[slot - 1], circle[(slot + 1) % 6]))
    mine_wins = closeness(mine, circle[slot]) < closeness(other, circle[slot])

    def own(card: int, *, wins: bool) -> float:
        drawn = 0 if wins or low < card < high else 2 * peppers[card]
        return peppers[card] + wins * peppers[circle[slot]] - drawn

    return own(mine, wins=mine_wins) - own(other, wins=not mine_wins)


def main() -> int:
    """Run all parts."""
    parser = bench_parser("coach", __doc__)
    parser.add_argument("--decks", type=int, default=60, help="positions of each size")
    parser.add_argument("--circles", type=int, default=20, help="circles of Dicht dran")
    options = parser.parse_args()
    decks(options.decks)
    larger_decks(options.decks)
    rounds(options.circles)
    expectations(options.circles)
    return 0


if __name__ == "__main__":
    sys.exit(main())
