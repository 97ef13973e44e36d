"""Interface of a link to a server, and of the listener that receives its notices."""

from typing import Protocol

from scoville_shared.protocol.messages import Notice, Params, Reply

CALL_SECONDS = 10.0
"""Seconds that a call waits for its answer; a server that takes longer counts as lost."""


class LinkError(Exception):
    """The server cannot be reached, or no longer; `message` is one sentence for the user."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NoServerAnswers(LinkError):
    """No process answers: an attempt costs nobody anything, and the next one may succeed at any moment."""


class ServerRestarts(LinkError):
    """The server restarts, and is back in a moment."""


class ConnectionEnds(LinkError):
    """The other end has closed the connection before it said anything."""


class WrongServer(LinkError):
    """A server whose key is not the pinned one; no further attempt can change that."""


class Listener(Protocol):
    """Receiver of the server's notices. Both methods are called on the event loop and must not block."""

    def receive_notice(self, notice: Notice) -> None:
        """Receive a notice, in the order in which the server sent it."""

    def note_loss(self, reason: str) -> None:
        """Receive the end of a connection that `close` did not end; `reason` is one sentence for the user."""


class DeafListener:
    """Listener of a connection that only asks: it ignores notices, and the next call raises the loss."""

    def receive_notice(self, notice: Notice) -> None:
        """Ignore a notice."""

    def note_loss(self, reason: str) -> None:
        """Ignore the loss."""


class Link(Protocol):
    """A connection to one server, which can be opened again after it was lost or closed."""

    @property
    def server_name(self) -> str:
        """The server's name in a sentence, such as its address."""

    @property
    def server_keys(self) -> tuple[str, ...]:
        """The server's public key in hex, as TLS or this process proves it; empty on an unencrypted connection.

        The keys that it has replaced follow, newest first.
        """

    @property
    def local(self) -> bool:
        """Whether the present connection does not leave this computer."""

    @property
    def has_other_nodes(self) -> bool:
        """Whether the server has other nodes, of which one may take over."""

    def leave_node(self) -> None:
        """Try another node first when the link is opened next: the present one has stopped serving."""

    async def open(self, listener: Listener) -> None:
        """Connect to the server. Raises LinkError."""

    async def call(self, params: Params) -> Reply:
        """Send a request and wait for its reply. Raises ScovilleError for a refusal, LinkError without an answer."""

    async def close(self) -> None:
        """Close the connection; the listener is not called any more."""
