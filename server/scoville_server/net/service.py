"""What stands on either side of a connection: the service that answers, and the peer it answers to."""

from collections.abc import Awaitable
from typing import Protocol

from scoville_shared.protocol.messages import ByeNotice, Notice, Params, Reply


class Peer(Protocol):
    """One connection, as the service sees it."""

    @property
    def address(self) -> str:
        """Where the connection comes from, for logs and limits; empty inside one process."""

    def notify(self, notice: Notice) -> None:
        """Queue a notice. Replies and notices of one turn of the loop leave in one write, in order.

        Never blocks and never raises: a peer that has stopped reading is dropped when too much is queued.
        """

    def close(self, bye: ByeNotice | None = None) -> None:
        """Send what is queued and `bye`, then close; `Visit.closed` follows."""


class Visit(Protocol):
    """The service's side of one connection.

    The connection itself sees to the order: nothing but a `Hello` arrives before one was answered without an error
    (`hello_first`). Whether a second `Hello` is welcome is the visit's to say.
    """

    def handle(self, params: Params) -> Reply | Awaitable[Reply]:
        """Answer a request whose `params` are valid; their type names the method.

        Raises ScovilleError to refuse. An awaitable is answered when it is done, and cancelled when the line is
        lost: what must happen all the same belongs to whoever owns the state, not to the awaitable.
        """

    def closed(self) -> None:
        """Hear, once, that the connection is gone, whoever ended it."""


class Service(Protocol):
    """What listens behind a port."""

    def visit(self, peer: Peer) -> Visit:
        """Receive a new connection."""
