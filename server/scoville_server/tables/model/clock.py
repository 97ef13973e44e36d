"""Thinking time: pure arithmetic in milliseconds, over the times that the records bear.

A move has the table's time for a move first, then what is left of the seat's bank. A seat's clock runs while the seat
owes a move and a person sits there; bots need none. What the clocks say follows from the records alone, so it is the
same after a restart.
"""

import msgspec
from msgspec import Struct

from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import TableClock

WARNING_MS = 10_000
"""How long before its end a person is warned; with less than twice as much for a move, at half of it."""

OVERTIME_MS = 10_000
"""What a move has when the bank is used up: a clock plays a move for somebody, never the rest of a game."""

_changed = msgspec.structs.replace


class Clocks(Struct, frozen=True, kw_only=True):
    """The clocks of a table as they were at `at_ms` (milliseconds since 1970).

    By seat: `banks` is what the bank held when the present move began, `spent` how long the seat has thought about it.
    `running` are the seats whose time passes, `done` those that have made their move, `warned` those that know that
    their time is nearly over. While `paused` no time passes.
    """

    terms: TableClock
    at_ms: int
    banks: tuple[int, ...]
    spent: tuple[int, ...]
    running: frozenset[Seat] = frozenset()
    done: frozenset[Seat] = frozenset()
    warned: frozenset[Seat] = frozenset()
    paused: bool = False


def wound_up(terms: TableClock, seats: int, at_ms: int) -> Clocks:
    """Set the clocks at the deal."""
    return Clocks(terms=terms, at_ms=at_ms, banks=(_ms(terms.bank),) * seats, spent=(0,) * seats)


def at(clocks: Clocks, now_ms: int) -> Clocks:
    """Let time pass until `now_ms`; a clock that was set back counts as one that stood still."""
    passed = 0 if clocks.paused else max(0, now_ms - clocks.at_ms)
    spent = tuple(ms + passed * (seat in clocks.running) for seat, ms in enumerate(clocks.spent))
    return _changed(clocks, at_ms=max(now_ms, clocks.at_ms), spent=spent)


def skipped_to(clocks: Clocks, now_ms: int) -> Clocks:
    """Go on at `now_ms` as if no time had passed: nobody could think while the server was down."""
    return _changed(clocks, at_ms=now_ms)


def stopped(clocks: Clocks, *, paused: bool) -> Clocks:
    """Let all clocks stand still, or go on."""
    return _changed(clocks, paused=paused)


def moved(clocks: Clocks, seat: Seat) -> Clocks:
    """Note that a seat has made the move it owed."""
    return _changed(clocks, done=clocks.done | {seat}, warned=clocks.warned - {seat})


def warned(clocks: Clocks, seat: Seat) -> Clocks:
    """Note that a seat has been told that its time is nearly over."""
    return _changed(clocks, warned=clocks.warned | {seat})


def taken_back(clocks: Clocks, seat: Seat) -> Clocks:
    """Note that a seat undid its move: it thinks on about the same one, in the same time."""
    return _changed(clocks, done=clocks.done - {seat})


def let_run(clocks: Clocks, seats: frozenset[Seat]) -> Clocks:
    """Let the time of these seats pass from now on, and of no others; who has moved begins another move."""
    begun = seats & clocks.done
    return _changed(
        clocks,
        running=seats,
        done=clocks.done - begun,
        banks=tuple(_banked(clocks, Seat(n)) if n in begun else ms for n, ms in enumerate(clocks.banks)),
        spent=tuple(0 if n in begun else ms for n, ms in enumerate(clocks.spent)),
    )


def left_ms(clocks: Clocks, seat: Seat) -> int:
    """Say how much time a seat has for its present move, or for its next one when it has moved; never below 0."""
    if seat in clocks.done:
        return _ms(clocks.terms.move) + _banked(clocks, seat)
    return max(0, _allowed(clocks, seat) - clocks.spent[seat])


def next_ms(clocks: Clocks) -> int | None:
    """Say when something is due by the clock (milliseconds since 1970), if nothing else happens before."""
    if clocks.paused or not clocks.running:
        return None
    return clocks.at_ms + min(_until_due(clocks, seat) for seat in clocks.running)


def to_warn(clocks: Clocks, now_ms: int) -> list[Seat]:
    """List who is to be warned now."""
    now = at(clocks, now_ms)
    return [seat for seat in sorted(now.running - now.warned) if _until_due(now, seat) <= 0 and not now.paused]


def overdue(clocks: Clocks, now_ms: int) -> list[Seat]:
    """List whose time is over; only who was warned is."""
    now = at(clocks, now_ms)
    return [seat for seat in sorted(now.running & now.warned) if left_ms(now, seat) == 0 and not now.paused]


def _until_due(clocks: Clocks, seat: Seat) -> int:
    """Count the time until a running seat's warning, or its end once it is warned; never below 0."""
    warning = 0 if seat in clocks.warned else min(WARNING_MS, _allowed(clocks, seat) // 2)
    return max(0, left_ms(clocks, seat) - warning)


def _allowed(clocks: Clocks, seat: Seat) -> int:
    return _ms(clocks.terms.move) + clocks.banks[seat]


def _banked(clocks: Clocks, seat: Seat) -> int:
    """Count what the bank holds after the present move: what the move took beyond its own time is gone."""
    used = max(0, clocks.spent[seat] - _ms(clocks.terms.move))
    rest = max(0, clocks.banks[seat] - used) + _ms(clocks.terms.increment)
    return rest if clocks.terms.move else max(rest, OVERTIME_MS)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
