"""Watched tables: polls in rounds, spectators, and the timer of an automatic start."""

import asyncio

import pytest

from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import SpectatorsNotice, TableClock, TableSettings
from tests.server.tables.actors import Room
from tests.support.server import RecordingPeer
from tests.support.tables import join_as, new_table, play_first, start_table, user_of, watcher_of


async def test_polls_of_round_spectators_are_answered_per_round(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben", settings=TableSettings(spectating="rounds")))
    asked = asyncio.ensure_future(actor.watched.wait_for_event(watcher_of("Zoe"), actor.table.seq, 25_000))
    await actor.carry_out(play_first("Anna", actor.table))
    for _ in range(20):
        await asyncio.sleep(0)
    assert not asked.done()
    await actor.carry_out(play_first("Ben", actor.table))
    assert len((await asked).events) == 2


async def test_a_poll_of_a_kicked_user_is_refused(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    asked = asyncio.ensure_future(actor.watched.wait_for_event(watcher_of("Zoe"), actor.table.seq, 25_000))
    await asyncio.sleep(0)
    await actor.carry_out(Kick(user=user_of("Anna"), whom=user_of("Zoe"), name="Zoe"))
    with pytest.raises(ScovilleError) as refused:
        await asked
    assert refused.value.code == "kicked"


async def test_new_spectators_are_announced_a_moment_later_and_together(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    anna, zoe, yves = RecordingPeer(), RecordingPeer(), RecordingPeer()
    actor.watched.add_watcher(anna, watcher_of("Anna"), 0)
    actor.watched.add_watcher(zoe, watcher_of("Zoe"), 0)
    assert actor.watched.add_watcher(yves, watcher_of("Yves"), 0).spectators == ["Zoe", "Yves"]
    assert actor.watched.describe_table().spectator_count == 2
    assert anna.heard == []
    await room.watch.go_on(1)
    assert anna.heard == [SpectatorsNotice(table="t1", spectators=["Zoe", "Yves"])]
    assert room.audiences == [2]
    actor.watched.remove_watcher(zoe)
    await room.watch.go_on(1)
    assert anna.heard[1:] == [SpectatorsNotice(table="t1", spectators=["Yves"])]
    assert len(zoe.heard) == 1


async def test_brief_spectators_are_not_announced(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    anna, zoe = RecordingPeer(), RecordingPeer()
    actor.watched.add_watcher(anna, watcher_of("Anna"), 0)
    actor.watched.add_watcher(zoe, watcher_of("Zoe"), 0)
    actor.watched.remove_watcher(zoe)
    await room.watch.go_on(1)
    assert anna.heard == []


async def test_a_spectator_who_sits_down_is_one_no_more(room: Room) -> None:
    actor = room.actor(new_table())
    peer = RecordingPeer()
    actor.watched.add_watcher(peer, watcher_of("Zoe"), 0)
    await room.watch.go_on(1)
    await actor.carry_out(join_as("Zoe"))
    await room.watch.go_on(1)
    assert [notice.spectators for notice in peer.heard if isinstance(notice, SpectatorsNotice)] == [["Zoe"], []]


async def test_a_countdown_that_is_over_starts_the_game(room: Room) -> None:
    actor = room.actor(
        new_table(seats=2, settings=TableSettings(start="full", countdown_ms=5000), clock=TableClock(move_ms=30_000))
    )
    await actor.carry_out(join_as("Anna"))
    await actor.carry_out(join_as("Ben"))
    await room.watch.go_on(4)
    assert (actor.table.status, actor.watched.describe_table().starts_in_ms) == ("waiting", 1_000)
    await room.watch.go_on(1)
    assert (actor.table.status, actor.watched.describe_table().starts_in_ms) == ("playing", None)
    await room.watch.go_on(30)
    assert [move.mover for move in actor.table.moves] == ["clock", "clock"], (
        "the same alarm serves the clocks from now on"
    )


async def test_a_countdown_that_is_broken_off_starts_nothing(room: Room) -> None:
    actor = room.actor(new_table(seats=2, settings=TableSettings(start="full", countdown_ms=5000)))
    await actor.carry_out(join_as("Anna"))
    await actor.carry_out(join_as("Ben"))
    await room.watch.go_on(4)
    await actor.carry_out(Leave(user=user_of("Ben")))
    await room.watch.go_on(60)
    assert actor.table.status == "waiting"
