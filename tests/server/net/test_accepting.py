"""Accepting connections: many in a turn of the loop, and those of quiet networks first."""

import asyncio
import logging
import socket
import struct
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgpack
import pytest

from scoville_runtime.clock import SYSTEM
from scoville_server.identity import ServerKey
from scoville_server.limits.live import as_live
from scoville_server.net.accepting import (
    BACKLOG,
    FLOODED_BACKLOG,
    FUTILE,
    FUTILE_SECONDS,
    PIECES_SECONDS,
    SILENT_SECONDS,
    WAITING_OF_NETWORK,
    Arrivals,
    Listener,
)
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.read_scheduler import ReadScheduler
from scoville_server.net.tcp import Security, open_server
from scoville_server.net.tls.context import server_context
from scoville_shared.networks import Proxies, parse_network
from tests.support.clock import FakeClock
from tests.support.server import until
from tests.support.tls import TlsClient, plain_record

from .doubles import HELLO, RecordingService, turn

FLOODER, PERSON = "127.0.0.2", "127.0.0.1"
FLOOD = 300
MOST_TURNS = 50
HELLO_RECORD = plain_record(bytes(40))


@contextmanager
def connected_from(host: str, port: int) -> Iterator[socket.socket]:
    with socket.socket() as line:
        line.bind((host, 0))
        line.connect(("127.0.0.1", port))
        line.setblocking(False)
        yield line


def run_on_loop(scenario: Callable[[], Coroutine[Any, Any, None]], kind: str) -> None:
    factory = pytest.importorskip("uvloop").new_event_loop if kind == "uvloop" else None
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(scenario())


async def turns_until_answered(line: socket.socket) -> int:
    for turns in range(2 * FLOOD):
        try:
            assert line.recv(4096)
        except BlockingIOError:
            await asyncio.sleep(0)
        else:
            return turns
    return 2 * FLOOD


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no second loopback address")
def test_newcomer_does_not_wait_behind_a_flood_of_connections() -> None:
    async def scenario() -> None:
        # A long slice: nothing of it depends on how fast this machine is.
        server = await open_server(
            RecordingService(), "127.0.0.1", 0, ReadScheduler(ConnectionLimits(slice_seconds=60.0))
        )
        with ExitStack() as flood:
            for _ in range(FLOOD):
                flood.enter_context(connected_from(FLOODER, server.port))
            with connected_from(PERSON, server.port) as newcomer:
                newcomer.sendall(msgpack.packb(HELLO))
                assert await turns_until_answered(newcomer) <= MOST_TURNS
        await server.close()

    run_on_loop(scenario, "uvloop")


HOLDS = 50


@pytest.mark.parametrize("kind", ["asyncio", "uvloop"])
def test_connection_that_comes_in_the_turn_in_which_others_are_held_is_not_lost(kind: str) -> None:
    """Accepted and forgotten, it was closed without a word, as if there were no server."""

    async def scenario() -> None:
        added: list[socket.socket] = []
        listening = socket.create_server(("127.0.0.1", 0), backlog=HOLDS)
        port = listening.getsockname()[1]
        listener = Listener(listening, lambda sock, _: added.append(sock), ConnectionLimits(), SYSTEM)
        with ExitStack() as lines:
            for _ in range(HOLDS):
                listener.begin_accepting()
                for _ in range(3):
                    await asyncio.sleep(0)
                lines.enter_context(connected_from(PERSON, port))
                await asyncio.sleep(0)
                listener.hold_connections()
            listener.begin_accepting()
            await until(lambda: len(added) == HOLDS)
            listener.close()
            for sock in added:
                sock.close()

    run_on_loop(scenario, kind)


RESETS, TURNS = 30, 3_000
HEADER = b"PROXY TCP4 203.0.113.9 192.0.2.1 50412 5757\r\n"


