"""Thinking time: running clocks, remaining time, warnings, all from the records alone."""

from functools import reduce

import pytest

from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.play import PlayForSeat
from scoville_server.tables.actions.restart import Restart
from scoville_server.tables.actions.start import Start
from scoville_server.tables.actions.warn import Warned as WarnedRecord
from scoville_server.tables.actions.warn import WarnOfAbsence, WarnOfClock
from scoville_server.tables.model import clock
from scoville_server.tables.model.action import Command
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import evolve, restore_table
from scoville_server.tables.watching.project import list_time_left
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import TableClock, Warned
from tests.support.tables import (
    NOON,
    carry_out,
    join_as,
    new_table,
    play_first,
    records_of,
    refusal_of,
    start_table,
    user_of,
)
from tests.support.toys import find_toy

HALF_A_MINUTE = TableClock(move_ms=30_000)
FIVE_AND_TWO = TableClock(bank_ms=300_000, increment_ms=2000)


def left(table: Table, seconds: float) -> list[float]:
    """The seconds that each seat has at so many seconds after noon."""
    kept = list_time_left(table, NOON + round(seconds * 1000))
    assert kept is not None, "the table has a clock"
    return [ms / 1000 for ms in kept]


def time_of(table: Table, seconds: float) -> int:
    return NOON + round(seconds * 1000)


def test_a_table_without_a_clock_counts_nothing() -> None:
    table = start_table("Anna", "Ben")
    assert table.clocks is None
    assert list_time_left(table, NOON + 1_000_000) is None


def test_time_passes_for_every_pending_player() -> None:
    table = start_table("Anna", "Ben", clock=HALF_A_MINUTE)
    assert left(table, 10) == [20, 20]
    table = carry_out(table, play_first("Anna", table), seconds=10)
    assert left(table, 25) == [30, 5]
    table = carry_out(table, play_first("Ben", table), seconds=25)
    assert left(table, 25) == [30, 30]


def test_bots_need_no_time() -> None:
    table = start_table("Anna", seats=3, clock=HALF_A_MINUTE)
    assert left(table, 12) == [18, 30, 30]


def test_a_bank_pays_and_earns_by_move() -> None:
    table = start_table("Anna", "Ben", clock=FIVE_AND_TWO)
    table = carry_out(table, play_first("Anna", table), seconds=100)
    assert left(table, 200) == [202, 100]


def test_a_bank_pays_after_the_moves_time() -> None:
    table = start_table("Anna", "Ben", clock=TableClock(move_ms=30_000, bank_ms=60_000))
    assert left(table, 0) == [90, 90]
    table = carry_out(table, play_first("Anna", table), seconds=20)
    table = carry_out(table, play_first("Ben", table), seconds=40)
    assert left(table, 40) == [90, 80]


def test_an_empty_bank_leaves_some_time_per_move() -> None:
    table = start_table("Anna", "Ben", clock=TableClock(bank_ms=60_000))
    table = carry_out(table, play_first("Anna", table), play_first("Ben", table), seconds=59)
    assert left(table, 59) == [10, 10]


def test_a_move_taken_back_costs_its_time() -> None:
    clocks = clock.run_clocks(clock.start_clocks(FIVE_AND_TWO, 2, 0), frozenset({Seat(0), Seat(1)}))
    clocks = clock.run_clocks(clock.note_move(clock.let_time_pass(clocks, 100_000), Seat(0)), frozenset({Seat(1)}))
    clocks = clock.run_clocks(
        clock.note_taken_back(clock.let_time_pass(clocks, 150_000), Seat(0)), frozenset({Seat(0), Seat(1)})
    )
    assert clock.time_left_ms(clock.let_time_pass(clocks, 160_000), Seat(0)) == 190_000


def test_a_clock_that_is_set_back_stands_still_meanwhile() -> None:
    clocks = clock.run_clocks(clock.start_clocks(HALF_A_MINUTE, 1, 5_000), frozenset({Seat(0)}))
    assert clock.time_left_ms(clock.let_time_pass(clocks, 1_000), Seat(0)) == 30_000


