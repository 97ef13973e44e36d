"""Chromium plays through the browser door: by keyboard and touch, over reloads and a restart of the door."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.e2e.browser.chromium import BrowserPage, Chromium, find_chromium, run_chromium
from tests.support.process import quiet_port, wait_until_open
from tests.support.script_parser import script_parser

SCRIPTS = Path(sys.executable).parent
PHONE = (390, 844)
SIZES = {"desktop": (1280, 800), "phone": PHONE, "phone-landscape": (844, 390), "small-phone": (320, 568)}
LEAST = (46, 19)
ROUNDS = 40
"""Keys after which a game against bots must show that it goes on."""


class Doors:
    """A server and its browser door, as processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0

    @asynccontextmanager
    async def server(self) -> AsyncIterator[None]:
        """Run the server until its socket is there, and longer."""
        data = self.folder / "data"
        async with process("scoville-server", "--port", "0", "--data", str(data), "--doors") as server:
            await line_with(server, "Doors connect")
            yield

    @asynccontextmanager
    async def door(self) -> AsyncIterator[None]:
        """Run the door, on the same port each time."""
        socket, state = self.folder / "data" / "door.sock", self.folder / "state"
        arguments = (
            "door",
            "web",
            str(socket),
            "--port",
            str(self.port),
            "--state",
            str(state),
            "--listen",
            "127.0.0.1",
        )
        async with process("scoville", *arguments) as door:
            self.port = int((await line_with(door, "is open")).strip().rpartition(":")[2])
            yield

    @property
    def address(self) -> str:
        """The page's address."""
        return f"http://127.0.0.1:{self.port}/"


