"""One actor per table: the journal first, an answer to everything, bots on the same path."""

import asyncio
from collections.abc import Sequence

import pytest

from scoville_runtime.clock import Clock
from scoville_server.journal.base import START, JournalError, Mark
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.play import Play
from scoville_server.tables.actions.start import Start
from scoville_server.tables.actor import Done, SteadyTime, TableActor
from scoville_server.tables.model.action import Refused
from scoville_server.tables.state_machine import pack_record, restore_table, unpack_record
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import (
    Finished,
    Played,
    TableClock,
    Warned,
)
from tests.server.tables.actors import Room
from tests.support.journals import kept_records
from tests.support.server import GatedJournal, RecordingPeer, until
from tests.support.tables import NOON, join_as, new_table, play_first, start_table, user_of, watcher_of
from tests.support.toys import find_toy


def kinds(peer: RecordingPeer) -> list[str]:
    return [type(notice.event).__name__ for notice in peer.events]


def test_steady_time_never_goes_back() -> None:
    date_ms, seconds = [NOON], [10.0]
    clock = Clock(lambda: date_ms[0], lambda: seconds[0])
    steady, later = SteadyTime(clock), SteadyTime(clock, NOON + 500)
    date_ms[0] -= 3_600_000
    seconds[0] += 1.5
    assert (steady.now_ms() - NOON, later.now_ms() - NOON) == (1_500, 2_000)


