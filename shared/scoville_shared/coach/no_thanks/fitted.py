"""Almost perfect play of two seats in rounds of No Thanks! that are too large to be solved: estimates of later cards.

The functions use only the part of Python that numba compiles (see `bots.machine`). From the last card on backwards,
what follows a taken card is estimated as a weighted sum of features of the position (fitted value iteration): for
random positions with equally many taken cards the next card is played perfectly on the estimates of one card later, and
least squares fit the weights to the results. There are weights for each count of chips. On the estimates of some cards
later, `duel` searches the next cards completely, whose many positions level the estimates' errors out.

A seat's prospect is its final score without the points that it has already. Estimated are both seats' prospects, if
both play for the lead, and the variance of the lead.
"""

from collections.abc import MutableSequence, Sequence
from math import erf, sqrt

from scoville_shared.bots.no_thanks.kernel import beside, change
from scoville_shared.bots.random_numbers import next_random, shuffle
from scoville_shared.coach.no_thanks.duel import (
    FIRST,
    LOWEST,
    PARTS,
    SECOND,
    SHARE,
    TAKERS,
    fill_stops,
    following,
    passes,
    taken_after,
    work_back,
)

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

VARIANCE = 2
"""The third estimate, besides the prospects of the `FIRST` and the `SECOND` seat."""

KINDS = 9
PRODUCTS = 4
FEATURES = 3 * KINDS + PRODUCTS * (PRODUCTS + 1) // 2
"""Features of a position: three for each kind of unseen card, the first one is 1 instead, and products of heights."""

HIGHEST = 35.0

RIDGE = 0.001
"""Keeps weights small where features hardly differ."""

SURE = 0.85
"""The chance that a card goes to the seat that it costs less, in the positions that weights are fitted to."""


def search(
    owned: Sequence[int], points: Sequence[int], unseen: Sequence[int], known: int, chips: int, lead_only: bool,
    weights: Sequence[float], choose: Numbers, worth: Floats, features: Floats, layer: Floats, spare: Floats,
) -> bool:  # fmt: skip
    """Solve what follows a card that was just taken, on the estimates of `known` cards later; see `duel.settle`."""
    cards, size, place = len(unseen), chips + 1, 0
    chosen = (1 << known) - 1
    while chosen < 1 << cards:
        for owners in range(1 << known):
            first, second, mine, other = owned[0], owned[1], points[0], points[1]
            number, hidden = 0, 0
            for at in range(cards):
                card = unseen[at]
                if not chosen >> at & 1:
                    hidden |= 1 << card
                elif owners >> number & 1:
                    other += change(second, card)
                    second |= 1 << card
                    number += 1
                else:
                    mine += change(first, card)
                    first |= 1 << card
                    number += 1
            for taker in range(TAKERS):
                _estimate(first, second, hidden, taker, size, weights, features, layer, place)
                for at in range(place, place + size * PARTS, PARTS):
                    layer[at + FIRST] += mine
                    layer[at + SECOND] += other
                    lead = layer[at + SECOND] - layer[at + FIRST]
                    layer[at + SHARE] = 0.5 + 0.5 * erf(lead / sqrt(2.0 * max(layer[at + VARIANCE], 0.25)))
                place += size * PARTS
        chosen = following(chosen)
    return work_back(unseen, known, size, lead_only, choose, worth, layer, spare)


def fit(
    owned: Sequence[int], card: int, unseen: Numbers, left: int, known: int, chips: int, positions: int, looks: int,
    rng: Numbers, stops: Numbers, weights: Floats, normal: Floats, right: Floats, features: Floats, results: Floats,
    after: Floats, worth: Floats,
) -> None:  # fmt: skip
    """Fit the `weights` of estimates, from the last card back to `known` taken cards.

    Args:
        owned: The cards of both seats without the first `card`.
        unseen: The cards that may be face down, `left` of which are; shuffled in place.
        positions: How many random positions are looked at with equally many taken cards.
        looks: How many next cards are tried in each.
        weights: Get `PARTS` numbers for each feature and count of chips; `right` is as large.
        normal: Working space of `FEATURES` squared, `features` of `FEATURES`, `worth` of twice the counts of chips.
        results: Working space for `PARTS` numbers for each taker and count of chips, as is `after`.
    """
    size = chips + 1
    width = size * PARTS
    fill_stops(worth, size, stops)
    for taken in range(left - 1, known - 1, -1):
        for place in range(FEATURES * FEATURES):
            normal[place] = 0.0
        for place in range(FEATURES * width):
            right[place] = 0.0
        for _ in range(positions):
            shuffle(unseen, len(unseen), len(unseen), rng)
            first, second = _deal(owned, card, unseen, taken, rng)
            hidden = 0
            for at in range(taken, len(unseen)):
                hidden |= 1 << unseen[at]
            tried = min(looks, len(unseen) - taken)
            if taken == left - 1:
                for mover in range(TAKERS):
                    play_last(first, second, hidden, mover, size, stops, results, mover * width)
            else:
                _look(
                    first, second, hidden, unseen, taken, tried, left - taken == 2, size, stops, weights, features,
                    after, worth, results,
                )  # fmt: skip
            _describe(first, second, hidden, features)
            _add_row(features, results, width, normal, right)
            _mirror(results, size, after)
            _describe(second, first, hidden, features)
            _add_row(features, after, width, normal, right)
        _least_squares(normal, right, width, weights)


