"""Perfect play of the last cards of No Thanks!, by layers of taken cards.

The functions use only the part of Python that numba compiles (see `bots.machine`). On a card players pass in turn until
one takes it, at the latest one without a chip: a single line of passes, which is solved from its end. What follows
depends on who has which cards, on all players' chips, and on who took the last one, but not on the way there. So
`solve_ending` first finds each such state once, layer by layer, and then values them backwards. Without that it would
go through every order of cards and passes, which are tens to thousands of times as many.
"""

from collections.abc import MutableSequence, Sequence
from typing import NamedTuple

from scoville_shared.bots.no_thanks.kernel import points_added

Numbers = MutableSequence[int]
Floats = MutableSequence[float]

EQUAL = 1e-9
"""Worths that differ by less are equal: means of fractions are rounded."""

PLAYED, TAKEN, PASSED = range(3)
"""The rows of a line: what perfect play leads to, what taking leads to, and for the first decision what passing does.

A row has the worth for each player, then the score and the share of the win of the one seat that asks.
"""

ROWS = 3


class LastRound(NamedTuple):
    """The rest of a final round.

    Attributes:
        chips: Each seat's chips; changed, as the two that follow are meanwhile.
        owned: Each seat's cards as bits.
        points: The points of all rounds so far, without chips.
        cards: The card in the middle, then those that may be face down.
        left: How many cards are face down.
        pot: The chips on the card.
        mover: The seat that decides, and whose score and share of the win are wanted.
        lead_only: Whether a seat's worth is its lead over the best other one; else its share of the win comes first.
    """

    chips: Numbers
    owned: Numbers
    points: Numbers
    cards: Sequence[int]
    left: int
    pot: int
    mover: int
    lead_only: bool


class Memory(NamedTuple):
    """The states that were found; each is a number made of digits.

    Attributes:
        units: The place values in a state's number: for each card the seat that has it, counted from one, then
            for each seat a chip, and the seat that took last. The chips of the last seat follow from the others'.
        keys: The numbers of the states, in the order in which they were found.
        slots: A hash table of their places in that order, counted from one; 0 is free. Twice as many, a power of two.
        values: A row for each state.
        takers: For each card the seat that has it in the state that is looked at, or -1.
        rows: `ROWS` rows.
    """

    units: Sequence[int]
    keys: Numbers
    slots: Numbers
    values: Floats
    takers: Numbers
    rows: Floats


SOLVED, LONG = 0, -1
"""The outcome of an ending; a positive number is that of the layers which were left when there was no more room."""


def solve_ending(ending: LastRound, memory: Memory, most: int) -> int:
    """Solve an ending: each seat maximizes its worth; of equal moves it takes the card.

    What its first decision leads to is in `memory.rows` then. Returns `SOLVED`, or `LONG` if its states have more than
    `most` moves together, or without room for all of them the number of layers that are not found.
    """
    seats, cards = len(ending.chips), len(ending.cards)
    root, total = ending.mover * memory.units[cards + seats], ending.pot
    for seat in range(seats):
        root += ending.chips[seat] * memory.units[cards + seat]
        total += ending.chips[seat]
    found, status = 0, SOLVED
    if ending.left:
        found, status = _find_states(ending, memory, root, total, most)
    if status != SOLVED:
        return status
    # Backwards: each state leads to states with one more card taken, which were found after it.
    for place in range(found - 1, -1, -1):
        _weigh_state(ending, memory, place, total)
    _enter_state(ending, memory, root, total - ending.pot)
    _weigh_line(ending, memory, root, 0, ending.pot, ending.mover, ending.left == 0)
    return SOLVED


