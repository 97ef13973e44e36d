"""The farsighted policy of Dicht dran: it weighs a card by this round and by what it could still win or fit later.

The functions use only the part of Python that numba compiles (see `bots.machine`). `kernel` has the simple policies.
"""

from collections.abc import MutableSequence, Sequence
from math import exp

from scoville_shared.bots.dicht_dran.kernel import (
    ANY_CARD,
    DRAWN,
    PILE,
    SLOT,
    SLOTS,
    STRIDE,
    Cycle,
    closeness_of,
)

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

NUMBERS = 101
"""How many cards up to 0, 1, … 100 are unknown."""

(
    DISCARDED, WON, LAID, LEFT_OVER, RIVAL, RIVALS_CARD, CROWD, HASTE, KEPT, PATIENCE, NEXT, SOON, FITTING, FULL,
) = range(14)  # fmt: skip
"""Places of the weights: see `policies.Foresight`."""

FULL_HAND = 8.0
"""Cards of a hand that counts once in `FULL`."""


def mark_cards(cycle: Cycle, marks: Numbers) -> None:
    """Put a 1 at the number of each card in a hand or in the draw pile, a 0 at all others."""
    for number in range(NUMBERS):
        marks[number] = 0
    for seat in range(len(cycle.sizes)):
        for place in range(seat * STRIDE, seat * STRIDE + cycle.sizes[seat]):
            marks[cycle.hands[place]] = 1
    for place in range(cycle.counts[DRAWN], cycle.counts[PILE]):
        marks[cycle.pile[place]] = 1


def count_unknown(marks: Numbers, hands: Sequence[int], seat: int, size: int, unknown: Numbers) -> None:
    """Count how many of the marked cards up to each number are not in a seat's own hand of this size."""
    # The marks are the same for all seats of a round, so the own cards are taken out for a moment only.
    for place in range(seat * STRIDE, seat * STRIDE + size):
        marks[hands[place]] = 0
    total = 0
    for number in range(NUMBERS):
        total += marks[number]
        unknown[number] = total
    for place in range(seat * STRIDE, seat * STRIDE + size):
        marks[hands[place]] = 1


def count_others(card: int, target: int, unknown: Sequence[int]) -> int:
    """Return how many unknown cards are not closer to the target than this card (A10)."""
    near = closeness_of(card, target)
    highest, lowest = min(target + near // 2, NUMBERS - 1), max(target - (near - 1) // 2, 1)
    return unknown[NUMBERS - 1] - (unknown[highest] - unknown[lowest - 1])


def chance_of_closest(
    card: int, target: int, unknown: Sequence[int], tries: float, logarithms: Sequence[float]
) -> float:
    """Return the chance that none of so many random unknown cards is closer to the target."""
    others = count_others(card, target, unknown)
    # A power by listed logarithms: powers take most of this policy's time.
    return exp(tries * (logarithms[others] - logarithms[unknown[NUMBERS - 1]])) if others > 0 else 0.0


def choose_farsighted(
    cycle: Cycle, seat: int, peppers: Sequence[int], weights: Sequence[float], logarithms: Sequence[float],
    unknown: Sequence[int], losses: Floats,
) -> int:  # fmt: skip
    """Choose the card with the greatest estimated value; of equals the higher.

    Args:
        cycle: The cycle; of other hands only the sizes matter.
        seat: The seat that chooses.
        peppers: The peppers of every card, by its number.
        weights: Those of `policies.Foresight`.
        logarithms: Those of the numbers up to 100.
        unknown: How many cards up to each number the seat does not know (see `count_unknown`).
        losses: Working space for a number of each card in the hand.
    """
    circle, hands, sizes, slot = cycle.circle, cycle.hands, cycle.sizes, cycle.counts[SLOT]
    before, target, after = circle[(slot + SLOTS - 1) % SLOTS], circle[slot], circle[(slot + 1) % SLOTS]
    second, third = circle[(slot + 2) % SLOTS], circle[(slot + 3) % SLOTS]
    low, high = min(before, after), max(before, after)
    next_low, next_high = min(target, second), max(target, second)
    fewest, rivals_cards = sizes[seat], 0
    for other in range(len(sizes)):
        if other != seat:
            fewest = min(fewest, sizes[other])
            rivals_cards += sizes[other]
    later = max(weights[RIVAL] * (len(sizes) - 1) + weights[RIVALS_CARD] * rivals_cards, 0.1)
    fitting = unknown[high - 1] - unknown[low]
    now = later * (1.0 + weights[CROWD] * fitting / max(unknown[NUMBERS - 1], 1))
    winning = weights[WON] + weights[HASTE] / fewest
    drawing = weights[LAID] + weights[FULL] * sizes[seat] / FULL_HAND
    weigh_losses(cycle, seat, peppers, weights, logarithms, unknown, later, losses)

    best = ANY_CARD
    most = 0.0
    for place in range(sizes[seat]):
        card = hands[seat * STRIDE + place]
        chance = chance_of_closest(card, target, unknown, now, logarithms)
        value = weights[DISCARDED] * peppers[card] + winning * chance * peppers[target] - losses[place]
        if not low < card < high:
            value -= (1.0 - chance) * (drawing * peppers[card] + weights[LEFT_OVER])
        value -= weights[NEXT] * chance_of_closest(card, after, unknown, later, logarithms) * peppers[after]
        soon = chance_of_closest(card, second, unknown, later, logarithms) * peppers[second]
        soon += chance_of_closest(card, third, unknown, later, logarithms) * peppers[third]
        value -= weights[SOON] * soon
        # The target's place is taken by a card near it, which bounds the next gap.
        if next_low < card < next_high:
            value -= weights[FITTING] * peppers[card]
        if best == ANY_CARD or value > most or (value == most and card > best):
            best = card
            most = value
    return best


def weigh_losses(
    cycle: Cycle, seat: int, peppers: Sequence[int], weights: Sequence[float], logarithms: Sequence[float],
    unknown: Sequence[int], tries: float, losses: Floats,
) -> None:  # fmt: skip
    """Weigh for each card of a hand by how much the other cards would be worse at the targets to come."""
    first, size = seat * STRIDE, cycle.sizes[seat]
    for place in range(size):
        losses[place] = 0.0
    weight = weights[KEPT]
    for step in range(1, SLOTS):
        target = cycle.circle[(cycle.counts[SLOT] + step) % SLOTS]
        best, second = find_closest(cycle.hands, first, size, target)
        lost = chance_of_closest(cycle.hands[first + best], target, unknown, tries, logarithms)
        if second >= 0:
            lost -= chance_of_closest(cycle.hands[first + second], target, unknown, tries, logarithms)
        losses[best] += weight * lost * peppers[target]
        weight *= weights[PATIENCE]


def find_closest(hands: Sequence[int], first: int, size: int, target: int) -> tuple[int, int]:
    """Return the places in a hand of the closest card to a target and of the second one, which is -1 without one."""
    best, second, nearest, farther = -1, -1, 1_000, 1_000
    for place in range(size):
        near = closeness_of(hands[first + place], target)
        if near < nearest:
            best, second, nearest, farther = place, best, near, nearest
        elif near < farther:
            second, farther = place, near
    return best, second
