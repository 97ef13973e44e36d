"""A browser door in the test's process on a free port, and browsers that visit it: HTTP clients with cookies."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse, DummyCookieJar, WSMsgType

from scoville_client.doors.web.door import OpenSession, WebDoor
from scoville_client.doors.web.options import WebDoorOptions
from scoville_client.doors.web.page import Hello, PageChannel
from scoville_client.doors.web.site.site import WebVisit
from scoville_runtime.clock import Clock
from tests.support.clock import FakeClock

SECRET = b"s" * 32
HELLO = {"type": "hello", "columns": 80, "rows": 24}


class EchoSession:
    """A session that sends back what it receives, and notes what else happens to it."""

    def __init__(self, visit: WebVisit, hello: Hello, channel: PageChannel) -> None:
        self.visit, self.hello, self.channel = visit, hello, channel
        self.received = b""
        self.sizes = [(hello.columns, hello.rows)]
        self.paused = 0
        self.resumed = 0
        self.gone = asyncio.Event()
        self.task: asyncio.Task[None] = asyncio.ensure_future(self._run())
        channel.write(b"welcome")

    async def _run(self) -> None:
        await self.gone.wait()

    def receive(self, data: bytes) -> None:
        self.received += data
        self.channel.write(b"echo:" + data)

    def resize(self, size: tuple[int, int]) -> None:
        self.sizes.append(size)
        self.channel.write(f"size:{size[0]}x{size[1]}".encode())

    def pause(self) -> None:
        self.paused += 1

    def resume(self) -> None:
        self.resumed += 1

    def lose_connection(self) -> None:
        self.gone.set()


class Sessions:
    """Opens sessions and keeps them in a list."""

    def __init__(self) -> None:
        self.opened: list[EchoSession] = []

    def __call__(self, visit: WebVisit, hello: Hello, channel: PageChannel) -> EchoSession:
        self.opened.append(EchoSession(visit, hello, channel))
        return self.opened[-1]

    @property
    def last(self) -> EchoSession:
        return self.opened[-1]


@asynccontextmanager
async def door(
    open_session: OpenSession, options: WebDoorOptions | None = None, clock: Clock | None = None
) -> AsyncIterator[WebDoor]:
    """Run a door on a free port of this computer, with a clock that stands still."""
    chosen = options or WebDoorOptions(SECRET)
    served = WebDoor(chosen._replace(port=0, hosts=("127.0.0.1",)), open_session, clock or FakeClock().clock)
    await served.start()
    try:
        yield served
    finally:
        await served.close()


class Tab:
    """An open page."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket

    async def hello(self, **more: Any) -> "Tab":
        """Say hello, and wait for the session's welcome."""
        await self.send(**{**HELLO, **more})
        assert await self.output() == b"welcome"
        return self

    async def send(self, **message: Any) -> None:
        """Send a message."""
        await self.socket.send_str(json.dumps(message))

    async def output(self) -> bytes:
        """Return the next bytes for the terminal."""
        message = await self.socket.receive()
        assert message.type is WSMsgType.BINARY, message
        data: bytes = message.data
        return data

    async def message(self) -> dict[str, Any]:
        """Return the next message."""
        message = await self.socket.receive()
        assert message.type is WSMsgType.TEXT, message
        decoded: dict[str, Any] = json.loads(message.data)
        return decoded

    async def closed(self) -> bool:
        """Return whether nothing but the end comes."""
        message = await self.socket.receive()
        return message.type in {WSMsgType.CLOSE, WSMsgType.CLOSED, WSMsgType.ERROR}


class Browser:
    """A browser: it keeps its cookie, as behind a proxy that ends HTTPS. Use as an async context."""

    def __init__(self, port: int, *, host: str = "", scheme: str = "http", **headers: str) -> None:
        self.base = f"{scheme}://127.0.0.1:{port}"
        self.host = host or f"127.0.0.1:{port}"
        self.scheme = scheme
        self.headers = {"Host": self.host, **{name.replace("_", "-"): value for name, value in headers.items()}}
        self.http = ClientSession(cookie_jar=DummyCookieJar())
        self.cookie = ""
        self.tabs: list[ClientWebSocketResponse] = []

    async def __aenter__(self) -> "Browser":
        return self

    async def __aexit__(self, *_: object) -> None:
        for tab in self.tabs:
            with suppress(ConnectionError):
                await tab.close()
        await self.http.close()

    @property
    def _sent(self) -> dict[str, str]:
        return {**self.headers, **({"Cookie": self.cookie} if self.cookie else {})}

    async def get(self, path: str = "/", **headers: str) -> tuple[int, dict[str, str], str]:
        """Return status, headers (their names in lower case) and text."""
        more = {**self._sent, **{name.replace("_", "-"): value for name, value in headers.items()}}
        async with self.http.get(f"{self.base}{path}", headers=more, ssl=False) as response:
            named = {name.lower(): value for name, value in response.headers.items()}
            self.cookie = named.get("set-cookie", self.cookie).partition(";")[0]
            return response.status, named, await response.text()

    async def open(self, *, origin: str | None = "", page: bool = True, **headers: str) -> Tab:
        """Open the page, and its WebSocket from an origin: by default the page's own, None for no header."""
        if page:
            assert (await self.get())[0] == 200
        more = {**self._sent, **headers}
        if origin is not None:
            more["Origin"] = origin or f"{self.scheme}://{self.host}"
        socket = await self.http.ws_connect(f"{self.base}/socket", headers=more, ssl=False)
        self.tabs.append(socket)
        return Tab(socket)
