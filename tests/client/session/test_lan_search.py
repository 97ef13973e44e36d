"""A table code finds its server on the local network; known servers are asked first, and never too many."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from scoville_client.session.hosting import begin_session
from scoville_client.session.joining.search import (
    ASK_SECONDS,
    MOST_ASKED,
    SEARCH_SECONDS,
    Ask,
    knows_code,
    locate_table,
)
from scoville_client.session.session import Session
from scoville_client.session.start_options import Start
from scoville_client.transport.address import Address
from scoville_client.transport.base import LinkError, WrongServer
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.lan.browser import Browse
from tests.client.transport.lan.network import PIN, Network, announced
from tests.support.clock import FakeClock
from tests.support.idle import wait_until_idle

LOOPBACK = "127.0.0.1"
WANTED = Start(kind="join", code="brave-otter", name="Ben")


@pytest.fixture(autouse=True)
def loopback_is_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let announcements name addresses of this machine, where the tests listen."""
    monkeypatch.setattr("scoville_client.transport.lan.found._is_usable", lambda _: True)


@asynccontextmanager
async def ports(count: int) -> AsyncIterator[list[int]]:
    """Listen on several ports of this machine."""
    loop = asyncio.get_running_loop()
    servers = [await loop.create_server(asyncio.Protocol, LOOPBACK, 0) for _ in range(count)]
    try:
        yield [server.sockets[0].getsockname()[1] for server in servers]
    finally:
        for server in servers:
            server.close()


async def located(browse: Browse | None, ask: Ask, start: Start = WANTED, seconds: float = SEARCH_SECONDS) -> Start:
    """Let the time of a search pass."""
    clock = FakeClock()
    locating = asyncio.ensure_future(locate_table(start, browse, clock.clock, ask))
    await wait_until_idle()
    clock.advance(seconds)
    return await locating


def asking(knows: Callable[[Address], bool], asked: list[int]) -> Ask:
    async def ask(address: Address, start: Start) -> bool:
        assert start.code == "brave-otter"
        asked.append(address.port)
        return knows(address)

    return ask


async def nobody(address: Address, start: Start) -> bool:
    raise AssertionError("nobody is to be asked")


@pytest.mark.parametrize("start", [Start(kind="join", host="example"), Start(kind="practice"), Start(kind="host")])
async def test_other_starts_search_nothing(start: Start) -> None:
    assert await locate_table(start, None) is start


async def test_a_known_server_with_the_code_is_joined() -> None:
    async with ports(2) as (one, two):
        network = Network(*(announced(str(port), port=port, addresses=(LOOPBACK,)) for port in (one, two)))
        start = await located(network.browse, asking(lambda address: address.port == two, []))
    assert (start.host, start.port, start.pin, start.code) == (LOOPBACK, two, PIN, "brave-otter")
    assert network.searches == [], "the search has ended"


async def test_strangers_do_not_learn_a_known_servers_code() -> None:
    asked: list[int] = []
    async with ports(3) as numbers:
        KnownServers.of_user().keep_key(Address(LOOPBACK, numbers[1]), "ZZZZZZZZZZZZZZZZZZZZ")
        network = Network(*(announced(str(port), port=port, addresses=(LOOPBACK,)) for port in numbers))
        start = await located(network.browse, asking(lambda _: True, asked))
    assert asked == [numbers[1]]
    assert start.pin == "", "the stored pin counts"


async def test_not_everybody_is_asked() -> None:
    asked: list[int] = []
    async with ports(MOST_ASKED + 2) as numbers:
        network = Network(*(announced(str(port), port=port, addresses=(LOOPBACK,)) for port in numbers))
        with pytest.raises(LinkError, match=r"^No server on the local network knows the table code brave-otter\."):
            await located(network.browse, asking(lambda _: False, asked))
    assert len(asked) == MOST_ASKED


async def test_a_server_that_does_not_answer_is_not_waited_for() -> None:
    async def silent(address: Address, start: Start) -> bool:
        await asyncio.Event().wait()
        return True

    clock = FakeClock()
    async with ports(1) as (port,):
        network = Network(announced(port=port, addresses=(LOOPBACK,)))
        locating = asyncio.ensure_future(locate_table(WANTED, network.browse, clock.clock, silent))
        while not locating.done():
            await wait_until_idle()
            clock.advance(ASK_SECONDS)
        with pytest.raises(LinkError, match="knows the table code"):
            await locating


async def test_a_changed_key_is_reported_unless_another_server_matches() -> None:
    def ask(knowing: int) -> Ask:
        async def ask(address: Address, start: Start) -> bool:
            if address.port == knowing:
                return True
            raise WrongServer("This is another server.")

        return ask

    async with ports(2) as numbers:
        network = Network(*(announced(str(port), port=port, addresses=(LOOPBACK,)) for port in numbers))
        assert (await located(network.browse, ask(numbers[1]))).port == numbers[1]
        with pytest.raises(WrongServer, match="another server"):
            await located(network.browse, ask(0))


async def test_without_servers_it_says_what_to_type_where() -> None:
    with pytest.raises(LinkError, match="On the computer of the host, type:  scoville host"):
        await located(Network().browse, nobody)


async def test_a_machine_without_a_network_or_zeroconf_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network()
    network.error = OSError(19, "No such device")
    with pytest.raises(LinkError, match=r"cannot be searched: No such device\."):
        await located(network.browse, nobody)
    with pytest.raises(LinkError, match="turned off"):
        await located(None, nobody)
    monkeypatch.setattr("scoville_client.transport.lan.browser.find_spec", lambda _: None)
    with pytest.raises(LinkError, match="pip install zeroconf"):
        await located(None, nobody)


@pytest.mark.parametrize("password", ["", "secret"])
async def test_a_server_is_asked_as_the_user_who_joins_it(tmp_path: Path, password: str) -> None:
    anna = Session()
    private = {"private": True}
    hosted = Start(kind="host", host=LOOPBACK, port=0, data=tmp_path, name="Anna", settings=private, password=password)
    running = await begin_session(anna, hosted)
    try:
        assert running.address is not None
        assert anna.table is not None
        code = anna.table.info.code or ""
        there = Start(kind="join", code=code, name="Ben")
        assert await knows_code(running.address, there)
        assert not await knows_code(running.address, Start(kind="join", code="other-otter", name="Ben"))
        with pytest.raises(WrongServer):
            await knows_code(running.address._replace(pin="Z" * 20), there)
        ben = Session()
        running_there = await begin_session(
            ben, Start(kind="join", host=LOOPBACK, port=running.address.port, code=code, name="Ben")
        )
        assert ben.name == "Ben", "the one who asked is the one who joins"
        await running_there.close()
    finally:
        await running.close()
