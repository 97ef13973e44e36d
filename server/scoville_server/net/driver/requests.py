"""Requests of one connection: read in turns, admitted, handed to the service and answered, at once or later."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, Protocol

from scoville_runtime.connection_log import RECEIVED, ConnectionLog
from scoville_runtime.token_bucket import bucket_of
from scoville_server.background.eventual import Eventual, Pending, start_awaitable
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.peer import ConnectionHandler
from scoville_server.net.read_scheduler import DOORS, Network, ReadScheduler, Work, charge_both
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.connection import Fault, Malformed, Notification, Request, ServerConnection
from scoville_shared.protocol.messages import (
    METHOD_OF,
    METHODS,
    ByeNotice,
    HelloRequest,
    Params,
    PingRequest,
    ReadCalendarRequest,
    Reply,
    ReportDoorRequest,
)
from scoville_shared.protocol.state import ConnectionState

_logger = logging.getLogger(__name__)
CLIENT_BEHIND: Final = 1
QUEUED: Final = 2
TURN_OVER: Final = 4
ENDING: Final = 8
HELD: Final = 16
"""Reasons why nothing is read, as bits: the client does not read, others come first, the turn was long enough, the
connection ends, or the server does, and a successor answers what is not answered here. Reading continues when none is
left. Plain numbers, since each message tests them: an `IntFlag` costs twenty times as much."""
_BETWEEN_LOOKS = 7
"""While there is more to read, the clock is read after the first, second, fourth and then every eighth message, and
after every long answer: to read it costs as much as some answers. In the queue it is read after every message."""
_DOORS_PEER: Final = f"{DOORS}:0"
"""A "host:port" in the network of doors."""
_REPLIES = frozenset(method.reply for method in METHODS.values())
_BEFORE_HELLO = (PingRequest, ReportDoorRequest, ReadCalendarRequest)
_OPEN, _GREETING = ConnectionState.OPEN, ConnectionState.GREETING


class Flushes(Protocol):
    """Bytes that wait to be sent."""

    def flush(self) -> int:
        """Write everything at once."""

    def flush_soon(self) -> None:
        """Write everything at the end of this turn of the loop."""


class IncomingRequests(Protocol):
    """The requests that are read in turns."""

    def read_requests(self, began: float, seconds: float, between_looks: int) -> None:
        """Read for so many seconds from `began` on, and look at the clock after every `between_looks` + 1 messages."""


class ReadingDriver(Protocol):
    """The connection of `ReadTurns`."""

    transport: asyncio.Transport

    @property
    def requests(self) -> IncomingRequests:
        """Its requests."""

    @property
    def outgoing(self) -> Flushes:
        """Bytes that wait to be sent."""


class ReadTurns:
    """Turns of one connection: when it is read, for how long, and when it waits behind others.

    For the scheduler it is the reader. Reading is charged to the connection and to its network.
    """

    __slots__ = (
        "_connection",
        "_driver",
        "_limits",
        "_now",
        "_scheduler",
        "_takes_turn",
        "held_back",
        "meter",
        "shared_meter",
    )

    def __init__(
        self, driver: ReadingDriver, connection: ServerConnection, limits: ConnectionLimits, scheduler: ReadScheduler
    ) -> None:
        self._driver = driver
        self._connection = connection
        self._limits = limits
        self._scheduler = scheduler
        self._now = scheduler.now  # a loop's own time stands still during a turn
        self.held_back = 0
        """Why nothing is read: the bits from CLIENT_BEHIND to HELD; 0 while reading continues."""
        self.meter = scheduler.make_meter()
        self.shared_meter: Network
        """The meter of the connection's network."""
        self._takes_turn = False

    def join_network(self, address: str) -> None:
        """Count the connection where it comes from, from now on."""
        self.shared_meter = self._scheduler.join_network(address)

    def change_network(self, address: str) -> None:
        """Count the connection under the network of another "host:port", from now on."""
        # Its use so far stays with the former network: the other one has not asked for it.
        self._scheduler.leave_network(self.shared_meter)
        self.join_network(address)

    def release(self) -> None:
        """Read nothing more: the connection is lost."""
        del self._driver  # it knows this object: a cycle would wait for the garbage collector

    def read_or_queue(self, began: float, *, much: bool = True) -> None:
        """Read arrived requests at once, unless the network has used much of the server lately."""
        scheduler, network, greets = self._scheduler, self.shared_meter, self._connection.state is _GREETING
        if _may_read_at_once(scheduler, network, began, greets=greets):
            scheduler.note_read_at_once(self, network, began)
        elif scheduler.must_queue(self, network, began, much=much or greets):
            charge_both(network, self.meter, began, scheduler.cost_since(began))
            self._wait_for_turn()
            return
        self._read_for(self._limits.turn_seconds, began, _BETWEEN_LOOKS)

    def take_turn(self, seconds: float) -> None:
        """Read the requests that have waited, for so many seconds."""
        self.held_back &= ~QUEUED
        if not self.held_back:
            # Before the read: requests that it leaves over pause the transport again.
            self._driver.transport.resume_reading()
            self.read_in_turn(self._scheduler.begin_read(), seconds)

    def read_in_turn(self, began: float, seconds: float) -> None:
        """Read for so many seconds in a turn that began at `began`."""
        self._takes_turn = True
        self._scheduler.note_read(self, began)
        # 0: in the queue others wait, so the clock is read after every message.
        self._read_for(seconds, began, 0)
        self._takes_turn = False

    def _read_for(self, seconds: float, began: float, between_looks: int) -> None:
        """Read for so many seconds from `began` on, and charge the cost."""
        arrives = self._connection.state is _GREETING
        self._driver.requests.read_requests(began, seconds, between_looks)
        cost = self._scheduler.cost_since(began)
        charge_both(self.shared_meter, self.meter, began, cost)
        if arrives:
            self._scheduler.arrivals.charge_use(began, cost)
        elif self.shared_meter.calm_from > began:
            self._scheduler.crowd.charge_use(began, cost)
        if self.held_back & TURN_OVER:
            self.held_back &= ~TURN_OVER
            self._driver.transport.pause_reading()
            self._wait_for_turn(heavy=True)

    def _wait_for_turn(self, *, heavy: bool = False) -> None:
        """Wait for a turn: behind others, but inside one process only for the loop's next."""
        self.held_back |= QUEUED
        # A connection inside this process has no network to compete with, and a practice game waits for nobody.
        if self.shared_meter.key:
            heavy = heavy or self._connection.state is _GREETING
            self._scheduler.queue_reader(self, self.shared_meter, heavy=heavy)
        else:
            asyncio.get_running_loop().call_soon(self.take_turn, self._limits.turn_seconds)

    def end_turn_if_over(self, left: int, end: float) -> None:
        """End the turn when its requests are answered (`left` is 0), or when its `end` has passed."""
        if left <= 0 or self._now() >= end:
            self._driver.outgoing.flush()
            if not self.held_back and self._connection.unread:
                self.held_back |= TURN_OVER

    def begin_work(self) -> Work | None:
        """Charge the network for a request that is answered later; one of a queued connection counts as work."""
        # Its real cost is not known yet; charged in advance, many such requests use up a network's share like others.
        self.shared_meter.charge_use(self._now(), self._limits.deferred_seconds)
        return self._scheduler.begin_work(self.shared_meter) if self._takes_turn else None


