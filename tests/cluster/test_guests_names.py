"""Names of guests at two servers on one journal: no two who are connected have names that look alike."""

import asyncio
from collections.abc import Awaitable

import pytest

from scoville_server.accounts.name_leases import LEASE_SECONDS
from scoville_server.nodes.members import NodeId
from scoville_server.server import Server
from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.cluster.pair import TwoServers, outcome_of
from tests.support.server import Caller, core_of, toy_server
from tests.support.virtual_time import in_virtual_time


async def both_started(**settings: object) -> TwoServers:
    two = TwoServers(**settings)
    await two.start_a()
    await two.start_b()
    return two


async def name_at(server: Server, wanted: str = "", token: str = "") -> tuple[str, str | None]:
    """Return the name that a user gets, and why it is not the one that they want."""
    welcome = (await Caller(server).hello(wanted, token)).welcome
    assert welcome is not None
    return welcome.name, welcome.name_refused


@pytest.mark.parametrize("order", ["ab", "ba"])
@in_virtual_time
async def test_name_of_a_guest_elsewhere_is_taken(order: str) -> None:
    two = await both_started()
    first, second = (getattr(two, name) for name in order)
    assert await name_at(first, "Zoe") == ("Zoe", None)
    assert await name_at(second, "zoe") == ("zoe 2", "taken")
    assert await name_at(second, "Zo\u00e9") == ("Zo\u00e9 3", "lookalike")
    assert await name_at(first, "Zoe") == ("Zoe 4", "taken")


@in_virtual_time
async def test_of_guests_who_come_at_one_moment_one_gets_the_name() -> None:
    two = await both_started()
    # Nobody has heard yet whom the other server has greeted.
    two.wire.seconds, two.wire.quick = 0.05, 0.001
    servers = [two.a, two.b, two.a, two.b, two.b]
    named = await asyncio.gather(*(name_at(server, "Zoe") for server in servers))
    assert sorted(named) == [("Zoe", None), *((f"Zoe {number}", "taken") for number in range(2, 6))]
    unnamed = await asyncio.gather(*(name_at(server) for server in servers))
    assert len({name for name, _ in unnamed}) == 5
    assert [refused for _, refused in unnamed] == [None] * 5


@in_virtual_time
async def test_name_is_free_once_its_guest_has_left() -> None:
    two = await both_started()
    zoe = await Caller(two.a).hello("Zoe")
    zoe.hang_up()
    other = await Caller(two.b).hello("Zoe")
    assert other.welcome is not None
    assert other.welcome.name == "Zoe"
    # At once: what the first node has promised to the other one holds for that guest alone.
    other.hang_up()
    assert await name_at(two.a, "Zoe") == ("Zoe", None)


@pytest.mark.parametrize("seconds", [0.0, 0.001])
@pytest.mark.parametrize("order", ["ab", "ba"])
@in_virtual_time
async def test_guest_who_changes_the_server_keeps_the_name(order: str, seconds: float) -> None:
    two = await both_started()
    first, second = (getattr(two, name) for name in order)
    zoe = await Caller(first).hello("Zoe")
    await zoe.call(m.SayRequest(text="hi"))
    await asyncio.sleep(1)
    two.wire.seconds = two.wire.quick = seconds
    assert zoe.welcome is not None
    assert await name_at(second, "Zoe", zoe.welcome.token) == ("Zoe", None)
    await asyncio.sleep(1)
    assert zoe.peer.closed
    zoe.hang_up()
    await asyncio.sleep(1)
    assert await name_at(first, "Zoe") == ("Zoe 2", "taken")


@in_virtual_time
async def test_names_at_a_server_that_is_gone_are_free() -> None:
    two = await both_started()
    await Caller(two.b).hello("Zoe")
    two.members["a"].running = [NodeId("a")]
    assert await name_at(two.a, "Zoe") == ("Zoe", None)


