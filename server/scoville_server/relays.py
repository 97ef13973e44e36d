"""Users of a node that leaves: the next node serves them on the connections that they have, and sends them on later.

All of them would otherwise connect to it in the same second, in which every table waits for its slowest player. So the
node that leaves keeps its connections for some seconds, and passes on the bytes between them and the next node. That
one goes on with each of them where the former one has stopped, and sends the users on a few at a time.
"""

import asyncio
from collections import deque
from collections.abc import Collection
from typing import Any, Final, NamedTuple, Protocol

import msgspec
from msgspec import Struct

from scoville_runtime.clock import Alarm, Clock
from scoville_server.net.peer import DetachedConnection
from scoville_server.net.relay.following import FollowingRelay, RelayedTransport
from scoville_server.net.relay.leaving import LeavingRelay
from scoville_server.nodes.bus import NoSubscriber, at_node
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.nodes import Nodes
from scoville_shared.protocol.connection import notice_bytes
from scoville_shared.protocol.messages import ByeNotice

# Decision 059: bytes go over the bus, and all that may be lost ends the relay.
FORMAT: Final = 1
"""A node that knows another format gets no connections; their users connect again."""
ASKED_SECONDS: Final = 0.7
"""Seconds for which a node that leaves waits for the request of the next one, which hears of the leaving within 0.1."""
ANSWER_SECONDS: Final = 0.5
"""How long the next node waits for the connections, once it has everything else."""
START_SECONDS: Final = 1.0
SECONDS_A_CONNECTION: Final = 0.005
"""How long the next node may be silent while it takes over, and more for each connection, with its share of a table."""
RELAY_SECONDS: Final = 8.0
"""Most seconds for which a node that leaves has the connections."""
SEND_ON_SECONDS: Final = 5.0
"""In how many seconds all users are sent on."""
SETTLE_SECONDS: Final = 0.5
"""How long nobody is sent on at first: requests that have waited are answered before."""
PORTION_SECONDS: Final = 0.05
"""Seconds between two portions of users."""
HELD_SECONDS: Final = 1.0
"""Most seconds for the answers of a user who is to be sent on."""
_READ_SECONDS: Final = 0.1
"""Seconds that clients have to read their last bytes."""
_ASKED: Final = "connections"
_TO_LEAVING: Final = "relay of the next node"
_TO_NEXT: Final = "relay of the node that leaves"
"""The addresses of the request for all connections, and of the messages of both ends."""


class RelayRequest(Struct, frozen=True, array_like=True):
    """The request of the next node for all connections."""

    node: NodeId
    format: int


class RelayReply(Struct, frozen=True, array_like=True):
    """The number of connections, which are numbered from 0 on, and their states."""

    count: int = 0
    states: bytes = b""


class LeavingUsers:
    """The users of this node, which leaves; the next node asks for them."""

    def __init__(self, nodes: Nodes[Any], clock: Clock) -> None:
        self._bus, self._me, self._clock = nodes.bus, nodes.members.me, clock
        self._relay = LeavingRelay(self._send, clock)
        loop = asyncio.get_running_loop()
        self._asked: asyncio.Future[NodeId] = loop.create_future()
        self._reply: asyncio.Future[RelayReply] = loop.create_future()
        self._is_over = False

    async def begin_offering(self) -> None:
        """Take the request of the next node from now on."""
        await self._bus.subscribe(at_node(self._me, _TO_LEAVING), self._relay.take_message)
        await self._bus.answer(at_node(self._me, _ASKED), self._answer_request)

    def add_connection(self, detached: DetachedConnection) -> int:
        """Keep a connection; returns its number."""
        return self._relay.add_client(detached)

    def offer_connections(self, states: bytes, count: int) -> None:
        """Offer all connections to the node that asks for them."""
        self._reply.set_result(RelayReply(count, states))

    async def _answer_request(self, message: bytes) -> bytes:
        request = msgspec.msgpack.decode(message, type=RelayRequest)
        if request.format != FORMAT or self._is_over or self._asked.done():
            return b""
        self._asked.set_result(request.node)
        reply = await self._reply
        self._relay.begin_relay(START_SECONDS + reply.count * SECONDS_A_CONNECTION)
        return msgspec.msgpack.encode(reply)

    def _send(self, message: bytes) -> None:
        self._bus.publish(at_node(self._asked.result(), _TO_NEXT), message)

    async def relay_until_gone(self, bye: ByeNotice) -> None:
        """Pass bytes on until the next node has sent all users on; if none asks for them, they get a goodbye here."""
        if not self._relay.has_clients:
            return
        await self._clock.wait(self._asked, seconds=ASKED_SECONDS)
        self._is_over = True
        if not self._asked.done():
            self._relay.send_away(bye)
        gone = asyncio.ensure_future(self._relay.wait_until_gone())
        await self._clock.wait(gone, seconds=RELAY_SECONDS if self._asked.done() else _READ_SECONDS)
        if not gone.done():
            self._relay.end_relay()
            await self._clock.wait(gone, seconds=_READ_SECONDS)
            self._relay.cut_off()
        gone.cancel()