def _deal(owned: Sequence[int], card: int, unseen: Sequence[int], taken: int, rng: Numbers) -> tuple[int, int]:
    """Give the first card and the first `taken` unseen ones to seats."""
    first, second = owned[0], owned[1]
    for at in range(-1, taken):
        dealt = card if at < 0 else unseen[at]
        gain, loss = change(first, dealt), change(second, dealt)
        chance = 0.5 if gain == loss else SURE if gain < loss else 1 - SURE
        if next_random(rng) < chance * 4_294_967_296.0:
            first |= 1 << dealt
        else:
            second |= 1 << dealt
    return first, second


def _describe(mine: int, other: int, hidden: int, features: Floats) -> None:
    """Write down the features of a position: how many unseen cards extend whose runs, and how high they are.

    Of every kind of unseen card there is the mean number, height and squared height: cards that extend nobody's run,
    one seat's, both seats'; that join two runs of a seat; that stand beside another unseen card; and of these, where
    both together would extend a seat's run.
    """
    for number in range(FEATURES):
        features[number] = 0.0
    count, card = 0, 0
    while hidden >> card:
        if hidden >> card & 1:
            count += 1
            ours, theirs = beside(mine, card), beside(other, card)
            _count(features, ours + 2 * theirs, card, 1)
            _count(features, 4, card, mine >> (card - 1) & mine >> (card + 1) & 1)
            _count(features, 5, card, other >> (card - 1) & other >> (card + 1) & 1)
            pair = hidden >> (card - 1) & 1
            _count(features, 6, card, pair)
            _count(features, 7, card, pair & (mine >> (card + 1) | mine >> (card - 2)))
            _count(features, 8, card, pair & (other >> (card + 1) | other >> (card - 2)))
        card += 1
    for number in range(FEATURES):
        features[number] /= max(count, 1)
    features[0] = 1.0
    number = 3 * KINDS
    for kind in range(PRODUCTS):
        for other_kind in range(kind + 1):
            features[number] = features[3 * kind + 1] * features[3 * other_kind + 1]
            number += 1


def _count(features: Floats, kind: int, card: int, holds: int) -> None:
    if holds:
        height = card / HIGHEST
        features[3 * kind] += 1.0
        features[3 * kind + 1] += height
        features[3 * kind + 2] += height * height


def _estimate(
    first: int, second: int, hidden: int, taker: int, size: int, weights: Sequence[float], features: Floats,
    values: Floats, at: int,
) -> None:  # fmt: skip
    """Write down the estimates for every count of the first seat's chips, from `at` on; the taker decides next."""
    width = size * PARTS
    for place in range(at, at + width):
        values[place] = 0.0
    if taker == 0:
        _describe(first, second, hidden, features)
    else:
        _describe(second, first, hidden, features)
    for number in range(FEATURES):
        feature = features[number]
        if feature == 0.0:
            continue
        row = number * width
        if taker == 0:
            for place in range(width):
                values[at + place] += feature * weights[row + place]
        else:
            for mine in range(size):
                here, there = at + mine * PARTS, row + (size - 1 - mine) * PARTS
                values[here + FIRST] += feature * weights[there + SECOND]
                values[here + SECOND] += feature * weights[there + FIRST]
                values[here + VARIANCE] += feature * weights[there + VARIANCE]


