"""Users of a node that leaves: they go on at the next node on the connections that they have, and are sent on later."""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any

import pytest

from scoville_server.accounts.connection import ConnectedClient
from scoville_server.handover import HandsOver
from scoville_server.nodes.bus import Address
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.nodes import join_nodes
from scoville_server.relays import (
    ASKED_SECONDS,
    HELD_SECONDS,
    PORTION_SECONDS,
    SEND_ON_SECONDS,
    SETTLE_SECONDS,
    SendingOn,
)
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code
from scoville_shared.protocol.messages import ByeNotice
from tests.cluster.pair import Both, EndOfWire, Wire
from tests.support.clock import FakeClock
from tests.support.idle import wait_until_idle
from tests.support.journals import shared_journal
from tests.support.rpc import RpcClient
from tests.support.server import CHEAP_HASHING, toy_shelf, until
from tests.support.tls import any_certificate

BYE = ByeNotice(code=Code.MOVED, message="Another server process serves now; connect again.")


class TwoNodes:
    """Two nodes with real ports, of which the second one follows the first; how often users say hello is counted."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.clock.skip_empty_sleeps()
        self.wire = Wire()
        self.journal = shared_journal()
        self.a = self._make_server("a", self.journal, None)
        self.b = self._make_server("b", self.journal.next_view(), NodeId("a"))
        self.written = asyncio.Event()
        self.closing: asyncio.Future[None] | None = None

    def _make_server(self, name: str, journal: Any, left: NodeId | None) -> Server:
        def make_nodes(flushes: Any) -> Any:
            nodes: Any = join_nodes(flushes, Both(NodeId(name)), EndOfWire(self.wire), joins=False)
            return nodes._replace(left=left)

        return Server(
            Settings(host="127.0.0.1", port=0, default_tables=(), accounts=CHEAP_HASHING),
            catalog=toy_shelf(),
            journal=journal,
            clock=self.clock.server,
            make_nodes=make_nodes,
        )

    async def leave(self, hands_over: HandsOver = "relayed") -> None:
        """Let the first node leave, and wait until the other one would know."""

        async def note_end() -> None:
            self.written.set()

        self.closing = asyncio.ensure_future(
            self.a.close(goes_on=True, moves_on=True, hands_over=hands_over, on_written=note_end)
        )
        await self.written.wait()

    @property
    def connections(self) -> list[ConnectedClient]:
        """The connections of the next node."""
        return [router.connection for router in self.b._connections]


class TlsClient(RpcClient):
    """A user on a connection with TLS."""

    async def __aenter__(self) -> "TlsClient":
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, ssl=any_certificate())
        self._reading = asyncio.get_running_loop().create_task(self._read())
        return self


@asynccontextmanager
async def two_nodes() -> AsyncIterator[TwoNodes]:
    nodes = TwoNodes()
    await nodes.a.start()
    try:
        yield nodes
    finally:
        await nodes.b.close(goes_on=True, moves_on=True)
        if nodes.closing is not None:
            await until(lambda: not nodes.b._connections)
            await nodes.clock.elapse(10)
            await nodes.closing


async def begin_game(anna: RpcClient, ben: RpcClient) -> str:
    """Let two users begin a game and watch it; returns its table."""
    table: str = (await anna.call("table.create", game="high_card", seat_count=2))["info"]["table"]
    for user in (anna, ben):
        await user.call("table.join", table=table)
    await anna.call("table.start", table=table)
    for user in (anna, ben):
        await user.call("table.watch", table=table)
    return table


async def test_users_go_on_at_the_next_node_without_a_hello() -> None:
    """Nine hundred who said hello to one process in the same second let every table wait for 1.5 s."""
    async with two_nodes() as nodes, RpcClient(nodes.a.port) as anna, RpcClient(nodes.a.port) as ben:
        await anna.hello("Anna")
        await ben.hello("Ben")
        table = await begin_game(anna, ben)
        await ben.call("lobby.watch")
        seen = [event["seq"] for event in ben.events()]
        await nodes.leave()
        # In the time in which no node serves.
        moves = asyncio.ensure_future(anna.call("table.moves", table=table))
        await nodes.b.start()
        move = (await moves)["moves"][0]
        await anna.call("table.play", table=table, move=move)
        await ben.call("ping")
        assert [connection.known_user is not None for connection in nodes.connections] == [True, True]
        assert not anna.closed.is_set()
        assert "bye" not in {method for method, _ in (*anna.notices, *ben.notices)}
        events = [event["seq"] for event in ben.events()]
        assert events == sorted({*events})
        assert len(events) > len(seen)
        # The same connections carry the goodbye of the next node, once nothing waits.
        await nodes.clock.elapse(SETTLE_SECONDS + SEND_ON_SECONDS)
        await anna.closed.wait()
        await ben.closed.wait()
        assert [anna.notices[-1][1]["code"], ben.notices[-1][1]["code"]] == ["moved", "moved"]
        await until(lambda: nodes.closing is not None and nodes.closing.done())
        async with RpcClient(nodes.b.port) as again:
            assert (await again.call("hello", protocol=1, token=anna.token))["resumed"]


async def test_a_connection_with_tls_goes_on_as_well() -> None:
    async with two_nodes() as nodes, TlsClient(nodes.a.port) as anna:
        await anna.hello("Anna")
        await nodes.leave()
        asked = [asyncio.ensure_future(anna.call("ping", payload=str(n))) for n in range(3)]
        await nodes.b.start()
        assert [(await each)["payload"] for each in asked] == ["0", "1", "2"]
        (connection,) = nodes.connections
        assert (connection.peer.secure, connection.peer.local) == (True, True)
        await nodes.b.close(goes_on=True, moves_on=True)
        await anna.closed.wait()
        assert anna.notices[-1][1]["code"] == "moved"


async def test_half_a_request_goes_on_as_well() -> None:
    async with two_nodes() as nodes, RpcClient(nodes.a.port) as anna:
        await anna.hello("Anna")
        whole = anna._writer
        request = b"\x94\x00\x63\xa4ping\x91\x80"
        whole.write(request[:5])
        await wait_until_idle()
        await nodes.leave()
        answer = anna._waiting[0x63] = asyncio.get_running_loop().create_future()
        await nodes.b.start()
        whole.write(request[5:])
        assert await answer is not None


async def test_a_user_who_hangs_up_meanwhile_is_gone_at_the_next_node() -> None:
    async with two_nodes() as nodes, RpcClient(nodes.a.port) as anna, RpcClient(nodes.a.port) as ben:
        await anna.hello("Anna")
        await ben.hello("Ben")
        await nodes.leave()
        anna._writer.close()
        await nodes.b.start()
        await until(lambda: len(nodes.connections) == 1)
        assert await ben.call("ping")


async def test_who_has_not_said_hello_gets_the_goodbye_at_once() -> None:
    async with two_nodes() as nodes, RpcClient(nodes.a.port) as anna, RpcClient(nodes.a.port) as new:
        await anna.hello("Anna")
        await new.call("ping")
        await nodes.leave()
        await new.closed.wait()
        assert new.notices[-1][1]["code"] == "moved"
        assert not anna.closed.is_set()


async def test_without_a_next_node_users_get_the_goodbye_a_moment_later() -> None:
    async with two_nodes() as nodes, RpcClient(nodes.a.port) as anna:
        await anna.hello("Anna")
        await nodes.leave()
        await wait_until_idle()
        assert not anna.closed.is_set()
        await nodes.clock.elapse(ASKED_SECONDS)
        await anna.closed.wait()
        assert anna.notices[-1][1]["code"] == "moved"


async def test_a_node_that_cannot_serve_after_all_sends_the_users_away() -> None:
    async with two_nodes() as nodes, RpcClient(nodes.a.port) as anna:
        await anna.hello("Anna")
        await nodes.leave()

        async def fail() -> int:
            raise OSError("no engine")

        nodes.b._services.journal.take_epoch = fail  # type: ignore[attr-defined]
        with pytest.raises(OSError, match="no engine"):
            await nodes.b.start()
        await nodes.b.close()
        await anna.closed.wait()
        assert anna.notices[-1][1]["code"] == "moved"


async def test_a_node_of_another_format_gets_nobody() -> None:
    async with two_nodes() as nodes, RpcClient(nodes.a.port) as anna:
        await anna.hello("Anna")
        await nodes.leave()
        other = EndOfWire(nodes.wire)
        assert await other.request(Address("node.a.connections"), b"\x92\xa1c\x63") == b""
        assert not anna.closed.is_set()


class RecordingConnection:
    """A connection that notes how it was closed, and when."""

    def __init__(self, requests: Collection[object] = (), *, closing: bool = False) -> None:
        self.requests = requests
        self.closing = closing
        self.byes: list[ByeNotice | None] = []
        self.held = False

    def hold_requests(self) -> Collection[object]:
        self.held = True
        return self.requests

    def close(self, bye: ByeNotice | None = None) -> None:
        self.byes.append(bye)


async def test_users_are_sent_on_a_few_at_a_time() -> None:
    clock = FakeClock()
    connections = [RecordingConnection() for _ in range(900)]
    SendingOn(connections, BYE, clock.server).begin_sending()
    counts = []
    clock.advance(SETTLE_SECONDS - PORTION_SECONDS / 2)
    while clock.alarms:
        before = sum(len(each.byes) for each in connections)
        clock.advance(PORTION_SECONDS)
        counts.append(sum(len(each.byes) for each in connections) - before)
    assert max(counts) == 900 * PORTION_SECONDS / SEND_ON_SECONDS
    assert all(each.byes == [BYE] for each in connections)


async def test_a_user_is_sent_on_once_all_is_answered() -> None:
    clock, waiting = FakeClock(), {"a move"}
    connection, stuck = RecordingConnection(waiting), RecordingConnection({"a move"})
    SendingOn([connection, stuck], BYE, clock.server).begin_sending()
    clock.advance(SETTLE_SECONDS + PORTION_SECONDS)
    assert connection.held
    assert not connection.byes
    waiting.clear()
    clock.advance(PORTION_SECONDS)
    assert connection.byes == [BYE]
    # Without a goodbye the client asks again only for what may be done twice.
    clock.advance(HELD_SECONDS + PORTION_SECONDS)
    assert stuck.byes == [None]
    assert not clock.alarms


async def test_a_user_who_has_left_is_not_sent_on() -> None:
    clock = FakeClock()
    gone = RecordingConnection(closing=True)
    SendingOn([gone], BYE, clock.server).begin_sending()
    clock.advance(SETTLE_SECONDS + PORTION_SECONDS)
    assert not gone.held
    assert not clock.alarms
