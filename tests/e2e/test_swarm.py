"""Many throw-away guests from one address at a real port: users elsewhere are served as before."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest

from scoville_runtime.clock import Clock
from scoville_server.accounts.model.account_limits import AccountLimits, Hashing
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.support.core import ATTACKER, INNOCENT
from tests.support.rpc import Refusal, RpcClient

USERS = 120


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """A small server, whose limits see no time pass."""
    cheap = AccountLimits(hashing=Hashing(memory_kib=8, passes=1))
    small = Settings(
        host="127.0.0.1", port=0, tables=100, guests=200, accounts=cheap, connections=ConnectionLimits(per_address=60)
    )
    server = Server(small, clock=Clock(seconds=lambda: 0.0))
    await server.start()
    yield server
    await server.close()


async def outcome(client: RpcClient, method: str, **params: Any) -> str:
    try:
        await client.call(method, **params)
    except Refusal as refused:
        return refused.code
    return "ok"


async def attack(server: Server, outcomes: Counter[str]) -> None:
    """Connect as a new guest, try every request once, and disconnect."""
    try:
        async with RpcClient(server.port, ATTACKER) as client:
            await client.hello()
            info = await client.call("table.create", game="no_thanks", seat_count=3)
            table = info["info"]["table"]
            await client.call("table.join", table=table)
            outcomes["tables"] += 1
            outcomes[f"invite {await outcome(client, 'table.invite', table=table, name='Anna')}"] += 1
    except (Refusal, asyncio.CancelledError) as refused:
        outcomes[str(refused).partition(":")[0] or "closed"] += 1
    async with RpcClient(server.port, ATTACKER) as client:
        await client.hello()
        for method, params in (
            ("player.report", {"name": "Anna", "text": "nothing"}),
            ("chat.say", {"text": "boo", "to": "Anna"}),
            ("table.enter", {"code": "no-such"}),
            ("account.login", {"name": "Anna", "password": "wrong one"}),
        ):
            outcomes[f"{method} {await outcome(client, method, **params)}"] += 1


async def test_an_innocent_elsewhere_continues_as_before(server: Server) -> None:
    async with RpcClient(server.port, INNOCENT) as anna, RpcClient(server.port, INNOCENT) as ben:
        await anna.hello("Anna")
        await ben.hello("Ben")
        await anna.call("account.claim_name", password="seven habaneros")
        outcomes: Counter[str] = Counter()
        for _ in range(USERS):
            await attack(server, outcomes)
        assert outcomes["tables"] <= 60
        assert outcomes["invite ok"] == 12
        assert outcomes["player.report ok"] == 20
        assert outcomes["chat.say ok"] <= 30
        assert outcomes["table.enter unknown_code"] <= 31
        assert outcomes["account.login wrong_login"] <= 6
        heard = Counter(method for method, _ in anna.notices)
        assert (heard["lobby.invited"], heard["chat.said"]) == (12, outcomes["chat.say ok"])
        await everything_works(server, anna, ben)


async def everything_works(server: Server, anna: RpcClient, ben: RpcClient) -> None:
    """Open a table, join it, invite, chat, report, log in and reconnect."""
    made = await anna.call("table.create", game="no_thanks", seat_count=3, settings={"private": True})
    table, code = made["info"]["table"], made["info"]["code"]
    await anna.call("table.join", table=table)
    await anna.call("table.invite", table=table, name="Ben")
    await ben.call("table.join", table=table)
    await ben.call("chat.say", text="Hello", to="Anna")
    await ben.call("player.report", name="Anna", text="a real one")
    async with RpcClient(server.port, INNOCENT) as cleo:
        await cleo.hello("Cleo")
        await cleo.call("table.enter", code=code)
        await cleo.call("account.login", name="Anna", password="seven habaneros")


async def test_connections_that_stay_leave_room_for_others(server: Server) -> None:
    swarm = [RpcClient(server.port, ATTACKER) for _ in range(100)]
    for client in swarm:
        await client.__aenter__()
        client.send("hello", protocol=1)
    async with RpcClient(server.port, INNOCENT) as anna:
        await anna.hello("Anna")
        await asyncio.gather(*(client.closed.wait() for client in swarm[60:]))
        assert sum(client.closed.is_set() for client in swarm) == 40
    for client in swarm:
        await client.__aexit__(None, None, None)


async def test_a_known_user_enters_beside_a_swarm() -> None:
    seconds = 0.0
    crowded = Settings(host="127.0.0.1", port=0, connections=ConnectionLimits(per_address=64))
    server = Server(crowded, clock=Clock(seconds=lambda: seconds))
    await server.start()
    async with RpcClient(server.port, ATTACKER) as anna:
        token = (await anna.hello("Anna")).token
    seconds = 601.0
    swarm = [RpcClient(server.port, ATTACKER) for _ in range(64)]
    for client in swarm:
        await client.__aenter__()
        await client.hello()
    async with RpcClient(server.port, ATTACKER) as late:
        late.send("hello", protocol=1)
        await late.closed.wait()
        assert [params["code"] for method, params in late.notices if method == "bye"] == ["busy"]
    async with RpcClient(server.port, ATTACKER) as back:
        assert (await back.hello("", token)).name == "Anna"
        assert await back.call("ping", payload="hi") == {"payload": "hi"}
    for client in swarm:
        await client.__aexit__(None, None, None)
    await server.close()
