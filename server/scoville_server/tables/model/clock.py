"""Thinking time: pure arithmetic in milliseconds over the times in the records.

A move first uses the table's time per move, then the rest of the seat's bank. A seat's clock runs while the seat owes
a move and a human plays it; bots need none. The clocks follow from the records alone, so they are the same after a
restart.
"""

import msgspec
from msgspec import Struct

from scoville_server.tables.model.nights import Nights
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import TableClock

WARNING_MS = 10_000
"""Time left when a player is warned, in milliseconds; with less than twice as much for a move, at half of it."""

WARNING_BY_DAYS_MS = 10_800_000
"""That of a game by correspondence: three hours, in which a player may come home."""

OVERTIME_MS = 10_000
"""Time for each move once the bank is used up, in milliseconds: a timeout costs one move, not the game."""

_changed = msgspec.structs.replace


class Clocks(Struct, frozen=True, kw_only=True):
    """The clocks of a table at `at_ms` (milliseconds since 1970).

    By seat: `banks` is what the bank held when the present move began, `spent` the time used for it so far, both in
    milliseconds. `running` are the seats whose clock runs, `done` those that have moved, `warned` those that were
    warned. While `paused` no clock runs, nor in `nights`. `resting` says by seat until when a player is on vacation
    (milliseconds since 1970); empty if nobody ever was.
    """

    terms: TableClock
    at_ms: int
    banks: tuple[int, ...]
    spent: tuple[int, ...]
    running: frozenset[Seat] = frozenset()
    done: frozenset[Seat] = frozenset()
    warned: frozenset[Seat] = frozenset()
    paused: bool = False
    nights: Nights | None = None
    resting: tuple[int, ...] = ()


def start_clocks(terms: TableClock, seats: int, at_ms: int, nights: Nights | None = None) -> Clocks:
    return Clocks(terms=terms, at_ms=at_ms, banks=(terms.bank_ms or 0,) * seats, spent=(0,) * seats, nights=nights)


def let_time_pass(clocks: Clocks, now_ms: int) -> Clocks:
    """Let time pass until `now_ms`; a time before `at_ms` counts as no time."""
    # Never negative: a clock that was set back gives no thinking time back.
    passed = 0 if clocks.paused else max(0, now_ms - clocks.at_ms)
    if passed and (clocks.nights is not None or clocks.resting):
        spent = tuple(
            ms + _count_time(clocks, Seat(seat), now_ms) * (seat in clocks.running)
            for seat, ms in enumerate(clocks.spent)
        )
    else:
        spent = tuple(ms + passed * (seat in clocks.running) for seat, ms in enumerate(clocks.spent))
    return _changed(clocks, at_ms=max(now_ms, clocks.at_ms), spent=spent)


def skip_time(clocks: Clocks, now_ms: int) -> Clocks:
    """Continue at `now_ms` as if no time had passed: nobody could think while the server was down."""
    return _changed(clocks, at_ms=now_ms)


def pause_clocks(clocks: Clocks, *, paused: bool) -> Clocks:
    """Stop all clocks, or let them continue."""
    return _changed(clocks, paused=paused)


def rest_until(clocks: Clocks, resting: tuple[int, ...]) -> Clocks:
    """Let the clock of each seat rest until a time; 0 for those that do not."""
    return clocks if resting == clocks.resting else _changed(clocks, resting=resting)


def note_move(clocks: Clocks, seat: Seat) -> Clocks:
    """Note that a seat has made the move it owed."""
    return _changed(clocks, done=clocks.done | {seat}, warned=clocks.warned - {seat})


def note_warning(clocks: Clocks, seat: Seat) -> Clocks:
    return _changed(clocks, warned=clocks.warned | {seat})


def note_taken_back(clocks: Clocks, seat: Seat) -> Clocks:
    """Note that a seat took its move back: it has the rest of the same time again."""
    return _changed(clocks, done=clocks.done - {seat})