def count_open_files() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs a list of open files")
@pytest.mark.parametrize("proxies", [None, Proxies([parse_network("127.0.0.1")])], ids=["alone", "behind a proxy"])
@pytest.mark.parametrize("said", [b"\x94\x00\x01", HELLO_RECORD, HEADER], ids=["plain", "TLS", "header"])
@pytest.mark.parametrize("kind", ["asyncio", "uvloop"])
def test_peers_that_reset_what_they_have_begun_leave_nothing(
    kind: str, said: bytes, proxies: Proxies | None, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        key = ServerKey.new_key()
        security = Security(lambda: server_context(key), proxies=proxies)
        service = RecordingService()
        server = await open_server(service, "127.0.0.1", 0, security=as_live(security))
        before = count_open_files()
        for _ in range(RESETS):
            with socket.create_connection(("127.0.0.1", server.port)) as line:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                line.sendall(said)
        for _ in range(TURNS):
            await asyncio.sleep(0)
            if count_open_files() < before + RESETS / 2 and not server.connections:
                break
        assert count_open_files() < before + RESETS / 2  # a loop may open some of its own
        assert server.connections == 0
        await server.close()

    run_on_loop(scenario, kind)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


class World:
    """Arrivals whose sockets the test makes; time stands still until the test advances it."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.scheduler = ReadScheduler(ConnectionLimits(), self.clock.server)
        self.began: list[tuple[socket.socket, bytes]] = []
        self.arrivals = Arrivals(self.scheduler, lambda line, early, _: self.began.append((line, early)))
        self.peers: list[socket.socket] = []

    def arrive(self, host: str = PERSON, said: bytes = b"") -> socket.socket:
        """A connection from a host arrives that has said something already; returned is its peer."""
        peer, line = socket.socketpair()
        line.setblocking(False)
        peer.setblocking(False)
        peer.send(said)
        self.arrivals.add_connection(line, f"{host}:1")
        self.peers.append(peer)
        return peer

    def use_much(self, host: str) -> None:
        """A network has used much of the server, and another one is there."""
        self.scheduler.join_network(f"{host}:1").charge_use(0.0, 5.0)
        self.scheduler.join_network(f"{PERSON}:1")

    @property
    def said(self) -> list[bytes]:
        return [early for _, early in self.began]

    def close(self) -> None:
        self.arrivals.close()
        for line in (*self.peers, *(line for line, _ in self.began)):
            line.close()


@pytest.fixture
async def world() -> AsyncIterator[World]:
    world = World()
    yield world
    world.close()


async def test_connection_of_a_quiet_network_begins_at_once(world: World) -> None:
    world.arrive(said=b"\x94")
    assert world.said == [b"\x94"]


async def test_connection_begins_with_its_whole_first_record(world: World) -> None:
    peer = world.arrive(said=HELLO_RECORD[:1])
    for at in range(1, len(HELLO_RECORD)):
        assert world.said == []
        peer.send(HELLO_RECORD[at : at + 1])
        world.clock.advance(PIECES_SECONDS)
    assert world.said == [HELLO_RECORD]


async def test_first_bytes_are_waited_for(world: World) -> None:
    peer = world.arrive()
    peer.send(b"\x94")
    await turn()
    assert world.said == [b"\x94"]


async def test_pieces_of_a_record_are_looked_at_together(world: World) -> None:
    peer = world.arrive(said=HELLO_RECORD[:1])
    used = world.arrivals.scheduler.arrivals.until
    for at in range(1, len(HELLO_RECORD)):
        peer.send(HELLO_RECORD[at : at + 1])
        await turn()
    assert world.arrivals.scheduler.arrivals.until == used, "nothing was looked at"


@pytest.mark.parametrize("garbage", [b"\x16\x07", b"\x16\x03\x01\xff\xff", b"GET /"])
async def test_garbage_begins_to_be_refused(world: World, garbage: bytes) -> None:
    world.arrive(said=garbage)
    assert world.said == [garbage]


async def test_peer_that_goes_before_its_first_record_costs_no_connection(world: World) -> None:
    world.arrive(said=HELLO_RECORD[:-1]).close()
    world.clock.advance(PIECES_SECONDS)
    assert (world.said, len(world.arrivals.waiting)) == ([], 0)


async def test_flood_of_ended_connections_shortens_the_queue_of_the_system(world: World) -> None:
    for _ in range(FUTILE):
        world.arrive(said=HELLO_RECORD[:-1]).close()
        world.clock.advance(PIECES_SECONDS)
    assert world.arrivals.backlog == BACKLOG
    for _ in range(FUTILE):
        world.arrive(said=HELLO_RECORD[:-1]).close()
        world.clock.advance(PIECES_SECONDS)
    assert world.arrivals.backlog == FLOODED_BACKLOG
    world.clock.advance(2 * FUTILE_SECONDS)
    assert world.arrivals.backlog == BACKLOG


async def test_users_who_come_back_and_are_answered_elsewhere_first_are_no_flood(world: World) -> None:
    world.arrivals.scheduler.expect_returns(1_000)
    for _ in range(4 * FUTILE):
        world.arrive(said=HELLO_RECORD[:-1]).close()
        world.clock.advance(PIECES_SECONDS)
    assert world.arrivals.backlog == BACKLOG


async def test_silent_connection_begins_after_a_second(world: World) -> None:
    world.arrive(said=b"\x16")
    world.clock.advance(SILENT_SECONDS)
    await turn()
    assert world.said == [b"\x16"]


async def test_connection_of_a_busy_network_waits_for_its_turn(world: World) -> None:
    world.use_much(FLOODER)
    world.arrive(FLOODER, b"\x94")
    assert world.said == []
    await turn()
    assert world.said == [b"\x94"]


async def test_flood_of_new_networks_waits_for_turns(world: World) -> None:
    for number in range(100):
        world.arrive(f"10.0.{number}.1", b"\x94")
    assert 0 < len(world.began) < 50


async def test_network_with_most_silent_connections_makes_room(world: World) -> None:
    for _ in range(WAITING_OF_NETWORK + 1):
        world.arrive()
    assert (world.said, len(world.arrivals.waiting)) == ([b""], WAITING_OF_NETWORK)


async def test_connections_that_have_not_begun_begin_when_the_server_closes(world: World) -> None:
    world.arrive()
    world.arrive().close()
    world.arrivals.close()
    assert (world.said, len(world.arrivals.waiting)) == ([b""], 0)


@pytest.mark.parametrize("kind", ["asyncio", "uvloop"])
@pytest.mark.parametrize("pieces", [1, 7, 1_000])
def test_connection_is_answered_however_its_bytes_come(kind: str, pieces: int) -> None:
    async def scenario() -> None:
        security = Security(lambda: server_context(ServerKey(bytes(32))))
        server = await open_server(RecordingService(), "127.0.0.1", 0, security=security)
        client = TlsClient()
        with connected_from(PERSON, server.port) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

            async def send(data: bytes) -> None:
                for at in range(0, len(data), pieces):
                    line.sendall(data[at : at + pieces])
                    await asyncio.sleep(0)

            async def receive() -> bytes:
                while True:
                    with suppress(BlockingIOError):
                        return line.recv(1 << 16)
                    await asyncio.sleep(0)

            await send(client.written())
            while not (rest := client.written()):
                client.read(await receive())
            await send(rest + client.encrypted(HELLO))
            answer = b""
            while not answer:
                answer = client.read(await receive())
        assert msgpack.unpackb(answer)[:3] == [1, 0, None]
        await server.close()

    run_on_loop(scenario, kind)
