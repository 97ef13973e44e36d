"""Clients in pages: a visitor of the door is a user of the server, and stays one over reloads and restarts."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pyte
import pytest
from aiohttp import WSMsgType

from scoville_client.doors.hosting.garbage import GarbageCollector
from scoville_client.doors.hosting.input_budget import InputBudgets
from scoville_client.doors.hosting.process import share_process
from scoville_client.doors.hosting.session import Shared
from scoville_client.doors.hosting.start_gate import StartGate
from scoville_client.doors.upstream import Upstream
from scoville_client.doors.web.door import HostedPages, WebDoor
from scoville_client.doors.web.options import WebDoorOptions
from scoville_client.doors.web.visitors import Tokens
from scoville_client.session.session import Session
from scoville_client.transport.in_process import LocalLink, serve_in_process
from scoville_server.server import Server
from scoville_shared.games.no_thanks.state import TAKE
from scoville_shared.networks import Proxies, parse_network
from scoville_shared.replay import read_game, verify_game
from tests.client.doors.web.browser import SECRET, Browser, Tab, door
from tests.support import frames as frames  # Textual without waits
from tests.support.clock import FakeClock
from tests.support.idle import eventually
from tests.support.server import core_of
from tests.support.terminal_screen import TerminalScreen

BEHIND = WebDoorOptions(SECRET, proxies=Proxies([parse_network("127.0.0.1")]))


class Look:
    """A page that is looked at: what its terminal shows, and the messages that it gets."""

    def __init__(self, tab: Tab, clock: FakeClock) -> None:
        self.tab, self.clock = tab, clock
        self.screen = TerminalScreen(80, 24)
        self.stream = pyte.ByteStream(self.screen)
        self.messages: list[dict[str, Any]] = []

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    async def sees(self, words: str) -> str:
        """Read until a text is on the screen."""
        while words not in self.text:
            await self.take()
        return self.text

    async def reads(self, sentence: str) -> None:
        """Read until a sentence stands in a box on the screen, over as many lines as it takes."""
        while sentence not in " ".join(" ".join(re.findall("│(.*)│", self.text)).split()):
            await self.take()

    async def gets(self, kind: str) -> dict[str, Any]:
        """Read until a message of a kind has come."""
        while not (found := [message for message in self.messages if message["type"] == kind]):
            await self.take()
        return found[-1]

    async def take(self) -> None:
        """Read one frame."""
        try:
            async with asyncio.timeout(60):
                message = await self.tab.socket.receive()
        except TimeoutError:
            raise AssertionError(f"nothing more comes; the terminal shows\n{self.text}") from None
        if message.type is WSMsgType.BINARY:
            self.stream.feed(message.data)
        else:
            assert message.type is WSMsgType.TEXT, f"{message}: the terminal shows\n{self.text}"
            self.messages.append(json.loads(message.data))

    async def type(self, keys: str) -> None:
        await self.tab.socket.send_bytes(keys.encode())


class Place:
    """A server, and doors to it that share a folder."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.clock = FakeClock()

    @asynccontextmanager
    async def door(self, options: WebDoorOptions | None = None) -> AsyncIterator[WebDoor]:
        share_process()
        assert self.server.door_socket is not None
        assert self.server.door_credential_file is not None
        upstream = Upstream(self.server.door_socket, self.server.door_credential_file)
        clock = self.clock.clock
        shared = Shared(StartGate(30, clock), InputBudgets(clock), GarbageCollector(clock), clock)
        pages = HostedPages(upstream, Tokens(self.folder / "visitors"), shared)
        async with door(pages, options, clock) as served:
            yield served

    async def look(self, browser: Browser, **hello: Any) -> Look:
        """Open the page, and wait for the lobby."""
        tab = await browser.open()
        await tab.send(type="hello", columns=80, rows=24, **hello)
        look = Look(tab, self.clock)
        await look.sees("you are")
        return look


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    server = await serve_in_process(data=tmp_path / "data", doors=True, port=0)
    try:
        yield Place(server, tmp_path / "door")
    finally:
        await server.close()


