"""The end of a relay at the node that leaves: it has the connections of the users, and answers nothing on them."""

import asyncio
from collections.abc import Callable, Hashable
from typing import Final

from scoville_runtime.clock import Clock
from scoville_server.net.peer import DetachedConnection, End
from scoville_server.net.relay.ends import RelayEnd
from scoville_shared.protocol.connection import FROM_CLIENT, notice_bytes
from scoville_shared.protocol.messages import ByeNotice

MOST_FROM_CLIENT: Final = 2 * FROM_CLIENT
"""Bytes that one client may send in the seconds of a relay, whose other end could not hold it back."""
MOST_FROM_ALL: Final = 16 * 1024 * 1024
"""Bytes that all networks together may send, in equal shares: the engine drops what comes too fast, and the relay ends.
A share is MOST_FROM_CLIENT at least."""


class RelayedClient(asyncio.Protocol):
    """The connection of one user, in place of its driver: all bytes go to the next node as they are."""

    end: End | None = None

    def __init__(self, relay: "LeavingRelay", number: int, detached: DetachedConnection) -> None:
        self.turns = detached.turns
        self.address, self.network = detached.address, detached.turns.shared_meter.key
        self._relay = relay
        self._number = number
        self._transport = detached.transport
        self._most_unsent = detached.most_unsent
        self._received = 0

    # --- what the transport, or TLS in between, calls -------------------------------------------------------

    def data_received(self, data: bytes, began: float | None = None) -> None:  # noqa: ARG002 - TLS says when
        self._received += len(data)
        if self._received <= MOST_FROM_CLIENT and self._relay.count_bytes(self.network, len(data)):
            self._relay.send_bytes(self._number, data)
        else:
            self.drop()

    def receive_in_turn(self, data: bytes, began: float, seconds: float) -> None:  # noqa: ARG002 - it has no turns
        self.data_received(data)

    def connection_lost(self, reason: Exception | None) -> None:  # noqa: ARG002 - the next node learns that it ended
        self._relay.forget_client(self._number)

    @property
    def buffered_bytes(self) -> int:
        """Bytes that the client has not taken."""
        return self._transport.get_write_buffer_size()

    def drop(self) -> None:
        """Cut off a client that takes or sends too much."""
        self._transport.abort()

    def close(self, bye: ByeNotice | None = None) -> None:
        """Send a goodbye and close."""
        if bye is not None:
            self._transport.write(notice_bytes(bye))
        self._transport.close()

    # --- what the relay calls -------------------------------------------------------------------------------

    def take_bytes(self, data: bytes) -> None:
        self._transport.write(data)
        if self._transport.get_write_buffer_size() > self._most_unsent:
            self.drop()

    def end_connection(self) -> None:
        self._transport.close()


class LeavingRelay(RelayEnd):
    """The relay of a node that leaves, from its last answers until its process ends."""

    def __init__(self, send: Callable[[bytes], object], clock: Clock) -> None:
        super().__init__(send, clock)
        self._clients: dict[int, RelayedClient] = {}
        """Those whose connections are open."""
        self._numbers = 0
        self._from_network: dict[Hashable, int] = {}
        """Bytes by network, for each that had a connection."""
        self._all_gone = asyncio.Event()
        self._all_gone.set()

    def add_client(self, detached: DetachedConnection) -> int:
        """Take a connection that its driver has let go; returns its number."""
        number = self._numbers
        self._numbers += 1
        client = self._clients[number] = self.connections[number] = RelayedClient(self, number, detached)
        self._from_network[client.network] = 0
        self._all_gone.clear()
        detached.transport.set_protocol(client)
        # Also before another node has asked: closed with unread bytes, a connection would reset, goodbye and all.
        detached.transport.resume_reading()
        return number

    def count_bytes(self, network: Hashable, count: int) -> bool:
        """Count the bytes that a client of a network sends; whether they are within the network's share."""
        self._from_network[network] += count
        return self._from_network[network] <= max(MOST_FROM_CLIENT, MOST_FROM_ALL // len(self._from_network))

    @property
    def has_clients(self) -> bool:
        """Whether a connection is open."""
        return bool(self._clients)

    def forget_client(self, number: int) -> None:
        """Note that a connection is gone."""
        self._clients.pop(number, None)
        self.note_end(number)
        if not self._clients:
            self._all_gone.set()

    def send_away(self, bye: ByeNotice) -> None:
        """Close all connections with a goodbye: no other node has asked for them."""
        for client in tuple(self._clients.values()):
            client.close(bye)

    async def wait_until_gone(self) -> None:
        """Wait until all connections are closed."""
        await self._all_gone.wait()

    def cut_off(self) -> None:
        """Cut off the clients that have not read their last bytes."""
        for client in tuple(self._clients.values()):
            client.drop()
