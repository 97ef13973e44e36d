"""Channel: what a hosted session needs of the connection to its user."""

from typing import Protocol


class Channel(Protocol):
    """A way for bytes to one terminal. Its owner calls `HostedSession` with what comes from there."""

    def write(self, data: bytes) -> None:
        """Send bytes to the terminal; after the end of the connection they are dropped."""

    def end(self, status: int) -> None:
        """End the session with an exit status, once everything written has been sent."""

    def abort(self) -> None:
        """Cut the connection at once, even if output waits to be sent."""
