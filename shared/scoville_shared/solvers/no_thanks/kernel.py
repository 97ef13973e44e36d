"""Perfect play of the last cards of No Thanks!, by going through all of it backwards.

The functions use only the part of Python that numba compiles (see `bots.machine`). On a card players pass in turn until
somebody takes it, at the latest one without a chip: a single line of passes, which is solved from its end. Taking leads
to the mean over all cards that may be turned next, each with a line of its own. `solve` goes down this tree on a stack,
since machine code of functions that call themselves cannot be cached.
"""

from collections.abc import MutableSequence, Sequence

from scoville_shared.bots.no_thanks.kernel import points_added

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

CARD, POT, MOVER, PASSES, STEP, PLACE, OWNED, GAINED = range(8)
"""A frame of the stack: the card, the chips on it, who decides first, how many passes there can be, the pass that is
looked at, the place of the next card, and what the taker had and gained."""

FRAME = 8
ROWS = 3
"""For each depth: what perfect play leads to, what taking leads to, and for the first decision what passing does."""

PLAYED, TAKEN, PASSED = range(3)

EQUAL = 1e-9
"""Worths that differ by less are equal: means of fractions are rounded."""


def solve(
    chips: Numbers, owned: Numbers, points: Numbers, unseen: Numbers, left: int, card: int, pot: int, mover: int,
    lead_only: bool, stack: Numbers, values: Floats,
) -> None:  # fmt: skip
    """Solve the rest of a final round: each seat maximizes its worth; of equal moves it takes the card.

    Args:
        points: The points of all rounds so far, without chips.
        unseen: The cards that may be face down.
        lead_only: Whether a seat's worth is its lead over the best other one; else its share of the win comes first.
        stack: Working space, a `FRAME` for each card.
        values: `ROWS` of three numbers a seat for each card: everybody's worth, score and share of the win.
    """
    width = 3 * len(chips)
    depth = 0
    _enter(chips, stack, 0, card, pot, mover)
    _take(chips, owned, points, stack, 0)
    while True:
        frame, row = depth * FRAME, depth * ROWS * width
        cards = len(unseen) - depth
        if depth < left and stack[frame + PLACE] < cards:
            if stack[frame + PLACE] == 0:
                for place in range(width):
                    values[row + TAKEN * width + place] = 0.0
            following = _draw(unseen, stack[frame + PLACE], cards - 1)
            taker = (stack[frame + MOVER] + stack[frame + STEP]) % len(chips)
            depth += 1
            _enter(chips, stack, depth * FRAME, following, 0, taker)
            _take(chips, owned, points, stack, depth * FRAME)
            continue
        if depth == left:
            evaluate(chips, points, lead_only, values, row + TAKEN * width)
        _give_back(chips, owned, points, stack, frame)
        _decide(stack, frame, len(chips), values, row)
        if stack[frame + STEP] > 0:
            stack[frame + STEP] -= 1
            chips[(stack[frame + MOVER] + stack[frame + STEP]) % len(chips)] += 1
            _take(chips, owned, points, stack, frame)
            continue
        if depth == 0:
            return
        depth -= 1
        frame = depth * FRAME
        cards = len(unseen) - depth
        for place in range(width):
            values[depth * ROWS * width + TAKEN * width + place] += values[row + place] / cards
        _draw(unseen, stack[frame + PLACE], cards - 1)
        stack[frame + PLACE] += 1


def _enter(chips: Numbers, stack: Numbers, frame: int, card: int, pot: int, mover: int) -> None:
    """Begin with a card: go to the end of its line of passes."""
    passes = 0
    while chips[(mover + passes) % len(chips)] > 0:
        chips[(mover + passes) % len(chips)] -= 1
        passes += 1
    stack[frame + CARD], stack[frame + POT], stack[frame + MOVER] = card, pot, mover
    stack[frame + PASSES], stack[frame + STEP] = passes, passes


def _take(chips: Numbers, owned: Numbers, points: Numbers, stack: Numbers, frame: int) -> None:
    """Let the seat of this step take the card."""
    seat = (stack[frame + MOVER] + stack[frame + STEP]) % len(chips)
    gained = points_added(owned[seat], stack[frame + CARD])
    stack[frame + OWNED], stack[frame + GAINED], stack[frame + PLACE] = owned[seat], gained, 0
    owned[seat] |= 1 << stack[frame + CARD]
    points[seat] += gained
    chips[seat] += stack[frame + POT] + stack[frame + STEP]


def _give_back(chips: Numbers, owned: Numbers, points: Numbers, stack: Numbers, frame: int) -> None:
    """Undo `_take`."""
    seat = (stack[frame + MOVER] + stack[frame + STEP]) % len(chips)
    owned[seat] = stack[frame + OWNED]
    points[seat] -= stack[frame + GAINED]
    chips[seat] -= stack[frame + POT] + stack[frame + STEP]


def _decide(stack: Sequence[int], frame: int, seats: int, values: Floats, row: int) -> None:
    """Let the seat of this step choose between taking and what the steps after it lead to."""
    width, step = 3 * seats, stack[frame + STEP]
    seat = (stack[frame + MOVER] + step) % seats
    if step == 0:
        for place in range(width):
            values[row + PASSED * width + place] = values[row + place]
    if step == stack[frame + PASSES] or values[row + TAKEN * width + 3 * seat] >= values[row + 3 * seat] - EQUAL:
        for place in range(width):
            values[row + place] = values[row + TAKEN * width + place]


def _draw(unseen: Numbers, place: int, last: int) -> int:
    """Exchange a card with the last one, and return it; doing it again undoes it."""
    card = unseen[place]
    unseen[place] = unseen[last]
    unseen[last] = card
    return card


def evaluate(chips: Sequence[int], points: Sequence[int], lead_only: bool, values: Floats, at: int) -> None:
    """Write down everybody's worth, score and share of the win at the end, from `at` on."""
    first, second, count = 1_000_000, 1_000_000, 0  # the lowest score, the second lowest, and how often the lowest
    for seat in range(len(chips)):
        score = points[seat] - chips[seat]
        if score < first:
            first, second, count = score, first, 1
        elif score == first:
            second = score
            count += 1
        elif score < second:
            second = score
    for seat in range(len(chips)):
        score = points[seat] - chips[seat]
        share = 1.0 / count if score == first else 0.0
        lead = (second if score == first else first) - score
        values[at + 3 * seat] = float(lead) if lead_only else share + lead / 1000.0
        values[at + 3 * seat + 1] = score
        values[at + 3 * seat + 2] = share
