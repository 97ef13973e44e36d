"""Calls over a stream of bytes: requests with their replies, notices, time limits and the end of a connection."""

import asyncio
import ipaddress
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Final, cast

from scoville_client.i18n.language import tr
from scoville_client.transport.base import CALL_SECONDS, ConnectionEnds, LinkError, Listener
from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.connection_log import RECEIVED, SENT, ConnectionLog, ConnectionLogs
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.connection import Answer, ClientConnection, ConnectionState
from scoville_shared.protocol.framing import Fault
from scoville_shared.protocol.messages import METHOD_OF, NOTICE_OF, HelloReply, Notice, Params, Reply


def describe_loss(server_name: str, *, recognized: bool) -> str:
    """Say that the other end has closed the connection."""
    if recognized:
        return tr("The server at {place} has disconnected.", place=server_name)
    return tr("{place} closed the connection without an answer. Is it a Scoville server?", place=server_name)


def describe_invalid_data(server_name: str, *, recognized: bool) -> str:
    """Refuse arrived bytes that are no message."""
    if recognized:
        return tr("The server at {place} sent invalid data; the connection is closed.", place=server_name)
    return tr("{place} is not a Scoville server.", place=server_name)


def describe_silence(server_name: str, seconds: float, *, recognized: bool) -> str:
    """Say that no answer has come for some seconds."""
    if recognized:
        return tr("The server at {place} has not answered for {seconds} seconds.", place=server_name, seconds=seconds)
    return tr("{place} accepts the connection but does not answer. Is it a Scoville server?", place=server_name)


class PendingCalls:
    """The calls of one connection that were sent and not answered."""

    def __init__(self) -> None:
        self._replies: dict[int, asyncio.Future[Reply]] = {}

    @contextmanager
    def wait_for_reply(self, msgid: int) -> Iterator[asyncio.Future[Reply]]:
        """Expect the reply to a message inside the block. The future raises ScovilleError, or LinkError at the end."""
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._replies[msgid] = reply
        try:
            yield reply
        finally:
            self._replies.pop(msgid, None)

    def answer_call(self, answer: Answer) -> None:
        """Give an answer to its call; late ones are dropped."""
        reply = self._replies.pop(answer.msgid, None)
        # A call that timed out or was cancelled has left; its late answer belongs to nobody.
        if reply is None or reply.done():
            return
        if isinstance(answer.result, ScovilleError):
            reply.set_exception(answer.result)
        else:
            reply.set_result(answer.result)

    def fail_all(self, reason: str, error: type[LinkError] = LinkError) -> None:
        """Let every call raise a LinkError with a sentence."""
        for reply in self._replies.values():
            if not reply.done():
                reply.set_exception(error(reason))


FIRST_SECONDS = 8.0
"""Seconds to wait for the first message of the server: the user is looking at the screen."""

CLOSE_SECONDS = 2.0
"""Seconds to wait until the other end has received the last bytes."""

MOST_MESSAGES = 32
"""Messages that are read in one turn of the event loop."""
TURN_SECONDS = 0.004
"""Seconds after which a turn ends early: large messages take a millisecond each, and a key waits for several turns."""

_NOT_SENT = "not_sent"
"""Error code of requests that no message can carry: integers of more than 64 bits, half a surrogate pair."""

_USABLE = (ConnectionState.GREETING, ConnectionState.OPEN)


