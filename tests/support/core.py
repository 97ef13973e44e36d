"""Users at a server with toy games: connecting, joining, and expected refusals."""

import pytest

from scoville_server.server import Server
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    JoinRequest,
)
from tests.support.server import Caller


async def connect_user(server: Server, name: str = "", token: str = "") -> Caller:
    return await Caller(server).hello(name, token)


async def code_of(caller: Caller, params: object) -> str:
    with pytest.raises(ScovilleError) as refused:
        await caller.call(params)
    return refused.value.code


async def seated(server: Server, *names: str, game: str = "high_card") -> tuple[str, list[Caller]]:
    """Open a table for some users, and seat them."""
    users = [await connect_user(server, name) for name in names]
    table = await users[0].create(game, max(2, len(names)))
    for user in users:
        await user.call(JoinRequest(table=table))
    return table, users
