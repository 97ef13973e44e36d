"""Automatic start: the actor's timer serves countdowns and clocks alike."""

from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.ready import Ready
from scoville_server.tables.model.table import Table
from scoville_shared.protocol.messages import TableSettings
from tests.server.tables.actors import Room
from tests.support.server import RecordingPeer, until
from tests.support.tables import carry_out, join_as, open_table, user_of, watcher_of

FULL = TableSettings(start="full", countdown_ms=5000)


def full_table(settings: TableSettings = FULL) -> Table:
    return carry_out(open_table(2, settings=settings), join_as("Anna"), join_as("Ben"))


async def test_a_full_table_starts_when_its_countdown_is_over(room: Room) -> None:
    actor, peer = room.actor(open_table(2, settings=FULL)), RecordingPeer()
    actor.watched.add_watcher(peer, watcher_of("Zoe"), 0)
    await actor.carry_out(join_as("Anna"))
    await actor.carry_out(join_as("Ben"))
    await room.watch.go_on(4.9)
    assert actor.table.status == "waiting"
    await room.watch.go_on(0.2)
    assert actor.table.status == "playing"
    kinds = [type(notice.event).__name__ for notice in peer.events]
    assert kinds == ["Joined", "Joined", "CountdownStarted", "Started"]


async def test_a_countdown_that_was_broken_off_starts_nothing(room: Room) -> None:
    actor = room.actor(full_table())
    await actor.carry_out(Leave(user=user_of("Ben")))
    await room.watch.go_on(1_000)
    assert actor.table.status == "waiting"


async def test_without_time_to_count_it_starts_at_once(room: Room) -> None:
    actor = room.actor(open_table(2, settings=TableSettings(start="ready", countdown_ms=0)))
    await actor.carry_out(join_as("Anna"))
    await actor.carry_out(Ready(user=user_of("Anna"), ready=True))
    await room.watch.go_on(0)
    assert [seat_state.info.kind for seat_state in actor.table.seats] == ["human", "bot"]


async def test_the_countdown_is_in_the_snapshot(room: Room) -> None:
    actor = room.actor(full_table())
    await room.watch.go_on(2)
    assert actor.watched.take_snapshot(watcher_of("Zoe"), 0).info.starts_in_ms == 3_000


async def test_a_journal_that_fails_only_delays_the_start(room: Room) -> None:
    actor = room.actor(full_table())
    room.journal.broken = True
    await room.watch.go_on(6)
    assert actor.table.status == "waiting"
    room.journal.broken = False
    await until(lambda: any(not alarm.off for alarm in room.watch.alarms))
    await room.watch.go_on(3)
    assert actor.table.status == "playing"