@in_virtual_time
async def test_names_are_given_without_the_server_that_decides() -> None:
    two = await both_started()
    await Caller(two.a).hello("Zoe")
    two.wire.is_cut = True
    assert await name_at(two.b, "Zoe") == ("Zoe 2", "taken"), "what it has heard it knows"
    assert await name_at(two.b, "Yan") == ("Yan", None)


@in_virtual_time
async def test_promised_name_is_free_again_if_nobody_has_come() -> None:
    two = await both_started()
    two.wire.quick = 0.001
    lost = asyncio.ensure_future(Caller(two.b).hello("Zoe"))
    await asyncio.sleep(0.0015)
    lost.cancel()
    assert await name_at(two.a, "Zoe") == ("Zoe 2", "taken")
    await asyncio.sleep(LEASE_SECONDS)
    assert await name_at(two.a, "Zoe") == ("Zoe", None)


@in_virtual_time
async def test_guest_who_is_promised_another_name_keeps_the_present_one_until_then() -> None:
    two = await both_started()
    zoe, stays = await Caller(two.a).hello("Zoe"), await Caller(two.b).hello("Zoe")
    await stays.call(m.SayRequest(text="hi"))
    zoe.hang_up()
    two.wire.quick = 0.001
    assert stays.welcome is not None
    coming = asyncio.ensure_future(Caller(two.b).hello("Zoe", stays.welcome.token))
    await asyncio.sleep(0.0015)
    coming.cancel()
    # Once the promise is over, too.
    for seconds in (0, LEASE_SECONDS):
        await asyncio.sleep(seconds)
        assert (await name_at(two.a, "Zoe 2"))[1] == "taken"


@in_virtual_time
async def test_connection_that_ends_while_it_waits_for_a_name_is_nobody_s() -> None:
    two = await both_started()
    two.wire.quick = 0.001
    caller = Caller(two.b)
    answer = caller.handler.handle_request(m.HelloRequest(protocol=m.PROTOCOL, name="Zoe"))
    assert isinstance(answer, Awaitable)
    waiting = asyncio.ensure_future(answer)
    await asyncio.sleep(0.0015)
    waiting.cancel()  # as the driver does it
    caller.hang_up()
    await asyncio.sleep(1)
    assert core_of(two.b).sessions.connected_users() == []


@in_virtual_time
async def test_second_hello_is_refused_while_the_first_one_waits() -> None:
    two = await both_started()
    two.wire.quick = 0.001
    caller = Caller(two.b)
    outcomes = await asyncio.gather(*(outcome_of(caller.hello(name)) for name in ("Zoe", "Yan")))
    assert outcomes == ["ok", Code.BAD_PARAMS]
    assert [user.name for user in core_of(two.b).sessions.connected_users()] == ["Zoe"]


@in_virtual_time
async def test_player_keeps_the_name_without_asking() -> None:
    two = await both_started()
    zoe = await Caller(two.b).hello("Zoe")
    table = await zoe.create("high_card", 2)
    await zoe.call(m.JoinRequest(table=table))
    zoe.hang_up()
    assert zoe.welcome is not None
    hello = m.HelloRequest(protocol=m.PROTOCOL, name="Other", token=zoe.welcome.token)
    welcome = Caller(two.b).handler.handle_request(hello)
    assert isinstance(welcome, m.HelloReply), "at once"
    assert welcome.name == "Zoe"


async def test_server_alone_greets_at_once() -> None:
    server = toy_server()
    await server.start()
    welcome = Caller(server).handler.handle_request(m.HelloRequest(protocol=m.PROTOCOL, name="Zoe"))
    assert isinstance(welcome, m.HelloReply)
    await server.close()


@in_virtual_time
async def test_server_that_decides_greets_at_once() -> None:
    two = await both_started()
    welcome = Caller(two.a).handler.handle_request(m.HelloRequest(protocol=m.PROTOCOL, name="Zoe"))
    assert isinstance(welcome, m.HelloReply)
