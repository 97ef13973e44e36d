"""Signals that end the client, and a terminal that has vanished: the client ends in order and restores the terminal.

Textual restores a terminal when its App ends normally. A signal would end the process before that.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, Protocol

from textual.driver import Driver

from scoville_runtime.clock import call_in_thread

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

    @property
    def driver(self) -> Driver | None:
        """The driver of its terminal."""

    @property
    def drain_seconds(self) -> float:
        """How many seconds other players get to finish their moves before the App ends."""

    def finish_games(self, status: int = 0) -> None:
        """End with an exit status, once other players have finished their moves; a second call ends that wait."""


class EndBySignal:
    """Ends the `app` in order after a signal, or once its terminal has vanished, with the status that shells expect.

    A second signal ends the process at once; but while a hosted server drains, it only ends that wait.
    """

    def __init__(self, app: Endable) -> None:
        self._app = app
        self._received: list[int] = []
        self._vanished = False

    def receive_signal(self, number: int) -> None:
        """End after signal `number`. The SIGHUP of a terminal that has vanished is not a second one."""
        if self._vanished and number == HANGUP:
            self._vanished = False
        else:
            self._end_app(number)

    def note_vanished(self) -> None:
        """End like SIGHUP does, also where that was ignored or never sent; from any thread, once."""
        if not self._received:
            self._vanished = True
            self._end_app(HANGUP)

    def _end_app(self, number: int) -> None:
        app = self._app
        driver: Any = app.driver
        waits, received = app.drain_seconds, self._received
        if driver is None or driver.loop is None or len(received) > 1 or (received and not waits):
            _end_at_once(app, number)
        if not received:
            # In a thread: an event loop that is stuck would never get to it.
            call_in_thread(GRACE_SECONDS + waits, lambda: _end_at_once(app, number))
        received.append(number)
        driver.loop.call_soon_threadsafe(app.finish_games, 128 + number)


@contextmanager
def ended_by_signals(app: Endable, ending: EndBySignal) -> Iterator[None]:
    """End an App in order on a signal; restore the terminal in any case."""
    before = {number: signal.getsignal(number) for number in ENDING}

    def end(number: int, _frame: FrameType | None) -> None:
        ending.receive_signal(number)

    for number, handler in before.items():
        if handler is not signal.SIG_IGN:  # nohup wants to survive
            signal.signal(number, end)
    try:
        yield
    finally:
        _restore_terminal(app)
        for number, handler in before.items():
            signal.signal(number, handler)


def _restore_terminal(app: Endable) -> None:
    restore = getattr(app.driver, "restore", None)  # the drivers of headless tests and of Windows have none
    if restore is not None:
        restore()


def _end_at_once(app: Endable, number: int) -> None:
    _restore_terminal(app)
    os._exit(128 + number)
