"""Floods at tables: actions, spectators, moves and polls are counted by address."""

import asyncio
from collections import Counter

import pytest

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import (
    JoinRequest,
    LeaveRequest,
    PlayRequest,
    PollRequest,
    QuickMatchRequest,
    ReadyRequest,
    WatchRequest,
)
from tests.support.core import ATTACKER, INNOCENT, connect_from, send_swarm, stop_clocks, try_request
from tests.support.server import Caller, core_of, toy_server


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.7"])
async def test_actions_at_a_table_are_counted_by_address(server: Server, host: str) -> None:
    stop_clocks(server)
    anna = await connect_from(server, host, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))

    async def fidget(caller: Caller) -> list[str]:
        outcomes = [
            await try_request(caller, params) for params in (JoinRequest(table=table), ReadyRequest(table=table))
        ]
        await try_request(caller, LeaveRequest(table=table))  # each follows a join, which is counted
        return outcomes

    done = Counter(outcome for one in await send_swarm(server, 100, fidget) for outcome in one)
    assert done["ok"] <= 120
    assert await try_request(anna, ReadyRequest(table=table)) == "ok"
    ben = await connect_from(server, host, "Ben")
    assert await try_request(ben, JoinRequest(table=table)) == "ok"


async def test_quick_matches_are_counted_before_they_wait_for_each_other(server: Server) -> None:
    stop_clocks(server)
    outcomes = Counter(
        await send_swarm(server, 400, lambda one: try_request(one, QuickMatchRequest(game="nothing_like_it")))
    )
    assert outcomes == {"unknown_game": 300, "slow_down": 100}
    assert await try_request(await connect_from(server, INNOCENT), QuickMatchRequest(game="heap")) == "ok"


async def test_a_swarm_of_spectators_leaves_room_for_players() -> None:
    server = toy_server(Settings(spectators=8))
    stop_clocks(server)
    anna = await connect_from(server, INNOCENT, "Anna")
    table = await anna.create()
    outcomes = Counter(await send_swarm(server, 20, lambda caller: try_request(caller, WatchRequest(table=table))))
    assert outcomes == {"ok": 6, "too_many": 14}
    assert await try_request(await connect_from(server, "192.0.2.7"), WatchRequest(table=table)) == "ok"
    await anna.call(JoinRequest(table=table))
    assert await try_request(anna, WatchRequest(table=table)) == "ok"
    await server.close()


async def test_a_spectator_who_goes_makes_room_for_the_next() -> None:
    server = toy_server(Settings(spectators=4))
    stop_clocks(server)
    anna = await connect_from(server, INNOCENT, "Anna")
    table = await anna.create()
    for _ in range(5):
        watching = [await connect_from(server, ATTACKER) for _ in range(3)]
        assert [await try_request(caller, WatchRequest(table=table)) for caller in watching] == ["ok"] * 3
        for caller in watching:
            caller.hang_up()
    await server.close()


async def test_moves_of_strangers_at_a_table_are_counted_by_address(server: Server) -> None:
    stop_clocks(server)
    anna = await connect_from(server, INNOCENT, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))
    outcomes = Counter(
        await send_swarm(server, 200, lambda caller: try_request(caller, PlayRequest(table=table, move={})))
    )
    assert outcomes == {"not_seated": 120, "slow_down": 80}


async def test_polls_of_a_swarm_leave_room_for_others() -> None:
    server = toy_server(Settings(polls=8))
    stop_clocks(server)
    anna = await connect_from(server, INNOCENT, "Anna")
    poll = PollRequest(table=await anna.create(), wait_ms=60_000)
    waiting = [asyncio.ensure_future(try_request(await connect_from(server, ATTACKER), poll)) for _ in range(20)]
    mine = asyncio.ensure_future(anna.call(poll))
    await asyncio.sleep(0)
    assert [task.done() for task in (*waiting, mine)] == [False] * 6 + [True] * 14 + [False]
    await anna.call(JoinRequest(table=poll.table))
    assert Counter(await asyncio.gather(*waiting)) == {"ok": 6, "too_many": 14}
    assert (await mine).seq == 1
    assert len(core_of(server).polls._shares) == 0
    await server.close()


async def test_leaving_is_never_limited_by_neighbours(server: Server) -> None:
    stop_clocks(server)
    first = await connect_from(server, ATTACKER)
    await try_request(first, QuickMatchRequest(game="heap"))
    late = await connect_from(server, ATTACKER, "Ben")
    table = await late.create()
    await late.call(JoinRequest(table=table))
    await send_swarm(server, 400, lambda caller: try_request(caller, QuickMatchRequest(game="nothing_like_it")))
    assert await try_request(late, ReadyRequest(table=table)) == "slow_down"
    assert await try_request(late, LeaveRequest(table=table)) == "ok"
