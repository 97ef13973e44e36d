"""Games by correspondence: days for a move, seats that nobody loses, and a bot for who has forgotten the game."""

import asyncio

import pytest
from msgspec import UNSET

from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.lifecycle.reconnect_grace import grace_of
from scoville_server.tables.model.table import MOST_STALLS
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    DAY_MS,
    ClockParams,
    CreateRequest,
    JoinRequest,
    ListTablesRequest,
    Night,
    NightParams,
    StartRequest,
    TableClock,
)
from tests.server.conftest import Start
from tests.server.tables.actors import Room
from tests.server.tables.test_stalling import any_move
from tests.support.core import connect_user
from tests.support.server import core_of
from tests.support.tables import play_first, start_table, user_of

TWO_DAYS = TableClock(move_ms=2 * DAY_MS, absence_ms=None)
DAY = 86_400.0


async def started(room: Room, *names: str) -> TableActor:
    """A game by correspondence whose timers are set."""
    actor = room.actor(start_table(*names, clock=TWO_DAYS))
    await asyncio.sleep(0)
    return actor


async def test_a_missed_deadline_costs_one_move(room: Room) -> None:
    actor = await started(room, "Anna", "Ben")
    await actor.carry_out(play_first("Anna", actor.table))
    await room.watch.go_on(1.9 * DAY)
    assert actor.table.played == (1, 0)
    await room.watch.go_on(0.2 * DAY)
    assert actor.table.played == (1, 1)
    assert actor.table.human_seats == {0, 1}


async def test_forgetful_player_delays_no_game_and_may_return(room: Room) -> None:
    actor = room.actor(start_table("Anna", "Ben", game="heap", clock=TWO_DAYS, sticks=60))
    await asyncio.sleep(0)
    for count in range(1, MOST_STALLS + 2):
        for _ in range(20):
            if not actor.table.seats[0].human:
                break
            if actor.table.pending == [1]:
                await actor.carry_out(any_move(actor, "Ben"))
            else:
                await room.watch.go_on(2 * DAY)
        assert actor.table.stalls == {0: count}
        assert isinstance(await actor.queue_command(Join(user=user_of("Anna"), name="Anna")), Done)


async def test_the_table_keeps_seats_whatever_was_requested(start: Start) -> None:
    server = await start(grace_seconds=60)
    anna = await connect_user(server, "Anna")
    clock = ClockParams(move_ms=DAY_MS, absence_ms=5_000)
    info = (await anna.call(CreateRequest(game="high_card", seat_count=2, clock=clock))).info
    assert info.clock.absence_ms is None
    assert not info.rated
    assert grace_of(core_of(server).tables.find_table(info.table).table, 60) == 0


async def test_a_night_comes_with_its_time_zone(start: Start) -> None:
    server = await start()
    anna = await connect_user(server, "Anna")
    night = NightParams(begins=22, ends=7, zone="Europe/Berlin")
    clock = ClockParams(move_ms=DAY_MS, night=night)
    info = (await anna.call(CreateRequest(game="high_card", seat_count=2, clock=clock))).info
    assert info.clock.night == Night(begins=22, ends=7, zone="Europe/Berlin")
    offsets = core_of(server).tables.find_table(info.table).table.opened.zone_offsets
    assert offsets is not UNSET
    assert {ahead for _, ahead in offsets} == {3_600_000, 7_200_000}
    clock = ClockParams(move_ms=DAY_MS, night=NightParams(begins=22, ends=7, zone="Mars/Base"))
    with pytest.raises(ScovilleError, match="no time zone"):
        await anna.call(CreateRequest(game="high_card", seat_count=2, clock=clock))


async def test_a_game_goes_on_while_nobody_is_connected(start: Start) -> None:
    server = await start(deserted_seconds=60, grace_seconds=1)
    anna = await connect_user(server, "Anna")
    request = CreateRequest(game="high_card", seat_count=2, clock=ClockParams(move_ms=3 * DAY_MS))
    table = (await anna.call(request)).info.table
    await anna.call(JoinRequest(table=table))
    await anna.call(StartRequest(table=table))
    (listed,) = (await anna.call(ListTablesRequest())).tables
    assert listed.turn_left_ms is not None
    assert 3 * DAY_MS - 60_000 < listed.turn_left_ms <= 3 * DAY_MS
    core, actor = core_of(server), core_of(server).tables.find_table(table)
    anna.hang_up()
    assert not core.deserted._without_anybody(actor.table)
    await actor.carry_out(Leave(user=actor.table.seats[0].user or user_of("Anna")))
    assert core.deserted._without_anybody(actor.table)


async def test_a_table_waits_a_week_for_players(start: Start) -> None:
    server = await start(idle_seconds=1800, host_idle_seconds=300)
    anna, ben = [await connect_user(server, name) for name in ("Anna", "Ben")]
    request = CreateRequest(game="high_card", seat_count=3, clock=ClockParams(move_ms=DAY_MS))
    table = (await anna.call(request)).info.table
    for each in (anna, ben):
        await each.call(JoinRequest(table=table))
    timeouts, actor = core_of(server).idle_timeouts, core_of(server).tables.find_table(table)
    dues = sorted((due.at_ms - actor.now()) / DAY_MS for due in timeouts._list_dues(actor.table))
    assert [round(days, 2) for days in dues] == [1, 7, 7]
