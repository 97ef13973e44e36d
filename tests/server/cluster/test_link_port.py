"""Links over TCP: both ends prove the key of the cluster, and nothing else gets in."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import msgspec
import pytest

from scoville_server.background.eventual import Eventual
from scoville_server.cluster.link_port import MOST_UNPROVED, SILENT_SECONDS, LinkConnection, LinkPort
from scoville_server.identity import ServerKey
from scoville_server.journal.memory import MemoryJournal
from scoville_server.net.tls.context import link_contexts, server_context
from scoville_server.nodes.link.asking import AskingEnd, AskingLine, Effect
from scoville_server.nodes.link.frames import Greeting, Introduction, Kind, write_struct
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.nodes import join_nodes
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m
from tests.cluster.pair import Both, EndOfWire, Wire, play_first_move
from tests.support.clock import FakeClock
from tests.support.idle import eventually
from tests.support.links import Host, Recorder
from tests.support.server import CHEAP_HASHING, Caller, toy_shelf
from tests.support.tls import any_certificate

ANNA = Introduction(UserId("anna"), "Anna", claimed=False)
A, B = NodeId("a"), NodeId("b")
KEY = ServerKey.new_key()


class Cluster:
    """Nodes whose ports for links are open on loopback."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.ports: dict[NodeId, LinkPort] = {}
        self.host = Host()

    async def open_node(self, name: NodeId, key: ServerKey = KEY) -> LinkPort:
        port = self.ports[name] = LinkPort(name, lambda: key, self.find_address, self.clock.server)
        port.links.open_visit = self.host.open_visit
        await port.open_port("127.0.0.1")
        return port

    def find_address(self, node: NodeId) -> str:
        return f"127.0.0.1:{self.ports[node].port}" if node in self.ports else ""


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    made = Cluster()
    yield made
    for port in made.ports.values():
        await port.close()


def ask(port: LinkPort, node: NodeId = A) -> tuple[AskingLine, Recorder]:
    end, recorder = port.links.find_end(node), Recorder()
    assert end is not None
    line = end.open_line(recorder)
    line.introduce_user(ANNA)
    return line, recorder


async def code_of(reply: Eventual[m.Reply]) -> str:
    try:
        await reply
    except ScovilleError as error:
        return error.code
    return "ok"


def leave(line: AskingLine) -> Eventual[m.Reply]:
    return line.send_request(m.LeaveRequest(table="t"), "t", Effect.CHANGES)


async def test_a_request_crosses_between_two_nodes(cluster: Cluster) -> None:
    await cluster.open_node(A)
    b = await cluster.open_node(B)
    cluster.host.answer = lambda _visitor, _params: m.PlayReply(seq=4)
    line, recorder = ask(b)
    reply: Any = await line.send_request(m.PlayRequest(table="t", move={}, nth=1), "t", Effect.NUMBERED)
    assert msgspec.msgpack.decode(reply) == {"seq": 4}
    [visit] = cluster.host.visits
    visit.peer.notify(m.AnnouncedNotice(text="hi"))
    await eventually(lambda: recorder.notices)
    # A second line shares the link.
    await leave(ask(b)[0])
    assert len(b._connections) == 1


async def test_long_replies_and_crowds_of_notices_arrive_whole(cluster: Cluster) -> None:
    await cluster.open_node(A)
    line, recorder = ask(await cluster.open_node(B))
    cluster.host.answer = lambda _visitor, _params: m.ExportReply(lines=["x" * 2_000] * 500, line_count=500)
    reply: Any = await line.send_request(m.ExportRequest(table="t"), "t", Effect.READS)
    assert len(msgspec.msgpack.decode(reply)["lines"]) == 500
    for number in range(2_000):
        cluster.host.visits[0].peer.notify(m.AnnouncedNotice(text=f"{number:4}" + "y" * 1_000))
    await eventually(lambda: len(recorder.notices) == 2_000)
    texts = [msgspec.msgpack.decode(notice)[2][0]["text"][:4] for notice in recorder.notices]
    assert texts == [f"{number:4}" for number in range(2_000)]


async def test_a_node_with_another_key_is_not_let_in_and_not_asked(cluster: Cluster) -> None:
    await cluster.open_node(A)
    other = await cluster.open_node(B, ServerKey.new_key())
    assert await code_of(leave(ask(other)[0])) == Code.BUSY
    assert cluster.host.visits == []
    # The other way round: who has only the certificate, which everybody can see, is not believed.
    cluster.ports[A].links._lost.clear()
    assert await code_of(leave(ask(cluster.ports[A], B)[0])) == Code.BUSY
    assert cluster.host.visits == []


class Impostor:
    """A program that waits where a node should be; it has no key of the cluster, and keeps what it is sent."""

    def __init__(self) -> None:
        self.heard = b""

    async def listen(self, context: ssl.SSLContext | None) -> asyncio.Server:
        return await asyncio.start_server(self._hear, "127.0.0.1", 0, ssl=context)

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            self.heard += await reader.read(1_000)
        writer.close()


