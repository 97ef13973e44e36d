"""One round of Dicht dran between two players: what can be gained against the coach's advice, and what it brings."""

from itertools import combinations
from math import comb
from random import Random
from statistics import fmean

from scoville_shared.bots.dicht_dran.kernel import Cycle, choose_card, closeness_of
from scoville_shared.bots.dicht_dran.table import KnownCycle, list_worth
from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.coach.base import Policy
from scoville_shared.coach.dicht_dran.coach import RoundCoach, RoundQuestion
from scoville_shared.coach.sample import Aim
from scoville_shared.coach.study import study_moves
from scoville_shared.coach.tally import SECOND
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_thinking.machines import fastest_machine

EACH, LARGER_PILE = 2, 8

HELD = ((8, 2, 2), (10, 3, 3), (12, 8, 2), (13, 3, 4), (16, 4, 4), (40, 3, 2), (64, 12, 5), (80, 7, 9), (94, 8, 8))
"""Unseen cards, and how many of them each player holds; the others are in the draw pile."""

ENUMERATED, REPLIES = 60_000, 1_000


def measure_rounds(number: int, hands: int, seed: int, fast: Machine) -> None:
    """Measure how much can be gained against the coach's advice, over so many circles of each size."""
    luck = Random(seed)
    for unseen, mine, others in HELD:
        found = [measure_gain(luck, (mine, others), unseen, hands, fast) for _ in range(number)]
        gains = [gain for gain in found if gain is not None]
        heading = f"dicht_dran, 2 players, one round, {mine} and {others} of {unseen} unseen cards in hands"
        if gains:
            print(
                f"{heading}, {number} circles: both together gain {fmean(gains):.4f} peppers a round, "
                f"at most {max(gains):.4f}"
            )
        else:
            print(f"{heading}: no advice")


def measure_gain(luck: Random, sizes: tuple[int, int], unseen: int, hands: int, fast: Machine) -> float | None:
    """Return what both players together gain if each knows the other's play and answers best, in one circle.

    One of them alone gains at most as much. All hands are enumerated, or so many are drawn; then the opponent's cards
    are drawn `REPLIES` times for each, and the best of noisy figures makes the gain too large rather than too small.
    """
    cards = luck.sample(range(2, 100), 4 + unseen)
    circle, slot, pool = [1, *cards[:2], 100, *cards[2:4]], luck.randrange(6), sorted(cards[4:])
    gain = 0.0
    for mine, other in (sizes, sizes[::-1]):
        few = comb(unseen, mine) * comb(unseen - mine, other) <= ENUMERATED
        some = combinations(pool, mine) if few else (sorted(luck.sample(pool, mine)) for _ in range(hands))
        gains = [reply_gain(luck, circle, slot, tuple(hand), pool, other, fast, few) for hand in some]
        if None in gains:
            return None
        gain += fmean(each for each in gains if each is not None)
    return gain


def reply_gain(
    luck: Random, circle: list[int], slot: int, hand: tuple[int, ...], pool: list[int], other: int, fast: Machine,
    few: bool,
) -> float | None:  # fmt: skip
    """Return by how much the best card of a hand exceeds what the coach advises, against advised play."""
    peppers, rest = peppers_by_card(None), [card for card in pool if card not in hand]
    advised = weigh_cards(circle, slot, hand, rest, other, fast)
    if not advised:
        return None
    worths, met = [0.0] * len(hand), 0
    for held in combinations(rest, other) if few else (luck.sample(rest, other) for _ in range(REPLIES)):
        pile = [card for card in rest if card not in held]
        shares = weigh_cards(circle, slot, tuple(held), [*hand, *pile], len(hand), fast)
        drawn, met = sum(peppers[card] for card in pile) / max(1, len(pile)), met + 1
        for card, share in zip(held, shares, strict=True):
            if share:
                for place, own in enumerate(hand):
                    worths[place] += share * round_payoff(circle, slot, own, card, peppers, drawn)
    follows = sum(share * worth for share, worth in zip(advised, worths, strict=True))
    return (max(worths) - follows) / met


def measure_expectations(number: int) -> None:
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
        table = Cycle(circle, list(other), [EACH], [], [], [], [0, 0, 0, slot])
        reply = choose_card(table, 0, list_worth(INTERPRETED, peppers, 2), 0)
        drawn = fmean(peppers[card] for card in unseen if card not in other)
        for card in hand:
            wins = closeness_of(card, circle[slot]) < closeness_of(reply, circle[slot])
            costs = 0 if wins or low < card < high else peppers[card] * drawn
            brought[card].append(peppers[card] + wins * peppers[circle[slot]] - costs)
    asked = make_question(circle, slot, hand, unseen, peppers, LARGER_PILE, Policy.TRAINED)
    sample = study_moves(asked, RoundCoach.playouts, seed + 1, fastest_machine()).sample
    return [abs(sample.mean_of(place, SECOND) - fmean(brought[card])) for place, card in enumerate(hand)]


def weigh_cards(
    circle: list[int], slot: int, hand: tuple[int, ...], unseen: list[int], other: int, fast: Machine
) -> tuple[float, ...]:
    """Return how often the coach advises each card of a hand, if `other` of the unseen cards are the opponent's."""
    sizes = (len(hand), other)
    asked = make_question(circle, slot, hand, unseen, peppers_by_card(None), len(unseen) - other, Policy.DRAWN, sizes)
    return asked.equilibrium_shares(fast)


def make_question(
    circle: list[int], slot: int, hand: tuple[int, ...], unseen: list[int], peppers: tuple[int, ...], pile: int,
    policy: Policy, sizes: tuple[int, int] = (EACH, EACH),
) -> RoundQuestion:  # fmt: skip
    """Return the coach's question about a hand of the last round; the own size is the first one."""
    cycle = KnownCycle(
        circle=circle, slot=slot, sizes=list(sizes), won=[0, 0], discard=[], pile=pile, peppers=list(peppers),
        totals=[0, 0], cycles=0,
    )  # fmt: skip
    return RoundQuestion(
        moves=[{"card": card} for card in hand], cycle=cycle, me=0, hand=list(hand), unseen=unseen,
        known=[0, -1 if policy is Policy.DRAWN else 0], policy=policy, aim=Aim.LEAD,
    )  # fmt: skip


def round_payoff(circle: list[int], slot: int, mine: int, other: int, peppers: tuple[int, ...], drawn: float) -> float:
    """Return the peppers that a round brings a player in excess of the other; a drawn card counts `drawn`."""
    low, high = sorted((circle[slot - 1], circle[(slot + 1) % 6]))
    mine_wins = closeness_of(mine, circle[slot]) < closeness_of(other, circle[slot])

    def own(card: int, *, wins: bool) -> float:
        cost = 0 if wins or low < card < high else drawn * peppers[card]
        return peppers[card] + wins * peppers[circle[slot]] - cost

    return own(mine, wins=mine_wins) - own(other, wins=not mine_wins)