def _look(
    first: int, second: int, hidden: int, unseen: Sequence[int], taken: int, tried: int, last: bool, size: int,
    stops: Sequence[int], weights: Sequence[float], features: Floats, after: Floats, worth: Floats, results: Floats,
) -> None:  # fmt: skip
    """Estimate a position by playing some of the next cards; results where the first seat decides come first."""
    for place in range(TAKERS * size * PARTS):
        results[place] = 0.0
    part = 1.0 / tried
    for at in range(taken, taken + tried):
        card = unseen[at]
        gain, loss, rest = change(first, card), change(second, card), hidden & ~(1 << card)
        if last:
            play_last(first | 1 << card, second, rest, 0, size, stops, after, 0)
            play_last(first, second | 1 << card, rest, 1, size, stops, after, size * PARTS)
        else:
            _estimate(first | 1 << card, second, rest, 0, size, weights, features, after, 0)
            _estimate(first, second | 1 << card, rest, 1, size, weights, features, after, size * PARTS)
        for mine in range(size):
            after[mine * PARTS + FIRST] += gain
            after[(size + mine) * PARTS + SECOND] += loss
        for place in range(2 * size):
            worth[place] = after[place * PARTS + SECOND] - after[place * PARTS + FIRST]
        for mover in range(TAKERS):
            count = 0
            for mine in range(size):
                count = passes(worth, size, mine, size - 1 - mine, 0, mover, count)
                found = taken_after(size, mine, 0, mover, count)
                place = (mover * size + mine) * PARTS
                results[place + FIRST] += part * after[found * PARTS + FIRST]
                results[place + SECOND] += part * after[found * PARTS + SECOND]
                spread = max(after[found * PARTS + VARIANCE], 0.0)
                results[place + VARIANCE] += part * (spread + worth[found] * worth[found])
    for place in range(0, TAKERS * size * PARTS, PARTS):
        lead = results[place + SECOND] - results[place + FIRST]
        results[place + VARIANCE] -= lead * lead


def play_last(
    first: int, second: int, hidden: int, mover: int, size: int, stops: Sequence[int], values: Floats, at: int
) -> None:
    """Write down what the last card leads to, from `at` on, like an estimate; it is one of the hidden ones."""
    for place in range(at, at + size * PARTS):
        values[place] = 0.0
    count, card = 0, 0
    while hidden >> card:
        if hidden >> card & 1:
            count += 1
            gain, loss = change(first, card), change(second, card)
            base = ((gain + loss - LOWEST) * TAKERS + mover) * size
            for mine in range(size):
                found = stops[base + mine]
                ours = gain - found if found < size else size - found
                theirs = found - size + 1 if found < size else loss + found - 2 * size + 1
                values[at + mine * PARTS + FIRST] += ours
                values[at + mine * PARTS + SECOND] += theirs
                values[at + mine * PARTS + VARIANCE] += (theirs - ours) * (theirs - ours)
        card += 1
    for place in range(at, at + size * PARTS, PARTS):
        for part in range(PARTS):
            values[place + part] /= count
        lead = values[place + SECOND] - values[place + FIRST]
        values[place + VARIANCE] -= lead * lead


def _mirror(results: Sequence[float], size: int, mirrored: Floats) -> None:
    """Exchange the seats in what was found where the second seat decides."""
    for mine in range(size):
        here, there = mine * PARTS, (2 * size - 1 - mine) * PARTS
        mirrored[here + FIRST] = results[there + SECOND]
        mirrored[here + SECOND] = results[there + FIRST]
        mirrored[here + VARIANCE] = results[there + VARIANCE]


def _add_row(features: Sequence[float], results: Sequence[float], width: int, normal: Floats, right: Floats) -> None:
    """Add a position to the equations of least squares."""
    for number in range(FEATURES):
        feature = features[number]
        if feature != 0.0:
            for other in range(FEATURES):
                normal[number * FEATURES + other] += feature * features[other]
            for place in range(width):
                right[number * width + place] += feature * results[place]


def _least_squares(normal: Floats, right: Floats, width: int, weights: Floats) -> None:
    """Solve the equations by elimination; they are positive definite."""
    for number in range(FEATURES):
        normal[number * FEATURES + number] += RIDGE
    for pivot in range(FEATURES):
        for number in range(pivot + 1, FEATURES):
            factor = normal[number * FEATURES + pivot] / normal[pivot * FEATURES + pivot]
            for other in range(pivot, FEATURES):
                normal[number * FEATURES + other] -= factor * normal[pivot * FEATURES + other]
            for place in range(width):
                right[number * width + place] -= factor * right[pivot * width + place]
    for pivot in range(FEATURES - 1, -1, -1):
        for place in range(width):
            total = right[pivot * width + place]
            for other in range(pivot + 1, FEATURES):
                total -= normal[pivot * FEATURES + other] * weights[other * width + place]
            weights[pivot * width + place] = total / normal[pivot * FEATURES + pivot]
