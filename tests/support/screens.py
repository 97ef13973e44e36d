"""The client on a screen of its own, driven by keys alone."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from textual.pilot import Pilot

from scoville_client.app import ScovilleApp
from scoville_client.boards.board import Board
from scoville_client.screens.page import Page
from scoville_client.start import Start

WIDE, NARROW = (80, 24), (46, 19)
PATIENCE = 400
"""How often a condition is looked at, a fiftieth of a second apart."""


class Player:
    """Presses keys and looks at what is drawn."""

    def __init__(self, app: ScovilleApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, met: Callable[[], Any]) -> None:
        """Wait until something is so."""
        for _ in range(PATIENCE):
            if met():
                return
            await self.pilot.pause(0.02)
        raise AssertionError(f"it did not come about; the screen shows:\n{self.text}")

    async def sees(self, words: str) -> None:
        """Wait until some words are on the screen."""
        await self.until(lambda: words in self.text)

    @property
    def text(self) -> str:
        """What is drawn on the screen in front, as plain rows."""
        width, height = self.app.size
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in strips[:height] if width)

    @property
    def where(self) -> str:
        """The place of the key registry that the front page is at; empty for a dialog."""
        screen = self.app.screen
        return screen.WHERE if isinstance(screen, Page) else ""


@asynccontextmanager
async def at_the_screen(
    start: Start | None = None, *, size: tuple[int, int] = WIDE, pace: float = 0
) -> AsyncIterator[Player]:
    """Open the client on a screen of `size` cells."""
    app = ScovilleApp(start or Start(), pace=pace)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Player(app, pilot)


def practice(**more: Any) -> Start:
    """Ask for a game against bots that is the same every time."""
    return Start(kind="practice", name="Anna", seed=bytes(32), **more)


def coming(port: int, name: str) -> Start:
    """Come by that name to a server of this machine."""
    return Start(kind="join", host="127.0.0.1", port=port, name=name)


async def port_of(host: Player) -> int:
    """Tell where somebody's own table is reached, once it is open."""
    await host.sees("Press Enter to start")
    assert host.app._line is not None
    assert host.app._line.address is not None
    return host.app._line.address.port


async def play_to_the_end(*players: Player) -> None:
    """Let Enter choose until everybody sees the result."""
    for player in players:
        await player.until(partial(player.app.screen.query, Board))
    for _ in range(PATIENCE):
        if all(player.where == "result" for player in players):
            return
        for player in players:
            board = player.app.screen.query(Board)
            if player.where == "play" and board and board.first().at.my_turn:
                await player.press("enter")
        await players[0].pilot.pause(0.01)
    raise AssertionError("\n".join(player.text for player in players))
