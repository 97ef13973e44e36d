"""A pause by agreement: everybody asks for it, nothing happens in it, anybody ends it."""

from scoville_server.table import clock
from scoville_server.table.commands import Leave, Pause, Resume, WarnOfAbsence
from scoville_server.table.decide import decide
from scoville_server.table.model import Table
from scoville_server.table.project import info, left_ms
from scoville_shared.wire.messages import PauseAsked, Resumed, TableClock
from tests.support.tables import NOON, after, join, lay, new_table, playing, refusal, who


def asks(name: str) -> Pause:
    return Pause(person=who(name))


def paused(clock: TableClock | None = None) -> Table:
    return after(playing("Anna", "Ben", seats=3, clock=clock), asks("Anna"), asks("Ben"), seconds=5)


def test_a_table_is_paused_when_everybody_has_asked_for_it() -> None:
    table = after(playing("Anna", "Ben", seats=3), asks("Anna"))
    assert (table.paused, table.happenings[-1].event) == (False, PauseAsked(seq=table.seq, seat=0, paused=False))
    assert after(table, asks("Anna")) is table
    table = after(table, asks("Ben"))
    assert (table.paused, table.happenings[-1].event) == (True, PauseAsked(seq=table.seq, seat=1, paused=True))
    assert info(table, lambda _: True).paused


def test_in_a_pause_nobody_moves_and_no_time_passes() -> None:
    table = paused(TableClock(move=30))
    assert refusal(table, lay("Anna", table)) == "paused"
    assert table.bots_due == []
    assert table.clocks is not None
    assert clock.next_ms(table.clocks) is None
    assert left_ms(table, NOON + 5_000_000) == [25_000, 25_000, 30_000]
    table = after(table, Resume(person=who("Ben")), seconds=5_000)
    assert left_ms(table, NOON + 5_010_000) == [15_000, 15_000, 30_000]


def test_anybody_at_the_table_goes_on() -> None:
    table = after(paused(), Resume(person=who("Ben")))
    assert (table.paused, table.happenings[-1].event) == (False, Resumed(seq=table.seq, seat=1))
    assert table.bots_due == [2]
    assert after(table, Resume(person=who("Ben"))) is table
    assert not after(table, asks("Anna")).paused


def test_who_does_not_sit_there_has_no_say() -> None:
    assert refusal(playing("Anna"), asks("Zoe")) == "not_seated"
    assert refusal(paused(), Resume(person=who("Zoe"))) == "not_seated"
    assert refusal(after(new_table(), join("Anna")), asks("Anna")) == "not_started"


def test_who_is_away_is_not_warned_in_a_pause() -> None:
    assert decide(paused(), WarnOfAbsence(person=who("Ben"), seconds=10), NOON) == ()


def test_who_leaves_is_not_waited_for() -> None:
    table = after(playing("Anna", "Ben"), asks("Anna"), Leave(person=who("Ben")))
    assert not table.paused
    assert after(table, asks("Anna")).paused


def test_a_pause_ends_when_nobody_is_left_to_end_it() -> None:
    table = after(paused(), Leave(person=who("Anna")), Leave(person=who("Ben")))
    assert not table.paused
    assert table.bots_due == [0, 1, 2]