def _find_states(ending: LastRound, memory: Memory, root: int, total: int, most: int) -> tuple[int, int]:
    """Find all states between two cards, layer by layer; return how many there are, and what `solve_ending` returns."""
    found = _find_followers(ending, memory, root, 0, ending.pot, ending.mover, 0)
    place, steps, layers = 0, 0, ending.left
    while place < found:
        mover, taken = _enter_state(ending, memory, memory.keys[place], total)
        # Counted before they are made, so that a hopeless ending is given up early, and at the same place everywhere.
        steps += (len(ending.cards) - taken) * _count_moves(ending.chips, mover)
        if steps > most:
            return found, LONG
        layers = ending.left - taken
        for number in range(1, len(ending.cards)):
            # Behind the last state between two cards comes the end.
            if layers > 0 and found >= 0 and memory.takers[number] < 0:
                found = _find_followers(ending, memory, memory.keys[place], number, 0, mover, found)
        _leave_state(ending, memory)
        place += 1
    return found, SOLVED if found >= 0 else layers


def _weigh_state(ending: LastRound, memory: Memory, place: int, total: int) -> None:
    """Put into the row of a state the mean of the results of the possible next cards."""
    values, rows, width = memory.values, memory.rows, len(ending.chips) + 2
    mover, taken = _enter_state(ending, memory, memory.keys[place], total)
    following = len(ending.cards) - taken
    for column in range(width):
        values[place * width + column] = 0.0
    for number in range(1, len(ending.cards)):
        if memory.takers[number] < 0:
            _weigh_line(ending, memory, memory.keys[place], number, 0, mover, taken == ending.left)
            for column in range(width):
                values[place * width + column] += rows[PLAYED * width + column] / following
    _leave_state(ending, memory)


def _count_moves(chips: Sequence[int], mover: int) -> int:
    """Count the seats that can be the one that takes a card, one for each pass: up to the first without a chip."""
    seats = len(chips)
    passes = chips[mover] * seats
    for step in range(1, seats):
        passes = min(passes, chips[(mover + step) % seats] * seats + step)
    return passes + 1


def _enter_state(ending: LastRound, memory: Memory, key: int, total: int) -> tuple[int, int]:
    """Give players the cards and chips of a state, `total` together; return who took last, and how many are taken."""
    seats, cards = len(ending.chips), len(ending.cards)
    mover = key // memory.units[cards + seats]
    key -= mover * memory.units[cards + seats]
    for seat in range(seats - 2, -1, -1):
        ending.chips[seat] = key // memory.units[cards + seat]
        key -= ending.chips[seat] * memory.units[cards + seat]
        total -= ending.chips[seat]
    ending.chips[seats - 1] = total
    taken = 0
    for number in range(cards - 1, -1, -1):
        taker = key // memory.units[number]
        key -= taker * memory.units[number]
        memory.takers[number] = taker - 1
        if taker:
            taken += 1
            _give_card(ending, taker - 1, ending.cards[number])
    return mover, taken


def _leave_state(ending: LastRound, memory: Memory) -> None:
    """Take the cards of a state back."""
    for number in range(len(ending.cards)):
        taker = memory.takers[number]
        if taker >= 0:
            _take_back(ending, taker, ending.cards[number])


def _give_card(ending: LastRound, seat: int, card: int) -> None:
    ending.points[seat] += points_added(ending.owned[seat], card)
    ending.owned[seat] |= 1 << card


def _take_back(ending: LastRound, seat: int, card: int) -> None:
    ending.owned[seat] ^= 1 << card
    ending.points[seat] -= points_added(ending.owned[seat], card)


def _find_followers(ending: LastRound, memory: Memory, key: int, number: int, pot: int, mover: int, found: int) -> int:
    """Note the states that a card can lead to, one for each seat and pass; return how many are known, or -1: too many.

    Args:
        key: The state, with the chips of before the card.
        number: The place of the card.
        pot: The chips on it.
        mover: Who decides first.
        found: How many states are known.
    """
    chips, units = ending.chips, memory.units
    seats, cards = len(chips), len(ending.cards)
    key -= mover * units[cards + seats]
    seat, step = mover, 0
    while found >= 0:
        after = key + (seat + 1) * units[number] + seat * units[cards + seats] + (pot + step) * units[cards + seat]
        found = _note_state(memory, after, found)
        if chips[seat] == 0:
            break
        chips[seat] -= 1
        key -= units[cards + seat]
        step += 1
        seat = seat + 1 if seat + 1 < seats else 0
    for back in range(step):
        chips[(mover + back) % seats] += 1
    return found


