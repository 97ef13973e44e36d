"""Restores the terminal at every end of the client and while it is suspended.

Textual restores a terminal when its App ends normally. A signal would end the process before that.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Final, Protocol

from textual.driver import Driver

from scoville_client.tui.notifications import POP_TITLE, has_titles
from scoville_client.tui.terminal.clicks import MOUSE_OFF
from scoville_runtime.clock import call_in_thread

RESET: Final = (
    "\x1b[?2026l"  # show what is drawn at once
    f"{MOUSE_OFF}"
    "\x1b[?2004l\x1b[?2048l\x1b[?1004l"  # bracketed paste, reports of size and focus
    "\x1b[<u"  # kitty's keyboard protocol
    "\x1b[?7h\x1b[0m"  # line wrap, colours
    "\x1b[?1049l\x1b[?25h"  # the screen as it was before, and the cursor
)
"""Makes a terminal usable again, whatever was switched on."""

GRACE_SECONDS: Final = 5.0
"""How long the client may take to disconnect after a signal; then the process ends at once."""

ENDING: Final = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT") if hasattr(signal, name)
)
"""Signals that end the client. Ctrl+C is not one of them: in raw mode it is a key."""

HANGUP: Final = 1
"""The number of SIGHUP, also where the platform has no signals."""


class Endable(Protocol):
    """An App that can be asked to end."""

    _driver: Driver | None

    @property
    def drain_seconds(self) -> float:
        """How many seconds other players get to finish their moves before the App ends."""

    def finish(self, status: int = 0) -> None:
        """End with an exit status."""


def restoring(driver: type[Driver]) -> type[Driver]:
    """Make a driver class that can restore the terminal at any moment, and repaints after a suspension."""

    class Restoring(driver):  # type: ignore[misc, valid-type]
        in_use = False
        loop: asyncio.AbstractEventLoop | None = None

        def start_application_mode(self) -> None:
            self.in_use, self.loop = True, asyncio.get_running_loop()
            super().start_application_mode()

        def stop_application_mode(self) -> None:
            super().stop_application_mode()
            self.in_use = False

        def resume_application_mode(self) -> None:
            super().resume_application_mode()
            asyncio.get_running_loop().call_soon_threadsafe(self._app.repaint)

        def restore(self) -> None:
            if not self.in_use:
                return
            self.in_use = False
            with suppress(OSError, ValueError, AttributeError):  # the terminal may be gone
                os.write(sys.__stderr__.fileno(), f"{POP_TITLE if has_titles() else ''}{RESET}".encode())  # type: ignore[union-attr]
            _set_modes(self)

    return Restoring


class Ending:
    """Ends the `app` in order after a signal, or once its terminal has vanished, with the status that shells expect.

    A second signal ends the process at once; but while a hosted server drains, it only ends that wait.
    """

    def __init__(self, app: Endable) -> None:
        self._app = app
        self._received: list[int] = []
        self._vanished = False

    def receive(self, number: int) -> None:
        """End after signal `number`. The SIGHUP of a terminal that has vanished is not a second one."""
        if self._vanished and number == HANGUP:
            self._vanished = False
        else:
            self._end(number)

    def terminal_vanished(self) -> None:
        """End like SIGHUP does, also where that was ignored or never sent; from any thread, once."""
        if not self._received:
            self._vanished = True
            self._end(HANGUP)

    def _end(self, number: int) -> None:
        app = self._app
        driver: Any = app._driver  # noqa: SLF001 - Textual has no other way to it
        waits, received = app.drain_seconds, self._received
        if driver is None or driver.loop is None or len(received) > 1 or (received and not waits):
            _end_at_once(app, number)
        if not received:
            call_in_thread(GRACE_SECONDS + waits, lambda: _end_at_once(app, number))
        received.append(number)
        driver.loop.call_soon_threadsafe(app.finish, 128 + number)


@contextmanager
def ended_by_signals(app: Endable, ending: Ending) -> Iterator[None]:
    """End an App in order on a signal; restore the terminal in any case."""
    before = {number: signal.getsignal(number) for number in ENDING}

    def end(number: int, _frame: FrameType | None) -> None:
        ending.receive(number)

    for number, handler in before.items():
        if handler is not signal.SIG_IGN:  # nohup wants to survive
            signal.signal(number, end)
    try:
        yield
    finally:
        _restore(app)
        for number, handler in before.items():
            signal.signal(number, handler)


def _restore(app: Endable) -> None:
    restore = getattr(app._driver, "restore", None)  # noqa: SLF001 - as above
    if restore is not None:
        restore()


def _end_at_once(app: Endable, number: int) -> None:
    _restore(app)
    os._exit(128 + number)


def _set_modes(driver: Any) -> None:
    """Set the modes that the terminal had before; only Unix has them."""
    modes = getattr(driver, "attrs_before", None)
    if modes is not None:
        import termios

        with suppress(termios.error, OSError):
            termios.tcsetattr(driver.fileno, termios.TCSANOW, modes)