def name_in(text: str) -> str:
    return text.partition("you are ")[2].partition(",")[0]


async def test_a_visitor_is_a_user_and_remains_one_over_reloads(place: Place) -> None:
    async with place.door() as served, Browser(served.port) as browser, Browser(served.port) as other:
        look = await place.look(browser)
        name = name_in(look.text)
        assert [user.name for user in core_of(place.server).sessions.connected_users()] == [name]
        await look.tab.socket.close()
        await eventually(lambda: not served.sessions)
        assert name_in((await place.look(browser)).text) == name
        assert name_in((await place.look(other)).text) != name


async def test_a_door_that_was_restarted_knows_its_visitors(place: Place) -> None:
    async with place.door() as served, Browser(served.port) as browser:
        name, cookie = name_in((await place.look(browser)).text), browser.cookie
    async with place.door() as served, Browser(served.port) as browser:
        browser.cookie = cookie
        assert name_in((await place.look(browser)).text) == name


async def test_a_second_window_is_the_same_user(place: Place) -> None:
    async with place.door() as served, Browser(served.port) as browser:
        first = await place.look(browser)
        second = await place.look(browser)
        assert (await first.gets("end"))["button"] == "Play here"
        assert name_in(second.text) == name_in(first.text)


async def test_the_server_learns_where_users_come_from(place: Place) -> None:
    async with place.door(BEHIND) as served, Browser(served.port, X_Forwarded_For="198.51.100.7") as browser:
        await place.look(browser)
        peers = [user.peer for user in core_of(place.server).sessions.connected_users()]
        assert [peer.address for peer in peers if peer is not None] == ["198.51.100.7:0"]


async def test_touch_screens_get_the_keys_of_what_they_show(place: Place) -> None:
    async with place.door() as served, Browser(served.port) as browser:
        look = await place.look(browser, touch=True)
        while "new table" not in str(look.messages):
            await look.take()
        await look.type("c")
        await look.sees("New table")
        while look.messages[-1]["keys"] != []:
            await look.take()


async def test_other_screens_get_none(place: Place) -> None:
    async with place.door() as served, Browser(served.port) as browser:
        look = await place.look(browser)
        await look.type("c")
        await look.sees("New table")
        assert look.messages == []


async def test_page_around_the_terminal_follows_the_theme(place: Place) -> None:
    async with place.door() as served, Browser(served.port) as browser:
        look = await place.look(browser)
        await look.type("T")
        assert await look.gets("theme") == {"type": "theme", "light": True}
        await look.type("T")
        while look.messages[-1] != {"type": "theme", "light": False}:
            await look.take()


async def test_the_page_is_in_the_language_of_its_browser(place: Place) -> None:
    async with place.door() as served, Browser(served.port, Accept_Language="de") as browser:
        tab = await browser.open()
        await tab.send(type="hello", columns=80, rows=24)
        look = Look(tab, place.clock)
        await look.sees("q beenden")


class LinesLook:
    """A page with the line mode: its text, and whether the next line is hidden."""

    def __init__(self, tab: Tab) -> None:
        self.tab, self.text, self.hidden = tab, "", False

    async def sees(self, words: str, after: int = 0) -> None:
        while words not in self.text[after:]:
            await self.take()

    async def hides(self) -> None:
        while not self.hidden:
            await self.take()

    async def take(self) -> None:
        """Read one frame."""
        try:
            async with asyncio.timeout(60):
                message = await self.tab.socket.receive()
        except TimeoutError:
            raise AssertionError(f"nothing more comes after\n{self.text}") from None
        if message.type is WSMsgType.BINARY:
            self.text += message.data.decode()
        elif message.type is WSMsgType.TEXT and json.loads(message.data)["type"] == "secret":
            self.hidden = json.loads(message.data)["wanted"]

    async def type(self, line: str) -> None:
        await self.tab.socket.send_bytes(f"{line}\n".encode())