def _may_read_at_once(scheduler: ReadScheduler, network: Network, began: float, *, greets: bool) -> bool:
    if network.until > began:
        return False
    # Before hello many networks arrive in turns, each of which has used nothing yet.
    if greets:
        return not network.queued and scheduler.arrivals.until <= began
    # The networks of a crowd share what one of them could use alone.
    return network.calm_from <= began or (not network.queued and scheduler.crowd.until <= began)


class AnsweringDriver(Protocol):
    """The connection of `Requests`."""

    address: str
    handler: ConnectionHandler
    turns: ReadTurns

    @property
    def outgoing(self) -> Flushes:
        """Bytes that wait to be sent."""

    def admit_hello(self, hello: HelloRequest) -> None:
        """Raise ScovilleError for the hello of a connection that may not stay."""

    def move_to(self, state: ConnectionState) -> None:
        """Enter another state."""

    def close(self, bye: ByeNotice | None = None) -> None:
        """Send a goodbye and close."""


class PendingReplies:
    """The requests of one connection that are not answered yet.

    Args:
        connection: The sans-io connection that writes the answers.
        refuse: Answers a request with an error.
        replied: Called after every late answer with the request, and when it was read; None for an error.
    """

    __slots__ = ("_answer_with_error", "_connection", "_replied", "waiting")

    def __init__(
        self,
        connection: ServerConnection,
        refuse: Callable[[int, Params, BaseException], None],
        replied: Callable[[Params, float | None], None],
    ) -> None:
        self._connection = connection
        self._answer_with_error = refuse
        self._replied = replied
        self.waiting: set[Pending[Reply]] = set()
        """The results that are not there yet."""

    def add_reply(
        self, msgid: int, params: Params, answer: Awaitable[Reply], work: Callable[[], Work | None], began: float
    ) -> bool:
        """Answer when the result is there; returns whether it was there already. Raises that result's error.

        `work` is called for a result that is not there yet, and counts the request until it is answered. The request
        was read at `began`.
        """
        waiting = start_awaitable(answer)
        # Answered in this turn without a callback, which would wait for the loop's next.
        if isinstance(waiting, Eventual) and waiting.done():
            self._connection.reply(msgid, waiting.result())
            return True
        self.waiting.add(waiting)
        waiting.add_done_callback(partial(self._send_answer, msgid, params, work(), began))
        return False

    def cancel_all(self) -> None:
        """Cancel all waiting requests: the connection is lost."""
        for answer in self.waiting:
            answer.cancel()

    def _send_answer(self, msgid: int, params: Params, work: Work | None, began: float, answer: Pending[Reply]) -> None:
        self.waiting.discard(answer)
        if work is not None:
            work.end_work()
        # Nobody is left to answer, but a bug that only shows on closed connections must reach the log.
        if self._connection.state in (ConnectionState.CLOSING, ConnectionState.CLOSED):
            error = None if answer.cancelled() else answer.exception()
            if error is not None and not isinstance(error, ScovilleError):
                log_failure(params, "a closed connection", error)
        elif answer.cancelled():
            error = ScovilleError(Code.SHUTTING_DOWN, "The server has cancelled this request.")
            self._answer_with_error(msgid, params, error)
            self._replied(params, None)
        elif (error := answer.exception()) is not None:  # raised here it would know this frame, which knows the answer
            self._answer_with_error(msgid, params, error)
            self._replied(params, None)
        else:
            self._connection.reply(msgid, answer.result())
            self._replied(params, began)