class Caller(asyncio.Protocol):
    """The client's end of one connection: sends requests, matches replies, passes notices to the listener.

    A connection that ends before it has carried one valid message is not reported as lost: it never reached a Scoville
    server, and the pending calls raise a LinkError that says so.

    Args:
        listener: Receives notices and the loss of the connection.
        server_name: The server's name in sentences.
        seconds: Limit of a call.
        clock: Clock for the limits.
    """

    def __init__(
        self, listener: Listener, server_name: str, seconds: float = CALL_SECONDS, clock: Clock = SYSTEM
    ) -> None:
        self._listener = listener
        self._server_name = server_name
        self._seconds = seconds
        self._clock = clock
        self._connection = ClientConnection()
        self._log = LOGS.open_log()
        self._transport: asyncio.Transport
        self._pending = PendingCalls()
        self._recognized = False
        """Whether a valid message has arrived: a Scoville server is there."""
        self._reason = ""
        """Why the connection ended, in a sentence."""
        self._error: type[LinkError] = LinkError
        """The error of later calls; it may end between the handshake and the first of them."""
        self._closed = asyncio.Event()
        self._reading = False
        """Whether messages are left for the next turn of the loop, and reading is paused."""

    @property
    def state(self) -> ConnectionState:
        return self._connection.state

    @property
    def local(self) -> bool:
        """Whether the other end has a loopback address."""
        # For a Unix socket or memory this is no pair; their links know by themselves that they are local.
        peer = self._transport.get_extra_info("peername")
        try:
            return isinstance(peer, tuple) and ipaddress.ip_address(peer[0]).is_loopback
        except ValueError:
            return False

    async def call(self, params: Params) -> Reply:
        """Send a request and wait for its reply.

        Raises:
            ScovilleError: The server refuses the request, or no message can carry it.
            LinkError: There is no connection, or it ends or times out before the reply.
        """
        if self.state not in _USABLE:
            raise self._error(self._reason or tr("There is no connection to a server."))
        try:
            msgid = self._connection.call_method(params)
        except (OverflowError, UnicodeError) as error:
            raise ScovilleError(
                _NOT_SENT, tr("This cannot be sent: a number is too long, or a character is invalid.")
            ) from error
        out = self._connection.take_bytes()
        self._log.log_message(SENT, msgid, METHOD_OF[type(params)])
        self._log.log_bytes(SENT, len(out))
        self._transport.write(out)
        # Behind the write, and still in time: nothing is read before the loop's next turn.
        with self._pending.wait_for_reply(msgid) as reply:
            try:
                async with self._clock.limit(self._limit):
                    return await reply
            except TimeoutError:
                silence = describe_silence(self._server_name, self._seconds, recognized=self._recognized)
                # A server that is silent for so long counts as lost: the connection may be half open.
                self.drop_connection(silence)
                raise LinkError(silence) from None

    @property
    def _limit(self) -> float:
        # Shorter until a Scoville server has answered: until then it may be anything that listens.
        return self._seconds if self._recognized else min(self._seconds, FIRST_SECONDS)

    def abandon(self) -> None:
        """Cut a connection that nothing was sent on; the listener is not called."""
        if self.state in _USABLE:
            self._enter_state(ConnectionState.CLOSING)
        self._transport.abort()

    def drop_connection(self, reason: str) -> None:
        """Count the connection as lost, for a reason in a sentence; the other end is not waited for."""
        if self.state in _USABLE:
            self._fail_connection(reason, lost=self._recognized)
            self._transport.abort()

    async def close(self) -> None:
        """Close the connection, and wait until the other end has; the listener is not called."""
        if self.state in _USABLE:
            self._end_connection(tr("The connection was closed."))
        # A server that does not answer must not keep the user from leaving.
        with suppress(TimeoutError):
            async with self._clock.limit(CLOSE_SECONDS):
                await self._closed.wait()

    # --- asyncio.Protocol -------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the greeting: bytes can travel."""
        self._transport = cast("asyncio.Transport", transport)
        self._enter_state(ConnectionState.GREETING)

    def data_received(self, data: bytes) -> None:
        """Give replies to their calls and notices to the listener."""
        self._log.log_bytes(RECEIVED, len(data))
        self._connection.feed_bytes(data)
        if not self._reading:
            self._read_some()

    def _read_some(self) -> None:
        """Read the next messages; reading pauses while there are more, so that a flood leaves time for the screens."""
        more = self._read_messages(MOST_MESSAGES)
        if more and self.state in _USABLE:
            if not self._reading:
                self._transport.pause_reading()
            # In the next turn of the loop, so that keys and paintings get theirs in between.
            asyncio.get_running_loop().call_soon(self._read_some)
        elif self._reading and self.state in _USABLE:
            self._transport.resume_reading()
        self._reading = more

    def _read_messages(self, most: int | None) -> bool:
        """Read up to `most` messages, None for all; return whether there may be more."""
        read, until = 0, self._clock.seconds() + TURN_SECONDS
        for read, message in enumerate(islice(self._connection.read_incoming(), most), 1):  # noqa: B007 - used after it
            if self.state not in _USABLE:
                return False
            if isinstance(message, Fault):
                self._fail_connection(describe_invalid_data(self._server_name, recognized=self._recognized))
                return False
            # Any valid message will do: a server may refuse before it answers `hello`.
            self._recognized = True
            log_message(self._log, message)
            if isinstance(message, Answer):
                self._answer_call(message)
            else:
                self._listener.receive_notice(message)
            if most is not None and self._clock.seconds() > until:
                return True
        return read == most

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the sentence is the same for all errors
        """Report the end to the pending calls and, unless it was closed here, to the listener."""
        self._closed.set()
        # Messages from before the end count: a goodbye among them says why, and whether to reconnect.
        if self._reading and self.state in _USABLE:
            self._read_messages(None)
        if self.state in _USABLE:
            reason = describe_loss(self._server_name, recognized=self._recognized)
            # Told apart: of a server that has proved itself it means something else.
            self._fail_connection(reason, error=LinkError if self._recognized else ConnectionEnds)
        self._enter_state(ConnectionState.CLOSED)

    # --- states and ends --------------------------------------------------------------------------------

    def _enter_state(self, state: ConnectionState) -> None:
        self._connection.move_to(state)
        self._log.log_state(state.value, ends=state is ConnectionState.CLOSED)

    def _answer_call(self, answer: Answer) -> None:
        if isinstance(answer.result, HelloReply) and self.state is ConnectionState.GREETING:
            self._enter_state(ConnectionState.OPEN)
        self._pending.answer_call(answer)

    def _fail_connection(self, reason: str, *, lost: bool = True, error: type[LinkError] = LinkError) -> None:
        self._log.log_error(reason)
        self._end_connection(reason, error)
        if lost:
            self._listener.note_loss(reason)

    def _end_connection(self, reason: str, error: type[LinkError] = LinkError) -> None:
        self._reason, self._error = reason, error
        greeting = self.state is ConnectionState.GREETING
        self._enter_state(ConnectionState.CLOSING)
        if greeting:  # a hello that is still on its way must not arrive after that of the next connection
            self._transport.abort()
        else:
            self._transport.close()
        self._pending.fail_all(reason, error)


