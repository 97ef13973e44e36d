"""The nodes of one server: which address is tried first, and a client that finds the one that serves."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from scoville_client.session.session import Session
from scoville_client.transport import caller
from scoville_client.transport.address import Address
from scoville_client.transport.base import LinkError, WrongServer
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.tls import MOST, NAMED_SECONDS, NEXT_SECONDS, Places, TlsLink
from scoville_runtime.clock import Clock
from scoville_server.identity import ServerKey
from scoville_server.journal.memory import MemoryJournal
from scoville_server.net.tcp import Security, TcpServer, open_server
from scoville_server.net.tls.context import server_context
from scoville_server.nodes.nodes import single_node
from scoville_server.nodes.standby import WaitingService
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import PROTOCOL, HelloRequest, PingRequest, WatchRequest
from tests.support.clock import FakeClock
from tests.support.proxy import Proxy
from tests.support.server import CHEAP_HASHING, GatedJournal, toy_shelf, until

LOCAL = "127.0.0.1"


def names(places: Places) -> list[str]:
    return [str(place) for place in places.in_order()]


def test_known_nodes_are_tried_after_the_last_that_answered() -> None:
    places = Places(Address("club.example"))
    assert names(places) == ["club.example:5757"]
    places.note_nodes(["a.example:1", "b.example:2", "no address#", "[::1]:3"])
    assert names(places) == ["club.example:5757", "a.example:1", "b.example:2", "[::1]:3"]
    places.note_success(Address("b.example", 2))
    places.note_nodes(["b.example:2", "c.example:4"])
    assert names(places) == ["b.example:2", "club.example:5757", "c.example:4"]


def test_named_node_comes_first_else_the_next() -> None:
    places = Places(Address("a.example", 1))
    places.note_nodes(["a.example:1", "b.example:2", "c.example:3"])
    places.note_moved("c.example:3")
    assert names(places)[0] == "c.example:3"
    places.note_moved("")
    assert names(places)[0] != "c.example:3"


def test_pins_of_other_nodes_are_ignored_and_bounded() -> None:
    places = Places(Address("a.example", 1))
    places.note_nodes([f"n{n}.example#{'A' * 20}" for n in range(100)])
    assert len(places.in_order()) == MOST
    assert {place.pin for place in places.in_order()} == {""}


def test_place_that_another_node_has_named_gets_more_time() -> None:
    places = Places(Address("a.example", 1))
    places.note_nodes(["a.example:1", "b.example:2", "c.example:3"])
    assert [str(place) for place in places.list_other_nodes(Address("a.example", 1))] == ["b.example:2", "c.example:3"]
    places.note_moved("b.example:2")
    named, unnamed = places.in_order()[:2]
    assert (places.patience_for(named), places.patience_for(unnamed)) == (NAMED_SECONDS, NEXT_SECONDS)
    places.note_success(named)
    assert places.patience_for(named) == NEXT_SECONDS


class Told:
    """What a node that waits has heard of the others; it keeps who asks waiting until it knows."""

    def __init__(self) -> None:
        self.serving_address = ""
        self.asked = 0
        self._known = asyncio.Event()

    def name(self, port: int) -> None:
        self.serving_address = f"{LOCAL}:{port}"
        self._known.set()

    async def find_serving(self, _: float) -> str:
        self.asked += 1
        await self._known.wait()
        return self.serving_address


async def wait_at(key: ServerKey, told: Told, port: int = 0) -> TcpServer:
    service: Any = WaitingService(lambda: told)  # type: ignore[arg-type, return-value]
    return await open_server(service, LOCAL, port, security=Security(lambda: server_context(key)))


async def serving(key: ServerKey, nodes: list[str], port: int = 0, journal: MemoryJournal | None = None) -> Server:
    server = Server(
        Settings(host=LOCAL, port=port, accounts=CHEAP_HASHING),
        toy_shelf(),
        journal or MemoryJournal(),
        make_nodes=lambda flushes: single_node(flushes)._replace(addresses=lambda: nodes),
    )
    server._services.journal._key = key  # type: ignore[attr-defined]
    await server.start()
    return server


async def test_client_of_a_waiting_node_reaches_the_serving_one(tmp_path: Path) -> None:
    key, told = ServerKey.new_key(), Told()
    server = await serving(key, [])
    waiting = await wait_at(key, told)
    told.name(server.port)
    known = KnownServers(tmp_path)
    session = Session()
    await session.connect(TlsLink(Address(LOCAL, waiting.port), known), "Anna")
    assert session.name == "Anna"
    assert known.find_pin(Address(LOCAL, waiting.port)) == key.pin
    assert known.find_pin(Address(LOCAL, server.port)) == ""
    await session.close()
    await waiting.close()
    await server.close()


class Deaf:
    """A listener that keeps when its connection was lost."""

    def __init__(self) -> None:
        self.over = asyncio.Event()

    def receive_notice(self, notice: object) -> None:
        pass

    def note_loss(self, reason: str) -> None:
        self.over.set()


async def test_other_nodes_are_tried_when_one_is_gone(tmp_path: Path) -> None:
    key, nodes = ServerKey.new_key(), list[str]()
    first, second = await serving(key, nodes), await serving(key, nodes)
    nodes[:] = [f"{LOCAL}:{first.port}", f"{LOCAL}:{second.port}"]
    session = Session()
    await session.connect(link := TlsLink(Address(LOCAL, first.port), KnownServers(tmp_path)), "Anna")
    await session.close()
    await first.close()
    await link.open(Deaf())  # type: ignore[arg-type]
    assert link.identity is not None
    assert link.identity.pin == key.pin
    await link.close()
    await second.close()
    with pytest.raises(LinkError, match=f"No server answers at {LOCAL}:{first.port}"):
        await link.open(Deaf())  # type: ignore[arg-type]


async def test_node_with_another_key_is_passed_over(tmp_path: Path) -> None:
    key, nodes = ServerKey.new_key(), list[str]()
    first, stranger = await serving(key, nodes), await serving(ServerKey.new_key(), [])
    port = first.port
    nodes[:] = [f"{LOCAL}:{port}", f"{LOCAL}:{stranger.port}"]
    session = Session()
    await session.connect(link := TlsLink(Address(LOCAL, port), KnownServers(tmp_path)), "Anna")
    await session.close()
    await first.close()
    with pytest.raises(LinkError) as failed:
        await link.open(Deaf())  # type: ignore[arg-type]
    assert not isinstance(failed.value, WrongServer)
    again = await serving(key, nodes, port)
    await link.open(Deaf())  # type: ignore[arg-type]
    await link.close()
    await again.close()
    await stranger.close()


@pytest.fixture
async def clock() -> AsyncIterator[Clock]:
    """A clock that goes on while nothing else happens: no machine is so busy that a node seems to be late."""
    async with FakeClock().passing_when_idle() as passing:
        yield passing


def link_to(port: int, folder: Path, clock: Clock) -> TlsLink:
    return TlsLink(Address(LOCAL, port), KnownServers(folder), clock=clock)


async def test_client_of_a_hanging_node_follows_to_the_next(tmp_path: Path, clock: Clock) -> None:
    key, nodes, told = ServerKey.new_key(), list[str](), Told()
    first, second, waiting = await serving(key, nodes), await serving(key, nodes), await wait_at(key, told)
    session = Session(clock=clock)
    async with Proxy(first.port) as proxy:
        nodes[:] = [f"{LOCAL}:{proxy.port}", f"{LOCAL}:{waiting.port}"]
        await session.connect(link_to(proxy.port, tmp_path, clock), "Anna")
        proxy.silence()
        asking = asyncio.ensure_future(session.lobby.refresh_tables())
        await until(lambda: told.asked)
        assert not asking.done()
        told.name(second.port)
        with pytest.raises(LinkError, match="Another server has taken over"):
            await asking
        await session.connection.link.wait_until_open()
        assert second.others == 1
        await session.close()
    for server in (first, second, waiting):
        await server.close()


async def test_client_stays_while_its_node_is_said_to_serve(tmp_path: Path, clock: Clock) -> None:
    key, nodes, told = ServerKey.new_key(), list[str](), Told()
    first, waiting = await serving(key, nodes), await wait_at(key, told)
    session = Session(clock=clock)
    async with Proxy(first.port) as proxy:
        nodes[:] = [f"{LOCAL}:{proxy.port}", f"{LOCAL}:{waiting.port}"]
        await session.connect(link_to(proxy.port, tmp_path, clock), "Anna")
        told.name(proxy.port)
        proxy.silence()
        with pytest.raises(LinkError, match="has not answered"):
            await session.lobby.refresh_tables()
        assert told.asked
        await session.close()
    for server in (first, waiting):
        await server.close()


async def test_client_stays_at_a_node_that_answers_pings(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, nodes, journal = ServerKey.new_key(), list[str](), GatedJournal()
    first, second = await serving(key, nodes, journal=journal), await serving(key, nodes)
    nodes[:] = [f"{LOCAL}:{first.port}", f"{LOCAL}:{second.port}"]
    session = Session(clock=clock)
    await session.connect(link_to(first.port, tmp_path, clock), "Anna")
    answers, ask_others = list[str](), TlsLink._ask_others

    async def note_answer(link: TlsLink) -> str:
        answers.append(await ask_others(link))
        return answers[-1]

    monkeypatch.setattr(TlsLink, "_ask_others", note_answer)
    journal.gate.clear()
    opening = asyncio.ensure_future(session.lobby.create_table("high_card", 3, {}))
    await until(lambda: opening.done() or len(answers) > 1)
    journal.gate.set()
    assert (await opening).game == "high_card"
    assert {*answers} == {f"{LOCAL}:{second.port}"}
    await session.close()
    for server in (first, second):
        await server.close()


async def greet(link: TlsLink) -> Deaf:
    listener = Deaf()
    await link.open(listener)  # type: ignore[arg-type]
    await link.call(HelloRequest(protocol=PROTOCOL))
    return listener


async def test_client_stays_with_a_new_node_that_answers_hello_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr(caller, "FIRST_SECONDS", 1_000.0)
    key, nodes, told = ServerKey.new_key(), list[str](), Told()
    first, second, waiting = await serving(key, nodes), await serving(key, nodes), await wait_at(key, told)
    link = TlsLink(Address(LOCAL, first.port), KnownServers(tmp_path), 1_000.0, clock)
    async with Proxy(second.port) as proxy:
        nodes[:] = [f"{LOCAL}:{first.port}", f"{LOCAL}:{proxy.port}", f"{LOCAL}:{waiting.port}"]
        await greet(link)
        await link.close()
        await first.close()
        link.leave_node()
        await link.open(listener := Deaf())  # type: ignore[arg-type]
        # It restores its tables first, and is the one that the others name.
        proxy.silence()
        told.name(proxy.port)
        greeting = asyncio.ensure_future(link.call(HelloRequest(protocol=PROTOCOL)))
        await until(lambda: told.asked > 1 or greeting.done())
        assert not greeting.done()
        assert not listener.over.is_set()
        greeting.cancel()
        await link.close()
    await second.close()
    await waiting.close()


async def test_refusal_by_a_former_node_is_a_loss(tmp_path: Path, clock: Clock) -> None:
    server = await serving(ServerKey.new_key(), [])
    link = link_to(server.port, tmp_path, clock)
    listener = await greet(link)
    server._services.tables._moved.add("t1")  # type: ignore[attr-defined]
    with pytest.raises(LinkError, match="Another server has taken over"):
        await link.call(WatchRequest(table="t1"))
    assert listener.over.is_set()
    await link.close()
    await server.close()


async def test_door_users_leave_a_hanging_node_in_turn(tmp_path: Path, clock: Clock) -> None:
    key, nodes, told = ServerKey.new_key(), list[str](), Told()
    first, second, waiting = await serving(key, nodes), await serving(key, nodes), await wait_at(key, told)
    async with Proxy(first.port) as proxy:
        nodes[:] = [f"{LOCAL}:{proxy.port}", f"{LOCAL}:{waiting.port}"]
        places, known = Places(Address(LOCAL, proxy.port)), KnownServers(tmp_path)
        earlier, later = (TlsLink(places.first, known, clock=clock, places=places) for _ in range(2))
        await greet(earlier)
        await greet(later)
        proxy.silence()
        nodes[:] = [f"{LOCAL}:{second.port}", f"{LOCAL}:{proxy.port}", f"{LOCAL}:{waiting.port}"]
        told.name(second.port)
        for link in (earlier, later):
            with pytest.raises(LinkError, match="Another server has taken over"):
                await link.call(PingRequest())
            await greet(link)
        assert second.others == 2
        await earlier.close()
        await later.close()
    for server in (first, second, waiting):
        await server.close()


async def test_machine_that_is_gone_is_passed_over(tmp_path: Path, clock: Clock) -> None:
    key, nodes = ServerKey.new_key(), list[str]()
    first, second = await serving(key, nodes), await serving(key, nodes)
    async with Proxy(first.port) as proxy:
        nodes[:] = [f"{LOCAL}:{proxy.port}", f"{LOCAL}:{second.port}"]
        link, session = link_to(proxy.port, tmp_path, clock), Session(clock=clock)
        await session.connect(link, "Anna")
        await session.close()
        proxy.swallow()
        await link.open(Deaf())  # type: ignore[arg-type]
        assert second.others == 1
        await link.close()
    await first.close()
    await second.close()