async def test_nobody_hears_of_a_move_before_it_is_journaled(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    peer = RecordingPeer()
    actor.watched.add_watcher(peer, watcher_of("Ben"), 0)
    room.journal.gate.clear()
    asked = actor.queue_command(play_first("Anna", actor.table))
    await room.journal.asked.wait()
    for _ in range(20):
        await asyncio.sleep(0)
    assert peer.heard == []
    assert not asked.done()
    assert actor.watched.take_snapshot(watcher_of("Ben"), 0).move_counts == [0, 0]
    room.journal.gate.set()
    await asked
    assert kinds(peer) == ["Played"]


async def test_a_journal_that_fails_changes_nothing_and_says_so(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    peer = RecordingPeer()
    actor.watched.add_watcher(peer, watcher_of("Ben"), 0)
    before = actor.table
    room.journal.broken = True
    with pytest.raises(ScovilleError, match="changed nothing") as refused:
        await actor.carry_out(play_first("Anna", before))
    assert refused.value.code == "internal"
    assert actor.table is before
    assert peer.heard == []
    assert "no space left" in caplog.text
    room.journal.broken = False
    await actor.carry_out(play_first("Anna", before))
    assert kinds(peer) == ["Played"]


async def test_two_picks_in_the_same_instant_are_both_accepted(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    first, second = (
        actor.queue_command(play_first("Anna", actor.table, nth=0)),
        actor.queue_command(play_first("Ben", actor.table, nth=0)),
    )
    assert isinstance(await first, Done)
    assert isinstance(await second, Done)
    assert actor.table.played == (1, 1)


async def test_every_refused_command_is_answered_with_its_code(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    answers = [actor.queue_command(Play(user=user_of(name), move={"card": 99})) for name in ("Anna", "Zoe")]
    codes = [answer.code for answer in await asyncio.gather(*answers) if isinstance(answer, Refused)]
    assert codes == ["card_not_held", "not_seated"]


async def test_a_full_inbox_is_said_to_be_full(room: Room) -> None:
    actor = room.actor(new_table(), inbox=2)
    for name in ("Anna", "Ben"):
        actor.queue_command(join_as(name))
    with pytest.raises(ScovilleError) as refused:
        actor.queue_command(join_as("Cleo"))
    assert refused.value.code == "busy"


async def test_a_command_survives_its_asker(room: Room) -> None:
    actor = room.actor(new_table())
    actor.queue_command(join_as("Anna")).cancel()
    await actor.carry_out(join_as("Ben"))
    assert actor.table.names == ["Anna", "Ben", ""]


@pytest.mark.parametrize("game", ["heap", "high_card"])
async def test_bots_answer_after_every_change_until_the_game_is_over(room: Room, game: str) -> None:
    actor = room.actor(new_table(game, seats=2))
    peer = RecordingPeer()
    actor.watched.add_watcher(peer, watcher_of("Zoe"), 0)
    await actor.carry_out(join_as("Anna"))
    await actor.carry_out(Start(user=user_of("Anna"), strength="random"))
    await actor.carry_out(Leave(user=user_of("Anna"), reason="absent"))
    await until(lambda: actor.table.status == "finished")
    moves = [notice.event for notice in peer.events if isinstance(notice.event, Played)]
    assert {move.mover for move in moves} == {"bot"}
    assert [notice.event.seq for notice in peer.events] == list(range(1, actor.table.seq + 1))
    assert isinstance(peer.events[-1].event, Finished)
    records = await kept_records(room.journal, actor.table.id)
    assert restore_table([actor.table.opened, *records], find_toy) == actor.table


async def test_a_table_of_bots_yields_between_moves(room: Room) -> None:
    actor = room.actor(new_table("heap", seats=2, sticks=300))
    await actor.carry_out(join_as("Anna"))
    await actor.carry_out(Start(user=user_of("Anna"), strength="random"))
    await actor.carry_out(Leave(user=user_of("Anna"), reason="absent"))
    seen: set[int] = set()
    while actor.table.status == "playing":
        seen.add(len(actor.table.moves))
        await asyncio.sleep(0)
    assert len(seen) > 50


async def test_a_bot_whose_move_could_not_be_kept_moves_later(room: Room) -> None:
    table = new_table("heap", seats=2)
    actor = room.actor(table)
    await actor.carry_out(join_as("Anna"))
    await actor.carry_out(Start(user=user_of("Anna"), strength="random"))
    await until(lambda: actor.table.pending == [0])
    room.journal.broken = True
    with pytest.raises(ScovilleError):
        await actor.carry_out(Leave(user=user_of("Anna"), reason="absent"))
    room.journal.broken = False
    await actor.carry_out(Leave(user=user_of("Anna"), reason="absent"))
    await until(lambda: actor.table.status == "finished")


async def test_strangers_leave_inbox_room_for_players(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"), inbox=16)
    room.journal.gate.clear()
    asked = [actor.queue_command(play_first("Anna", actor.table))]
    asked += [actor.queue_command(Leave(user=user_of(f"stranger {number}"))) for number in range(13)]
    with pytest.raises(ScovilleError) as refused:
        actor.queue_command(Leave(user=user_of("one more")))
    assert refused.value.code == "busy"
    asked += [actor.queue_command(play_first("Ben", actor.table)) for _ in range(2)]
    room.journal.gate.set()
    await asyncio.gather(*asked)


async def test_a_failure_while_notifying_does_not_end_the_table(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    class BrokenPeer(RecordingPeer):
        def notify(self, notice: object) -> None:
            raise ZeroDivisionError

    actor = room.actor(start_table("Anna", "Ben"))
    broken = BrokenPeer()
    actor.watched.add_watcher(broken, watcher_of("Ben"), 0)
    await actor.carry_out(play_first("Anna", actor.table))
    await actor.carry_out(play_first("Ben", actor.table))
    assert actor.table.played == (1, 1)
    assert "ZeroDivisionError" in caplog.text


async def test_a_bot_moves_once_after_a_warning(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben", clock=TableClock(move_ms=30_000)))
    peer = RecordingPeer()
    actor.watched.add_watcher(peer, watcher_of("Zoe"), actor.table.seq)
    await actor.carry_out(play_first("Ben", actor.table))
    await room.watch.go_on(19)
    assert kinds(peer) == ["Played"]
    await room.watch.go_on(2)
    assert peer.events[-1].event == Warned(seq=actor.table.seq, seat=0, reason="clock", acts_in_ms=10_000)
    await room.watch.go_on(10)
    moved = peer.events[2].event
    assert isinstance(moved, Played)
    assert (moved.seat, moved.mover) == (0, "clock")
    assert actor.table.seats[0].human
    assert peer.events[2].left_ms == [30_000, 30_000]


async def test_a_move_in_time_stops_the_clock(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben", clock=TableClock(move_ms=30_000)))
    await room.watch.go_on(29)
    await actor.carry_out(play_first("Anna", actor.table))
    await room.watch.go_on(5)
    assert [move.mover for move in actor.table.moves] == ["player", "clock"]


async def test_without_a_clock_nobody_is_hurried(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    await room.watch.go_on(1_000_000)
    assert actor.table.moves == ()
    assert room.watch.alarms == []


async def test_a_journal_that_fails_stops_no_clock(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben", clock=TableClock(move_ms=30_000)))
    room.journal.broken = True
    await room.watch.go_on(25)
    room.journal.broken = False
    await until(lambda: any(not alarm.off for alarm in room.watch.alarms))
    await room.watch.go_on(10)
    assert [move.mover for move in actor.table.moves] == ["clock", "clock"]


async def test_a_snapshot_shows_the_time_that_is_left_now(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben", clock=TableClock(move_ms=30_000)))
    await room.watch.go_on(7)
    assert actor.watched.take_snapshot(watcher_of("Anna"), 0).left_ms == [23_000, 23_000]


class Uncertain(GatedJournal):
    """A journal whose next appends raise after they have written, or before; `reading` lets reads succeed."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.reading = True

    async def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Mark:
        fault = self.faults.pop(0) if self.faults else ""
        if fault != "before":
            mark = await super().append(table, records, after, afresh=afresh)
        if fault:
            raise JournalError("The change may or may not be saved.", Code.OUTCOME_UNKNOWN)
        return mark

    async def read(self, table: TableId) -> tuple[list[bytes], Mark]:
        if not self.reading:
            raise JournalError("The journal cannot be read now.")
        return await super().read(table)


async def uncertain_table(room: Room) -> tuple[TableActor, Uncertain]:
    """A running game whose records are all in such a journal."""
    room.journal = journal = Uncertain()
    table = new_table(seats=2)
    actor = room.actor(table, mark=await journal.append(table.id, [pack_record(table.opened)], START))
    for command in (join_as("Anna"), join_as("Ben"), Start(user=user_of("Anna"), strength="random")):
        await actor.carry_out(command)
    return actor, journal


@pytest.mark.parametrize("fault", ["after", "before"])
async def test_after_a_doubtful_write_the_journal_decides(room: Room, fault: str) -> None:
    actor, journal = await uncertain_table(room)
    peer = RecordingPeer()
    actor.watched.add_watcher(peer, watcher_of("Ben"), 0)
    journal.faults = [fault]
    seq = actor.table.seq
    with pytest.raises(ScovilleError) as refused:
        await actor.carry_out(play_first("Anna", actor.table))
    assert refused.value.code == "outcome_unknown"

    await actor.carry_out(play_first("Ben", actor.table))

    kept, mark = await journal.read(actor.table.id)
    assert restore_table([unpack_record(record) for record in kept], lambda _: actor.table.game) == actor.table
    assert mark == actor.mark
    assert actor.table.played == ((1, 1) if fault == "after" else (0, 1))
    assert [notice.event.seq for notice in peer.events] == list(range(seq + 1, actor.table.seq + 1)), (
        "watchers missed an event"
    )


async def test_a_doubtful_table_refuses_until_read(room: Room) -> None:
    actor, journal = await uncertain_table(room)
    journal.faults, journal.reading = ["after"], False
    for _ in range(2):
        with pytest.raises(ScovilleError):
            await actor.carry_out(play_first("Anna", actor.table))
    assert actor.table.played == (0, 0)
    journal.reading = True
    await actor.carry_out(play_first("Ben", actor.table))
    assert actor.table.played == (1, 1)