def _note_state(memory: Memory, key: int, found: int) -> int:
    """Note a state if it is new; return how many are known, or -1 if there is no room for it."""
    slot = _slot_of(memory, key)
    if memory.slots[slot]:
        return found
    if found == len(memory.keys):
        return -1
    memory.keys[found] = key
    memory.slots[slot] = found + 1
    return found + 1


def _slot_of(memory: Memory, key: int) -> int:
    """Return the slot of a state, or the free one where it belongs."""
    most = len(memory.slots) - 1
    # All digits have a part in it. Masked, since Python's numbers would grow where those of machine code wrap.
    mixed = (key ^ key >> 29) & 0x7FFFFFFF
    # Knuth's multiplier, 2**32 divided by the golden ratio: neighbouring numbers come far apart.
    slot = (mixed * 2_654_435_769 >> 12) & most
    # The next free slot. There are twice as many as states, so that chains stay short.
    while memory.slots[slot] and memory.keys[memory.slots[slot] - 1] != key:
        slot = (slot + 1) & most
    return slot


def _weigh_line(ending: LastRound, memory: Memory, key: int, number: int, pot: int, mover: int, last: bool) -> None:
    """Put into the rows the results of a card, from the end of its line of passes; the arguments are as above.

    `last` says that the round ends with it.
    """
    chips, units, rows = ending.chips, memory.units, memory.rows
    seats, cards, width = len(chips), len(ending.cards), len(chips) + 2
    key -= mover * units[cards + seats]
    seat, step = mover, 0
    while chips[seat] > 0:
        chips[seat] -= 1
        key -= units[cards + seat]
        step += 1
        seat = seat + 1 if seat + 1 < seats else 0
    passes = step
    while True:
        if last:
            _give_card(ending, seat, ending.cards[number])
            chips[seat] += pot + step
            _evaluate_end(ending, rows, TAKEN * width)
            chips[seat] -= pot + step
            _take_back(ending, seat, ending.cards[number])
        else:
            after = key + (seat + 1) * units[number] + seat * units[cards + seats] + (pot + step) * units[cards + seat]
            place = memory.slots[_slot_of(memory, after)] - 1
            for column in range(width):
                rows[TAKEN * width + column] = memory.values[place * width + column]
        # For the first decision: the value of the rest of the line is that of a pass.
        if step == 0:
            for column in range(width):
                rows[PASSED * width + column] = rows[PLAYED * width + column]
        # At the end of the line nobody can pass. Before it, of equal moves the card is taken: figures need that rule.
        if step == passes or rows[TAKEN * width + seat] >= rows[PLAYED * width + seat] - EQUAL:
            for column in range(width):
                rows[PLAYED * width + column] = rows[TAKEN * width + column]
        if step == 0:
            return
        step -= 1
        seat = seat - 1 if seat else seats - 1
        chips[seat] += 1
        key += units[cards + seat]


def _evaluate_end(ending: LastRound, rows: Floats, at: int) -> None:
    """Write down the row of the end."""
    chips, points, seats = ending.chips, ending.points, len(ending.chips)
    first, second, count = 1_000_000, 1_000_000, 0  # the lowest score, the second lowest, and how often the lowest
    for seat in range(seats):
        score = points[seat] - chips[seat]
        if score < first:
            first, second, count = score, first, 1
        elif score == first:
            second = score
            count += 1
        elif score < second:
            second = score
    for seat in range(seats):
        score = points[seat] - chips[seat]
        share = 1.0 / count if score == first else 0.0
        lead = (second if score == first else first) - score
        rows[at + seat] = float(lead) if ending.lead_only else share + lead / 1000.0
        if seat == ending.mover:
            rows[at + seats] = score
            rows[at + seats + 1] = share