LOGS: Final = ConnectionLogs("scoville.connection")
_LONGEST_CODE = 40
"""Characters of an error's code that are written: it comes from the server."""


def write_debug_log(file: Path) -> None:
    """Append the debug log of all connections of this process to a file, which only its owner may read.

    Raises OSError when the file cannot be written.
    """
    # Before logging opens it, which makes files that others may read.
    file.touch(mode=0o600)
    handler = logging.FileHandler(file, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s.%(msecs)03d %(message)s", "%H:%M:%S"))
    LOGS.logger.addHandler(handler)
    LOGS.logger.setLevel(logging.DEBUG)
    LOGS.logger.propagate = False


def log_message(log: ConnectionLog, message: Answer | Notice) -> None:
    """Write an answer by its call's number and kind or error code, a notice by its name."""
    if not log.on:
        return
    if not isinstance(message, Answer):
        log.log_notice(RECEIVED, NOTICE_OF[type(message)])
    elif isinstance(message.result, ScovilleError):
        log.log_refusal(message.msgid, _printable_code(message.result.code))
    else:
        log.log_message(RECEIVED, message.msgid, type(message.result).__name__)


def _printable_code(code: str) -> str:
    known = (sign.isascii() and (sign.isalnum() or sign == "_") for sign in code)
    return "".join(sign if kept else "?" for sign, kept in zip(code[:_LONGEST_CODE], known, strict=False))
