"""Page: one open page, from its first message to its end; it owns a hosted session.

Messages between the page and the door are JSON in text frames; binary frames are those of the terminal, both ways. The
queue to the page is bounded, and the session is paused while the page does not take it.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Annotated, Any, Final, Protocol, TypeVar

import msgspec
from aiohttp import WSMessage, WSMsgType, web
from msgspec import Meta, Struct

from scoville_client.doors.hosting.metering import Meter
from scoville_client.doors.hosting.terminal import Channel
from scoville_client.doors.web.options import FRAME_SECONDS, INPUT_FRAME, WebLimits
from scoville_client.i18n.language import tr
from scoville_runtime.clock import Clock

Cells = Annotated[int, Meta(ge=1, le=10_000)]


class Hello(Struct, frozen=True, tag="hello", tag_field="type"):
    """The first message of a page: the size of its terminal, whether it is touched, and the table in its address.

    With `lines` it wants lines of text instead of screens, and sends whole lines.
    """

    columns: Cells
    rows: Cells
    touch: bool = False
    lines: bool = False
    table: Annotated[str, Meta(max_length=64)] = ""


class Resize(Struct, frozen=True, tag="resize", tag_field="type"):
    """The terminal has another size."""

    columns: Cells
    rows: Cells


class Ping(Struct, frozen=True, tag="ping", tag_field="type"):
    """Asks whether the door is still there."""


class Pong(Struct, frozen=True, tag="pong", tag_field="type"):
    """Answers a ping."""


class Key(Struct, frozen=True):
    """A key of the client's key bar: how it is written, its word, and what a terminal sends for it."""

    key: str
    word: str
    send: str


class KeyRow(Struct, frozen=True, tag="keys", tag_field="type"):
    """The keys that work now, for the row of a touch screen."""

    keys: list[Key]


class Theme(Struct, frozen=True, tag="theme", tag_field="type"):
    """The client has another theme: what surrounds the terminal follows it. A page begins dark."""

    light: bool


class File(Struct, frozen=True, tag="file", tag_field="type"):
    """A file for the user to save."""

    name: str
    text: str


class Secret(Struct, frozen=True, tag="secret", tag_field="type"):
    """Whether the next line is a password, so that the page hides what is typed."""

    wanted: bool


class End(Struct, frozen=True, tag="end", tag_field="type"):
    """The session ends: why, and what the button to begin again says; with `retry` the page does so by itself."""

    text: str
    button: str = ""
    retry: bool = False


FromPage = Hello | Resize | Ping
ToPage = Pong | KeyRow | Theme | File | Secret | End


class BadMessageError(Exception):
    """The page has sent a message that no page sends."""


def decode_message(text: str) -> FromPage:
    """Return a message of the page. Raises BadMessageError."""
    try:
        message: FromPage = msgspec.json.decode(text, type=FromPage)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadMessageError(str(error)) from None
    return message


def encode_message(message: ToPage) -> str:
    """Return a message to the page."""
    return msgspec.json.encode(message).decode()


T = TypeVar("T")
_END_SECONDS: Final = 5.0
"""Seconds for the last messages."""


class PausableSession(Protocol):
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
        self.session: PausableSession | None = None
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
        """Send a message after those that wait already."""
        if not self.is_closed:
            self._waiting.append(encode_message(message))
            self._news.set()

    async def send_forever(self) -> None:
        """Send waiting messages, until the connection is gone or cut. Raises ConnectionError when it is gone."""
        while not self.is_closed:
            await self._news.wait()
            self._news.clear()
            while self._waiting and not self.is_closed:
                await self._send_next()
            if self.session is not None and not self.is_closed:
                self.session.resume()

    async def send_waiting(self) -> None:
        """Send the waiting messages. Raises ConnectionError."""
        while self._waiting:
            await self._send_next()

    async def _send_next(self) -> None:
        first = self._waiting.popleft()
        if isinstance(first, str):
            await self._socket.send_str(first)
            return
        # In one message: a screen is drawn by many small writes, and each message costs both ends.
        parts = [first]
        while self._waiting and isinstance(following := self._waiting[0], bytes):
            parts.append(following)
            self._waiting.popleft()
        joined = b"".join(parts)
        try:
            await self._socket.send_bytes(joined)
        finally:
            self._bytes -= len(joined)


class PageSession(Protocol):
    """The hosted session as the page drives it."""

    task: asyncio.Task[None]

    def receive(self, data: bytes) -> None:
        """Handle input."""

    def resize(self, size: tuple[int, int]) -> None:
        """Draw on a terminal of another size."""

    def pause(self) -> None:
        """Draw nothing more."""

    def resume(self) -> None:
        """Draw again."""

    def lose_connection(self) -> None:
        """End after the connection was lost."""


Open = Callable[[Hello, PageChannel], PageSession]
"""Begins a session for a page."""