class Requests:
    """Reads the requests of one connection, and answers them.

    Args:
        driver: The connection.
        connection: Its sans-io half.
        limits: How much of it is read at a time.
        log: Its debug log.
        now: Returns monotonic seconds.
    """

    __slots__ = (
        "_connection",
        "_driver",
        "_limits",
        "_log",
        "_notifications",
        "_now",
        "from_door",
        "pending",
        "withheld",
    )

    def __init__(
        self,
        driver: AnsweringDriver,
        connection: ServerConnection,
        limits: ConnectionLimits,
        log: ConnectionLog,
        now: Callable[[], float],
    ) -> None:
        self._driver = driver
        self._connection = connection
        self._limits = limits
        self._log = log
        self._now = now
        self._notifications = bucket_of(limits.notifications, limits.notifications_seconds, now())
        self.from_door = False
        """Whether a door has reported on this connection, which needs no `hello` then."""
        self.withheld: tuple[Request, ...] = ()
        """Requests that get no answer here: the successor answers them, or their client sends them again to it."""
        self.pending = PendingReplies(connection, self._answer_with_error, self._replied_late)

    def release(self) -> None:
        """Give up waiting requests: the connection is lost."""
        self.pending.cancel_all()
        del self.pending  # it knows this object: a cycle would wait for the garbage collector

    def read_requests(  # noqa: C901 - calls would double its cost
        self, began: float, seconds: float, between_looks: int
    ) -> None:
        """Answer the arrived requests until all are answered or the client should read first. The hot path.

        The turn began at `began` and lasts so many seconds; each request counts as read when it began.
        """
        driver, connection, pause = self._driver, self._connection, self._limits.unsent_pause
        turns = driver.turns
        out, handle, reply, decode = (
            connection.out,
            driver.handler.handle_request,
            connection.reply,
            connection.decode_frame,
        )
        left, looks, log, waiting = self._limits.turn, 0, self._log, self.pending.waiting
        end, note_answer = began + seconds, driver.handler.note_answer
        found: Any  # a plain tuple is a request: one look at the type, where four kinds would take three
        while frames := connection.read_frames():
            while frames:
                found = frames.pop()
                if type(found) is not tuple and type(found := decode(found)) is not tuple:
                    self._handle_other(found)
                else:
                    msgid, params = found
                    if log.on:
                        log.log_message(RECEIVED, msgid, METHOD_OF[type(params)])
                    try:
                        # The usual request of an open connection passes with two looks and no call.
                        if connection.state is not _OPEN or waiting:
                            self._check_admission(params)
                        answer: Any = handle(params)
                        if type(answer) in _REPLIES:
                            reply(msgid, answer)
                            note_answer(params, began)
                            if connection.state is _GREETING:
                                self._open_after(params)
                        else:
                            if self.pending.add_reply(msgid, params, answer, turns.begin_work, began):
                                note_answer(params, began)
                            # An answer that comes later costs time after this turn: the turn gets shorter by it, and
                            # the clock is read next.
                            looks, end = 0, end - self._limits.deferred_seconds
                    except Exception as error:  # noqa: BLE001 - a fault in a handler must not end the connection
                        self._answer_with_error(msgid, params, error)
                left -= 1
                # Flushed in between: only the transport knows whether the client reads, and it is what sets
                # CLIENT_BEHIND.
                if len(out) > pause:
                    driver.outgoing.flush()
                    turns.end_turn_if_over(left, end)
                # `looks` is a mask of low bits, so `left & looks` is 0 every first, second, fourth and then eighth
                # message.
                elif not left & looks and (frames or connection.may_cut_more):
                    looks = (looks << 1 | 1) & between_looks
                    turns.end_turn_if_over(left, end)
                if turns.held_back:
                    return
        driver.outgoing.flush()

    def _handle_other(self, found: Malformed | Notification | Fault) -> None:
        """Handle a message that is not a request; it costs its share of the turn like one."""
        if isinstance(found, Malformed):
            self._log.log_refusal(found.msgid, found.error.code)
            self._driver.handler.note_malformed_request(found.error.code)
            self._connection.refuse(found.msgid, found.error)
        elif isinstance(found, Fault):
            self._driver.close(ByeNotice(code=found.code, message=found.message))
        elif not self._notifications.take_if_enough(1, self._now()):
            most = self._limits.notifications
            message = f"The connection sent more than {most} notifications; this server accepts only requests."
            self._driver.close(ByeNotice(code=Code.TOO_MANY, message=message))

    def _check_admission(self, params: Params) -> None:
        """Raise ScovilleError for most requests before `hello` was answered, and for too many unanswered ones."""
        if self._connection.state is _GREETING:
            if type(params) is HelloRequest:
                if self.from_door:
                    self._driver.turns.change_network(self._driver.address)  # a user's connection from now on
                self._driver.admit_hello(params)
            elif type(params) not in _BEFORE_HELLO:
                raise ScovilleError(Code.HELLO_FIRST, "Send hello first, and wait for its reply.")
        if len(self.pending.waiting) >= self._limits.pending_requests:
            waiting = f"{len(self.pending.waiting)} requests of this connection are waiting for replies"
            raise ScovilleError(Code.TOO_MANY, f"{waiting}; wait for some of them.")

    def _answer_with_error(self, msgid: int, params: Params, error: BaseException) -> None:
        """Answer with an error; an exception that is none of the protocol's is logged, and hidden from the client."""
        if not isinstance(error, ScovilleError):
            error = log_failure(params, self._driver.address, error)
        if error.code == Code.SHUTTING_DOWN and self._driver.turns.held_back & HELD:
            self.withheld += ((msgid, params),)
            return
        self._log.log_refusal(msgid, error.code)
        self._driver.handler.note_refusal(params, error.code)
        self._connection.refuse(msgid, error)

    def _replied_late(self, params: Params, began: float | None) -> None:
        if began is not None:
            self._driver.handler.note_answer(params, began)
            if self._connection.state is _GREETING:
                self._open_after(params)
        self._driver.outgoing.flush_soon()

    def _open_after(self, params: Params) -> None:
        """Take every request from now on, if it is `hello` that was answered; the connection of a door may stay."""
        if type(params) is HelloRequest:
            self._driver.move_to(_OPEN)
        elif type(params) is ReportDoorRequest and not self.from_door:
            self.from_door = True
            # Until its credential was seen, a door on another machine was one of the users there.
            self._driver.turns.change_network(_DOORS_PEER)


def log_failure(params: Params, address: str, error: BaseException) -> ScovilleError:
    """Log an exception that no handler should raise, and return the error that the client gets in its place."""
    method = METHOD_OF[type(params)]
    _logger.error("%s of %s failed", method, address or "a client inside", exc_info=error)
    return ScovilleError(Code.INTERNAL, f"The server failed at {method} because of a bug.")
