"""Tables with spectating in rounds: the lobby shows no more than the table's spectators see."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import (
    CreateRequest,
    EnterRequest,
    JoinRequest,
    LeaveRequest,
    ListTablesRequest,
    LobbyChangedNotice,
    PauseRequest,
    StartRequest,
    TableInfo,
    TableSettingsParams,
    WatchLobbyRequest,
)
from tests.support.core import connect_user
from tests.support.server import Caller, core_of, toy_server


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = toy_server(Settings(lobby_seconds=3600))
    await server.start()
    yield server
    await server.close()


async def a_game(server: Server, **settings: object) -> tuple[TableInfo, Caller, Caller]:
    """Anna and Ben play a game with spectating in rounds."""
    anna, ben = [await connect_user(server, name) for name in ("Anna", "Ben")]
    params = TableSettingsParams(spectating="rounds", **settings)
    opened = await anna.call(CreateRequest(game="high_card", seat_count=2, settings=params))
    await anna.call(JoinRequest(table=opened.info.table))
    await ben.call(EnterRequest(code=opened.info.code))
    await ben.call(JoinRequest(table=opened.info.table))
    await anna.call(StartRequest(table=opened.info.table))
    return opened.info, anna, ben


async def listed(caller: Caller) -> TableInfo:
    (info,) = (await caller.call(ListTablesRequest())).tables
    return info


async def settled(server: Server) -> None:
    """Let pending work finish, and the time pass until the feed is sent."""
    for _ in range(10):
        await asyncio.sleep(0)
    board = core_of(server).feed
    if board._timer is not None:
        board._timer.cancel()
        board._publish_changes()


async def watching(server: Server, caller: Caller) -> Caller:
    await caller.call(WatchLobbyRequest())
    await settled(server)
    caller.peer.heard.clear()
    return caller


def changed(caller: Caller) -> list[TableInfo]:
    heard = [notice for notice in caller.peer.heard if isinstance(notice, LobbyChangedNotice)]
    return [info for notice in heard for info in notice.tables]


@pytest.mark.parametrize("private", [False, True], ids=["public", "private"])
async def test_pauses_and_losses_go_to_the_seats_alone(server: Server, private: bool) -> None:
    info, anna, ben = await a_game(server, private=private)
    zoe = await connect_user(server, "Zoe")
    await zoe.call(EnterRequest(code=info.code))
    await watching(server, zoe)
    await watching(server, anna)
    before = await listed(zoe)

    await anna.call(PauseRequest(table=info.table))
    await ben.call(PauseRequest(table=info.table))
    ben.hang_up()
    await settled(server)

    assert await listed(zoe) == before
    assert changed(zoe) == [], "that something comes would say that something happened"
    mine = await listed(anna)
    assert (mine.paused, mine.seats[1].connected) == (True, False)
    assert (changed(anna)[-1].paused, changed(anna)[-1].seats[1].connected) == (True, False)


async def test_a_replacing_bot_is_announced_after_the_round(server: Server) -> None:
    info, anna, ben = await a_game(server)
    zoe = await watching(server, await connect_user(server, "Zoe"))

    await ben.call(LeaveRequest(table=info.table))
    await settled(server)

    seen = await listed(zoe)
    assert seen.seats[1].name == "Ben"
    assert changed(zoe) == []
    assert (await listed(anna)).seats[1] != seen.seats[1]


async def test_starts_and_ends_are_sent_to_everybody(server: Server) -> None:
    anna, zoe = await connect_user(server, "Anna"), await watching(server, await connect_user(server, "Zoe"))
    opened = await anna.call(
        CreateRequest(game="high_card", seat_count=2, settings=TableSettingsParams(spectating="rounds"))
    )
    await anna.call(JoinRequest(table=opened.info.table))
    await settled(server)
    await anna.call(StartRequest(table=opened.info.table))
    await settled(server)

    assert changed(zoe)[-1].status == (await listed(zoe)).status == "playing"
    assert not (await listed(zoe)).paused


async def test_a_table_that_everybody_sees_live_is_reported_live(server: Server) -> None:
    anna, ben, zoe = [await connect_user(server, name) for name in ("Anna", "Ben", "Zoe")]
    table = (await anna.call(CreateRequest(game="high_card", seat_count=2))).info.table
    for user in (anna, ben):
        await user.call(JoinRequest(table=table))
    await anna.call(StartRequest(table=table))
    await watching(server, zoe)

    ben.hang_up()
    await settled(server)

    assert not (await listed(zoe)).seats[1].connected
    assert not changed(zoe)[-1].seats[1].connected
