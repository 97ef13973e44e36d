"""Perfect play of two seats in the last round of No Thanks!, by backward induction over layers of taken cards.

The functions use only the part of Python that numba compiles (see `bots.machine`). Between two cards a position is the
set of cards taken since the start, who took each, who took the last one and thus decides first, and the first seat's
chips; the other seat has the rest. A layer holds all positions with equally many taken cards, for all numbers of chips
at once. It follows from the layer after it, so two are kept. Sets of equal size are numbered in the order of their bit
masks (the combinatorial number system), owners are the bits of a number, and so a position's place needs no table.

Outcomes are three numbers for every count of the first seat's chips: the final scores of both seats, and the first
one's share of the win.
"""

from collections.abc import MutableSequence, Sequence

from scoville_shared.bots.no_thanks.kernel import change

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

PARTS = 3
FIRST, SECOND, SHARE = range(PARTS)
"""An outcome: the final scores of both seats, and the share of the win of the first one."""

TAKERS = 2

EQUAL = 1e-9
"""Worths that differ by less are equal: means of fractions are rounded."""

POINT = 0.001
"""What a point of lead is worth, where the share of the win comes first."""

LOWEST = -4
"""A card changes the points of both seats together by more than this, and at most by twice its number."""

MOST_UNSEEN = 40
"""Rows and columns of the table of binomials."""


def passes(worth: Sequence[float], size: int, mine: int, other: int, pot: int, mover: int, guess: int) -> int:
    """Return how often perfect players pass on a card; of equal moves a seat takes it.

    That is until taking it is no worse than leaving it to the other seat at once, or the chips are gone. More chips are
    always worth more, by a point of lead each at least: who has them can play as if they were not there. So a seat that
    would rather see the other one take the card now than take it itself gains nothing by an earlier take, and the other
    one, who will take it, only gains by more chips on it. And once it is right to take, it is so after further passes.

    Args:
        worth: The worth to the first seat, by its chips afterwards, where it takes the card, and `size` further on
            where the other seat does.
        mine: The first seat's chips; `other` are those of the second.
        guess: Where the search begins.
    """
    most = min(2 * mine + mover, 2 * other + 1 - mover)
    count = min(guess, most)
    taking, leaving = 2 * (mine + pot) + mover + 1, 2 * (size + mine) - 1 + mover
    while count < most and worth[(taking + count) >> 1] < worth[(leaving - count) >> 1] - EQUAL:
        count += 1
    while count > 0 and worth[(taking + count - 1) >> 1] >= worth[(leaving - count + 1) >> 1] - EQUAL:
        count -= 1
    return count


def taken_after(size: int, mine: int, pot: int, mover: int, count: int) -> int:
    """Return the place in `worth` of what so many passes lead to."""
    if (count + mover) & 1:
        return (2 * (size + mine) - 1 + mover - count) >> 1
    return (2 * (mine + pot) + mover + 1 + count) >> 1


def settle(
    owned: Sequence[int], points: Sequence[int], unseen: Sequence[int], left: int, chips: int, lead_only: bool,
    choose: Numbers, stops: Numbers, worth: Floats, layer: Floats, spare: Floats,
) -> bool:  # fmt: skip
    """Solve what follows a card that was just taken, for every distribution of the `chips` of both seats.

    Args:
        owned: The cards of both seats.
        points: The points of all rounds so far, without chips.
        unseen: The cards that may be face down, `left` of which are.
        lead_only: Whether a seat's worth is its lead; else its share of the win comes first.
        choose: Working space of `MOST_UNSEEN` squared.
        stops: Working space for each such change (see `LOWEST`), each taker and each count of chips.
        worth: Working space for two numbers for each count of chips.
        layer: Space for the largest layer, `spare` for the second largest.

    Returns:
        Whether the outcomes are in `spare` instead of `layer`: one for each seat that took the card and each count of
        chips.
    """
    size = chips + 1
    if left == 0:
        for taker in range(TAKERS):
            for mine in range(size):
                _note(points[0] - mine, points[1] - chips + mine, layer, (taker * size + mine) * PARTS, 1.0)
        return False
    fill_stops(worth, size, stops)
    _fill_last(owned, points, unseen, left - 1, size, stops, layer)
    return work_back(unseen, left - 1, size, lead_only, choose, worth, layer, spare)


def work_back(
    unseen: Sequence[int], known: int, size: int, lead_only: bool, choose: Numbers, worth: Floats, layer: Floats,
    spare: Floats,
) -> bool:  # fmt: skip
    """Fill all layers before the `known` one, which is in `layer`; returns whether the first one is in `spare`."""
    _fill_binomials(choose, len(unseen))
    swapped = False
    for taken in range(known - 1, -1, -1):
        if swapped:
            _fill_layer(unseen, taken, size, lead_only, choose, worth, spare, layer)
        else:
            _fill_layer(unseen, taken, size, lead_only, choose, worth, layer, spare)
        swapped = not swapped
    return swapped


def _fill_binomials(choose: Numbers, most: int) -> None:
    for size in range(most + 1):
        choose[size * MOST_UNSEEN] = 1
        for count in range(1, size + 1):
            above = choose[(size - 1) * MOST_UNSEEN + count] if count < size else 0
            choose[size * MOST_UNSEEN + count] = above + choose[(size - 1) * MOST_UNSEEN + count - 1]


