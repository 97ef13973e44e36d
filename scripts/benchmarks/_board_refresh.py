"""Processor time of the refreshes of a board while a game is played, in this process and without a terminal."""

import asyncio
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from textual.driver import Driver
from textual.events import Key
from textual.screen import Screen

from scoville_client.session.start_options import Start
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.connection import SessionChanges

MOVES = 24
PACE = 0.01
"""Seconds of a step of an animation: each is a refresh."""


class Nowhere(Driver):
    """Draws on no terminal, but is drawn for."""

    def write(self, data: str) -> None:
        """Drop it."""

    def start_application_mode(self) -> None:
        """Switch nothing."""

    def stop_application_mode(self) -> None:
        """Switch nothing."""

    def disable_input(self) -> None:
        """Read nothing."""


class Measured(ScovilleApp):
    """Notes the processor time of each refresh: of handling a change, and of drawing what it has changed."""

    def __init__(self) -> None:
        super().__init__(Start(kind="practice", name="Anna", seed=bytes(32)), pace=PACE)
        self.times: list[float] = []
        self._spent = 0.0
        self._laid_out = False

    def get_driver_class(self) -> type[Driver]:
        """Draw nowhere."""
        return Nowhere

    def spend(self, action: Callable[[], object]) -> None:
        """Do something and count its time."""
        began = time.thread_time()
        action()
        self._spent += time.thread_time() - began

    def lay_out(self) -> None:
        """Note that this refresh has laid the whole screen out: it does not count."""
        self._laid_out = True

    def drawn(self) -> None:
        """End one refresh."""
        if not self._laid_out:
            self.times.append(self._spent)
        self._spent, self._laid_out = 0.0, False


def _count_drawing() -> None:
    """Count what Textual draws."""
    show = SessionChanges._show_portion  # noqa: SLF001 - there is no other way to it

    def showing(changes: Any) -> None:
        changes._app.spend(lambda: show(changes))  # noqa: SLF001 - there is no other way to it

    SessionChanges._show_portion = showing  # type: ignore[method-assign, assignment]  # noqa: SLF001 - there is no other way to it
    draw, lay_out = Screen._on_timer_update, Screen._refresh_layout  # noqa: SLF001 - there is no other way to them

    @wraps(draw)
    def drawing(screen: Screen[Any]) -> None:
        app: Any = screen.app
        dirty = bool(screen._dirty_widgets)  # noqa: SLF001 - as above
        app.spend(lambda: draw(screen))
        if dirty:
            app.drawn()

    @wraps(lay_out)
    def laying_out(screen: Screen[Any], *arguments: Any, **options: Any) -> None:
        screen.app.lay_out()  # type: ignore[attr-defined]
        lay_out(screen, *arguments, **options)

    Screen._on_timer_update = drawing  # type: ignore[method-assign, assignment]  # noqa: SLF001
    Screen._refresh_layout = laying_out  # type: ignore[method-assign, assignment]  # noqa: SLF001


async def _play_moves(app: Measured) -> None:
    for _ in range(MOVES):
        await asyncio.sleep(0.25)
        app.post_message(Key("enter", None))
    # On a busy machine the first refresh may come later than all keys.
    while app.is_running and not app.times:  # noqa: ASYNC110 - as below
        await asyncio.sleep(0.05)
    app.exit()


def _is_in_game(app: Measured) -> bool:
    return bool(app.is_running and app.page_stack.pages and app.is_connected and app.client.in_game)


async def _time_refreshes() -> list[float]:
    app = Measured()
    running = asyncio.create_task(app.run_async(mouse=False, size=(80, 24)))
    # Without a look at the task an app that ended with an error would be waited for as long as one that is slow.
    while not running.done() and not _is_in_game(app):  # noqa: ASYNC110 - the app has no event for it
        await asyncio.sleep(0.05)
    app.times.clear()
    await _play_moves(app)
    await running
    return app.times


def refresh_times() -> list[float]:
    """Play against bots; return the seconds of processor time of each refresh."""
    _count_drawing()
    return asyncio.run(_time_refreshes())
