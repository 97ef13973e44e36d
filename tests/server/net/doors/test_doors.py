"""Doors over real sockets: many users on one socket, each with the fate of their own address."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from scoville_server.limits.throttle import Rate
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.support.core import DoorClient, TlsDoor
from tests.support.rpc import Refusal, RpcClient
from tests.support.server import core_of, toy_server, until

pytestmark = pytest.mark.skipif(not hasattr(asyncio, "open_unix_connection"), reason="no Unix sockets here")


@asynccontextmanager
async def with_doors(connections: ConnectionLimits | None = None, **doors: Any) -> AsyncIterator[Server]:
    settings = Settings(host="127.0.0.1", port=0, doors=DoorSettings(enabled=True, **doors))
    if connections is not None:
        settings = Settings(host="127.0.0.1", port=0, doors=settings.doors, connections=connections)
    server = toy_server(settings)
    await server.start()
    try:
        yield server
    finally:
        await server.close()


async def refusal(client: RpcClient, **hello: Any) -> str:
    with pytest.raises(Refusal) as refused:
        await client.call("hello", protocol=1, **hello)
    return refused.value.code


async def farewell(client: RpcClient) -> str:
    """The code with which the server has closed a connection."""
    await client.closed.wait()
    [(method, bye)] = client.notices
    assert method == "bye"
    code: str = bye["code"]
    return code


def addresses(server: Server) -> list[str]:
    return [user.peer.address for user in core_of(server).sessions.connected_users() if user.peer is not None]


async def test_a_hosted_address_is_the_doors_word() -> None:
    async with with_doors() as server, DoorClient.at(server, port=50412) as anna:
        await anna.come("Anna")
        assert addresses(server) == ["192.0.2.7:50412"]
        assert "doors" in anna.welcome["features"]


async def test_nobody_else_sets_an_address() -> None:
    async with with_doors() as server:
        async with DoorClient.at(server, credential="wrong") as wrong:
            assert await refusal(wrong, door=wrong._door) == "door_refused"
            assert await refusal(wrong) == "door_refused", "the socket is for doors"
        async with DoorClient.at(server) as door, RpcClient(server.port) as native:
            assert await refusal(native, door={**door._door, "credential": "wrong"}) == "insecure"
            assert await refusal(native, door=door._door) == "insecure", "not over plain text"
            assert addresses(server) == []
    plain = toy_server(Settings(host="127.0.0.1", port=0))
    await plain.start()
    async with RpcClient(plain.port) as native:
        hello = {"credential": "", "transport": "ssh", "address": "192.0.2.7"}
        assert await refusal(native, door=hello) == "door_refused"
    await plain.close()


async def test_a_door_may_come_by_tls() -> None:
    async with with_doors() as server:
        TlsDoor.port = server.port
        async with TlsDoor.at(server) as anna:
            await anna.come("Anna")
            assert addresses(server) == ["192.0.2.7:0"]
            assert anna.welcome["proofs"] == ["password", "token"]
        async with TlsDoor.at(server, credential="wrong") as wrong:
            assert await refusal(wrong, door=wrong._door) == "door_refused"


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "192.0.2.7"])
async def test_a_hosted_local_address_gains_nothing(address: str) -> None:
    async with with_doors() as server, DoorClient.at(server, address, transport="web", secure=False) as visitor:
        await visitor.come("Anna")
        assert visitor.welcome["proofs"] == ["token"], "a password would be taken from a program of this machine"
        peer: Any
        [peer] = [user.peer for user in core_of(server).sessions.connected_users() if user.peer is not None]
        assert not peer.local
        assert peer.network == address


@pytest.mark.parametrize("address", ["255.255.255.255", "0.0.0.0", "224.0.0.1"])
async def test_a_door_hosts_nobody_at_an_address_of_no_machine(address: str) -> None:
    async with with_doors() as server, DoorClient.at(server, address) as nobody:
        assert await refusal(nobody, door=nobody._door) == "bad_params"
        assert addresses(server) == []


async def test_three_hundred_users_come_at_once_from_as_many_addresses() -> None:
    async with with_doors() as server, AsyncExitStack() as stack:

        async def come(number: int) -> DoorClient:
            client = await stack.enter_async_context(
                DoorClient.at(server, f"198.51.{number // 250}.{number % 250 + 1}")
            )
            return await client.come()

        users = await asyncio.gather(*(come(number) for number in range(300)))
        assert len({user.name for user in users}) == 300
        assert len({*addresses(server)}) == 300
        assert len({driver.turns.shared_meter for driver in server._tcp._admission.connections}) == 300  # type: ignore[union-attr,attr-defined]


async def test_a_full_address_keeps_nobody_out() -> None:
    async with with_doors(ConnectionLimits(total=64, per_address=4)) as server, AsyncExitStack() as stack:
        taken = [await stack.enter_async_context(DoorClient.at(server, "203.0.113.9")) for _ in range(6)]
        for client in taken[:4]:
            await client.come()
        for client in taken[4:]:
            with pytest.raises((Refusal, asyncio.CancelledError)):
                await client.come()
            assert await farewell(client) == "busy"
        other = await stack.enter_async_context(DoorClient.at(server))
        await other.come()


async def test_frequent_reconnecting_keeps_nobody_out() -> None:
    async with with_doors(hellos_per_address=Rate(20, 3600.0)) as server:
        for _ in range(20):
            async with DoorClient.at(server, "203.0.113.9") as flooder:
                await flooder.come()
        async with DoorClient.at(server, "203.0.113.9") as flooder:
            assert await refusal(flooder, door=flooder._door) == "slow_down"
        async with DoorClient.at(server) as anna:
            await anna.come()


async def test_a_users_flood_waits_behind_the_others_of_the_door() -> None:
    async with with_doors() as server, DoorClient.at(server, "203.0.113.9") as flooder, DoorClient.at(server) as anna:
        await flooder.come()
        await anna.come()
        flood = [flooder.send("table.list") for _ in range(20_000)]
        await flood[0]
        for _ in range(20):
            await anna.call("ping")
        assert not flood[-1].done(), "the flood was answered first"
        flooder._writer.transport.abort()
        await flooder.closed.wait()


async def test_silent_connections_are_bounded() -> None:
    async with with_doors(waiting=3) as server, AsyncExitStack() as stack:
        silent = [await stack.enter_async_context(DoorClient.at(server)) for _ in range(3)]
        await until(lambda: server.others == 3)
        async with DoorClient.at(server) as late:
            assert await farewell(late) == "busy"
        await silent[0].come()
        late = await stack.enter_async_context(DoorClient.at(server))
        await late.come()


async def test_doors_leave_room_for_others() -> None:
    limits = ConnectionLimits(total=8, per_address=0)
    async with with_doors(limits, share=0.5) as server, AsyncExitStack() as stack:
        for number in range(4):
            user = await stack.enter_async_context(DoorClient.at(server, f"192.0.2.{number}"))
            await user.come()
        async with DoorClient.at(server, "192.0.2.99") as late:
            assert await farewell(late) == "busy"
        async with RpcClient(server.port) as native:
            await native.hello()


async def test_a_killed_doors_users_return_to_their_seats() -> None:
    async with with_doors() as server:
        async with DoorClient.at(server) as anna:
            await anna.come("Anna")
            table = (await anna.call("table.create", game="high_card", seat_count=2))["info"]["table"]
            await anna.call("table.join", table=table)
            anna._writer.transport.abort()
            await anna.closed.wait()
        await until(lambda: not addresses(server))
        async with DoorClient.at(server) as again:
            await again.come(token=anna.token)
            assert again.welcome["resumed"]
            assert again.name == "Anna"
            listed = (await again.call("table.list"))["tables"][0]
            assert listed["seats"][0]["name"] == "Anna"
            assert listed["seats"][0]["connected"]
