"""What a line to a server offers, and whom it tells."""

from typing import Protocol

from scoville_shared.protocol.messages import Notice, Params, Reply

CALL_SECONDS = 10.0
"""How long a call waits for its answer; a server that takes longer is as good as gone."""


class LinkError(Exception):
    """The server cannot be reached, or no longer; `message` is one sentence for the person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Listener(Protocol):
    """Whoever hears what the server says unasked. Both are called on the event loop and must not wait."""

    def notice(self, notice: Notice) -> None:
        """Take a notice, in the order in which the server sent it."""

    def lost(self, reason: str) -> None:
        """The line is gone, and not because `close` was called; `reason` is one sentence."""


class Link(Protocol):
    """One line to a server, which can be opened again after it was lost or closed."""

    @property
    def place(self) -> str:
        """Name the server in a sentence."""

    async def open(self, listener: Listener) -> None:
        """Reach the server. Raises LinkError with one sentence for the person."""

    async def call(self, params: Params) -> Reply:
        """Ask and wait for the answer. Raises ScovilleError (a refusal) or LinkError (no answer)."""

    async def close(self) -> None:
        """Hang up; the listener hears nothing more."""
