"""Channel to a page: what waits to be sent is bounded, and the session is paused while the page does not take it."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from aiohttp import web

from scoville_client.doors.web.pages.messages import ToPage, encode_message


class Paused(Protocol):
    """The session, as far as its channel controls it."""

    def pause(self) -> None:
        """Draw nothing more."""

    def resume(self) -> None:
        """Draw again."""


class PageChannel:
    """Sends what a session draws, and messages, over one WebSocket, in their order.

    Args:
        socket: The WebSocket, once it is open.
        most: Bytes that may wait before the session is paused.
        on_end: Called with the exit status of the session, or with None when the connection is to be cut.
    """

    def __init__(self, socket: web.WebSocketResponse, most: int, on_end: Callable[[int | None], None]) -> None:
        self._socket = socket
        self._most = most
        self._on_end = on_end
        self._waiting: deque[bytes | str] = deque()
        self._bytes = 0
        self._news = asyncio.Event()
        self.session: Paused | None = None
        self.is_closed = False

    # --- the channel of a hosted session --------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        """Send bytes to the terminal; after the end of the connection they are dropped."""
        if self.is_closed or not data:
            return
        self._waiting.append(data)
        self._bytes += len(data)
        self._news.set()
        if self._bytes > self._most and self.session is not None:
            self.session.pause()

    def end(self, status: int) -> None:
        """Note that the session has ended."""
        self._on_end(status)

    def abort(self) -> None:
        """Cut the connection at once."""
        self.is_closed = True
        self._on_end(None)

    # --- messages and the pump ------------------------------------------------------------------------------

    def send_message(self, message: ToPage) -> None:
        """Send a message after what waits already."""
        if not self.is_closed:
            self._waiting.append(encode_message(message))
            self._news.set()

    async def send_forever(self) -> None:
        """Send what waits, until the connection is gone or cut. Raises ConnectionError when it is gone."""
        while not self.is_closed:
            await self._news.wait()
            self._news.clear()
            while self._waiting and not self.is_closed:
                await self._send_next()
            if self.session is not None and not self.is_closed:
                self.session.resume()

    async def send_waiting(self) -> None:
        """Send what waits now. Raises ConnectionError."""
        while self._waiting:
            await self._send_next()

    async def _send_next(self) -> None:
        first = self._waiting.popleft()
        if isinstance(first, str):
            await self._socket.send_str(first)
            return
        parts = [first]
        while self._waiting and isinstance(following := self._waiting[0], bytes):
            parts.append(following)
            self._waiting.popleft()
        joined = b"".join(parts)
        try:
            await self._socket.send_bytes(joined)
        finally:
            self._bytes -= len(joined)
