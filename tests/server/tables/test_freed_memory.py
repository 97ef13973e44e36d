"""Removed tables are freed at once: no reference cycle waits for the garbage collector."""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.actions.close import Close
from scoville_server.tables.actor import TableActor
from scoville_server.tables.model.table import Table
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    JoinRequest,
    LeaveRequest,
    MovesRequest,
    PlayRequest,
    PollRequest,
    RematchRequest,
    SayRequest,
    StartRequest,
    WatchLobbyRequest,
    WatchRequest,
)
from tests.support.core import connect_user, seat_users
from tests.support.idle import eventually
from tests.support.server import Caller, core_of, toy_server, until

Ends = Callable[[Server, str, list[Caller]], Awaitable[None]]


@pytest.fixture(autouse=True)
def _uncollected() -> Iterator[None]:
    """Leave everything to reference counts."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def of_tables() -> list[object]:
    """List the table objects in memory."""
    return [each for each in gc.get_objects() if isinstance(each, TableActor | Table)]


def actor_of(server: Server, table: str) -> TableActor:
    return core_of(server).tables.find_table(table)


async def play(server: Server, table: str, users: list[Caller]) -> None:
    """Play to the end; a bot has the third seat."""
    await users[0].call(StartRequest(table=table))
    while actor_of(server, table).table.status == "playing":
        for user in users:
            moves = (await user.call(MovesRequest(table=table))).moves
            if moves:
                await user.call(PlayRequest(table=table, move=moves[0]))
        await asyncio.sleep(0)


async def leave(_: Server, table: str, users: list[Caller]) -> None:
    for user in users:
        await user.call(LeaveRequest(table=table))


async def play_and_leave(server: Server, table: str, users: list[Caller]) -> None:
    await play(server, table, users)
    await leave(server, table, users)


async def play_twice_and_leave(server: Server, table: str, users: list[Caller]) -> None:
    await play(server, table, users)
    again = (await users[0].call(RematchRequest(table=table))).info.table
    for user in users:
        await user.call(JoinRequest(table=again))
        await user.call(LeaveRequest(table=table))
    await play_and_leave(server, again, users)


async def close_with_an_admin(server: Server, table: str, _: list[Caller]) -> None:
    await actor_of(server, table).carry_out(Close(reason="It was time."))


async def close_where_a_poll_waits(server: Server, table: str, users: list[Caller]) -> None:
    seq = actor_of(server, table).table.seq
    waiting = asyncio.ensure_future(users[0].call(PollRequest(table=table, since=seq, wait_ms=60_000)))
    await asyncio.sleep(0)
    await close_with_an_admin(server, table, users)
    await waiting


async def disconnect(server: Server, table: str, users: list[Caller]) -> None:
    for user in users:
        user.hang_up()
    await close_with_an_admin(server, table, users)


async def be_refused(server: Server, table: str, users: list[Caller]) -> None:
    """Get errors of all kinds: their tracebacks lead to the table."""
    for request in (SayRequest(table=table, text="x" * 9_999), PlayRequest(table=table, move={"card": 1000})):
        for user in (*users, await connect_user(server)):
            try:
                await user.call(request)
            except ScovilleError:
                continue
    await play_and_leave(server, table, users)


ENDS = [
    leave,
    play_and_leave,
    play_twice_and_leave,
    close_with_an_admin,
    close_where_a_poll_waits,
    disconnect,
    be_refused,
]


@pytest.mark.parametrize("on_disk", [False, True], ids=["in memory", "on disk"])
@pytest.mark.parametrize("end", ENDS)
async def test_a_removed_table_is_freed_without_the_garbage_collector(tmp_path: Path, end: Ends, on_disk: bool) -> None:
    others = of_tables()
    server = toy_server(Settings(data=tmp_path if on_disk else None, lobby_seconds=0))
    await server.start()
    reader = await connect_user(server, "Zoe")
    await reader.call(WatchLobbyRequest())
    table, users = await seat_users(server, "Anna", "Ben")
    for user in (*users, reader):
        await user.call(WatchRequest(table=table))
    await users[0].call(SayRequest(table=table, text="Hello."))
    await end(server, table, users)
    await until(lambda: len(core_of(server).tables) == 0)
    await eventually(lambda: len(of_tables()) <= len(others), of_tables)
    await server.close()
