"""Calls over a stream of bytes: what both links share once bytes can flow."""

import asyncio
from contextlib import suppress
from typing import cast

from scoville_client.clock import REAL, Clock
from scoville_client.i18n.language import words
from scoville_client.transport.base import CALL_SECONDS, LinkError, Listener
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.connection import Answer, ClientConnection
from scoville_shared.protocol.framing import Fault
from scoville_shared.protocol.messages import Params, Reply

FIRST_SECONDS = 8.0
"""How long to wait for the first sign that a Scoville server is there: somebody is looking at the screen."""

CLOSE_SECONDS = 2.0
"""How long to wait for the other end to take what was sent last."""


_NOT_SENT = "not_sent"
"""The code of what no message can carry: numbers of more than 64 bits, half a letter of UTF-16."""


class Caller(asyncio.Protocol):
    """The client's end of one stream: calls and their answers, and notices for the listener.

    `place` names the server in sentences. A line that ends before it has carried one sensible message is not called
    lost, it never was a line to a Scoville server; the calls under way say so.
    """

    def __init__(self, listener: Listener, place: str, seconds: float = CALL_SECONDS, clock: Clock = REAL) -> None:
        self._listener = listener
        self._place = place
        self._seconds = seconds
        self._clock = clock
        self._connection = ClientConnection()
        self._transport: asyncio.Transport | None = None
        self._waiting: dict[int, asyncio.Future[Reply]] = {}
        self._heard = False
        self._ended: str | None = None
        self._closed = asyncio.Event()

    async def call(self, params: Params) -> Reply:
        """Ask and wait for the answer. Raises ScovilleError also for what no message can carry."""
        if self._transport is None:
            raise LinkError(self._ended or words("There is no line to a server."))
        try:
            msgid = self._connection.call(params)
        except (OverflowError, UnicodeError) as error:
            raise ScovilleError(
                _NOT_SENT, words("That cannot be sent: a number is too long, or a letter is broken.")
            ) from error
        self._transport.write(self._connection.take())
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting[msgid] = answer
        try:
            async with self._clock.limit(self._patience):
                return await answer
        except TimeoutError:
            silence = self._silence()
            self._end(silence, tell=self._heard)
            raise LinkError(silence) from None
        finally:
            self._waiting.pop(msgid, None)

    @property
    def _patience(self) -> float:
        return self._seconds if self._heard else min(self._seconds, FIRST_SECONDS)

    async def hang_up(self) -> None:
        """Close the line, and wait until it is; the listener is not told."""
        if self._transport is not None:
            self._end(words("The line was closed."), tell=False)
        with suppress(TimeoutError):
            async with self._clock.limit(CLOSE_SECONDS):
                await self._closed.wait()

    # --- what the transport calls -----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Bytes can flow."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Sort what arrived: answers to their calls, notices to the listener."""
        self._connection.feed(data)
        for message in self._connection.incoming():
            if self._transport is None:
                return
            if isinstance(message, Fault):
                self._end(self._nonsense())
                return
            self._heard = True
            if isinstance(message, Answer):
                self._answer(message)
            else:
                self._listener.notice(message)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - whatever it was, the line is gone
        """The other end, or the way to it, is gone."""
        self._closed.set()
        if self._transport is not None:
            self._end(self._gone())

    # --- endings ----------------------------------------------------------------------------------------

    def _answer(self, answer: Answer) -> None:
        waiting = self._waiting.pop(answer.msgid, None)
        if waiting is None or waiting.done():
            return
        if isinstance(answer.result, ScovilleError):
            waiting.set_exception(answer.result)
        else:
            waiting.set_result(answer.result)

    def _end(self, reason: str, *, tell: bool = True) -> None:
        transport, self._transport, self._ended = self._transport, None, reason
        if transport is not None:
            transport.close()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(LinkError(reason))
        if tell:
            self._listener.lost(reason)

    def _gone(self) -> str:
        if self._heard:
            return words("The server at {place} is gone.", place=self._place)
        return words("{place} hung up without an answer. Is it a Scoville server?", place=self._place)

    def _nonsense(self) -> str:
        if self._heard:
            return words("The server at {place} sent something unreadable; the line is closed.", place=self._place)
        return words("Something answers at {place}, but it is no Scoville server.", place=self._place)

    def _silence(self) -> str:
        if self._heard:
            return words(
                "The server at {place} has not answered for {seconds} seconds.",
                place=self._place,
                seconds=self._seconds,
            )
        return words("{place} accepts the line but says nothing. Is it a Scoville server?", place=self._place)