class Page:
    """An open page. `run_session` returns when it is closed and its session has ended.

    Args:
        socket: The WebSocket, once it is open.
        open_session: Begins the session when the page has said its size.
        limits: The door's limits.
        clock: The clock of time limits.
        meter: The allowance of the connection.
        on_closed: Called once the session has ended, so that the visitor's next page can begin.
    """

    def __init__(
        self,
        socket: web.WebSocketResponse,
        open_session: Open,
        limits: WebLimits,
        clock: Clock,
        meter: Meter,
        on_closed: Callable[[], object],
    ) -> None:
        self._socket = socket
        self._open_session = open_session
        self._limits = limits
        self._clock = clock
        self._meter = meter
        self._on_closed = on_closed
        self._over = asyncio.Event()
        """Set when the page is to be closed."""
        self._end: End | None = None
        self._session: PageSession | None = None
        self._channel = PageChannel(socket, limits.output_bytes, self._session_ended)
        self.closed = asyncio.Event()

    @property
    def channel(self) -> Channel:
        """The way to the page's terminal."""
        return self._channel

    def end_session(self, end: End) -> None:
        """End the page, and tell it why."""
        self._end = self._end or end
        self._over.set()

    def _session_ended(self, status: int | None) -> None:
        if status is not None:
            self._end = self._end or End(tr("You have left Scoville."), tr("Come back"))
        self._over.set()

    async def run_session(self) -> None:
        """Serve the page until it is closed, or its session has ended."""
        tasks: list[asyncio.Task[Any]] = [asyncio.ensure_future(self._over.wait())]
        try:
            async with self._clock.limit(self._limits.hello_seconds):
                hello = await self._first_of(self._receive_hello(), tasks)
            if hello is not None:
                session = self._session = self._open_session(hello, self._channel)
                self._channel.session = session
                tasks.append(asyncio.ensure_future(self._channel.send_forever()))
                await self._first_of(self._read_messages(session), tasks)
        except TimeoutError:
            self.end_session(End(tr("The page did not answer."), retry=True))
        # Without a reason: no page of ours sends that, or nobody is left to read it.
        except (BadMessageError, ConnectionError):
            pass
        finally:
            await self._close_socket(tasks)

    async def _first_of(self, awaited: Coroutine[Any, Any, T], tasks: list[asyncio.Task[Any]]) -> T | None:
        """Return the result of `awaited`, None if another of the tasks ends first."""
        wanted = asyncio.ensure_future(awaited)
        tasks.append(wanted)
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        # `_close_socket` cancels it with the others.
        if not wanted.done():
            return None
        tasks.remove(wanted)
        return wanted.result()

    async def _close_socket(self, tasks: list[asyncio.Task[Any]]) -> None:
        for task in tasks:
            task.cancel()
        try:
            # The session first: its last bytes still have to be sent.
            await asyncio.gather(*tasks, return_exceptions=True)
            if self._session is not None:
                self._session.lose_connection()
                await asyncio.wait([self._session.task])
        finally:
            # Before the goodbye: the visitor's next page waits for this, and not for a browser that is gone.
            self.closed.set()
            self._on_closed()
        await self._say_end()
        self._channel.abort()

    async def _say_end(self) -> None:
        """Send waiting messages and the reason of the end, to a page that takes them."""
        # The browser may be gone already.
        with suppress(ConnectionError, TimeoutError):
            async with self._clock.limit(_END_SECONDS):
                if self._end is not None and not self._channel.is_closed:
                    self._channel.send_message(self._end)
                    await self._channel.send_waiting()
                await self._socket.close()

    async def _receive_hello(self) -> Hello | None:
        """Return the first message; None when there is none, or another."""
        message = await self._receive_message()
        if message.type is not WSMsgType.TEXT:
            return None
        with suppress(BadMessageError):
            hello = decode_message(message.data)
            return hello if isinstance(hello, Hello) else None
        return None

    async def _receive_message(self) -> WSMessage:
        """Return the next message, as fast as the page may cost; answer pings, and ignore the answers to ours."""
        while True:
            # Before the next one is taken from the socket, so that TCP slows a page down that sends too much.
            if wait := self._meter.seconds_to_wait():
                await self._clock.sleep(wait)
            message = await self._socket.receive()
            self._meter.charge_seconds(FRAME_SECONDS)
            if message.type is WSMsgType.PING:
                await self._socket.pong(message.data)
            elif message.type is not WSMsgType.PONG:
                return message

    async def _read_messages(self, session: PageSession) -> None:
        """Handle messages from the page. Returns when it is closed, or sends one that no page sends."""
        while True:
            message = await self._receive_message()
            if message.type is WSMsgType.BINARY and len(message.data) <= INPUT_FRAME:
                session.receive(message.data)
            elif message.type is WSMsgType.TEXT:
                self._handle_text(message.data, session)
            else:
                return

    def _handle_text(self, text: str, session: PageSession) -> None:
        match decode_message(text):
            case Resize(columns=columns, rows=rows):
                session.resize((columns, rows))
            case Ping():
                self._channel.send_message(Pong())
            case Hello():
                raise BadMessageError("a second hello")
