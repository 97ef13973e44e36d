"""A server's end after a signal: announced, with time for pending moves, and without new games."""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from scoville_client.transport.in_process import connect_in_memory
from scoville_runtime.events import NOTICE_LEVEL
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol import messages as m
from tests.support import virtual_time
from tests.support.core import code_of, connect_user, seat_users
from tests.support.server import Caller, core_of, toy_server


def in_virtual_time(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run a test in virtual time."""

    def run() -> None:
        virtual_time.run_virtually(test())

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


async def draining(server: Server, hurry: asyncio.Event | None = None) -> asyncio.Task[None]:
    task = asyncio.ensure_future(server.drain(hurry or asyncio.Event()))
    await asyncio.sleep(0)
    return task


def shutdowns(caller: Caller) -> list[m.ShutdownNotice]:
    return [notice for notice in caller.peer.heard if isinstance(notice, m.ShutdownNotice)]


@in_virtual_time
async def test_users_play_on_through_the_announced_seconds() -> None:
    server = toy_server(clock=virtual_time.make_clock())
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    await anna.call(m.StartRequest(table=table))
    began = asyncio.get_running_loop().time()
    drain = await draining(server)
    assert shutdowns(ben) == [m.ShutdownNotice(ends_in_ms=5_000)]
    moves = (await anna.call(m.MovesRequest(table=table))).moves
    await anna.call(m.PlayRequest(table=table, move=moves[0]))
    await drain
    assert asyncio.get_running_loop().time() - began == pytest.approx(5.0)
    assert (anna.peer.closed, len(core_of(server).tables.find_table(table).table.moves)) == (False, 1)
    await server.close()
    assert anna.peer.bye is not None
    assert anna.peer.bye.code == "shutting_down"


@in_virtual_time
async def test_nothing_new_begins_meanwhile() -> None:
    server = toy_server(clock=virtual_time.make_clock())
    await server.start()
    table, (anna, _) = await seat_users(server, "Anna", "Ben")
    ended, (cleo,) = await seat_users(server, "Cleo", game="heap")
    drain = await draining(server)
    refused: list[m.Params] = [
        m.CreateRequest(game="heap", seat_count=2),
        m.StartRequest(table=table),
        m.RematchRequest(table=table),
        m.QuickMatchRequest(game="heap"),
    ]
    assert {type(params).__name__: await code_of(anna, params) for params in refused} == {
        type(params).__name__: "shutting_down" for params in refused
    }
    with pytest.raises(Exception, match="shutting down"):
        await connect_user(server, "Zoe")
    assert ended
    cleo.hang_up()
    await drain
    await server.close()


@in_virtual_time
async def test_an_empty_server_waits_for_nobody() -> None:
    loop = asyncio.get_running_loop()
    server = toy_server(clock=virtual_time.make_clock())
    await (await draining(server))
    assert loop.time() == 0
    await server.close()
    server = toy_server(clock=virtual_time.make_clock())
    anna = await connect_user(server, "Anna")
    drain = await draining(server)
    await asyncio.sleep(2)
    anna.hang_up()
    await drain
    assert loop.time() == 2
    await server.close()


@in_virtual_time
async def test_a_countdown_starts_no_game_meanwhile() -> None:
    server = toy_server(clock=virtual_time.make_clock())
    anna = await connect_user(server, "Anna")
    params = m.CreateRequest(
        game="high_card", seat_count=2, settings=m.TableSettingsParams(start="ready", countdown_ms=2000)
    )
    table = (await anna.call(params)).info.table
    await anna.call(m.JoinRequest(table=table))
    await anna.call(m.ReadyRequest(table=table))
    actor = core_of(server).tables.find_table(table)
    assert actor.table.countdown is not None
    await (await draining(server))
    assert (actor.table.status, asyncio.get_running_loop().time()) == ("waiting", 5.0)
    await server.close()


@in_virtual_time
async def test_a_connection_of_the_same_process_is_not_waited_for() -> None:
    loop = asyncio.get_running_loop()
    server = toy_server(clock=virtual_time.make_clock())
    connect_in_memory(asyncio.Protocol(), server.make_protocol())
    assert server.others == 0
    ben = await connect_user(server, "Ben")
    assert server.others == 1
    drain = await draining(server)
    await asyncio.sleep(3)
    assert not drain.done()
    ben.hang_up()
    await drain
    assert loop.time() == 3
    await server.close()


@in_virtual_time
async def test_a_second_signal_ends_it_at_once() -> None:
    server, hurry = toy_server(clock=virtual_time.make_clock()), asyncio.Event()
    await connect_user(server, "Anna")
    drain = await draining(server, hurry)
    await asyncio.sleep(1)
    hurry.set()
    await drain
    assert asyncio.get_running_loop().time() == 1
    await server.close()


async def test_a_port_in_use_is_reported_by_its_error_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = toy_server(Settings(host="127.0.0.1", port=port, data=tmp_path, default_tables=("heap", "high_card")))
        with pytest.raises(OSError, match="in use"):
            await server.start()
        await server.close()
    assert [record for record in caplog.records if record.levelno > NOTICE_LEVEL] == []
    assert core_of(server).tables.all_tables() == []
