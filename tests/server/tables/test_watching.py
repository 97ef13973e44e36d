"""Watchers and polls of a table: each sees their own seat, and nobody waits for ever."""

import asyncio
from typing import Any

import pytest

from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    EventNotice,
    Played,
    PresenceNotice,
)
from tests.server.tables.actors import Room
from tests.support.server import RecordingPeer
from tests.support.tables import join_as, play_first, start_table, user_of, watcher_of


async def test_a_poll_is_answered_by_the_next_event(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    seq = actor.table.seq
    asked = asyncio.ensure_future(actor.watched.wait_for_event(watcher_of("Ben"), seq, 25_000))
    await asyncio.sleep(0)
    assert not asked.done()
    await actor.carry_out(play_first("Anna", actor.table))
    shot = await asked
    assert [event.seq for event in shot.events] == [seq + 1]
    assert shot.seat == 1


async def test_a_poll_for_what_has_happened_already_does_not_wait(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    shot = await actor.watched.wait_for_event(watcher_of("Ben"), 0, 25_000)
    assert len(shot.events) == actor.table.seq


async def test_an_idle_poll_ends_in_time(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    asked = asyncio.ensure_future(actor.watched.wait_for_event(watcher_of("Ben"), actor.table.seq, 25_000))
    await asyncio.sleep(0)
    await room.watch.go_on(24.9)
    assert not asked.done()
    await room.watch.go_on(0.2)
    assert (await asked).events == []


async def test_polls_end_when_the_table_is_cleared_away(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    asked = asyncio.ensure_future(actor.watched.wait_for_event(watcher_of("Ben"), actor.table.seq, 25_000))
    await asyncio.sleep(0)
    actor.stop_accepting(retire=True)
    assert (await asked).events == []
    with pytest.raises(ScovilleError) as refused:
        actor.queue_command(join_as("Anna"))
    assert refused.value.code == "unknown_table"


async def test_each_watcher_sees_from_their_own_seat(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    anna, ben, stranger = RecordingPeer(), RecordingPeer(), RecordingPeer()
    for peer, name in ((anna, "Anna"), (ben, "Ben"), (stranger, "Zoe")):
        actor.watched.add_watcher(peer, watcher_of(name), actor.table.seq)
    await actor.carry_out(play_first("Anna", actor.table))

    def heard(peer: RecordingPeer) -> tuple[Any, int]:
        notice = peer.heard[0]
        assert isinstance(notice, EventNotice)
        assert isinstance(notice.event, Played)
        assert notice.view is not None
        return notice.view["seat"], len(notice.event.facts)

    assert (heard(anna), heard(ben), heard(stranger)) == ((0, 2), (1, 1), (None, 1))


async def test_former_watcher_receives_nothing(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    peer = RecordingPeer()
    actor.watched.add_watcher(peer, watcher_of("Ben"), 0)
    actor.watched.remove_watcher(peer)
    await actor.carry_out(play_first("Anna", actor.table))
    assert peer.heard == []


async def test_presence_is_sent_without_a_number(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    peer = RecordingPeer()
    actor.watched.add_watcher(peer, watcher_of("Ben"), 0)
    actor.watched.report_presence(user_of("Anna"), connected=False)
    actor.watched.report_presence(user_of("Zoe"), connected=False)
    assert peer.heard == [PresenceNotice(table="t1", seat=0, connected=False)]


async def test_flapping_connections_are_reported_twice_a_second(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben"))
    peer = RecordingPeer()
    actor.watched.add_watcher(peer, watcher_of("Ben"), 0)
    for turn in range(1_000):
        actor.watched.report_presence(user_of("Anna"), connected=turn % 2 == 1)
    assert len(peer.heard) == 4
    await room.watch.go_on(0.5)
    assert [notice.connected for notice in peer.heard if isinstance(notice, PresenceNotice)] == [False, True] * 2 + [
        True
    ]
    for turn in range(1_000):
        actor.watched.report_presence(user_of("Anna"), connected=turn % 2 == 1)
    assert len(peer.heard) == 5
    await room.watch.go_on(1.5)
    actor.watched.report_presence(user_of("Anna"), connected=False)
    assert len(peer.heard) == 7
