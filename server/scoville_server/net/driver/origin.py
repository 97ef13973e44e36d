"""Origins: where connections come from, which decides their address, their protection and who registers them."""

import asyncio
from typing import Protocol

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.networks import write_peer
from scoville_shared.protocol.messages import ByeNotice, HelloRequest, HostedUser


class Newcomer(Protocol):
    """A connection as its origin sees it."""

    address: str
    door: HostedUser | None

    @property
    def is_protected(self) -> bool:
        """Whether nobody reads along between this server and the other end, which may be a door."""

    @property
    def is_from_here(self) -> bool:
        """Whether the other end, which may be a door, is on this machine."""

    def move_to_address(self, address: str) -> None:
        """Count the connection where its user comes from, from now on."""

    def close(self, bye: ByeNotice | None = None) -> None:
        """Send a goodbye and close."""

    def abort(self) -> None:
        """Close the connection at once."""


class Origin(Protocol):
    """Where one connection comes from."""

    proxied_address: str
    """The "host:port" that a proxy has named for it; empty without one."""

    def find_address(self, transport: asyncio.BaseTransport) -> str:
        """Return the user's "host:port"; empty inside one process."""

    def is_from_here(self, transport: asyncio.BaseTransport) -> bool:
        """Return whether the other end is on this machine."""

    def is_protected(self, *, by_tls: bool) -> bool:
        """Return whether nobody reads along."""

    def add_connection(self, connection: Newcomer, transport: asyncio.BaseTransport) -> None:
        """Register a connection that begins; one that is too many or too late is closed with a goodbye."""

    def admit_hello(self, connection: Newcomer, hello: HelloRequest) -> None:
        """Raise ScovilleError for the hello of a connection that may not stay."""

    def remove_connection(self, connection: Newcomer) -> None:
        """Unregister a connection that is lost."""


class SameProcess:
    """The origin of connections inside this process, of which there are as many as it makes."""

    proxied_address = ""

    def find_address(self, transport: asyncio.BaseTransport) -> str:
        peer = transport.get_extra_info("peername")
        return write_peer(*peer[:2]) if isinstance(peer, tuple) else ""

    def is_from_here(self, transport: asyncio.BaseTransport) -> bool:  # noqa: ARG002 - it is no other program
        return False

    def is_protected(self, *, by_tls: bool) -> bool:  # noqa: ARG002 - it needs none
        return True

    def add_connection(self, connection: Newcomer, transport: asyncio.BaseTransport) -> None:
        """Register nothing."""

    def admit_hello(self, connection: Newcomer, hello: HelloRequest) -> None:  # noqa: ARG002 - all may stay
        if hello.door is not None:
            raise ScovilleError(Code.DOOR_REFUSED, "Inside one process there are no doors.")

    def remove_connection(self, connection: Newcomer) -> None:
        """Unregister nothing."""