@asynccontextmanager
async def process(name: str, *arguments: str, stdin: bool = False) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run one of our commands; with `stdin` nobody types, but its input does not end either."""
    pipe = asyncio.subprocess.PIPE
    run = await asyncio.create_subprocess_exec(
        str(SCRIPTS / name), *arguments, stdin=pipe if stdin else None, stdout=pipe, stderr=asyncio.subprocess.STDOUT
    )
    try:
        yield run
    finally:
        run.terminate()
        await run.wait()


async def line_with(run: asyncio.subprocess.Process, words: str) -> str:
    """Return the first line of a process that has these words."""
    assert run.stdout is not None
    while line := (await run.stdout.readline()).decode():
        if words in line:
            return line
    raise AssertionError(f"a process has ended before it wrote {words!r}")


class Run:
    """One run, with its pictures in a folder."""

    def __init__(self, browser: Chromium, doors: Doors, pictures: Path) -> None:
        self.browser, self.doors, self.pictures = browser, doors, pictures
        self.faults: list[str] = []

    def check(self, holds: bool, what: str) -> None:
        """Note a fault unless something holds."""
        print("ok   " if holds else "FAULT", what, flush=True)
        if not holds:
            self.faults.append(what)

    async def open(self, size: str, profile: str = "") -> BrowserPage:
        """Open the page in a window of a size, and wait for the lobby."""
        phone = "phone" in size
        page = await self.browser.page(profile or await self.browser.profile(), *SIZES[size], phone=phone)
        await page.go(self.doors.address)
        await page.sees("you are")
        return page

    async def finish(self, page: BrowserPage, name: str) -> None:
        """Take a picture, check what every page must keep, and close it."""
        await page.picture(self.pictures / f"{name}.png")
        violations = await page.violations()
        self.check(violations == [], f"{name}: no violation of the policy, no error {violations}")
        self.check(page.hosts() == {self.doors.address.split("/")[2]}, f"{name}: no request leaves the host")
        await page.close()


async def sizes(run: Run) -> None:
    """Every window has room for the client."""
    for size in SIZES:
        page = await run.open(size)
        columns, rows = await page.size()
        run.check(columns >= LEAST[0] and rows >= LEAST[1], f"{size}: {columns}×{rows} cells")
        await run.finish(page, f"lobby-{size}")


async def keyboard(run: Run) -> None:
    """A game against bots at a desktop, by keyboard; a reload in the middle returns to the seat."""
    page = await run.open("desktop")
    name = (await page.sees(r"you are [^,]+")).removeprefix("you are ")
    await page.press("c")
    await page.sees("New table")
    await page.press("Enter")
    await page.sees("Press Enter to start")
    await page.press("Enter")
    await page.sees("Enter play")
    await play(page, run)
    run.check(await cookie_is_hidden(page), "the cookie is hidden from scripts")
    await page.picture(run.pictures / "game-desktop.png")
    await page.reload()
    await page.sees(re_board(name))
    run.check(True, f"a reload returns {name} to the game")
    await run.finish(page, "game-desktop-reloaded")


async def touch(run: Run) -> None:
    """The same on a phone, by its row of keys alone."""
    page = await run.open("phone")
    await page.tap("#page-keys button[aria-label^='c:']")
    await page.sees("New table")
    await page.tap("#fixed-keys button[aria-label='Enter']")
    await page.sees("Press Enter to start|Enter start")
    await page.tap("#fixed-keys button[aria-label='Enter']")
    await page.sees("Enter play")
    before = await page.text()
    for _ in range(ROUNDS):
        await page.tap("#fixed-keys button[aria-label='→']")
        await page.tap("#fixed-keys button[aria-label='Enter']")
        if await page.text() != before:
            break
    run.check(await page.text() != before, "a phone plays by its row of keys")
    await run.finish(page, "game-phone")


async def windows(run: Run) -> None:
    """A second window of one browser takes over, and the first says so."""
    profile = await run.browser.profile()
    first, second = await run.open("desktop", profile), await run.open("desktop", profile)

    async def notice() -> bool:
        shown: bool = await first.evaluate("!document.getElementById('notice').hidden")
        return shown

    await first.until(notice, "a notice in the first window")
    run.check("another window" in str(await first.evaluate("document.body.innerText")), "the older window says why")
    await run.finish(first, "window-taken-over")
    await run.finish(second, "window-newer")


async def restart(run: Run) -> None:
    """The door is restarted: the page reconnects, as the same user."""
    async with run.doors.door():
        page = await run.open("desktop")
        name = await page.sees(r"you are [^,]+")
        port = run.doors.port

    async def waits() -> bool:
        shown: bool = await page.evaluate("!document.getElementById('notice').hidden")
        return shown

    await page.until(waits, "a notice that the connection is lost")
    await page.picture(run.pictures / "connection-lost.png")
    async with run.doors.door():
        run.check(run.doors.port == port, "the door is back on its port")
        await page.evaluate("window.dispatchEvent(new Event('online'))")
        await page.until(lambda: notice_is_gone(page), "the page without a notice")
        run.check(await page.sees(r"you are [^,]+") == name, f"after a restart of the door: {name}")
        await page.close()


async def notice_is_gone(page: BrowserPage) -> bool:
    hidden: bool = await page.evaluate("document.getElementById('notice').hidden")
    return hidden


async def theme(run: Run) -> None:
    """The client follows the day and night of the browser, what surrounds the terminal follows the client."""
    page = await run.open("desktop")

    async def become(scheme: str, colour: str, what: str) -> None:
        async def changed() -> bool:
            return await background(page) == colour

        await page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        await page.until(changed, what)

    await become("dark", "rgb(22, 16, 14)", "a dark page")
    await become("light", "rgb(251, 246, 236)", "a light page")
    run.check(True, "client and page follow the browser from dark to light")
    await run.finish(page, "lobby-light")


async def background(page: BrowserPage) -> str:
    colour: str = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    return colour


async def hosted(run: Run) -> None:
    """A table of `scoville host --web`: its address opens the table, and the browser has a seat there."""
    port, folder = quiet_port(), run.doors.folder / "hosted"
    options = ("--port", "0", "--no-announce", "--data", str(folder), "--name", "Hanna", "--players", "2")
    async with process("scoville", "host", "--plain", *options, "--web", str(port), stdin=True) as host:
        address = (await line_with(host, "http://")).split()[-1]
        code = address.rpartition("#")[2]
        await wait_until_open(port)
        page = await run.browser.page(await run.browser.profile())
        await page.go(f"http://127.0.0.1:{port}/#{code}")
        await page.sees("Hanna is the host")
        run.check("Hanna" in await page.text(), f"the address of the invitation opens the table {code}")
        await line_with(host, "takes seat 2")
        await page.picture(run.pictures / "hosted-table.png")
        run.check(await page.violations() == [], "host --web: no violation of the policy, no error")
        await page.close()


async def strangers(run: Run) -> None:
    """A page of another origin cannot open the WebSocket."""
    page = await run.browser.page(await run.browser.profile())
    await page.go(run.doors.address.replace("127.0.0.1", "localhost"))
    await page.sees("you are")
    opened = await page.evaluate(
        f"new Promise((done) => {{ const socket = new WebSocket('ws://127.0.0.1:{run.doors.port}/socket');"
        " socket.onopen = () => done('open'); socket.onerror = () => done('refused'); })"
    )
    run.check(opened == "refused", "another origin is refused")
    await page.close()


async def lines(run: Run) -> None:
    """F6 leads out of the terminal, and output does not lead back; the line mode has the same user."""
    profile = await run.browser.profile()
    page = await run.open("desktop", profile)
    name = (await page.sees(r"you are [^, ]+")).removeprefix("you are ")
    await page.press("F6")
    run.check(await focused(page) == "reader", "F6 leads to the button for screen readers")
    before = await page.text()
    other = await run.open("desktop")

    async def has_changed() -> bool:
        return await page.text() != before

    await page.call("Page.bringToFront")
    await page.until(has_changed, "output")
    run.check(await focused(page) == "reader", "output does not take the focus")
    await other.close()
    await page.press("Tab")
    run.check(await page.evaluate("document.activeElement.getAttribute('href')") == "text", "Tab leads on to the link")
    await page.press("Enter")
    await logged(page, f"You are {name}")
    run.check(await focused(page) == "line", "the line mode begins in its field")
    for key in "who":
        await page.press(key)
    await page.press("Enter")
    await logged(page, "> who")
    first = await page.evaluate("document.querySelector('#log p').textContent")
    run.check(bool(first), "the log keeps its first line")
    live = await page.evaluate("document.getElementById('log').getAttribute('aria-live')")
    run.check(live == "polite", "the log is read aloud")
    await run.finish(page, "lines")


async def prefix(run: Run) -> None:
    """The page works under a path prefix that a proxy takes away."""
    async with under_prefix(run.doors.port, "/cards/") as port:
        page = await run.browser.page(await run.browser.profile())
        await page.go(f"http://127.0.0.1:{port}/cards/")
        await page.sees("you are")
        await page.go(f"http://127.0.0.1:{port}/cards/text")
        await logged(page, "You are ")
        run.check(await page.violations() == [], "prefix: no violation of the policy, no error")
        await page.close()


@asynccontextmanager
async def under_prefix(target: int, path: str) -> AsyncIterator[int]:
    """Run a proxy that passes on what is asked for under a prefix, without the prefix; yields its port."""

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            if data.startswith(b"GET "):
                assert data.startswith((f"GET {path}".encode(), b"GET /favicon")), data[:80]
                data = data.replace(f"GET {path}".encode(), b"GET /", 1)
            writer.write(data)
        writer.close()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection("127.0.0.1", target)
        await asyncio.gather(pump(reader, there[1]), pump(there[0], writer), return_exceptions=True)

    async with await asyncio.start_server(relay, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def focused(page: BrowserPage) -> str:
    """Return the id of the element that has the focus."""
    return str(await page.evaluate("document.activeElement.id"))


async def logged(page: BrowserPage, words: str) -> None:
    """Wait until the log of the line mode has some words."""

    async def look() -> bool:
        text = await page.evaluate("document.getElementById('log')?.textContent ?? ''")
        return words in str(text)

    await page.until(look, words)


async def play(page: BrowserPage, run: Run) -> None:
    """Play moves until the picture of the game has changed several times."""
    seen = {await page.text()}
    for _ in range(ROUNDS):
        await page.press("ArrowRight")
        await page.press("Enter")
        await asyncio.sleep(0.1)
        seen.add(await page.text())
        if len(seen) > 5:
            break
    run.check(len(seen) > 5, "a game is played by keyboard")


def re_board(name: str) -> str:
    """What the board shows of its own user."""
    return f"{name}|Enter play|Cycle|Enter"


async def cookie_is_hidden(page: BrowserPage) -> bool:
    """Whether scripts of the page see no cookie."""
    return bool(await page.evaluate("document.cookie === ''"))


async def main(pictures: Path, path: str) -> int:
    """Run all of it; returns the exit status."""
    with TemporaryDirectory(prefix="scoville-browser-") as folder:
        doors = Doors(Path(folder))
        async with doors.server(), run_chromium(path) as browser:
            run = Run(browser, doors, pictures)
            async with doors.door():
                for part in (sizes, keyboard, touch, windows, strangers, theme, lines, prefix, hosted):
                    await part(run)
            await restart(run)
    print(f"{len(run.faults)} faults; pictures in {pictures}")
    return 1 if run.faults else 0


if __name__ == "__main__":
    parser = script_parser("browser", "Plays in Chromium through the browser door and takes pictures.")
    parser.add_argument("--pictures", type=Path, default=Path("build/browser"), metavar="DIR", help="where to put them")
    args = parser.parse_args()
    found = find_chromium()
    if found is None:
        sys.exit("Chromium is not installed here (Debian, Ubuntu: apt install chromium).")
    args.pictures.mkdir(parents=True, exist_ok=True)
    sys.exit(asyncio.run(main(args.pictures, found)))
