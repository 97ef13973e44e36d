"""Connection driver: moves bytes between an asyncio transport, the sans-io connection and the service's handler."""

import asyncio
from typing import Any, cast

from scoville_runtime.token_bucket import bucket_of
from scoville_server.net.driver.outgoing import CLIENT_BEHIND, ENDING, QUEUED
from scoville_server.net.driver.replies import PendingReplies, log_failure
from scoville_server.net.driver.turns import ReadingTurns
from scoville_server.net.limits import ConnectionLimits
from scoville_server.net.read_scheduler import ReadScheduler, Work, charge_both
from scoville_server.net.service import Service
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.connection import Fault, Malformed, Notification
from scoville_shared.protocol.messages import METHODS, ByeNotice, HelloRequest, Params, PingRequest
from scoville_shared.protocol.state import ConnectionState

_REPLIES = frozenset(method.reply for method in METHODS.values())
_OPEN, _GREETING = ConnectionState.OPEN, ConnectionState.GREETING
_LITTLE = 1024
"""Bytes that are a request or two."""


class ConnectionDriver(ReadingTurns, asyncio.Protocol):
    """The server's side of one connection: reads requests, lets the handler answer them, and sends the replies.

    It enforces what holds for every service: `hello` comes before all but `ping`, and in time; a client that does not
    read is not read from, and at last disconnected; an exception in a handler reaches the client as `internal` and
    nothing else.
    """

    def __init__(
        self, service: Service, limits: ConnectionLimits | None = None, scheduler: ReadScheduler | None = None
    ) -> None:
        super().__init__(limits, scheduler)
        self._service = service
        self._pending = PendingReplies(self._connection, self._refuse, self._replied_late)
        self._notifications = bucket_of(self.limits.notifications, self.limits.notifications_seconds, self._now())

    # --- callbacks of the transport -----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin: from now on the client has `hello_seconds` to send `hello`."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=self.limits.unsent_pause)
        self._loop = asyncio.get_running_loop()
        self.address = self._address(transport)
        began = self._scheduler.begin_read()
        self._network = self._scheduler.join_network(self.address)
        self._move_to(_GREETING)
        self._deadline = self._scheduler.clock.call_later(self.limits.hello_seconds, self._no_hello)
        self._handler = self._service.accept_connection(self)
        # Accepting costs time too: a flood of connections that send nothing pays for it like a flood of requests.
        charge_both(self._network, self._scheduler.arrivals, began, self._scheduler.cost_since(began))

    def data_received(self, data: bytes, began: float | None = None) -> None:
        """Answer what can be answered at once, or queue. What led to `data` began at `began`, and is charged too."""
        if not self._held_back & ENDING:
            queued = self._held_back & QUEUED
            began = self._scheduler.begin_read() if began is None else began
            much = len(data) > _LITTLE or bool(queued)
            if self._log.on:
                self._log.log_received(len(data))
            whole = self._connection.feed_whole(data)
            if not self._held_back:
                self._read_or_queue(began, much=much)
            else:
                charge_both(self._network, self.meter, began, self._scheduler.cost_since(began))
            # The system's buffer then fills, and TCP slows the client down.
            if self._held_back & QUEUED and much:
                self._transport.pause_reading()
            # One whole request, the usual case, leaves nothing in the buffers that would count.
            if not whole and self._connection.unread:
                self._scheduler.buffers.note_held(self)

    def receive_in_turn(self, data: bytes, began: float, seconds: float) -> None:
        """Read what came from below in a turn that began at `began`: it is the turn of this connection too."""
        if self._held_back & ENDING:
            return
        if self._log.on:
            self._log.log_received(len(data))
        self._connection.feed_whole(data)
        if not self._held_back:
            self._read_in_turn(began, seconds)
        if self._connection.unread:
            self._scheduler.buffers.note_held(self)

    def pause_writing(self) -> None:
        """Stop reading from a client that does not read: it would only ask for more."""
        self._held_back |= CLIENT_BEHIND
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Resume reading, beginning with the bytes that arrived meanwhile."""
        self._held_back &= ~CLIENT_BEHIND
        if not self._held_back:
            self._transport.resume_reading()
            self._read_or_queue(self._scheduler.begin_read())

    def connection_lost(self, _reason: Exception | None) -> None:
        """Release everything; called once, whichever end closed the connection."""
        self._move_to(ConnectionState.CLOSED)
        # Alarms know this driver, so an open one would keep a lost connection in memory until it rings.
        self._deadline.cancel()
        self._scheduler.leave_network(self._network)
        self._scheduler.buffers.forget_holder(self)
        self._connection.stop_reading()
        self._pending.cancel_all()
        self._handler.release_connection()
        del self._handler, self._pending  # both know this driver: a cycle would wait for the garbage collector

    # --- reading ------------------------------------------------------------------------------------

    def _read(self, end: float, between_looks: int) -> None:  # noqa: C901 - calls would double its cost
        """Answer what has arrived, until it is all answered or the client should read first. The hot path."""
        connection, pause = self._connection, self.limits.unsent_pause
        out, handle, reply, decode = connection.out, self._handler.handle_request, connection.reply, connection.decode
        left, looks, log, waiting = self.limits.turn, 0, self._log, self._pending.waiting
        found: Any  # a plain tuple is a request: one look at the type, where four kinds would take three
        while frames := connection.frames():
            while frames:
                found = frames.pop()
                if type(found) is not tuple and type(found := decode(found)) is not tuple:
                    self._handle_other(found)
                else:
                    msgid, params = found
                    if log.on:
                        log.log_request(msgid, params)
                    try:
                        # The usual request of an open connection passes with two looks and no call.
                        if connection.state is not _OPEN or waiting:
                            self._admit(params)
                        answer: Any = handle(params)
                        if type(answer) in _REPLIES:
                            reply(msgid, answer)
                            if connection.state is _GREETING:
                                self._open_after(params)
                        else:
                            self._pending.add_reply(msgid, params, answer, self._begin_work)
                            # An answer that comes later costs time after this turn: the turn gets shorter by it, and
                            # the clock is read next.
                            looks, end = 0, end - self.limits.deferred_seconds
                    except Exception as error:  # noqa: BLE001 - a fault in a handler must not end the connection
                        self._refuse(msgid, params, error)
                left -= 1
                # Flushed in between: only the transport knows whether the client reads, and it is what sets
                # CLIENT_BEHIND.
                if len(out) > pause:
                    self._flush()
                    self._look_at_the_clock(left, end)
                # `looks` is a mask of low bits, so `left & looks` is 0 every first, second, fourth and then eighth
                # message.
                elif not left & looks and (frames or connection.uncut):
                    looks = (looks << 1 | 1) & between_looks
                    self._look_at_the_clock(left, end)
                if self._held_back:
                    return
        self._flush()

    def _handle_other(self, found: Malformed | Notification | Fault) -> None:
        """Handle a message that is not a request; it costs its share of the turn like one."""
        if isinstance(found, Malformed):
            self._log.log_refusal(found.msgid, found.error.code)
            self._connection.refuse(found.msgid, found.error)
        elif isinstance(found, Fault):
            self.close(ByeNotice(code=found.code, message=found.message))
        elif not self._notifications.take_if_enough(1, self._now()):
            most = self.limits.notifications
            message = f"The connection sent more than {most} notifications; this server accepts only requests."
            self.close(ByeNotice(code=Code.TOO_MANY, message=message))

    # --- answering ----------------------------------------------------------------------------------

    def _admit(self, params: Params) -> None:
        """Raise ScovilleError for most requests before `hello` was answered, and for too many unanswered ones."""
        if self._connection.state is _GREETING:
            if type(params) is HelloRequest:
                self._introduce(params.door)
            elif type(params) is not PingRequest:
                raise ScovilleError(Code.HELLO_FIRST, "Send hello first, and wait for its reply.")
        if len(self._pending.waiting) >= self.limits.pending_requests:
            waiting = f"{len(self._pending.waiting)} requests of this connection are waiting for replies"
            raise ScovilleError(Code.TOO_MANY, f"{waiting}; wait for some of them.")

    def _begin_work(self) -> Work | None:
        """Charge the network for a request that is answered later; one of a queued connection counts as work."""
        # Its real cost is not known yet; charged in advance, many deferred requests use up a network's share like
        # others.
        self._network.charge_use(self._now(), self.limits.deferred_seconds)
        return self._scheduler.begin_work(self._network) if self._takes_turn else None

    def _refuse(self, msgid: int, params: Params, error: BaseException) -> None:
        """Answer with an error; an exception that is none of the protocol's is logged, and hidden from the client."""
        if not isinstance(error, ScovilleError):
            error = log_failure(params, self.address, error)
        self._log.log_refusal(msgid, error.code)
        self._handler.note_refusal(params, error.code)
        self._connection.refuse(msgid, error)

    def _replied_late(self, params: Params, successfully: bool) -> None:
        if successfully and self._connection.state is _GREETING:
            self._open_after(params)
        self._flush_soon()

    def _open_after(self, params: Params) -> None:
        """Take every request from now on, if it is `hello` that was answered and not a ping."""
        if type(params) is HelloRequest:
            self._move_to(_OPEN)
