"""Chromium without a window, driven by its own protocol: pages that type, touch and take pictures."""

import asyncio
import json
import os
import re
import shutil
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions", "--mute-audio", "--hide-scrollbars",
    "--remote-debugging-port=0",
)  # fmt: skip
_WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
    window.violations.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
"""
TIMEOUT = 30.0
"""Seconds within which the page shows what is expected."""
_KEYS = {
    "Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, ""), "Tab": ("Tab", 9, ""),
    "Backspace": ("Backspace", 8, ""), "F6": ("F6", 117, ""),
    "ArrowUp": ("ArrowUp", 38, ""), "ArrowDown": ("ArrowDown", 40, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""), "ArrowRight": ("ArrowRight", 39, ""),
}  # fmt: skip


def find_chromium() -> str | None:
    """Return the path of an installed Chromium."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Protocol:
    """Chromium's debugging protocol over one WebSocket."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self._socket = socket
        self._ids = count(1)
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self.events: list[tuple[str, str, dict[str, Any]]] = []
        """Session, name and parameters of everything that Chromium has reported."""

    async def read(self) -> None:
        """Sort what comes."""
        async for message in self._socket:
            if message.type is not WSMsgType.TEXT:
                return
            data = json.loads(message.data)
            if "id" in data:
                future = self._answers.pop(data["id"])
                if future.done():  # nobody waits any more
                    continue
                if "error" in data:
                    future.set_exception(RuntimeError(data["error"]["message"]))
                else:
                    future.set_result(data["result"])
            else:
                self.events.append((data.get("sessionId", ""), data["method"], data["params"]))

    async def call(self, method: str, session: str = "", **parameters: Any) -> Any:
        """Call a method and return its result."""
        number = next(self._ids)
        future = self._answers[number] = asyncio.get_running_loop().create_future()
        message = {"id": number, "method": method, "params": parameters}
        await self._socket.send_str(json.dumps({**message, "sessionId": session} if session else message))
        async with asyncio.timeout(TIMEOUT):
            return await future


class BrowserPage:
    """A page in Chromium."""

    def __init__(self, protocol: Protocol, session: str, target: str) -> None:
        self._protocol, self._session, self._target = protocol, session, target

    async def call(self, method: str, **parameters: Any) -> Any:
        """Call a method of this page."""
        return await self._protocol.call(method, self._session, **parameters)

    async def go(self, address: str) -> None:
        """Open an address."""
        await self.call("Page.navigate", url=address)

    async def reload(self) -> None:
        """Load the page again."""
        await self.call("Page.reload")

    async def evaluate(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        answer = await self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    async def until(self, look: Callable[[], Awaitable[Any]], what: str) -> Any:
        """Look until there is something, and return it. Raises AssertionError with the screen."""
        with suppress(TimeoutError):
            async with asyncio.timeout(TIMEOUT):
                while True:
                    with suppress(RuntimeError):  # the page is being loaded
                        if found := await look():
                            return found
                    await asyncio.sleep(0.05)
        raise AssertionError(f"{what} never came; the screen shows:\n{await self.text()}")

    async def text(self) -> str:
        """Return the lines that the terminal shows."""
        rows = "[...document.querySelectorAll('.xterm-rows > div')].map((row) => row.textContent).join('\\n')"
        shown: str = await self.evaluate(rows)
        return shown.replace("\xa0", " ")

    async def sees(self, pattern: str) -> str:
        """Wait until the terminal shows what a regular expression matches; return the match."""

        async def look() -> str:
            found = re.search(pattern, await self.text())
            return found[0] if found else ""

        found: str = await self.until(look, pattern)
        return found

    async def size(self) -> tuple[int, int]:
        """Return the columns and rows that the door was sent, by the rows and the width of the terminal."""
        rows = await self.evaluate("document.querySelectorAll('.xterm-rows > div').length")
        lines = (await self.text()).split("\n")
        return max(map(len, lines)), rows

    async def press(self, key: str) -> None:
        """Press a key by its name, or type one character."""
        name, code, text = _KEYS.get(key, (key, ord(key[0].upper()), key))
        down = {"type": "keyDown", "key": name, "windowsVirtualKeyCode": code, "code": name}
        await self.call("Input.dispatchKeyEvent", **down, **({"text": text} if text else {}))
        await self.call("Input.dispatchKeyEvent", **{**down, "type": "keyUp"})

    async def tap(self, selector: str) -> None:
        """Touch the middle of an element."""
        where = f"(() => {{const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
        x, y = await self.evaluate(f"{where} return [box.x + box.width / 2, box.y + box.height / 2];}})()")
        await self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        await self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    async def resize(self, width: int, height: int, *, phone: bool = False) -> None:
        """Give the window another size; a phone is touched and has more pixels."""
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=3 if phone else 1, mobile=phone,
        )  # fmt: skip
        await self.call("Emulation.setTouchEmulationEnabled", enabled=phone, maxTouchPoints=5)

    async def picture(self, file: Path) -> None:
        """Write a picture of the page."""
        await self.call("Page.bringToFront")
        answer = await self.call("Page.captureScreenshot", format="png")
        await asyncio.to_thread(file.write_bytes, b64decode(answer["data"]))

    async def violations(self) -> list[str]:
        """Return what the Content-Security-Policy has blocked, and what the console complains about."""
        blocked: list[str] = await self.evaluate("window.violations")
        return blocked + [
            str(event.get("entry", event).get("text", event))
            for session, name, event in self._protocol.events
            if session == self._session and name in {"Log.entryAdded", "Runtime.exceptionThrown"}
        ]

    def hosts(self) -> set[str]:
        """Return the hosts that the page has asked for anything."""
        return {
            event["request"]["url"].split("/")[2]
            for session, name, event in self._protocol.events
            if session == self._session and name == "Network.requestWillBeSent"
        }

    async def close(self) -> None:
        """Close the page."""
        await self._protocol.call("Target.closeTarget", targetId=self._target)


class Chromium:
    """A running browser: each `profile` has cookies of its own."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol

    async def profile(self) -> str:
        """Make a profile without cookies."""
        made = await self._protocol.call("Target.createBrowserContext")
        return str(made["browserContextId"])

    async def page(self, profile: str, width: int = 1280, height: int = 800, *, phone: bool = False) -> BrowserPage:
        """Open an empty page."""
        made = await self._protocol.call("Target.createTarget", url="about:blank", browserContextId=profile)
        target = made["targetId"]
        attached = await self._protocol.call("Target.attachToTarget", targetId=target, flatten=True)
        page = BrowserPage(self._protocol, attached["sessionId"], target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            await page.call(f"{domain}.enable")
        await page.call("Page.addScriptToEvaluateOnNewDocument", source=_WATCH)
        await page.resize(width, height, phone=phone)
        return page


@asynccontextmanager
async def run_chromium(path: str, language: str = "en") -> AsyncIterator[Chromium]:
    """Run a browser."""
    flags = [*_FLAGS, f"--accept-lang={language}"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    with TemporaryDirectory(prefix="scoville-chromium-", ignore_cleanup_errors=True) as folder:
        process = await asyncio.create_subprocess_exec(
            path, *flags, f"--user-data-dir={folder}", "about:blank",
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stderr is not None
        try:
            address = ""
            while not address:
                line = (await process.stderr.readline()).decode()
                assert line, "Chromium did not start"
                address = (re.findall(r"listening on (ws://\S+)", line) or [""])[0]
            rest = asyncio.ensure_future(process.stderr.read())
            async with ClientSession() as http, http.ws_connect(address, max_msg_size=0) as socket:
                protocol = Protocol(socket)
                reading = asyncio.ensure_future(protocol.read())
                yield Chromium(protocol)
                reading.cancel()
            rest.cancel()
        finally:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()
