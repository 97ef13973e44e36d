"""Connections that outlive their process: given away in the middle, and continued by another one."""

import asyncio
import os
import socket
from functools import partial
from typing import Protocol, cast

from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.driver.origin import Origin
from scoville_server.net.driver.requests import HELD, QUEUED, ReadTurns, Requests
from scoville_server.net.peer import DetachedConnection, End, HandedSocket
from scoville_server.net.tls.first_byte import BeforeDriver, Following
from scoville_shared.errors import Code
from scoville_shared.protocol.connection import ServerConnection
from scoville_shared.protocol.state import ConnectionState


class HandedOutput(Protocol):
    """Bytes that wait to be sent."""

    def flush(self) -> int:
        """Write everything at once."""


class HandedDriver(Following, Protocol):
    """The driver of a connection."""

    transport: asyncio.Transport
    turns: ReadTurns
    end: End | None
    address: str
    limits: ConnectionLimits

    @property
    def outgoing(self) -> HandedOutput:
        """Bytes that wait to be sent."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin with a transport."""

    def data_received(self, data: bytes) -> None:
        """Answer arrived requests."""

    def move_to(self, state: ConnectionState) -> None:
        """Enter another state."""


def detach_connection(
    driver: HandedDriver, connection: ServerConnection, requests: Requests, origin: Origin
) -> HandedSocket | None:
    """Detach a connection for the successor; None, without a change, if no other process could continue it.

    Args:
        driver: The driver of the connection, whose requests are held.
        connection: Its sans-io half.
        requests: Its requests.
        origin: Where it comes from.
    """
    if not _can_continue(driver, connection, requests):
        return None
    driver.outgoing.flush()
    unread, own = connection.copy_unread(requests.withheld), driver.transport.get_extra_info("socket")
    if driver.transport.get_write_buffer_size() or unread is None or own is None:
        return None
    try:
        sock = socket.socket(fileno=os.dup(own.fileno()))
    except OSError:  # no open file is left
        return None
    driver.end = End(Code.RESTARTING)
    driver.move_to(ConnectionState.CLOSING)
    connection.stop_reading()
    driver.transport.abort()  # the copy of the socket stays open
    return HandedSocket(sock, bool(origin.proxied_address), unread)


def detach_transport(
    driver: HandedDriver, connection: ServerConnection, requests: Requests
) -> DetachedConnection | None:
    """Let go of a connection that stays in this process, and that another node goes on with.

    The arguments are those of `detach_connection`. Returns None, without a change, if no other node could continue it.
    """
    transport = driver.transport
    # Without a socket its client is in this process, or at a node that leaves itself.
    if transport.is_closing() or transport.get_extra_info("socket") is None:
        return None
    if not _can_continue(driver, connection, requests):
        return None
    driver.outgoing.flush()
    unread = connection.copy_unread(requests.withheld)
    if unread is None:
        return None
    driver.end = End(Code.MOVED)
    driver.move_to(ConnectionState.CLOSING)
    release = partial(driver.connection_lost, None)
    return DetachedConnection(transport, unread, driver.address, driver.limits.unsent_drop, driver.turns, release)


def _can_continue(driver: HandedDriver, connection: ServerConnection, requests: Requests) -> bool:
    # It may also wait for a turn. Whatever else holds it back, such as a client that does not read, the successor would
    # know nothing of.
    is_only_held = driver.turns.held_back & ~QUEUED == HELD
    return connection.state is ConnectionState.OPEN and is_only_held and not requests.pending.waiting


class HandedConnection(BeforeDriver):
    """A connection that another process has given away: nothing is answered on it until its user is known."""

    def __init__(self, driver: HandedDriver) -> None:
        super().__init__(driver)
        self._driver = driver
        self._early = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._driver.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        self._early += data
        self._driver.transport.pause_reading()  # not earlier: a loop may begin to read after `connection_made`

    def continue_reading(self, unread: bytes) -> None:
        """Answer the requests of a greeted user, and first those that the former process has not read."""
        driver = self._driver
        driver.move_to(ConnectionState.OPEN)
        driver.transport.set_protocol(cast("asyncio.Protocol", driver))
        driver.transport.resume_reading()
        if early := unread + self._early:
            driver.data_received(early)