class FollowingUsers:
    """The users of `left`, a node that has just left; this one asks for them."""

    def __init__(self, nodes: Nodes[Any], left: NodeId, clock: Clock) -> None:
        self._bus, self._me, self._clock = nodes.bus, nodes.members.me, clock
        self._left = left
        self._relay = FollowingRelay(self._send, clock)
        self._states: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting: dict[int, RelayedTransport] = {}
        """The connections with which this node has not gone on yet."""
        self._refusal: bytes | None = None
        """The goodbye to users with whom it does not go on, once there are such."""

    async def ask_node(self) -> None:
        """Ask for all connections."""
        await self._bus.subscribe(at_node(self._me, _TO_NEXT), self._relay.take_message)
        request = msgspec.msgpack.encode(RelayRequest(self._me, FORMAT))
        try:
            answer = await self._bus.request(at_node(self._left, _ASKED), request)
        except NoSubscriber:
            answer = b""
        reply = msgspec.msgpack.decode(answer, type=RelayReply) if answer else RelayReply()
        self._waiting = {number: self._relay.open_connection(number) for number in range(reply.count)}
        self._relay.begin_relay()
        if self._refusal is not None:
            self._end_waiting(self._refusal)
        else:
            self._states.set_result(reply.states)

    def _send(self, message: bytes) -> None:
        self._bus.publish(at_node(self._left, _TO_LEAVING), message)

    async def wait_for_states(self, bye: ByeNotice) -> bytes:
        """Return the states of the connections; after a moment nothing, and their users get a goodbye."""
        await self._clock.wait(self._states, seconds=ANSWER_SECONDS)
        if self._states.done():
            return self._states.result()
        self.refuse_users(bye)
        return b""

    def has_unread(self, number: int) -> bool:
        """Whether the user of a connection waits for an answer."""
        return number in self._waiting and self._waiting[number].has_unread

    def take_transport(self, number: int) -> RelayedTransport | None:
        """Return the transport of a connection, for its driver; None for an unknown one."""
        return self._waiting.pop(number, None)

    def refuse_users(self, bye: ByeNotice) -> None:
        """Send away the users of all connections that have not gone on here, also of those offered later."""
        self._refusal = notice_bytes(bye)
        self._end_waiting(self._refusal)

    def _end_waiting(self, refusal: bytes) -> None:
        waiting, self._waiting = self._waiting, {}
        for transport in waiting.values():
            transport.write(refusal)
            transport.close()


class HeldConnection(Protocol):
    """A connection whose user can be sent on."""

    @property
    def closing(self) -> bool:
        """Whether it ends already."""

    def hold_requests(self) -> Collection[object]:
        """Read no more requests; return those that are not answered yet."""

    def close(self, bye: ByeNotice | None = None) -> None:
        """Send a goodbye and close."""


class _Held(NamedTuple):
    """A user who gets the goodbye once all requests are answered, or at a time."""

    connection: HeldConnection
    requests: Collection[object]
    until: float


class SendingOn:
    """Sends users on to the port of this node, a few at a time.

    Args:
        connections: Their connections.
        bye: The goodbye.
        clock: The clock.
    """

    def __init__(self, connections: Collection[HeldConnection], bye: ByeNotice, clock: Clock) -> None:
        self._left = deque(connections)
        self._portion = max(1, -(-len(connections) * PORTION_SECONDS // SEND_ON_SECONDS))
        self._bye = bye
        self._clock = clock
        self._held: list[_Held] = []
        self._alarm: Alarm | None = None

    def begin_sending(self) -> None:
        """Send the first users on in a moment."""
        self._alarm = self._clock.call_later(SETTLE_SECONDS, self._send_portion)

    def stop_sending(self) -> None:
        """Send nobody on any more."""
        if self._alarm is not None:
            self._alarm.cancel()

    def _send_portion(self) -> None:
        now = self._clock.seconds()
        for _ in range(min(int(self._portion), len(self._left))):
            connection = self._left.popleft()
            if not connection.closing:
                self._held.append(_Held(connection, connection.hold_requests(), now + HELD_SECONDS))
        held, self._held = self._held, []
        for each in held:
            if each.requests and now < each.until:
                self._held.append(each)
            else:
                # Without a goodbye, clients do not repeat requests that may still be carried out.
                each.connection.close(None if each.requests else self._bye)
        if self._left or self._held:
            self._alarm = self._clock.call_later(PORTION_SECONDS, self._send_portion)
