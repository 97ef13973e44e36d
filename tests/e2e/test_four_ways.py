"""A full table by every way there is: native screens, ssh, a browser, lines of text; and a television that watches.

No Thanks! has seats for seven, more than any other game; the eighth user watches.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import asyncssh
import pyte
import pytest

from scoville_client.doors.hosting.garbage import GarbageCollector
from scoville_client.doors.hosting.input_budget import InputBudgets
from scoville_client.doors.hosting.session import Shared
from scoville_client.doors.hosting.start_gate import StartGate
from scoville_client.doors.upstream import Upstream
from scoville_client.doors.web.door import HostedPages
from scoville_client.doors.web.visitors import Tokens
from scoville_client.session.start_options import Start
from scoville_client.session.table.table import AtTable
from scoville_shared.games.no_thanks.state import View
from scoville_shared.protocol.messages import Played
from tests.client.doors.ssh.test_door import TERMINAL, Open, Typed, a_door, opened
from tests.client.doors.web.browser import Browser, Tab, door
from tests.support.clock import FakeClock
from tests.support.idle import eventually, wait_until_idle
from tests.support.listener import Listener, start_line_mode
from tests.support.screens import Player, at_the_screen
from tests.support.terminal_screen import TerminalScreen

LOCAL = "127.0.0.1"
SEATS = 7
MOST_KEYS = 500


class ByKeys:
    """A user at screens, who presses `t` to take and `p` to pass; a key during a story skips it."""

    def __init__(self, press: Callable[[str], Awaitable[object]], screen: Callable[[], str]) -> None:
        self._press = press
        self.screen = screen

    async def act(self, key: str, done: Callable[[], bool]) -> None:
        for _ in range(MOST_KEYS):
            await self._press(key)
            for _ in range(20):
                await wait_until_idle()
                if done():
                    return
        raise AssertionError(f"nothing came of {key}:\n{self.screen()}")

    async def ends(self) -> None:
        """Skip the story of the last move, until the result is shown."""
        await self.act("t", lambda: "The game is over. " in self.screen())


class ByLines:
    """A user in lines, who types the number of a move: 1 takes, 2 passes."""

    def __init__(self, type_line: Callable[[str], object], text: Callable[[], str]) -> None:
        self._type = type_line
        self.screen = text

    async def act(self, key: str, done: Callable[[], bool]) -> None:
        self._type({"t": "1", "p": "2"}[key])
        await eventually(done, self.screen)

    async def ends(self) -> None:
        await eventually(lambda: "The game is over. " in self.screen(), self.screen)


Way = ByKeys | ByLines


def native(player: Player) -> ByKeys:
    return ByKeys(player.pilot.press, lambda: player.text)


async def by_ssh(at: Open, code: str, key: asyncssh.SSHKey | None = None) -> ByKeys:
    typed = await opened(await at.connect(code, key), **TERMINAL)

    def screen() -> str:
        terminal = TerminalScreen(*TERMINAL["term_size"])
        pyte.Stream(terminal).feed(typed.text)
        return "\n".join(terminal.display)

    async def press(key: str) -> None:
        typed.type(key)

    return ByKeys(press, screen)


async def by_ssh_in_lines(at: Open, code: str) -> ByLines:
    typed: Typed = await opened(await at.connect("plain"), f"join {code}")
    return ByLines(lambda line: typed.type(f"{line}\n"), lambda: typed.text)


class Page:
    """A page whose frames are read all the time."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._screen = TerminalScreen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        self.reading = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        async for message in self._tab.socket:
            if isinstance(message.data, bytes):
                self._stream.feed(message.data)

    @property
    def screen(self) -> str:
        return "\n".join(self._screen.display)


async def in_a_browser(at: Open, folder: Path, code: str, stack: AsyncExitStack) -> ByKeys:
    clock = FakeClock()
    assert at.server.door_socket is not None
    upstream = Upstream(at.server.door_socket, at.server.door_credential_file)
    pages = HostedPages(
        upstream,
        Tokens(folder / "visitors"),
        Shared(StartGate(clock=clock.clock), InputBudgets(clock.clock), GarbageCollector(clock.clock), clock.clock),
    )
    served = await stack.enter_async_context(door(pages, clock=clock.clock))
    browser = await stack.enter_async_context(Browser(served.port))
    tab = await browser.open()
    await tab.send(type="hello", columns=80, rows=24, table=code)
    page = Page(tab)
    stack.callback(page.reading.cancel)
    return ByKeys(lambda key: tab.socket.send_bytes(key.encode()), lambda: page.screen)


def in_lines(listener: Listener) -> ByLines:
    return ByLines(listener.type, lambda: "\n".join(listener.said))


def joining(at: Open, name: str, code: str = "", **more: bool) -> Start:
    return Start(kind="join", host=LOCAL, port=at.server.port, name=name, code=code, **more)


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Open]:
    async with a_door(tmp_path) as at:
        yield at


def moves_of(table: AtTable) -> list[Played]:
    return [seen.event for seen in table.deal.events if isinstance(seen.event, Played)]


async def play(table: AtTable, ways: list[Way]) -> None:
    """Let the first player decline each card, and the next one take it, until the game is over."""
    while table.result is None:
        view: View = table.view
        seat, seq = view.board.mover, table.seq
        key = "t" if view.board.pot else "p"
        await ways[seat].act(key, lambda seq=seq: table.seq > seq)  # type: ignore[misc]


async def test_seven_players_by_four_ways_finish_a_game(at: Open, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        host = await stack.enter_async_context(at_the_screen(joining(at, "Anna")))
        await host.until(lambda: host.where == "lobby")
        session = host.app.session
        info = await session.lobby.create_table("no_thanks", SEATS)
        await session.join_table(info.table)
        await host.app.navigation.open_table()
        table, code = session.table, session.table.info.code  # type: ignore[union-attr]
        assert table is not None
        assert code
        ways: list[Way] = [native(host)]

        async def seated(way: Way) -> None:
            ways.append(way)
            await eventually(lambda: table.info.seats[len(ways) - 1].kind == "human", ways[-1].screen)

        await seated(native(await stack.enter_async_context(at_the_screen(joining(at, "Paul", code), size=(46, 19)))))
        await seated(await by_ssh(at, code))
        await seated(await by_ssh(at, code, asyncssh.generate_private_key("ssh-ed25519")))
        await seated(await by_ssh_in_lines(at, code))
        await seated(await in_a_browser(at, tmp_path, code, stack))
        await seated(in_lines(await stack.enter_async_context(start_line_mode(joining(at, "Zoe", code)))))
        start = joining(at, "Television", code, watching=True, big=True)
        television = await stack.enter_async_context(at_the_screen(start, size=(120, 40)))
        await television.until(lambda: television.where == "big")

        await session.table_actions.start_game()
        await eventually(lambda: table.view is not None)
        assert [seat.kind for seat in table.info.seats] == ["human"] * SEATS
        await play(table, ways)
        for way in ways:
            await way.ends()
        await television.until(lambda: television.app.session.table.result is not None)  # type: ignore[union-attr]
        assert television.app.session.table.result == table.result  # type: ignore[union-attr]
        assert {facts.seat for facts in moves_of(table)} == {*range(SEATS)}
        assert television.app.session.table.seat is None  # type: ignore[union-attr]
