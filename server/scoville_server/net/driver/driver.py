"""Connection driver: moves bytes between an asyncio transport, the sans-io connection and the service's handler."""

import asyncio
from collections.abc import Collection
from typing import Final, Protocol, cast

from scoville_runtime.connection_log import RECEIVED, SENT, ConnectionLog, ConnectionLogs
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.driver.handing import detach_connection, detach_transport
from scoville_server.net.driver.origin import Origin, SameProcess
from scoville_server.net.driver.requests import CLIENT_BEHIND, ENDING, HELD, QUEUED, ReadTurns, Requests
from scoville_server.net.peer import ConnectionHandler, DetachedConnection, End, HandedSocket, Service, end_of
from scoville_server.net.read_scheduler import ReadScheduler, charge_both
from scoville_server.net.tls.layer import TlsLayer
from scoville_shared.errors import Code
from scoville_shared.protocol.connection import ServerConnection
from scoville_shared.protocol.messages import NOTICE_OF, ByeNotice, HelloRequest, HostedUser, Notice
from scoville_shared.protocol.state import ConnectionState

_logs = ConnectionLogs("scoville_server.connection")
_GREETING = ConnectionState.GREETING
_ENDING = (ConnectionState.CLOSING, ConnectionState.CLOSED)
_LITTLE: Final = 1024
"""Bytes that are a request or two."""


class Sender(Protocol):
    """The connection of an `Outgoing`."""

    limits: ConnectionLimits
    turns: ReadTurns

    @property
    def transport(self) -> asyncio.Transport:
        """Where bytes are written."""

    @property
    def buffered_bytes(self) -> int:
        """Bytes in its buffers."""

    @property
    def network(self) -> str:
        """The network that it comes from."""

    def drop(self) -> None:
        """Cut it off."""


class Outgoing:
    """Queued replies and notices of one connection: at most one write per turn of the loop.

    A client that leaves more than `unsent_drop` bytes unread is disconnected.
    """

    __slots__ = ("_connection", "_is_due", "_log", "_scheduler", "_sender")

    def __init__(
        self, sender: Sender, connection: ServerConnection, log: ConnectionLog, scheduler: ReadScheduler
    ) -> None:
        self._sender = sender
        self._connection = connection
        self._log = log
        self._scheduler = scheduler
        self._is_due = False

    def flush_soon(self) -> None:
        """Write everything at the end of this turn of the loop."""
        if not self._is_due:
            self._is_due = True
            self._scheduler.flushes.add_flush(asyncio.get_running_loop(), self.flush)

    def flush(self) -> int:
        """Write everything queued at once and return its size; disconnect a client that lets too much pile up."""
        self._is_due = False
        sender = self._sender
        held_back = sender.turns.held_back
        if held_back & ENDING or not self._connection.out:
            return 0
        # Noted before the write, which may set the bit: one large reply to a client that reads is no reason to drop it.
        was_behind, transport = held_back & CLIENT_BEHIND, sender.transport
        data = self._connection.take_bytes()
        if self._log.on:
            self._log.log_bytes(SENT, len(data))
        transport.write(data)
        unsent = transport.get_write_buffer_size()
        if was_behind and unsent > sender.limits.unsent_drop:
            sender.drop()
        elif unsent:
            self._scheduler.buffers.note_buffers(sender)
        return len(data)