def fill_stops(worth: Floats, size: int, stops: Numbers) -> None:
    """Note how the last card is played: with a lead to gain, that depends on what it changes for both seats only."""
    for both in range(len(stops) // (TAKERS * size)):
        for mine in range(size):
            worth[mine] = 2.0 * mine
            worth[size + mine] = 2.0 * mine + both + LOWEST
        for mover in range(TAKERS):
            count = 0
            for mine in range(size):
                count = passes(worth, size, mine, size - 1 - mine, 0, mover, count)
                stops[(both * TAKERS + mover) * size + mine] = taken_after(size, mine, 0, mover, count)


def _fill_last(
    owned: Sequence[int], points: Sequence[int], unseen: Sequence[int], taken: int, size: int, stops: Sequence[int],
    layer: Floats,
) -> None:  # fmt: skip
    """Fill the layer before the last card."""
    cards, place = len(unseen), 0
    part = 1.0 / (cards - taken)
    chosen = (1 << taken) - 1
    while chosen < 1 << cards:
        for owners in range(1 << taken):
            first, second, mine, other = owned[0], owned[1], points[0], points[1]
            number = 0
            for at in range(cards):
                if chosen >> at & 1:
                    if owners >> number & 1:
                        other += change(second, unseen[at])
                        second |= 1 << unseen[at]
                    else:
                        mine += change(first, unseen[at])
                        first |= 1 << unseen[at]
                    number += 1
            for cell in range(place, place + TAKERS * size * PARTS):
                layer[cell] = 0.0
            for at in range(cards):
                if not chosen >> at & 1:
                    _add_last(
                        change(first, unseen[at]), change(second, unseen[at]), mine, other, size, stops, layer, place,
                        part,
                    )  # fmt: skip
            place += TAKERS * size * PARTS
        if taken == 0:
            return
        chosen = following(chosen)


def _add_last(
    gain: int, loss: int, mine: int, other: int, size: int, stops: Sequence[int], layer: Floats, at: int, part: float
) -> None:
    """Add what the last card leads to: it adds `gain` points to the first seat's, or `loss` to the other's."""
    base = (gain + loss - LOWEST) * TAKERS * size
    for mover in range(TAKERS):
        row = at + mover * size * PARTS
        for chips in range(size):
            found = stops[base + mover * size + chips]
            if found < size:
                _note(mine + gain - found, other - (size - 1 - found), layer, row + chips * PARTS, part)
            else:
                _note(mine - (found - size), other + loss - (2 * size - 1 - found), layer, row + chips * PARTS, part)


def _note(mine: int, other: int, layer: Floats, at: int, part: float) -> None:
    """Add a part of two final scores, and of the share of the win."""
    layer[at + FIRST] += part * mine
    layer[at + SECOND] += part * other
    layer[at + SHARE] += part if mine < other else 0.5 * part if mine == other else 0.0


def _fill_layer(
    unseen: Sequence[int], taken: int, size: int, lead_only: bool, choose: Sequence[int], worth: Floats,
    after: Sequence[float], layer: Floats,
) -> None:  # fmt: skip
    """Fill a layer from the one `after` it."""
    cards, place, width = len(unseen), 0, TAKERS * size * PARTS
    part = 1.0 / (cards - taken)
    chosen = (1 << taken) - 1
    while chosen < 1 << cards:
        for cell in range(place, place + (width << taken)):
            layer[cell] = 0.0
        for at in range(cards):
            if chosen >> at & 1:
                continue
            number, below = _number(chosen | 1 << at, at, choose)
            for owners in range(1 << taken):
                low = owners & ((1 << below) - 1)
                later = (number << (taken + 1)) + low + ((owners >> below) << (below + 1))
                mine, other = later * width, (later + (1 << below)) * width + size * PARTS
                _add_card(after, mine, other, size, lead_only, worth, layer, place + owners * width, part)
        place += width << taken
        if taken == 0:
            return
        chosen = following(chosen)


def _add_card(
    after: Sequence[float], mine: int, other: int, size: int, lead_only: bool, worth: Floats, layer: Floats, at: int,
    part: float,
) -> None:  # fmt: skip
    """Add what a card leads to; outcomes begin at `mine` if the first seat takes it, at `other` if the second does."""
    for chips in range(size):
        worth[chips] = value(after, mine + chips * PARTS, lead_only)
        worth[size + chips] = value(after, other + chips * PARTS, lead_only)
    for mover in range(TAKERS):
        row, count = at + mover * size * PARTS, 0
        for chips in range(size):
            count = passes(worth, size, chips, size - 1 - chips, 0, mover, count)
            found = taken_after(size, chips, 0, mover, count)
            source = mine + found * PARTS if found < size else other + (found - size) * PARTS
            layer[row] += part * after[source]
            layer[row + SECOND] += part * after[source + SECOND]
            layer[row + SHARE] += part * after[source + SHARE]
            row += PARTS


def value(layer: Sequence[float], at: int, lead_only: bool) -> float:
    """Return what an outcome is worth to the first seat; to the other it is worth the less."""
    lead = layer[at + SECOND] - layer[at + FIRST]
    return lead if lead_only else layer[at + SHARE] + POINT * lead


def _number(chosen: int, added: int, choose: Sequence[int]) -> tuple[int, int]:
    """Return the number of a set among those of its size, and how many of its cards are below the added one."""
    number, count, below, at = 0, 0, 0, 0
    while chosen >> at:
        if chosen >> at & 1:
            count += 1
            number += choose[at * MOST_UNSEEN + count] if count <= at else 0
            below += at < added
        at += 1
    return number, below


def following(chosen: int) -> int:
    """Return the next larger bit mask with as many bits."""
    lowest = chosen & -chosen
    carried = chosen + lowest
    return ((chosen ^ carried) >> 2) // lowest | carried