@pytest.mark.parametrize(("terms", "warning", "end"), [(30.0, 20, 30), (8.0, 4, 8)])
def test_a_warning_precedes_the_end(terms: float, warning: float, end: float) -> None:
    table = start_table("Anna", "Ben", clock=TableClock(move_ms=round(1000 * terms)))
    assert table.clocks is not None
    assert clock.next_due_ms(table.clocks) == time_of(table, warning)
    assert clock.seats_to_warn(table.clocks, time_of(table, warning - 1)) == []
    assert clock.seats_to_warn(table.clocks, time_of(table, warning)) == [0, 1]
    assert clock.overdue_seats(table.clocks, time_of(table, end)) == []
    for seat in (0, 1):
        table = carry_out(table, WarnOfClock(seat=Seat(seat)), seconds=warning)
    assert table.clocks is not None
    assert clock.next_due_ms(table.clocks) == time_of(table, end)
    assert clock.overdue_seats(table.clocks, time_of(table, end) - 1) == []
    assert clock.overdue_seats(table.clocks, time_of(table, end)) == [0, 1]


def test_a_warning_names_seat_and_rest() -> None:
    table = carry_out(start_table("Anna", "Ben", clock=HALF_A_MINUTE), WarnOfClock(seat=Seat(1)), seconds=20.5)
    event = table.recorded_events[-1].event
    assert event == Warned(seq=table.seq, seat=1, reason="clock", acts_in_ms=9_500)


def test_a_moved_player_is_neither_warned_nor_replaced() -> None:
    table = start_table("Anna", "Ben", clock=HALF_A_MINUTE)
    table = carry_out(table, WarnOfClock(seat=Seat(0)), seconds=20)
    table = carry_out(table, play_first("Anna", table), seconds=21)
    assert records_of(table, WarnOfClock(seat=Seat(0)), time_of(table, 25)) == ()
    assert refusal_of(table, PlayForSeat(seat=Seat(0), move={}, nth=1, mover="clock")) == "stale_move"


def test_the_clock_plays_one_move_and_leaves_the_seat() -> None:
    table = start_table("Anna", "Ben", clock=HALF_A_MINUTE)
    table = carry_out(table, WarnOfClock(seat=Seat(0)), seconds=20)
    card = table.state.hands[0][0]
    table = carry_out(table, PlayForSeat(seat=Seat(0), move={"card": card}, nth=0, mover="clock"), seconds=30)
    assert table.moves[-1].mover == "clock"
    assert table.seats[0].human
    table = carry_out(table, play_first("Ben", table), seconds=30)
    table = carry_out(table, play_first("Anna", table), seconds=31)
    assert [move.mover for move in table.moves] == ["clock", "player", "player"]


def test_the_time_in_which_the_server_was_down_is_nobodys() -> None:
    table = start_table("Anna", "Ben", clock=HALF_A_MINUTE)
    table = carry_out(table, WarnOfClock(seat=Seat(0)), seconds=20)
    table = carry_out(table, Restart(), seconds=5_000)
    assert left(table, 5_004) == [6, 6]
    assert records_of(start_table("Anna"), Restart(), NOON) == ()


def test_the_clocks_follow_from_the_records() -> None:
    table = new_table(seats=2, clock=FIVE_AND_TWO)
    records: list[Record] = [table.opened]
    course: list[tuple[float, Command | str]] = [
        (0, join_as("Anna")),
        (1, join_as("Ben")),
        (2, Start(user=user_of("Anna"), strength="random")),
        (60, "Anna"),
        (293, WarnOfClock(seat=Seat(1))),
        (295, "Ben"),
        (300, "Ben"),
    ]
    for seconds, written in course:
        command = play_first(written, table) if isinstance(written, str) else written
        more = records_of(table, command, time_of(table, seconds))
        records, table = [*records, *more], reduce(evolve, more, table)
    assert left(table, 310) == [229, 10]
    assert restore_table(records, find_toy) == table


def test_a_returning_user_thinks_in_their_own_time() -> None:
    table = start_table("Anna", "Ben", clock=HALF_A_MINUTE)
    table = carry_out(table, Leave(user=user_of("Anna")), seconds=10)
    assert left(table, 25) == [20, 5]
    table = carry_out(table, join_as("Anna"), seconds=26)
    assert left(table, 27) == [19, 3]


def test_absent_player_is_named_before_a_takeover() -> None:
    table = start_table("Anna", "Ben")
    assert records_of(table, WarnOfAbsence(user=user_of("Ben"), seconds=9.5), NOON) == (
        WarnedRecord(at_ms=NOON, seat=Seat(1), reason="absence", acts_in_ms=9_500),
    )
    assert records_of(table, WarnOfAbsence(user=user_of("Zoe"), seconds=9.5), NOON) == ()