class ConnectionDriver(asyncio.Protocol):
    """The server's side of one connection: for the event loop its protocol, for the service the Peer.

    It enforces what holds for every service: `hello` comes before all but pings and reports, and in time; a client that
    does not read is not read from, and at last disconnected; an exception in a handler is `internal` for the client.
    """

    transport: asyncio.Transport
    handler: ConnectionHandler

    def __init__(
        self,
        service: Service,
        limits: ConnectionLimits | None = None,
        scheduler: ReadScheduler | None = None,
        origin: Origin | None = None,
    ) -> None:
        self.address = ""
        self.door: HostedUser | None = None
        self.limits = limits or ConnectionLimits()
        self._service = service
        self._scheduler = scheduler or ReadScheduler(self.limits)
        self._origin = origin or SameProcess()
        self._log = _logs.open_log()
        self._connection = ServerConnection(self.limits.message_bytes)
        self.turns = ReadTurns(self, self._connection, self.limits, self._scheduler)
        self.requests = Requests(self, self._connection, self.limits, self._log, self._scheduler.now)
        self._layer: TlsLayer | None = None
        self.end: End | None = None
        self.outgoing = Outgoing(self, self._connection, self._log, self._scheduler)

    # --- callbacks of the transport -----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin: from now on the client has `hello_seconds` to send `hello`."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.set_write_buffer_limits(high=self.limits.unsent_pause)
        self.address = self._origin.find_address(transport)
        began = self._scheduler.begin_read()
        self.turns.join_network(self.address)
        self.move_to(_GREETING)
        self._deadline = self._scheduler.clock.call_later(self.limits.hello_seconds, self._refuse_late_hello)
        self.handler = self._service.accept_connection(self)
        # Accepting costs time too: a flood of connections that send nothing pays for it like a flood of requests.
        charge_both(self.turns.shared_meter, self._scheduler.arrivals, began, self._scheduler.cost_since(began))
        self._origin.add_connection(self, transport)

    def data_received(self, data: bytes, began: float | None = None) -> None:
        """Answer at once, or queue. The work before it began at `began`, and is charged too."""
        turns = self.turns
        if not turns.held_back & ENDING:
            queued = turns.held_back & QUEUED
            began = self._scheduler.begin_read() if began is None else began
            much = len(data) > _LITTLE or bool(queued)
            if self._log.on:
                self._log.log_bytes(RECEIVED, len(data))
            whole = self._connection.feed_whole(data)
            if not turns.held_back:
                turns.read_or_queue(began, much=much)
            else:
                charge_both(turns.shared_meter, turns.meter, began, self._scheduler.cost_since(began))
            # The system's buffer then fills, and TCP slows the client down.
            if turns.held_back & QUEUED and much:
                self.transport.pause_reading()
            # One whole request, the usual case, leaves nothing in the buffers that would count.
            if not whole and self._connection.unread:
                self._scheduler.buffers.note_buffers(self)

    def receive_in_turn(self, data: bytes, began: float, seconds: float) -> None:
        """Read decrypted bytes in a turn that began at `began`: it is the turn of this connection too."""
        if self.turns.held_back & ENDING:
            return
        if self._log.on:
            self._log.log_bytes(RECEIVED, len(data))
        self._connection.feed_whole(data)
        if not self.turns.held_back:
            self.turns.read_in_turn(began, seconds)
        if self._connection.unread:
            self._scheduler.buffers.note_buffers(self)

    def pause_writing(self) -> None:
        """Stop reading from a client that does not read: it would only ask for more."""
        self.turns.held_back |= CLIENT_BEHIND
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        """Resume reading, beginning with the bytes that arrived meanwhile."""
        self.turns.held_back &= ~CLIENT_BEHIND
        if not self.turns.held_back:
            self.transport.resume_reading()
            self.turns.read_or_queue(self._scheduler.begin_read())

    def connection_lost(self, reason: Exception | None) -> None:
        """Release everything; called once, whichever end closed the connection."""
        try:
            self.move_to(ConnectionState.CLOSED)
            # Alarms know this driver, so an open one would keep a lost connection in memory until it rings.
            self._deadline.cancel()
            self._scheduler.leave_network(self.turns.shared_meter)
            self._scheduler.buffers.forget_buffers(self)
            self._connection.stop_reading()
            self.requests.release()
            self.handler.release_connection(self.end or End("left" if reason is None else "lost"))
            # All of them know this driver: a cycle would wait for the garbage collector.
            self.turns.release()
            del self.handler, self.requests, self.outgoing
        finally:
            # Whatever fails: the server waits for all of them when it closes.
            self._origin.remove_connection(self)

    # --- what the service may do --------------------------------------------------------------------

    @property
    def number(self) -> int:
        return self._log.number

    def notify(self, notice: Notice) -> None:
        """Queue a notice for the end of this turn of the loop."""
        if not self.turns.held_back & ENDING:
            if self._log.on:
                self._log.log_notice(SENT, NOTICE_OF[type(notice)])
            self._connection.notify(notice)
            self.outgoing.flush_soon()

    def pass_on_notice(self, notice: bytes) -> None:
        if not self.turns.held_back & ENDING:
            self._connection.pass_on_notice(notice)
            self.outgoing.flush_soon()

    def hold_requests(self) -> Collection[object]:
        self.turns.held_back |= HELD  # not the transport: closed with unread bytes it would reset, goodbye and all
        return self.requests.pending.waiting

    def hand_over(self) -> HandedSocket | None:
        return None if self._layer else detach_connection(self, self._connection, self.requests, self._origin)

    def hand_to_relay(self) -> DetachedConnection | None:
        return detach_transport(self, self._connection, self.requests)

    def close(self, bye: ByeNotice | None = None) -> None:
        """Send queued bytes and `bye`, then close; a client that does not read it is cut off soon after."""
        if self.turns.held_back & ENDING:
            return
        self.end = self.end or end_of(bye)
        if bye is not None:
            self._log.log_error(bye.code)
            self._connection.notify(bye)
            if self._connection.state is _GREETING:
                self.handler.note_refusal(None, bye.code)
        self.outgoing.flush()
        if not self.turns.held_back & ENDING:
            self.move_to(ConnectionState.CLOSING)
            self._connection.stop_reading()
            # The deadline for `hello` becomes the deadline for reading the goodbye: a connection has one at a time.
            self._deadline.cancel()
            self._deadline = self._scheduler.clock.call_later(self.limits.closing_seconds, self.transport.abort)
            self.transport.close()

    def abort(self) -> None:
        self.transport.abort()

    def drop(self) -> None:
        """Cut off a slow client: one that does not read, or leaves messages unfinished while others need the memory."""
        self.end = self.end or End("stopped_reading")
        self._log.log_error("dropped")
        # A client is also cut off while it should read its goodbye; that transition was made already.
        if self._connection.state not in _ENDING:
            self.move_to(ConnectionState.CLOSING)
        self.transport.abort()

    @property
    def closing(self) -> bool:
        return bool(self.turns.held_back & ENDING)

    @property
    def network(self) -> str:
        return self.turns.shared_meter.key

    @property
    def secure(self) -> bool:
        """Whether the connection is protected all the way to the user."""
        return self.is_protected if self.door is None else self.door.secure

    @property
    def is_protected(self) -> bool:
        return self._origin.is_protected(by_tls=self._layer is not None)

    @property
    def local(self) -> bool:
        return self.door is None and self.is_from_here

    @property
    def is_from_here(self) -> bool:
        return self._origin.is_from_here(self.transport)

    @property
    def buffered_bytes(self) -> int:
        """Bytes in the buffers of this connection, above and below TLS."""
        above = self.transport.get_write_buffer_size() + self._connection.buffered_bytes
        return above if self._layer is None else above + self._layer.buffered_bytes

    def start_tls(self, layer: TlsLayer) -> None:
        """Send and receive through a TLS layer from now on."""
        self.transport = self._layer = layer

    def use_proxied_address(self, address: str) -> None:
        self._origin.proxied_address = address

    def admit_hello(self, hello: HelloRequest) -> None:
        self._origin.admit_hello(self, hello)

    def move_to_address(self, address: str) -> None:
        self.address = address
        self.turns.change_network(address)

    def move_to(self, state: ConnectionState) -> None:
        """Enter another state; nothing is read in the last two. Raises IllegalTransition."""
        self._connection.move_to(state)
        if state in _ENDING:
            self.turns.held_back |= ENDING
        self._log.log_state(
            state.value, ends=state is ConnectionState.CLOSED, address=self.address if state is _GREETING else ""
        )

    def _refuse_late_hello(self) -> None:
        if self._connection.state is _GREETING and not self.requests.from_door:
            self.close(_make_late_bye(self.limits.hello_seconds))


def _make_late_bye(seconds: float) -> ByeNotice:
    return ByeNotice(code=Code.HELLO_FIRST, message=f"No hello was received within {seconds:g} seconds.")
