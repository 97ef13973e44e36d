"""Connection driver: moves bytes between an asyncio transport, the sans-io connection and the service's handler."""

import asyncio
from collections.abc import Collection
from typing import Final, Protocol, cast

from scoville_runtime.connection_log import RECEIVED, SENT, ConnectionLog, ConnectionLogs
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.driver.handing import detach_connection
from scoville_server.net.driver.origin import Origin, SameProcess
from scoville_server.net.driver.requests import HELD, Requests
from scoville_server.net.peer import ConnectionHandler, End, HandedSocket, Service, end_of
from scoville_server.net.read_scheduler import Network, ReadScheduler, Work, charge_both
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

CLIENT_BEHIND: Final = 1
QUEUED: Final = 2
TURN_OVER: Final = 4
ENDING: Final = 8
"""Reasons why nothing is read, as bits, beside HELD: the client does not read, others come first, the turn was long
enough, the connection ends. Reading continues when none is left. Plain numbers, since each message tests them: an
`IntFlag` costs twenty times as much."""
_BETWEEN_LOOKS = 7
"""While there is more to read, the clock is read after the first, second, fourth and then every eighth message, and
after every long answer: to read it costs as much as some answers. In the queue it is read after every message."""


class Sender(Protocol):
    """The connection of an `Outgoing`."""

    limits: ConnectionLimits
    held_back: int

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
        if sender.held_back & ENDING or not self._connection.out:
            return 0
        # Noted before the write, which may set the bit: one large reply to a client that reads is no reason to drop it.
        was_behind, transport = sender.held_back & CLIENT_BEHIND, sender.transport
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
    """The server's side of one connection; for the service it is the Peer, for the scheduler a reader.

    It enforces what holds for every service: `hello` comes before all but pings and reports, and in time; a client that
    does not read is not read from, and at last disconnected; an exception in a handler is `internal` for the client.
    """

    transport: asyncio.Transport
    shared_meter: Network  # of the connection's network
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
        self.held_back = 0  # the bits from CLIENT_BEHIND on; 0 while reading continues
        self._service = service
        self._scheduler = scheduler or ReadScheduler(self.limits)
        self._origin = origin or SameProcess()
        self._now = self._scheduler.now  # a loop's own time stands still during a turn
        self.meter = self._scheduler.make_meter()
        self._log = _logs.open_log()
        self._connection = ServerConnection(self.limits.message_bytes)
        self._requests = Requests(self, self._connection, self.limits, self._log, self._now)
        self._layer: TlsLayer | None = None
        self._takes_turn = False
        self.end: End | None = None
        self.outgoing = Outgoing(self, self._connection, self._log, self._scheduler)

    # --- callbacks of the transport -----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin: from now on the client has `hello_seconds` to send `hello`."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.set_write_buffer_limits(high=self.limits.unsent_pause)
        self.address = self._origin.find_address(transport)
        began = self._scheduler.begin_read()
        self.shared_meter = self._scheduler.join_network(self.address)
        self.move_to(_GREETING)
        self._deadline = self._scheduler.clock.call_later(self.limits.hello_seconds, self._refuse_late_hello)
        self.handler = self._service.accept_connection(self)
        # Accepting costs time too: a flood of connections that send nothing pays for it like a flood of requests.
        charge_both(self.shared_meter, self._scheduler.arrivals, began, self._scheduler.cost_since(began))
        self._origin.add_connection(self, transport)

    def data_received(self, data: bytes, began: float | None = None) -> None:
        """Answer what can be answered at once, or queue. What led to `data` began at `began`, and is charged too."""
        if not self.held_back & ENDING:
            queued = self.held_back & QUEUED
            began = self._scheduler.begin_read() if began is None else began
            much = len(data) > _LITTLE or bool(queued)
            if self._log.on:
                self._log.log_bytes(RECEIVED, len(data))
            whole = self._connection.feed_whole(data)
            if not self.held_back:
                self._read_or_queue(began, much=much)
            else:
                charge_both(self.shared_meter, self.meter, began, self._scheduler.cost_since(began))
            # The system's buffer then fills, and TCP slows the client down.
            if self.held_back & QUEUED and much:
                self.transport.pause_reading()
            # One whole request, the usual case, leaves nothing in the buffers that would count.
            if not whole and self._connection.unread:
                self._scheduler.buffers.note_buffers(self)

    def receive_in_turn(self, data: bytes, began: float, seconds: float) -> None:
        """Read what came from below in a turn that began at `began`: it is the turn of this connection too."""
        if self.held_back & ENDING:
            return
        if self._log.on:
            self._log.log_bytes(RECEIVED, len(data))
        self._connection.feed_whole(data)
        if not self.held_back:
            self._read_in_turn(began, seconds)
        if self._connection.unread:
            self._scheduler.buffers.note_buffers(self)

    def pause_writing(self) -> None:
        """Stop reading from a client that does not read: it would only ask for more."""
        self.held_back |= CLIENT_BEHIND
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        """Resume reading, beginning with the bytes that arrived meanwhile."""
        self.held_back &= ~CLIENT_BEHIND
        if not self.held_back:
            self.transport.resume_reading()
            self._read_or_queue(self._scheduler.begin_read())

    def connection_lost(self, reason: Exception | None) -> None:
        """Release everything; called once, whichever end closed the connection."""
        try:
            self.move_to(ConnectionState.CLOSED)
            # Alarms know this driver, so an open one would keep a lost connection in memory until it rings.
            self._deadline.cancel()
            self._scheduler.leave_network(self.shared_meter)
            self._scheduler.buffers.forget_buffers(self)
            self._connection.stop_reading()
            self._requests.release()
            self.handler.release_connection(self.end or End("left" if reason is None else "lost"))
            # All of them know this driver: a cycle would wait for the garbage collector.
            del self.handler, self._requests, self.outgoing
        finally:
            # Whatever fails: the server waits for all of them when it closes.
            self._origin.remove_connection(self)

    # --- turns: when the connection is read, for how long, and when it waits behind others --------------

    def _read_or_queue(self, began: float, *, much: bool = True) -> None:
        """Read at once what has arrived, unless the network has used much of the server lately."""
        scheduler, network, greets = self._scheduler, self.shared_meter, self._connection.state is _GREETING
        if _may_read_at_once(scheduler, network, began, greets=greets):
            scheduler.note_read_at_once(self, network, began)
        elif scheduler.must_queue(self, network, began, much=much or greets):
            charge_both(network, self.meter, began, scheduler.cost_since(began))
            self._wait_for_turn()
            return
        self._read_for(self.limits.turn_seconds, began, _BETWEEN_LOOKS)

    def take_turn(self, seconds: float) -> None:
        """Read for so many seconds what arrived before."""
        self.held_back &= ~QUEUED
        if not self.held_back:
            # Before the read: what it leaves over pauses the transport again.
            self.transport.resume_reading()
            self._read_in_turn(self._scheduler.begin_read(), seconds)

    def _read_in_turn(self, began: float, seconds: float) -> None:
        """Read for so many seconds in a turn that began at `began`."""
        self._takes_turn = True
        self._scheduler.note_read(self, began)
        # 0: in the queue others wait, so the clock is read after every message.
        self._read_for(seconds, began, 0)
        self._takes_turn = False

    def _read_for(self, seconds: float, began: float, between_looks: int) -> None:
        """Read for so many seconds from `began` on, and charge what that cost."""
        arrives = self._connection.state is _GREETING
        self._requests.read_requests(began, seconds, between_looks)
        cost = self._scheduler.cost_since(began)
        charge_both(self.shared_meter, self.meter, began, cost)
        if arrives:
            self._scheduler.arrivals.charge_use(began, cost)
        elif self.shared_meter.calm_from > began:
            self._scheduler.crowd.charge_use(began, cost)
        if self.held_back & TURN_OVER:
            self.held_back &= ~TURN_OVER
            self.transport.pause_reading()
            self._wait_for_turn(heavy=True)

    def _wait_for_turn(self, *, heavy: bool = False) -> None:
        """Wait for a turn: behind others, but inside one process only for the loop's next."""
        self.held_back |= QUEUED
        # A connection inside this process has no network to compete with, and a practice game waits for nobody.
        if self.shared_meter.key:
            heavy = heavy or self._connection.state is _GREETING
            self._scheduler.queue_reader(self, self.shared_meter, heavy=heavy)
        else:
            asyncio.get_running_loop().call_soon(self.take_turn, self.limits.turn_seconds)

    def end_turn_if_over(self, left: int, end: float) -> None:
        """End the turn when its requests are answered (`left` is 0), or when its `end` has passed."""
        if left <= 0 or self._now() >= end:
            self.outgoing.flush()
            if not self.held_back and self._connection.unread:
                self.held_back |= TURN_OVER

    def begin_work(self) -> Work | None:
        """Charge the network for a request that is answered later; one of a queued connection counts as work."""
        # Its real cost is not known yet; charged in advance, many such requests use up a network's share like others.
        self.shared_meter.charge_use(self._now(), self.limits.deferred_seconds)
        return self._scheduler.begin_work(self.shared_meter) if self._takes_turn else None

    # --- what the service may do --------------------------------------------------------------------

    @property
    def number(self) -> int:
        return self._log.number

    def notify(self, notice: Notice) -> None:
        """Queue a notice for the end of this turn of the loop."""
        if not self.held_back & ENDING:
            if self._log.on:
                self._log.log_notice(SENT, NOTICE_OF[type(notice)])
            self._connection.notify(notice)
            self.outgoing.flush_soon()

    def pass_on_notice(self, notice: bytes) -> None:
        if not self.held_back & ENDING:
            self._connection.pass_on_notice(notice)
            self.outgoing.flush_soon()

    def hold_requests(self) -> Collection[object]:
        self.held_back |= HELD  # not the transport: closed with unread bytes it would reset, goodbye and all
        return self._requests.pending.waiting

    def hand_over(self) -> HandedSocket | None:
        return None if self._layer else detach_connection(self, self._connection, self._requests, self._origin, QUEUED)

    def close(self, bye: ByeNotice | None = None) -> None:
        """Send what is queued and `bye`, then close; a client that does not read it is cut off soon after."""
        if self.held_back & ENDING:
            return
        self.end = self.end or end_of(bye)
        if bye is not None:
            self._log.log_error(bye.code)
            self._connection.notify(bye)
            if self._connection.state is _GREETING:
                self.handler.note_refusal(None, bye.code)
        self.outgoing.flush()
        if not self.held_back & ENDING:
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
        return bool(self.held_back & ENDING)

    @property
    def network(self) -> str:
        return self.shared_meter.key

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
        # Its use so far stays with the door's network: the user's network has not asked for it.
        self._scheduler.leave_network(self.shared_meter)
        self.address, self.shared_meter = address, self._scheduler.join_network(address)

    def move_to(self, state: ConnectionState) -> None:
        """Enter another state; nothing is read in the last two. Raises IllegalTransition."""
        self._connection.move_to(state)
        if state in _ENDING:
            self.held_back |= ENDING
        self._log.log_state(
            state.value, ends=state is ConnectionState.CLOSED, address=self.address if state is _GREETING else ""
        )

    def _refuse_late_hello(self) -> None:
        if self._connection.state is _GREETING and not self._requests.from_door:
            self.close(_make_late_bye(self.limits.hello_seconds))


def _may_read_at_once(scheduler: ReadScheduler, network: Network, began: float, *, greets: bool) -> bool:
    if network.until > began:
        return False
    # Before hello many networks arrive in turns, each of which has used nothing yet.
    if greets:
        return not network.queued and scheduler.arrivals.until <= began
    # The networks of a crowd share what one of them could use alone.
    return network.calm_from <= began or (not network.queued and scheduler.crowd.until <= began)


def _make_late_bye(seconds: float) -> ByeNotice:
    return ByeNotice(code=Code.HELLO_FIRST, message=f"No hello was received within {seconds:g} seconds.")
