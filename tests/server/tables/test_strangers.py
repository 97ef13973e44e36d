"""Strangers at a table with a password: no reply depends on the table's state."""

from typing import Any

import pytest

from scoville_server.server import Server
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol import messages as m
from tests.support.core import connect_user
from tests.support.server import Caller

from .test_spectators import requests

PASSWORD = "green or red?"


async def locked(server: Server, *, busy: bool) -> str:
    """Two play at a table with a password; when `busy`, others watch, talk, are muted or kicked, and it is paused."""
    first = "Anna" if busy else "Dora"
    host = await connect_user(server, first)
    made = await host.call(m.CreateRequest(game="high_card", seat_count=2, password=PASSWORD))
    table: str = made.info.table
    code = made.info.code
    users = [host, await connect_user(server, f"{first} 2")]
    for user in users:
        await user.call(m.EnterRequest(code=code, password=PASSWORD))
        await user.call(m.JoinRequest(table=table))
    await host.call(m.StartRequest(table=table))
    if busy:
        for name in ("Vera", "Willy"):
            watching = await connect_user(server, name)
            await watching.call(m.EnterRequest(code=code, password=PASSWORD))
            await watching.call(m.WatchRequest(table=table))
            await watching.call(m.SayRequest(table=table, text=f"{name} was here"))
        await host.call(m.MuteRequest(table=table, name="Vera"))
        await host.call(m.KickRequest(table=table, name="Willy"))
        for user in users:
            await user.call(m.PauseRequest(table=table))
    return table


async def answer(caller: Caller, params: Any, table: str) -> Any:
    """Ask; the table's id is taken out of what is answered."""
    try:
        said: Any = await caller.call(params)
    except ScovilleError as error:
        said = (error.code, error.message, error.data)
    return str(said).replace(table, "TABLE")


def questions(table: str, name: str) -> list[Any]:
    asked: list[Any] = [
        m.WatchRequest(table=table),
        m.PollRequest(table=table),
        m.ReadChatRequest(channel="table", table=table),
    ]
    asked += [m.SayRequest(table=table, text="Hi"), m.ReactRequest(table=table, reaction="hello")]
    return [*asked, *requests(table, name=name)]


@pytest.mark.parametrize("name", ["Vera", "Willy", "Anna", "Nobody at all"])
async def test_no_reply_reveals_a_table_behind_a_password(server: Server, name: str) -> None:
    """The errors of `table.kick` revealed the spectators."""
    busy, idle = await locked(server, busy=True), await locked(server, busy=False)
    zoe = await connect_user(server, "Zoe")

    answers = [[await answer(zoe, params, table) for params in questions(table, name)] for table in (busy, idle)]

    assert answers[0] == answers[1]
    assert not any("Vera" in each or "Willy" in each for each in answers[0])
