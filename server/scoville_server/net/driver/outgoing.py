"""Outgoing half of a connection: its buffer, its states and its end; for the service it is the Peer."""

import asyncio
import logging
from typing import Final

from scoville_runtime.clock import Alarm
from scoville_server.net.driver.debug_log import ConnectionLog
from scoville_server.net.limits import ConnectionLimits
from scoville_server.net.read_scheduler import Network, ReadScheduler
from scoville_server.net.service import ConnectionHandler
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.connection import ServerConnection
from scoville_shared.protocol.messages import ByeNotice, HostedUser, Notice
from scoville_shared.protocol.state import ConnectionState

_logger = logging.getLogger(__name__)
_GREETING = ConnectionState.GREETING
_ENDING = (ConnectionState.CLOSING, ConnectionState.CLOSED)

CLIENT_BEHIND: Final = 1
QUEUED: Final = 2
TURN_OVER: Final = 4
ENDING: Final = 8
"""Reasons why nothing is read, as bits: the client does not read, others come first, the turn was long enough, the
connection ends. Reading continues when none is left."""


class OutgoingConnection:
    """Sends notices and replies, at most one write per turn of the loop, and closes the connection.

    A client that leaves more than `unsent_drop` bytes unread is disconnected. `connection_made` of the driver sets the
    transport, the loop, the network, the handler and the deadline.
    """

    _transport: asyncio.Transport
    _loop: asyncio.AbstractEventLoop
    _handler: ConnectionHandler
    _deadline: Alarm
    _network: Network

    def __init__(self, limits: ConnectionLimits | None, scheduler: ReadScheduler | None) -> None:
        self.address = ""
        self.door: HostedUser | None = None
        self.limits = limits or ConnectionLimits()
        self._scheduler = scheduler or ReadScheduler(self.limits)
        self._log = ConnectionLog()
        self._connection = ServerConnection(self.limits.message_bytes)
        self._held_back = 0
        """Why nothing is read: the bits CLIENT_BEHIND, QUEUED, TURN_OVER and ENDING; 0 while reading continues."""
        self._flush_is_due = False

    # --- what the service may do --------------------------------------------------------------------

    @property
    def number(self) -> int:
        """The connection's number in the logs of this process."""
        return self._log.number

    def notify(self, notice: Notice) -> None:
        """Queue a notice for the end of this turn of the loop."""
        if not self._held_back & ENDING:
            self._log.log_notice(notice)
            self._connection.notify(notice)
            self._flush_soon()

    def close(self, bye: ByeNotice | None = None) -> None:
        """Send what is queued and `bye`, then close; a client that does not read it is cut off soon after."""
        if self._held_back & ENDING:
            return
        if bye is not None:
            self._log.log_error(bye.code)
            self._connection.notify(bye)
            if self._connection.state is _GREETING:
                self._handler.note_refusal(None, bye.code)
        self._flush()
        if not self._held_back & ENDING:
            self._move_to(ConnectionState.CLOSING)
            self._connection.stop_reading()
            # The deadline for `hello` becomes the deadline for reading the goodbye: a connection has one at a time.
            self._deadline.cancel()
            self._deadline = self._scheduler.clock.call_later(self.limits.closing_seconds, self._transport.abort)
            self._transport.close()

    def abort(self) -> None:
        """Close the connection at once; unsent bytes are lost."""
        self._transport.abort()

    def drop(self) -> None:
        """Cut off a client that does not read, or that leaves messages unfinished while others need the memory."""
        _logger.info("%s has stopped reading: dropped", self.address or "A client inside")
        self._log.log_error("dropped")
        # A client is also cut off while it should read its goodbye; that transition was made already.
        if self._connection.state not in _ENDING:
            self._move_to(ConnectionState.CLOSING)
        self._transport.abort()

    @property
    def closing(self) -> bool:
        """Whether the connection ends: nothing is read from it any more."""
        return bool(self._held_back & ENDING)

    @property
    def network(self) -> str:
        """The network that the client comes from; empty inside one process."""
        return self._network.key

    @property
    def secure(self) -> bool:
        """Whether the client is inside this process."""
        return not self._network.key

    @property
    def local(self) -> bool:
        """Whether the client is another program of this machine."""
        return False

    @property
    def held(self) -> int:
        """Bytes in the buffers of this connection."""
        return self._transport.get_write_buffer_size() + self._connection.held

    # --- who the peer is ----------------------------------------------------------------------------

    def _address(self, transport: asyncio.BaseTransport) -> str:
        """Return the peer's "host:port"; empty inside one process."""
        peer = transport.get_extra_info("peername")
        return f"{peer[0]}:{peer[1]}" if isinstance(peer, tuple) else ""

    def _introduce(self, user: HostedUser | None) -> None:
        """Take what a door says about its user. Raises ScovilleError."""
        if user is not None:
            raise ScovilleError(Code.DOOR_REFUSED, "Inside one process there are no doors.")

    def _move_to_address(self, address: str) -> None:
        """Count the connection where its user comes from, from now on."""
        # Its use so far stays with the door's network: the user's network has not asked for it.
        self._scheduler.leave_network(self._network)
        self.address = address
        self._network = self._scheduler.join_network(address)

    # --- sending and states -------------------------------------------------------------------------

    def _flush_soon(self) -> None:
        if not self._flush_is_due:
            self._flush_is_due = True
            self._scheduler.flushes.add_flush(self._loop, self._flush)

    def _flush(self) -> int:
        """Write everything queued at once and return its size; disconnect a client that lets too much pile up."""
        self._flush_is_due = False
        if self._held_back & ENDING or not self._connection.out:
            return 0
        # Noted before the write, which may set the bit: one large reply to a client that reads is no reason to drop it.
        was_behind = self._held_back & CLIENT_BEHIND
        data = self._connection.take()
        self._log.log_sent(len(data))
        self._transport.write(data)
        unsent = self._transport.get_write_buffer_size()
        if was_behind and unsent > self.limits.unsent_drop:
            self.drop()
        elif unsent:
            self._scheduler.buffers.note_held(self)
        return len(data)

    def _move_to(self, state: ConnectionState) -> None:
        """Enter another state; nothing is read in the last two. Raises IllegalTransition."""
        self._connection.move_to(state)
        if state in _ENDING:
            self._held_back |= ENDING
        self._log.log_state(state, self.address if state is _GREETING else "")

    def _no_hello(self) -> None:
        if self._connection.state is _GREETING:
            seconds = f"{self.limits.hello_seconds:g}"
            self.close(ByeNotice(code=Code.HELLO_FIRST, message=f"No hello was received within {seconds} seconds."))
