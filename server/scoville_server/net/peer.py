"""Interfaces of a connection: the service and its handlers on one side, the peer on the other."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Collection
from typing import NamedTuple, Protocol

from scoville_server.net.read_scheduler import Network, Reader
from scoville_shared.errors import Code
from scoville_shared.protocol.messages import ByeNotice, HostedUser, Notice, Params, Reply


class End(NamedTuple):
    """Why a connection has ended.

    Attributes:
        reason: `left` or `lost` by the client, `stopped_reading`, `tls_failed`, or the code of the goodbye.
        detail: More about it, such as the goodbye's sentence or what was wrong with TLS.
    """

    reason: str
    detail: str = ""


def end_of(bye: ByeNotice | None) -> End:
    """Return the end of a connection that this server closes."""
    if bye is None:
        return End("closed")
    return End(bye.code, bye.message if bye.code == Code.TOO_MANY else "")


class HandedSocket(NamedTuple):
    """A connection that this process gives away in the middle.

    Attributes:
        sock: A copy of its socket.
        is_proxied: Whether a proxy has named its address.
        unread: Bytes that its client has sent and this process has not read.
    """

    sock: socket.socket
    is_proxied: bool
    unread: bytes


class DriverTurns(Reader, Protocol):
    """The turns in which a connection is read."""

    shared_meter: Network
    """The meter of the connection's network."""


class DetachedConnection(NamedTuple):
    """A connection that its driver has let go; for what reads it next.

    Attributes:
        transport: Its transport, that of TLS if there is any.
        unread: Bytes that its client has sent and this process has not read.
        address: The user's "host:port".
        most_unsent: Bytes that its client may leave unread.
        turns: The turns of its driver, with the meters of its use.
        release: Releases the rest of the connection: its driver, and the service's side. Nobody waits for that.
    """

    transport: asyncio.Transport
    unread: bytes
    address: str
    most_unsent: int
    turns: DriverTurns
    release: Callable[[], object]


class Peer(Protocol):
    """One connection, as the service sees it."""

    @property
    def number(self) -> int:
        """The connection's number in logs, unique in this process."""

    @property
    def address(self) -> str:
        """Where the connection comes from, for logs and limits; empty inside one process."""

    @property
    def secure(self) -> bool:
        """Whether nobody between the client and this server reads or changes what they send: TLS, or one process."""

    @property
    def local(self) -> bool:
        """Whether the connection comes from this machine, and through no proxy or door; never inside one process."""

    @property
    def door(self) -> HostedUser | None:
        """The user's identity by a door with the server's credential, without the credential; None for others."""

    def notify(self, notice: Notice) -> None:
        """Queue a notice. Replies and notices of one turn of the loop leave in one write, in order.

        Never blocks and never raises: a peer that has stopped reading is dropped when too much is queued.
        """

    def pass_on_notice(self, notice: bytes) -> None:
        """Queue a notice that comes as the bytes that a client gets."""

    def hold_requests(self) -> Collection[object]:
        """Read no more requests. Those that were read are still answered, unless the answer is `shutting_down`.

        Returns those that are not answered yet; the collection shrinks.
        """

    def hand_over(self) -> HandedSocket | None:
        """Give the connection to a successor, once its requests are held; `release_connection` follows.

        Returns None, and nothing changes, if nobody else could go on with it: with TLS, unsent bytes, or a request that
        was read and not answered.
        """

    def hand_to_relay(self) -> DetachedConnection | None:
        """Let go of the connection, once its requests are held: another node goes on with it by way of this one.

        `release_connection` comes with `release` of the result. Returns None, and nothing changes, with a request that
        was read and not answered, and for a client in this process.
        """

    def close(self, bye: ByeNotice | None = None) -> None:
        """Send queued bytes and `bye`, then close; `ConnectionHandler.release_connection` follows."""


class ConnectionHandler(Protocol):
    """The service's side of one connection.

    The driver guarantees the order: before a `hello` was answered without an error, no other requests but `ping`
    and `door.report` arrive. A second `hello` arrives like any request.
    """

    def handle_request(self, params: Params) -> Reply | Awaitable[Reply]:
        """Answer a request whose `params` are valid; their type names the method.

        Raises ScovilleError to refuse. An awaitable is answered when it is done, and cancelled when the connection is
        lost: work that must be finished belongs to the owner of the state, not to the awaitable.
        """

    def note_answer(self, params: Params, began: float) -> None:
        """Note that a request, read at `began` (monotonic seconds), was answered without an error."""

    def note_refusal(self, params: Params | None, code: str) -> None:
        """Note that a request was answered with an error, or, without `params`, that the connection was refused."""

    def note_malformed_request(self, code: str) -> None:
        """Note that a message was answered with an error because it is no valid request."""

    def release_connection(self, end: End) -> None:
        """Release the connection; called once, whichever end closed it."""


class Service(Protocol):
    """The application behind a port."""

    def accept_connection(self, peer: Peer) -> ConnectionHandler:
        """Return the handler of a new connection."""
