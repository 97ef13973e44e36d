"""Textual for tests: frames come when the event loop is idle, and waits end then.

Textual paints sixty times a second, and its pilot estimates by CPU time whether an App is idle. Both would make tests
wait for real time, and be wrong on a busy machine. Importing this module changes both: what happens in one go is
painted once, and the speed of the machine decides nothing.
"""

import asyncio
from contextvars import Context, copy_context
from functools import cached_property

import textual.app
import textual.pilot
from textual.screen import Screen

from tests.support.idle import IdleLoop, wait_until_idle


class FrameRequest:
    """A screen's wish to paint, in place of Textual's timer: `resume` asks for a frame, `pause` takes that back."""

    def __init__(self, screen: Screen[object]) -> None:
        self._screen = screen
        self._context: Context | None = None

    def resume(self) -> None:
        """Paint as soon as nothing else is under way."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, IdleLoop), "screens of tests run on loops that know when they are idle"
        self._context = copy_context()
        loop.selector.due[self] = self._paint

    def pause(self) -> None:
        """Paint no more."""
        loop = asyncio.get_running_loop()
        if isinstance(loop, IdleLoop):
            loop.selector.due.pop(self, None)

    def _paint(self) -> None:
        context, self._context = self._context, None  # it would keep the app alive
        if context is not None and self._screen.is_running:
            context.run(self._update)

    def _update(self) -> None:
        try:
            self._screen._on_timer_update()
        except Exception as error:  # noqa: BLE001 - as in Textual's timers, the App ends with it
            self._screen.app._handle_exception(error)


Screen._update_timer = cached_property(FrameRequest)  # type: ignore[assignment, misc]
Screen._update_timer.__set_name__(Screen, "_frame_request")  # type: ignore[attr-defined]
textual.app.wait_for_idle = wait_until_idle  # type: ignore[assignment, attr-defined]
textual.pilot.wait_for_idle = wait_until_idle  # type: ignore[attr-defined]