@pytest.mark.parametrize(("language", "greeting"), [("en", "You are "), ("de", "Du bist "), ("fr", "Tu es ")])
async def test_the_pages_line_mode_is_the_same_user(place: Place, language: str, greeting: str) -> None:
    async with place.door() as served, Browser(served.port, Accept_Language=language) as browser:
        tab = await browser.open()
        await tab.send(type="hello", columns=80, rows=24)
        look = Look(tab, place.clock)
        here = {"en": "you are ", "de": "du bist ", "fr": "tu es "}[language]
        await look.sees(here)
        name = look.text.partition(here)[2].partition(",")[0]
        tab = await browser.open()
        await tab.send(type="hello", columns=80, rows=24, lines=True)
        lines = LinesLook(tab)
        await lines.sees(f"{greeting}{name}")
        assert "\x1b" not in lines.text
        assert (await look.gets("end"))["button"]


async def test_a_password_typed_in_lines_is_hidden_by_the_page(place: Place) -> None:
    async with place.door() as served, Browser(served.port) as browser:
        tab = await browser.open()
        await tab.send(type="hello", columns=80, rows=24, lines=True)
        lines = LinesLook(tab)
        await lines.sees("Type ? for help.")
        await lines.type("claim")
        await lines.hides()
        await lines.type("seven habaneros")
        await lines.sees("once more")
        await lines.hides()
        await lines.type("seven habaneros")
        await lines.sees("laimed", lines.text.index("once more"))
        assert "seven habaneros" not in lines.text


async def test_quitting_ends_the_page_and_says_how_to_come_back(place: Place) -> None:
    async with place.door() as served, Browser(served.port) as browser:
        look = await place.look(browser)
        await look.type("q")
        assert (await look.gets("end"))["button"] == "Come back"


async def test_a_visitor_claims_a_name_that_survives_reloads(place: Place) -> None:
    async with place.door() as served, Browser(served.port) as browser:
        look = await place.look(browser)
        name = name_in(look.text)
        await look.type("m")
        await look.sees("Claim the name")
        await look.reads("as long as it keeps its cookie")
        await look.type("\x1b[B")
        await look.sees("▸ Claim the name")
        await look.type("\r")
        await look.sees("Repeat it")
        await look.type("seven habaneros\r")
        await look.sees("Strength")
        await look.type("seven habaneros\r")
        await look.sees("you can log in with a password")
        await look.tab.socket.close()
        await eventually(lambda: not served.sessions)
        assert name_in((await place.look(browser)).text) == name
        assert [user.claimed for user in core_of(place.server).sessions.connected_users()] == [True]


async def test_a_finished_game_is_offered_as_a_file(place: Place) -> None:
    marie = Session()
    await marie.connect(LocalLink(place.server), "Marie")
    info = await marie.lobby.create_table("no_thanks", 3)
    await marie.join_table(info.table)
    table = marie.table
    assert table is not None
    async with place.door() as served, Browser(served.port) as browser:
        tab = await browser.open()
        await tab.send(type="hello", columns=80, rows=24, table=table.info.code)
        look = Look(tab, place.clock)
        await look.sees("Marie is the host")
        await marie.table_actions.start_game()
        while table.result is None:
            await eventually(lambda: table.view is not None and (table.result or 2 not in table.pending))
            if table.my_turn:
                await marie.play_move(TAKE)
            elif 1 in table.pending:
                seq = table.seq
                while table.seq == seq:
                    await look.type("t")
                    await look.take()
        while "Verified:" not in look.text or "The game is over. " not in look.text:
            await look.type(" ")  # any key ends the count of the points
            await look.take()
        await look.sees("save")
        await look.type("s")
        file = await look.gets("file")
        assert table.id in file["name"]
        assert verify_game(read_game(file["text"].splitlines())).verified
        await look.tab.socket.close()
        await eventually(lambda: not served.sessions)
        tab = await browser.open()
        await tab.send(type="hello", columns=80, rows=24)
        again = Look(tab, place.clock)
        await again.sees("The game is over.")
    await marie.close()