def run_clocks(clocks: Clocks, seats: frozenset[Seat]) -> Clocks:
    """Run the clocks of these seats and stop all others; a seat that has moved starts its next move."""
    begun = seats & clocks.done
    return _changed(
        clocks,
        running=seats,
        done=clocks.done - begun,
        banks=tuple(_banked_ms(clocks, Seat(n)) if n in begun else ms for n, ms in enumerate(clocks.banks)),
        spent=tuple(0 if n in begun else ms for n, ms in enumerate(clocks.spent)),
    )


def time_left_ms(clocks: Clocks, seat: Seat) -> int:
    """Return the milliseconds left for a seat's present move, or for its next one after it has moved; never below 0."""
    if seat in clocks.done:
        return (clocks.terms.move_ms or 0) + _banked_ms(clocks, seat)
    return max(0, _allowed_ms(clocks, seat) - clocks.spent[seat])


def next_due_ms(clocks: Clocks) -> int | None:
    """Return the time of the next warning or timeout (milliseconds since 1970), if nothing else happens before."""
    if clocks.paused or not clocks.running:
        return None
    return min(_add_time(clocks, seat, _until_due_ms(clocks, seat)) for seat in clocks.running)


def until_end_ms(clocks: Clocks, seat: Seat) -> int:
    """Return the milliseconds until a seat's time is over, if its clock runs on, with the nights before that."""
    left = time_left_ms(clocks, seat)
    return left if clocks.paused or seat not in clocks.running else _add_time(clocks, seat, left) - clocks.at_ms


def _count_time(clocks: Clocks, seat: Seat, now_ms: int) -> int:
    """Count the milliseconds that a seat's clock runs until a time."""
    since = _awake_since_ms(clocks, seat)
    return max(0, now_ms - since) if clocks.nights is None else clocks.nights.count_awake_ms(since, now_ms)


def _add_time(clocks: Clocks, seat: Seat, ms: int) -> int:
    """Return when so many milliseconds of a seat's thinking time have passed."""
    since = _awake_since_ms(clocks, seat)
    return since + ms if clocks.nights is None else clocks.nights.add_awake_ms(since, ms)


def _awake_since_ms(clocks: Clocks, seat: Seat) -> int:
    return max(clocks.at_ms, clocks.resting[seat]) if clocks.resting else clocks.at_ms


def seats_to_warn(clocks: Clocks, now_ms: int) -> list[Seat]:
    now = let_time_pass(clocks, now_ms)
    return [seat for seat in sorted(now.running - now.warned) if _until_due_ms(now, seat) <= 0 and not now.paused]


def overdue_seats(clocks: Clocks, now_ms: int) -> list[Seat]:
    """List the seats whose time is over. A seat is always warned first."""
    now = let_time_pass(clocks, now_ms)
    return [seat for seat in sorted(now.running & now.warned) if time_left_ms(now, seat) == 0 and not now.paused]


def _until_due_ms(clocks: Clocks, seat: Seat) -> int:
    """Return the milliseconds until a running seat's warning, or its timeout after that; never below 0."""
    before = WARNING_BY_DAYS_MS if clocks.terms.by_days else WARNING_MS
    warning = 0 if seat in clocks.warned else min(before, _allowed_ms(clocks, seat) // 2)
    return max(0, time_left_ms(clocks, seat) - warning)


def _allowed_ms(clocks: Clocks, seat: Seat) -> int:
    return (clocks.terms.move_ms or 0) + clocks.banks[seat]


def _banked_ms(clocks: Clocks, seat: Seat) -> int:
    """Return the time in the bank after the present move: time beyond the time per move comes out of it."""
    used = max(0, clocks.spent[seat] - (clocks.terms.move_ms or 0))
    rest = max(0, clocks.banks[seat] - used) + clocks.terms.increment_ms
    # Without a time per move an empty bank would leave no time at all for the next one.
    return rest if clocks.terms.move_ms else max(rest, OVERTIME_MS)
