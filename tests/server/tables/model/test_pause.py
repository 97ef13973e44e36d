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
from tests.support.tables import NOON, after, finished, join, lay, new_table, playing, records_of, refusal, who


def asks(name: str) -> Pause:
    return Pause(user=who(name))


def paused(clock: TableClock | None = None) -> Table:
    return after(playing("Anna", "Ben", seats=3, clock=clock), asks("Anna"), asks("Ben"), seconds=5)


def test_a_table_is_paused_when_everybody_has_asked_for_it() -> None:
    table = after(playing("Anna", "Ben", seats=3), asks("Anna"))
    assert (table.paused, table.recorded_events[-1].event) == (False, Paused(seq=table.seq, seat=0, granted=False))
    assert after(table, asks("Anna")) is table
    table = after(table, asks("Ben"))
    assert (table.paused, table.recorded_events[-1].event) == (True, Paused(seq=table.seq, seat=1, granted=True))
    assert describe_table(table, lambda _: True).paused


def test_in_a_pause_nobody_moves_and_no_time_passes() -> None:
    table = paused(TableClock(move_ms=30_000))
    assert refusal(table, lay("Anna", table)) == "paused"
    assert table.bots_due == []
    assert table.clocks is not None
    assert clock.next_due_ms(table.clocks) is None
    assert list_time_left(table, NOON + 5_000_000) == [25_000, 25_000, 30_000]
    table = after(table, Resume(user=who("Ben")), seconds=5_000)
    assert list_time_left(table, NOON + 5_010_000) == [15_000, 15_000, 30_000]


def test_anybody_at_the_table_resumes_the_game() -> None:
    table = after(paused(), Resume(user=who("Ben")))
    assert (table.paused, table.recorded_events[-1].event) == (False, Resumed(seq=table.seq, seat=1))
    assert table.bots_due == [2]
    assert after(table, Resume(user=who("Ben"))) is table
    assert not after(table, asks("Anna")).paused


def test_unseated_user_cannot_pause() -> None:
    assert refusal(playing("Anna"), asks("Zoe")) == "not_seated"
    assert refusal(paused(), Resume(user=who("Zoe"))) == "not_seated"
    assert refusal(after(new_table(), join("Anna")), asks("Anna")) == "not_started"


def test_after_the_end_there_is_nothing_to_pause() -> None:
    assert refusal(finished(playing("Anna", "Ben")), asks("Anna")) == "game_over"


def test_absent_player_is_not_warned_in_a_pause() -> None:
    assert records_of(paused(), WarnOfAbsence(user=who("Ben"), seconds=10), NOON) == ()


def test_pause_does_not_wait_for_leavers() -> None:
    table = after(playing("Anna", "Ben"), asks("Anna"), Leave(user=who("Ben")))
    assert not table.paused
    assert after(table, asks("Anna")).paused


def test_a_deserted_game_is_paused_until_somebody_returns() -> None:
    table = after(paused(), Leave(user=who("Anna")), Leave(user=who("Ben")))
    assert (table.paused, table.deserted, table.bots_due, table.is_over) == (True, True, [], False)
    back = after(table, join("Ben"))
    assert (back.paused, back.deserted, back.seat_of(who("Ben"))) == (False, False, 1)


def test_the_last_leaver_pauses_and_bots_play_later() -> None:
    table = after(playing("Anna", seats=3), Leave(user=who("Anna")))
    assert [type(each.event).__name__ for each in table.recorded_events[-2:]] == ["Paused", "Left"]
    assert (table.deserted, table.bots_due) == (True, [])
    alone = after(table, ResumeDeserted())
    assert (alone.paused, alone.bots_due) == (False, [0, 1, 2])
    assert records_of(alone, ResumeDeserted(), NOON) == ()


def test_a_seat_waits_only_once() -> None:
    table = after(playing("Anna", seats=3), Leave(user=who("Anna"), reason="absent"))
    assert (table.paused, table.bots_due) == (False, [0, 1, 2])


def test_bots_play_on_for_one_of_two_who_leaves() -> None:
    table = after(playing("Anna", "Ben", seats=3), Leave(user=who("Anna")))
    assert (table.paused, table.bots_due) == (False, [0, 2])


def test_leaving_is_never_refused_however_much_a_seat_has_caused() -> None:
    table = replace(playing("Anna", seats=3), extras=(MOST_EXTRAS, 0, 0))
    assert refusal(table, asks("Anna")) == "too_many"
    assert not after(table, Leave(user=who("Anna"))).paused
