"""The fitted policy of Dicht dran: it draws cards by chances that were fitted to the choices of `strong`.

Each card of a hand has figures. Their weighted sum says how likely the card is: chances are in proportion to the
exponential of it. The functions use only the part of Python that numba compiles (see `bots.machine`).
"""

from collections.abc import MutableSequence, Sequence

from scoville_shared.bots.dicht_dran.foresight import FULL_HAND, NUMBERS, count_others, find_closest
from scoville_shared.bots.dicht_dran.kernel import ANY_CARD, SLOT, SLOTS, STRIDE, TRAINED, Cycle, Worth, estimate_card
from scoville_shared.bots.random_numbers import next_random

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

(
    BEST, BEHIND, LITTLE_BEHIND, PEPPERS, WINNING, DRAWING, LEFT_OVER, FIRST_LOSS, SECOND_LOSS, THIRD_LOSS, FOURTH_LOSS,
    FIFTH_LOSS, FITS_NEXT, FITS_SECOND, FITS_THIRD, HASTE, WINNING_IN_HASTE, DRAWING_WHEN_FULL, CHANCE, WINNING_NEXT,
    WINNING_SECOND, BEST_TARGET, BEST_IN_HASTE, OUTSIDE,
) = range(24)  # fmt: skip
"""Places of the figures: see `policies.Likelihood`."""

FIGURES = 24

LITTLE = 1.0
"""Peppers up to which a card counts as a little behind the best one."""

OPINIONS = 256
"""Equally likely opinions of a card, those of the Gumbel distribution: the best of all sums then is each card with its
chance."""


def chance_among_eight(card: int, target: int, unknown: Sequence[int]) -> float:
    """Return the chance that none of eight random unknown cards is closer to the target."""
    if unknown[NUMBERS - 1] == 0:
        return 1.0
    chance = count_others(card, target, unknown) / unknown[NUMBERS - 1]
    # Squared three times: a general power takes much longer.
    chance *= chance
    chance *= chance
    return chance * chance


def describe_hand(cycle: Cycle, seat: int, worth: Worth, unknown: Sequence[int], figures: Floats) -> None:
    """Work out the figures of each card in a hand, `FIGURES` for each, in the order of the hand.

    Args:
        cycle: The cycle; of other hands only the sizes matter.
        seat: The seat that chooses.
        worth: The worth of the cards.
        unknown: How many cards up to each number the seat does not know (see `foresight.count_unknown`).
        figures: Gets the figures.
    """
    circle, peppers, first, size = cycle.circle, worth.peppers, seat * STRIDE, cycle.sizes[seat]
    slot = cycle.counts[SLOT]
    before, target, after = circle[(slot + SLOTS - 1) % SLOTS], circle[slot], circle[(slot + 1) % SLOTS]
    second, third, fourth = circle[(slot + 2) % SLOTS], circle[(slot + 3) % SLOTS], circle[(slot + 4) % SLOTS]
    low, high = min(before, after), max(before, after)
    fewest = size
    for other in range(len(cycle.sizes)):
        fewest = min(fewest, cycle.sizes[other])
    best, most = 0, 0.0
    for place in range(size):
        card, at = cycle.hands[first + place], place * FIGURES
        fits = low < card < high
        value = estimate_card(card, target, fits, worth, TRAINED)
        if place == 0 or value > most or (value == most and card > cycle.hands[first + best]):
            best, most = place, value
        chance, own = chance_among_eight(card, target, unknown), float(peppers[card])
        left_over = 0.0 if fits else 1.0 - chance
        figures[at + BEHIND] = value
        figures[at + PEPPERS] = own
        figures[at + WINNING] = chance * peppers[target]
        figures[at + DRAWING] = left_over * own
        figures[at + LEFT_OVER] = left_over
        figures[at + FITS_NEXT] = own if min(target, second) < card < max(target, second) else 0.0
        figures[at + FITS_SECOND] = own if min(after, third) < card < max(after, third) else 0.0
        figures[at + FITS_THIRD] = own if min(second, fourth) < card < max(second, fourth) else 0.0
        figures[at + HASTE] = own / fewest
        figures[at + WINNING_IN_HASTE] = chance * peppers[target] / fewest
        figures[at + DRAWING_WHEN_FULL] = left_over * own * size / FULL_HAND
        figures[at + CHANCE] = chance
        figures[at + WINNING_NEXT] = chance_among_eight(card, after, unknown) * peppers[after]
        figures[at + WINNING_SECOND] = chance_among_eight(card, second, unknown) * peppers[second]
        figures[at + OUTSIDE] = 0.0 if fits else 1.0
    for place in range(size):
        at = place * FIGURES
        figures[at + BEHIND] -= most
        figures[at + LITTLE_BEHIND] = max(figures[at + BEHIND], -LITTLE)
        is_best = 1.0 if place == best else 0.0
        figures[at + BEST] = is_best
        figures[at + BEST_TARGET] = is_best * peppers[target]
        figures[at + BEST_IN_HASTE] = is_best / fewest
        for step in range(SLOTS - 1):
            figures[at + FIRST_LOSS + step] = 0.0
    note_losses(cycle, seat, peppers, unknown, figures)


def note_losses(cycle: Cycle, seat: int, peppers: Sequence[int], unknown: Sequence[int], figures: Floats) -> None:
    """Note by how much the other cards of a hand would be worse than its closest one at each target to come."""
    hands, first = cycle.hands, seat * STRIDE
    for step in range(SLOTS - 1):
        target = cycle.circle[(cycle.counts[SLOT] + 1 + step) % SLOTS]
        best, second = find_closest(hands, first, cycle.sizes[seat], target)
        lost = chance_among_eight(hands[first + best], target, unknown)
        if second >= 0:
            lost -= chance_among_eight(hands[first + second], target, unknown)
        figures[best * FIGURES + FIRST_LOSS + step] = lost * peppers[target]


def draw_card(
    cycle: Cycle, seat: int, worth: Worth, weights: Sequence[float], opinions: Sequence[float], unknown: Sequence[int],
    figures: Floats, rng: Numbers,
) -> int:  # fmt: skip
    """Draw the card that a seat chooses.

    Args:
        cycle: The cycle; of other hands only the sizes matter.
        seat: The seat that chooses.
        worth: The worth of the cards.
        weights: Those of the figures.
        opinions: Equally likely opinions of a card, `OPINIONS` of them.
        unknown: How many cards up to each number the seat does not know.
        figures: Working space for the figures of the hand.
        rng: The state of the random numbers.
    """
    describe_hand(cycle, seat, worth, unknown, figures)
    best, most = ANY_CARD, 0.0
    for place in range(cycle.sizes[seat]):
        value = 0.0
        for figure in range(FIGURES):
            value += weights[figure] * figures[place * FIGURES + figure]
        # Not the lowest bits, which are the poorest.
        value += opinions[(next_random(rng) >> 8) % OPINIONS]
        card = cycle.hands[seat * STRIDE + place]
        if best == ANY_CARD or value > most or (value == most and card > best):
            best, most = card, value
    return best
