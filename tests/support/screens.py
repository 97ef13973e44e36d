"""The client on a screen of its own, driven by keys alone."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from rich.cells import cell_len
from textual.events import MouseDown, MouseEvent
from textual.pilot import Pilot

from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.transport.lan.browser import Browse
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.boards.board import Board
from scoville_client.tui.platform import Platform
from scoville_client.tui.screens.lobby.lobby import UNASKED_SECONDS
from scoville_client.tui.screens.page import Page
from tests.support import frames as frames  # Textual without waits
from tests.support.clock import FakeClock
from tests.support.idle import eventually

WIDE, NARROW = (80, 24), (46, 19)
FIRST_PAINT = 0.1
"""Seconds after which the first screen has been painted, and what the command line asks for begins."""

LONG = 1000.0
"""Seconds by which a click comes after what it is meant for, or before."""


class Player:
    """Presses keys and looks at what is drawn."""

    def __init__(self, app: ScovilleApp, pilot: Pilot[int], clock: FakeClock | None = None) -> None:
        self.app = app
        self.pilot = pilot
        self.clock = clock or FakeClock()

    async def press(self, *keys: str) -> None:
        """Press keys one after the other, each once the screen shows what the one before has brought."""
        for key in keys:
            await self.pilot.press(key)
            await self.until(lambda: self.app.up_to_date)

    async def click(self, words: str, *, early: bool = False, kind: type[MouseEvent] = MouseDown) -> None:
        """Click the first cell of a text; `early` before the screen has shown it."""
        rows = self.text.splitlines()
        y = next(number for number, row in enumerate(rows) if words in row)
        await self.click_at(cell_len(rows[y].partition(words)[0]), y, early=early, kind=kind)

    async def click_at(self, x: int, y: int, *, early: bool = False, kind: type[MouseEvent] = MouseDown) -> None:
        """Click a cell."""
        event = kind(None, x, y, 0, 0, 1, shift=False, meta=False, ctrl=False, screen_x=x, screen_y=y)
        event.time += -LONG if early else LONG
        self.app.post_message(event)
        await self.until(lambda: self.app.up_to_date)

    async def until(self, met: Callable[[], Any]) -> None:
        """Wait until something is so."""
        await eventually(lambda: self.app._exception is not None or met(), lambda: f"the screen shows:\n{self.text}")
        assert self.app._exception is None, f"the client has crashed: {self.app._exception!r}"

    async def sees(self, words: str) -> None:
        """Wait until a text is on the screen, in one row or in the captions of a board."""
        await self.until(lambda: words in self.text or words in self.notices)

    async def sees_of_others(self, words: str) -> None:
        """Wait until the lobby shows what others did: it draws that once in a while only."""

        def due() -> bool:
            self.clock.advance(UNASKED_SECONDS)
            return words in self.text

        await self.until(due)

    @property
    def text(self) -> str:
        """What is drawn on the screen in front, as plain rows."""
        width, height = self.app.size
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in strips[:height] if width)

    def sees_dialog(self, kind: str) -> bool:
        """Whether a dialog of that class is in front, and painted."""
        return type(self.app.screen).__name__ == kind and self.app.up_to_date

    @property
    def notices(self) -> str:
        """What is written over a board's log, in one row: notices lie there."""
        pages = self.app.page_stack.pages
        x, y, width, height = (pages[-1].notice_area if pages else None) or (0, 0, 0, 0)
        rows = [row[x : x + width] for row in self.text.splitlines()[y : y + height]]
        return " ".join(" ".join(rows).split())

    @property
    def where(self) -> str:
        """The place of the key registry that the front page is at; empty for a dialog."""
        screen = self.app.screen
        return screen.KEY_CONTEXT if isinstance(screen, Page) else ""


@asynccontextmanager
async def at_the_screen(
    start: Start | None = None,
    *,
    size: tuple[int, int] = WIDE,
    pace: float = 0,
    browse: Browse | None = None,
    settings: SettingsFile | None = None,
) -> AsyncIterator[Player]:
    """Open the client on a screen of `size` cells; its clock stands still until the test moves it on."""
    clock = FakeClock()
    app = ScovilleApp(start or Start(), Platform(settings, browse=browse), pace=pace, clock=clock.clock)
    async with app.run_test(size=size) as pilot:
        await eventually(lambda: app.up_to_date)
        clock.advance(FIRST_PAINT)
        yield Player(app, pilot, clock)


def start_practice(**more: Any) -> Start:
    """Ask for a game against bots that is the same every time."""
    return Start(kind="practice", name="Anna", seed=bytes(32), **more)


def start_as(port: int, name: str) -> Start:
    """Come by that name to a server of this machine."""
    return Start(kind="join", host="127.0.0.1", port=port, name=name)


async def port_of(host: Player) -> int:
    """Return the port of a hosted table as soon as it is open."""
    await host.sees("Press Enter to start")
    assert host.app.client.running is not None
    assert host.app.client.running.address is not None
    return host.app.client.running.address.port


async def play_to_the_end(*players: Player) -> None:
    """Press Enter for all players until the result is shown."""
    for player in players:
        await player.until(partial(player.app.screen.query, Board))
    while not all(player.where == "result" for player in players):
        await players[0].until(
            lambda: any(map(_may_play, players)) or all(player.where == "result" for player in players)
        )
        for player in filter(_may_play, players):
            await player.press("enter")
            await player.until(lambda app=player.app: not any(worker.is_running for worker in app.workers))  # type: ignore[misc]


def _may_play(player: Player) -> bool:
    board = player.app.screen.query(Board)
    return player.where == "play" and bool(board) and board.first().at.my_turn
