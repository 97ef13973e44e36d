"""Pauses by agreement: all players ask for one, nothing happens during it, any player ends it."""

from msgspec.structs import replace

from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.pause import Pause, Resume, ResumeDeserted
from scoville_server.tables.actions.warn import WarnOfAbsence
from scoville_server.tables.model import clock
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import MOST_EXTRAS
from scoville_server.tables.watching.project import describe_table, list_time_left
from scoville_shared.protocol.messages import Paused, Resumed, TableClock
from tests.support.tables import (
    NOON,
    carry_out,
    join_as,
    new_table,
    play_first,
    play_out,
    records_of,
    refusal_of,
    start_table,
    user_of,
)


def asks(name: str) -> Pause:
    return Pause(user=user_of(name))


def paused(clock: TableClock | None = None) -> Table:
    return carry_out(start_table("Anna", "Ben", seats=3, clock=clock), asks("Anna"), asks("Ben"), seconds=5)


def test_a_table_is_paused_when_everybody_has_asked_for_it() -> None:
    table = carry_out(start_table("Anna", "Ben", seats=3), asks("Anna"))
    assert (table.paused, table.recorded_events[-1].event) == (False, Paused(seq=table.seq, seat=0, granted=False))
    assert carry_out(table, asks("Anna")) is table
    table = carry_out(table, asks("Ben"))
    assert (table.paused, table.recorded_events[-1].event) == (True, Paused(seq=table.seq, seat=1, granted=True))
    assert describe_table(table, lambda _: True).paused


def test_in_a_pause_nobody_moves_and_no_time_passes() -> None:
    table = paused(TableClock(move_ms=30_000))
    assert refusal_of(table, play_first("Anna", table)) == "paused"
    assert table.bots_due == []
    assert table.clocks is not None
    assert clock.next_due_ms(table.clocks) is None
    assert list_time_left(table, NOON + 5_000_000) == [25_000, 25_000, 30_000]
    table = carry_out(table, Resume(user=user_of("Ben")), seconds=5_000)
    assert list_time_left(table, NOON + 5_010_000) == [15_000, 15_000, 30_000]


def test_anybody_at_the_table_resumes_the_game() -> None:
    table = carry_out(paused(), Resume(user=user_of("Ben")))
    assert (table.paused, table.recorded_events[-1].event) == (False, Resumed(seq=table.seq, seat=1))
    assert table.bots_due == [2]
    assert carry_out(table, Resume(user=user_of("Ben"))) is table
    assert not carry_out(table, asks("Anna")).paused


def test_unseated_user_cannot_pause() -> None:
    assert refusal_of(start_table("Anna"), asks("Zoe")) == "not_seated"
    assert refusal_of(paused(), Resume(user=user_of("Zoe"))) == "not_seated"
    assert refusal_of(carry_out(new_table(), join_as("Anna")), asks("Anna")) == "not_started"


def test_after_the_end_there_is_nothing_to_pause() -> None:
    assert refusal_of(play_out(start_table("Anna", "Ben")), asks("Anna")) == "game_over"


def test_absent_player_is_not_warned_in_a_pause() -> None:
    assert records_of(paused(), WarnOfAbsence(user=user_of("Ben"), seconds=10), NOON) == ()


def test_pause_does_not_wait_for_leavers() -> None:
    table = carry_out(start_table("Anna", "Ben"), asks("Anna"), Leave(user=user_of("Ben")))
    assert not table.paused
    assert carry_out(table, asks("Anna")).paused


def test_a_deserted_game_is_paused_until_somebody_returns() -> None:
    table = carry_out(paused(), Leave(user=user_of("Anna")), Leave(user=user_of("Ben")))
    assert (table.paused, table.deserted, table.bots_due, table.is_over) == (True, True, [], False)
    back = carry_out(table, join_as("Ben"))
    assert (back.paused, back.deserted, back.seat_of(user_of("Ben"))) == (False, False, 1)


def test_the_last_leaver_pauses_and_bots_play_later() -> None:
    table = carry_out(start_table("Anna", seats=3), Leave(user=user_of("Anna")))
    assert [type(each.event).__name__ for each in table.recorded_events[-2:]] == ["Paused", "Left"]
    assert (table.deserted, table.bots_due) == (True, [])
    alone = carry_out(table, ResumeDeserted())
    assert (alone.paused, alone.bots_due) == (False, [0, 1, 2])
    assert records_of(alone, ResumeDeserted(), NOON) == ()


def test_a_seat_waits_only_once() -> None:
    table = carry_out(start_table("Anna", seats=3), Leave(user=user_of("Anna"), reason="absent"))
    assert (table.paused, table.bots_due) == (False, [0, 1, 2])


def test_bots_play_on_for_one_of_two_who_leaves() -> None:
    table = carry_out(start_table("Anna", "Ben", seats=3), Leave(user=user_of("Anna")))
    assert (table.paused, table.bots_due) == (False, [0, 2])


def test_leaving_is_never_refused_however_much_a_seat_has_caused() -> None:
    table = replace(start_table("Anna", seats=3), extras=(MOST_EXTRAS, 0, 0))
    assert refusal_of(table, asks("Anna")) == "too_many"
    assert not carry_out(table, Leave(user=user_of("Anna"))).paused