@pytest.mark.parametrize("context", [None, server_context(ServerKey.new_key())], ids=["plain", "tls"])
async def test_an_impostor_learns_nothing(cluster: Cluster, context: ssl.SSLContext | None) -> None:
    impostor = Impostor()
    server = await impostor.listen(context)
    b = await cluster.open_node(B)
    b._find_address = lambda _: f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    line, _ = ask(b)
    reply = leave(line)
    if context is None:
        # It would wait for an answer to its ClientHello for ever: the clock ends that.
        await eventually(lambda: impostor.heard)
        server.close()
        await cluster.clock.elapse(5)
    assert await code_of(reply) == Code.BUSY
    assert b"anna" not in impostor.heard.lower()
    server.close()


async def knock(port: int, data: bytes, context: ssl.SSLContext | None = None) -> bytes:
    """Send bytes to a port, and return what comes back."""
    try:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, ssl=context, server_hostname="" if context else None
        )
    except OSError:
        return b""
    try:
        writer.write(data)
        with suppress(OSError):
            return await reader.read(1_000)
        return b""
    finally:
        writer.transport.abort()


HOSTILE = [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01" + b"\xff" * 100, b"\x00" * 64]
HELLO = write_struct(Kind.GREETING, Greeting("x", "a"))


@pytest.mark.parametrize("data", HOSTILE)
async def test_hostile_bytes_get_no_further_than_tls(cluster: Cluster, data: bytes) -> None:
    a = await cluster.open_node(A)
    # TLS may answer with an alert, and nothing else.
    assert len(await knock(a.port, data)) < 20
    await eventually(lambda: not a._connections)
    assert cluster.host.visits == []


async def test_a_client_without_the_key_is_refused(cluster: Cluster) -> None:
    a = await cluster.open_node(A)
    assert await knock(a.port, HELLO, any_certificate()) == b""
    stranger = link_contexts(ServerKey.new_key()).dialing
    stranger.verify_mode = ssl.CERT_NONE
    assert await knock(a.port, HELLO, stranger) == b""
    assert await knock(a.port, HELLO, link_contexts(KEY).dialing) != b""
    await eventually(lambda: not a._connections)
    assert a._unproved == 0


async def test_connections_that_prove_nothing_are_bounded(cluster: Cluster) -> None:
    a, b = await cluster.open_node(A), await cluster.open_node(B)
    idle = [Ended() for _ in range(MOST_UNPROVED + 5)]
    for each in idle:
        await asyncio.get_running_loop().create_connection(lambda each=each: each, "127.0.0.1", a.port)  # type: ignore[misc]
    # All but so many are closed at once, and the others after a time.
    await eventually(lambda: sum(each.is_over for each in idle) == 5)
    assert a._unproved == MOST_UNPROVED
    await cluster.clock.elapse(5)
    await eventually(lambda: all(each.is_over for each in idle))
    assert a._unproved == 0
    assert await code_of(leave(ask(b)[0])) == "ok"


class Ended(asyncio.Protocol):
    """A connection that says nothing, and notes its end."""

    is_over = False

    def connection_lost(self, _reason: Exception | None) -> None:
        self.is_over = True


async def test_a_lost_connection_loses_the_link_and_the_next_request_opens_another_one(cluster: Cluster) -> None:
    a, b = await cluster.open_node(A), await cluster.open_node(B)
    line, recorder = ask(b)
    await leave(line)
    line.watched.add("t")
    cluster.host.answer = lambda _visitor, _params: Eventual()
    reply = leave(line)
    await eventually(lambda: len(cluster.host.visits[0].asked) == 2)
    for connection in tuple(a._connections):
        connection.end_link("it is killed")
    assert await code_of(reply) == Code.OUTCOME_UNKNOWN
    assert recorder.unanswered == [[]]
    assert b.links.find_end(A) is None
    cluster.clock.time += 1
    cluster.host.answer = lambda _visitor, _params: m.Empty()
    assert await code_of(leave(ask(b)[0])) == "ok"


async def test_a_silent_node_is_given_up(cluster: Cluster) -> None:
    a, b = await cluster.open_node(A), await cluster.open_node(B)
    line, _ = ask(b)
    await leave(line)
    [connection] = b._connections
    # Pings are answered, so it goes on however long nobody wants anything.
    for _ in range(10):
        await cluster.clock.elapse(1)
        await eventually(lambda: connection._heard == cluster.clock.time or cluster.clock.time - connection._heard < 2)
    assert line.is_alive
    for other in a._connections:
        other._transport.pause_reading()  # type: ignore[union-attr]
        other._pause_or_resume = lambda: None  # type: ignore[method-assign]
    for _ in range(int(SILENT_SECONDS) + 2):
        await cluster.clock.elapse(1)
    await eventually(lambda: not line.is_alive)


async def test_a_node_that_hung_itself_does_not_blame_the_other_one(cluster: Cluster) -> None:
    await cluster.open_node(A)
    b = await cluster.open_node(B)
    line, _ = ask(b)
    await leave(line)
    cluster.clock.time += 60
    await cluster.clock.elapse(1)
    assert line.is_alive


async def test_another_key_ends_the_links_and_is_proved_by_the_next(cluster: Cluster) -> None:
    keys = {A: KEY, B: KEY}
    for name in (A, B):
        await cluster.open_node(name)
        cluster.ports[name]._key = lambda name=name: keys[name]  # type: ignore[misc]
    line, _ = ask(cluster.ports[B])
    await leave(line)
    new = KEY.next_key()
    keys.update({A: new, B: new})
    await cluster.clock.elapse(1)
    assert not line.is_alive
    await eventually(lambda: not cluster.ports[A]._connections)
    cluster.clock.time += 1
    assert await code_of(leave(ask(cluster.ports[B])[0])) == "ok"


async def test_a_node_that_does_not_serve_yet_accepts_no_link(cluster: Cluster) -> None:
    a, b = await cluster.open_node(A), await cluster.open_node(B)
    a.links.open_visit = None
    assert await code_of(leave(ask(b)[0])) == Code.BUSY
    assert a._connections == set()


async def test_nodes_that_know_more_former_keys_know_each_other(cluster: Cluster) -> None:
    key = KEY.next_key()
    await cluster.open_node(A, key)
    b = await cluster.open_node(B, ServerKey(key.private_key.private_bytes_raw()))
    assert await code_of(leave(ask(b)[0])) == "ok"


async def test_an_end_that_asks_reads_on_when_it_can_not_write(cluster: Cluster) -> None:
    reads = {}
    for reads_always in (True, False):
        connection = LinkConnection(cluster.clock.server, lambda _: None, lambda: b"", reads_always=reads_always)
        connection.end = AskingEnd("b", "a", connection)
        transport = _Transport()
        connection.connection_made(transport)  # type: ignore[arg-type]
        connection.pause_writing()
        reads[reads_always] = transport.reads
        connection.resume_writing()
        assert transport.reads
    assert reads == {True: True, False: False}


class _Transport:
    reads = True

    def set_write_buffer_limits(self, high: int) -> None:
        """Nothing is buffered."""

    def get_extra_info(self, _name: str) -> "_Transport":
        return self

    def setsockopt(self, *_: int) -> None:
        """There is no socket."""

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def write(self, data: bytes) -> None:
        """Nobody reads it."""

    def get_write_buffer_size(self) -> int:
        return 0


async def test_a_lost_node_loses_its_link_at_once(cluster: Cluster) -> None:
    await cluster.open_node(A)
    b = await cluster.open_node(B)
    line, _ = ask(b)
    await leave(line)
    b.links.lose_node(NodeId("c"))
    assert line.is_alive
    b.links.lose_node(A)
    assert not line.is_alive


class TwoTcpServers:
    """Two servers on one journal, with links over TCP."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.journal, self.wire = MemoryJournal(), Wire()

    async def start_server(self, name: NodeId) -> Server:
        port = await self.cluster.open_node(name)
        port.links.open_visit = None
        server = Server(
            Settings(accounts=CHEAP_HASHING),
            catalog=toy_shelf(),
            journal=self.journal,
            make_nodes=lambda flushes: join_nodes(
                flushes, Both(name), EndOfWire(self.wire), joins=False, links=port.links
            ),
        )
        await server.start()
        return server


async def test_players_of_two_servers_play_and_come_back_over_tcp(cluster: Cluster) -> None:
    two = TwoTcpServers(cluster)
    a, b = await two.start_server(A), await two.start_server(B)
    anna, ben = await Caller(a).hello("Anna"), await Caller(b).hello("Ben")
    table = await anna.create("high_card", 2)
    for user in (anna, ben):
        await user.call(m.JoinRequest(table=table))
    await anna.call(m.StartRequest(table=table))
    shown = await ben.call(m.WatchRequest(table=table))
    await play_first_move(table, anna)
    await play_first_move(table, ben)
    await eventually(lambda: len(ben.peer.events) >= 2)
    seen = [notice.event.seq for notice in ben.peer.events]
    assert seen == [*range(shown.seq + 1, shown.seq + 1 + len(seen))]
    # The link is cut: its watchers are disconnected, and come back without a gap.
    for connection in tuple(cluster.ports[A]._connections):
        connection.end_link("it is cut")
    await eventually(lambda: ben.peer.closed)
    ben.hang_up()
    await play_first_move(table, anna)
    cluster.clock.time += 1
    back = await Caller(b).hello(token=ben.welcome.token if ben.welcome else "")
    again = await back.call(m.WatchRequest(table=table, since=seen[-1]))
    assert [event.seq for event in again.events] == [*range(seen[-1] + 1, again.seq + 1)]
    await play_first_move(table, back)
    for server in (b, a):
        await server.close()
