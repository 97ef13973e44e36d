"""One connection on an event loop: drives the sans-io connection and the service's visit."""

import asyncio
import logging
from collections.abc import Awaitable
from functools import partial
from typing import Any, cast

from scoville_server.background.eventual import Eventual, Pending, begun
from scoville_server.net.limits import ConnectionLimits
from scoville_server.net.service import Service, Visit
from scoville_server.net.turns import TurnScheduler, Work, charge
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.connection import Fault, Malformed, Notification, ServerConnection
from scoville_shared.protocol.messages import METHOD_OF, METHODS, ByeNotice, HelloRequest, Notice, Params, Reply

_REPLIES = frozenset(method.reply for method in METHODS.values())
_logger = logging.getLogger(__name__)
_LITTLE = 1024
"""Bytes that are a request or two."""
_BETWEEN_LOOKS = 7
"""While there is more to read, the clock is read after the first, second, fourth and then every eighth message, and
after every long answer: to read it costs as much as some answers. In the queue it is read after every message."""


class WireProtocol(asyncio.Protocol):
    """The server's side of one connection; to the service it is the Peer.

    It sees to what holds for every service: `hello` comes first and in time, a client that does not read is not
    read from and at last dropped, and no fault of a handler reaches the wire as more than `internal`.
    """

    def __init__(
        self, service: Service, limits: ConnectionLimits | None = None, scheduler: TurnScheduler | None = None
    ) -> None:
        self.address = ""
        self.limits = limits or ConnectionLimits()
        self._scheduler = scheduler or TurnScheduler(self.limits)
        self._now = self._scheduler.now  # a loop's own time stands still during a turn
        self.meter = self._scheduler.meter()
        self._service = service
        self._connection = ServerConnection(self.limits.message_bytes)
        self._waiting: set[Pending[Reply]] = set()
        self._notifications = 0
        self._notifications_until = 0.0
        """How many notifications have come since the last count began, and the loop's time at which the next begins."""
        self._greeted = False
        self._paused = False
        self._closing = False
        self._deaf = False
        """Nothing is read: paused, closing, or it is the others' turn."""
        self._queued = False
        self._takes_turn = False
        self._turn_is_over = False
        """It waits for a turn; it has its turn after waiting; and the turn under way has been long enough."""
        self._flush_is_due = False

    # --- what the transport tells -------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the visit, and the time in which it must say `hello`."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=self.limits.unsent_pause)
        self._loop = asyncio.get_running_loop()
        self.address = _address(transport)
        began = self._now()
        self._network = self._scheduler.join(self.address)
        self._deadline = self._scheduler.clock.call_later(self.limits.hello_seconds, self._never_said_hello)
        self._visit: Visit = self._service.visit(self)
        self._network.charge(began, self._now() - began)

    def data_received(self, data: bytes) -> None:
        """Answer what can be answered at once, or queue."""
        if not self._closing:
            began, much = self._now(), len(data) > _LITTLE or self._queued
            whole = self._connection.feed_whole(data)
            if not self._deaf:
                self._read_or_queue(began, much=much)
            if self._queued and much:
                self._transport.pause_reading()
            if not whole and self._connection.unread:
                self._scheduler.buffers.note(self)

    def pause_writing(self) -> None:
        """Stop listening to a client that does not read: it would only ask for more."""
        self._paused = self._deaf = True
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Listen again, beginning with what had arrived by the time we stopped."""
        self._paused = False
        if not self._closing and not self._queued:
            self._deaf = False
            self._transport.resume_reading()
            self._read_or_queue(self._now())

    def connection_lost(self, _reason: Exception | None) -> None:
        """End the visit, whoever ended the connection."""
        self._closing = self._deaf = True
        self._deadline.cancel()
        self._scheduler.leave(self._network)
        self._scheduler.buffers.forget(self)
        self._connection.stop_reading()
        for answer in self._waiting:
            answer.cancel()
        self._visit.closed()
        del self._visit  # it knows this line as its peer: a ring that would wait for a search for garbage

    # --- what the service may do --------------------------------------------------------------------

    def notify(self, notice: Notice) -> None:
        """Queue a notice for the end of this turn of the loop."""
        if not self._closing:
            self._connection.notify(notice)
            self._flush_soon()

    def close(self, bye: ByeNotice | None = None) -> None:
        """Send what is queued and `bye`, then close; a client that does not read it is cut off soon after."""
        if self._closing:
            return
        if bye is not None:
            self._connection.notify(bye)
        self._flush()
        self._closing = self._deaf = True
        self._connection.stop_reading()
        self._deadline.cancel()
        self._deadline = self._scheduler.clock.call_later(self.limits.closing_seconds, self._transport.abort)
        self._transport.close()

    def abort(self) -> None:
        """Cut the connection, whatever is still to be sent."""
        self._transport.abort()

    # --- requests -----------------------------------------------------------------------------------

    def _read_or_queue(self, began: float, *, much: bool = True) -> None:
        """Read at once what has arrived, unless the network has used much of the server lately."""
        scheduler, network = self._scheduler, self._network
        if network.until <= began and not network.queued:
            scheduler.is_read_at_once(self, network, began)
        elif scheduler.must_queue(self, network, began, much=much or not self._greeted):
            self._queue()
            return
        self._read_for(self.limits.turn_seconds, began, _BETWEEN_LOOKS)

    def take_turn(self, seconds: float) -> None:
        """Read for so many seconds what had arrived before."""
        self._queued = False
        if not self._paused and not self._closing:
            self._deaf = False
            self._transport.resume_reading()
            self._takes_turn = True
            began = self._now()
            self._scheduler.is_read(self, began)
            self._read_for(seconds, began, 0)
            self._takes_turn = False

    def _read_for(self, seconds: float, began: float, between_looks: int) -> None:
        """Read for so many seconds from `began` on, and count what that has cost."""
        self._read(began + seconds, between_looks)
        charge(self._network, self.meter, began, self._now() - began)
        if self._turn_is_over:
            self._turn_is_over = False
            self._transport.pause_reading()
            self._queue(heavy=True)

    def _queue(self, *, heavy: bool = False) -> None:
        """Wait for a turn: behind others, but inside one process only for the loop's next."""
        self._deaf = self._queued = True
        if self._network.key:
            self._scheduler.queue(self, self._network, heavy=heavy or not self._greeted)
        else:
            self._loop.call_soon(self.take_turn, self.limits.turn_seconds)

    def _read(self, end: float, between_looks: int) -> None:
        """Answer what has arrived, until it is all answered or the client should read first. The hot path."""
        connection, ahead = self._connection, self.limits.unsent_pause
        out, handle, reply, decode = connection.out, self._visit.handle, connection.reply, connection.decode
        left, looks = self.limits.turn, 0
        found: Any  # a plain tuple is a request: one look at the type, where four kinds would take three
        while frames := connection.frames():
            while frames:
                found = frames.pop()
                if type(found) is not tuple and type(found := decode(found)) is not tuple:
                    self._take_note(found)
                else:
                    msgid, params = found
                    try:
                        if not self._greeted or self._waiting:
                            self._admit(params)
                        answer: Any = handle(params)
                        if type(answer) in _REPLIES:
                            reply(msgid, answer)
                            self._greeted = True
                        else:
                            self._await(msgid, params, answer)
                            looks, end = 0, end - self.limits.deferred_seconds
                    except Exception as error:  # noqa: BLE001 - whatever goes wrong in a handler, the line goes on
                        connection.refuse(msgid, self._refusal(params, error))
                left -= 1
                if len(out) > ahead:
                    self._flush()
                    self._look_at_the_clock(left, end)
                elif not left & looks and (frames or connection.uncut):
                    looks = (looks << 1 | 1) & between_looks
                    self._look_at_the_clock(left, end)
                if self._deaf:
                    return
        self._flush()

    def _take_note(self, found: Malformed | Notification | Fault) -> None:
        """Deal with a message that is not a request; it costs its share of the turn like one."""
        if isinstance(found, Malformed):
            self._connection.refuse(found.msgid, found.error)
        elif isinstance(found, Fault):
            self.close(ByeNotice(code=found.code, message=found.message))
        else:
            self._count_notification()

    def _count_notification(self) -> None:
        """End the connection when it sends more notifications than any client needs."""
        now, limits = self._now(), self.limits
        if now >= self._notifications_until:
            self._notifications, self._notifications_until = 0, now + limits.notifications_seconds
        self._notifications += 1
        if self._notifications > limits.notifications:
            message = f"More than {limits.notifications} notifications have come; this server takes requests."
            self.close(ByeNotice(code=Code.TOO_MANY, message=message))

    def _look_at_the_clock(self, left: int, end: float) -> None:
        """End the turn when so many requests are answered that none are `left`, or when it is past its `end`."""
        if left <= 0 or self._now() >= end:
            self._flush()
            if not self._deaf and self._connection.unread:
                self._deaf = self._turn_is_over = True

    def _admit(self, params: Params) -> None:
        """Let pass what may be asked now: only `hello` before a hello was answered, and not too much at once."""
        if not self._greeted and type(params) is not HelloRequest:
            raise ScovilleError(Code.HELLO_FIRST, "Say hello first, and wait for its answer.")
        if len(self._waiting) >= self.limits.pending_requests:
            raise ScovilleError(
                Code.TOO_MANY,
                f"{len(self._waiting)} requests of this connection wait for their answers; wait for some of them.",
            )

    def _await(self, msgid: int, params: Params, answer: Awaitable[Reply]) -> None:
        """Answer when the result is there. One that is there already is answered at once; its error is raised."""
        waiting = begun(answer)
        if isinstance(waiting, Eventual) and waiting.done():
            self._connection.reply(msgid, waiting.result())
            return
        self._waiting.add(waiting)
        self._network.charge(self._now(), self.limits.deferred_seconds)
        work = self._scheduler.begin_work(self._network) if self._takes_turn else None
        waiting.add_done_callback(partial(self._answer_late, msgid, params, work))

    def _answer_late(self, msgid: int, params: Params, work: Work | None, answer: Pending[Reply]) -> None:
        self._waiting.discard(answer)
        if work is not None:
            work.done()
        if self._closing:
            self._hear_out(params, answer)
            return
        if answer.cancelled():
            self._connection.refuse(msgid, ScovilleError(Code.SHUTTING_DOWN, "The server has given this request up."))
        elif (error := answer.exception()) is not None:  # raised here it would know this frame, which knows the answer
            self._connection.refuse(msgid, self._refusal(params, error))
        else:
            self._connection.reply(msgid, answer.result())
            self._greeted = True
        self._flush_soon()

    def _hear_out(self, params: Params, answer: Pending[Reply]) -> None:
        """Take note of an answer that nobody waits for any more: a refusal is nothing, a fault of ours is logged."""
        error = None if answer.cancelled() else answer.exception()
        if isinstance(error, Exception):
            self._refusal(params, error)

    def _refusal(self, params: Params, error: BaseException) -> ScovilleError:
        """Choose what the client hears of an error: what was meant for it, or of a fault of ours one sentence."""
        if isinstance(error, ScovilleError):
            return error
        method = METHOD_OF[type(params)]
        _logger.error("%s of %s failed", method, self.address or "a client inside", exc_info=error)
        return ScovilleError(Code.INTERNAL, f"The server failed at {method}: its fault, not yours.")

    # --- what is sent -------------------------------------------------------------------------------

    def _flush_soon(self) -> None:
        if not self._flush_is_due:
            self._flush_is_due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        """Write everything queued at once; drop a client that lets too much pile up."""
        self._flush_is_due = False
        if self._closing or not self._connection.out:
            return
        was_paused = self._paused
        self._transport.write(self._connection.take())
        unsent = self._transport.get_write_buffer_size()
        if was_paused and unsent > self.limits.unsent_drop:
            self.drop()
        elif unsent:
            self._scheduler.buffers.note(self)

    @property
    def network(self) -> str:
        """The network that the client comes from; empty inside one process."""
        return self._network.key

    @property
    def held(self) -> int:
        """Bytes in the buffers of this connection."""
        return self._transport.get_write_buffer_size() + self._connection.held

    def drop(self) -> None:
        """Cut off a client that does not read, or that leaves messages unfinished while others need the room."""
        _logger.info("%s has stopped reading: dropped", self.address or "A client inside")
        self._closing = self._deaf = True
        self._transport.abort()

    def _never_said_hello(self) -> None:
        if not self._greeted:
            seconds = f"{self.limits.hello_seconds:g}"
            self.close(ByeNotice(code=Code.HELLO_FIRST, message=f"No hello has come within {seconds} seconds."))


def _address(transport: asyncio.BaseTransport) -> str:
    peer = transport.get_extra_info("peername")
    return f"{peer[0]}:{peer[1]}" if isinstance(peer, tuple) else ""
