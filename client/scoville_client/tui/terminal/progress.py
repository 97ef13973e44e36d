"""Progress in the tab of a terminal, or in the task bar: what is left of a turn's time, and how far a review is."""

import os
from collections.abc import Callable, Mapping
from math import ceil
from typing import Final

from scoville_client.tui.notifications import is_in_tmux

_STEP: Final = 5
"""Percent of one step: a bar of a few pixels shows no more, and each costs a write."""
_SHORT: Final = 15
"""Percent of a turn's time from which on the bar is that of an error: red, in most terminals."""
NO_PROGRESS: Final = "\x1b]9;4;0\x1b\\"
_USUAL, _URGENT = 1, 2
_VTE_SINCE: Final = 8_000
_ITERM_SINCE: Final = (3, 6, 6)


def knows_progress(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a terminal is known to show progress; others may show the sequence as a notice on the desktop."""
    if is_in_tmux(environment) or environment.get("TERM", "").startswith("screen"):
        return False  # they do not pass it on to the terminal
    name, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if "WT_SESSION" in environment or environment.get("ConEmuANSI") == "ON":
        return True
    if name == "xterm-ghostty" or program == "ghostty":
        return True
    if program == "iTerm.app":
        return _version_of(environment.get("TERM_PROGRAM_VERSION", "")) >= _ITERM_SINCE
    return environment.get("VTE_VERSION", "").isdecimal() and int(environment["VTE_VERSION"]) >= _VTE_SINCE


def _version_of(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdecimal())


class TerminalProgress:
    """Shows progress through `write` where the terminal `knows` it; nothing while it is not `enabled`."""

    def __init__(self, write: Callable[[str], None], *, knows: bool) -> None:
        self._write = write
        self._knows = knows
        self._shown = (0, 0)
        self.enabled = True

    def show_done(self, done: int, total: int) -> None:
        """Show how much of some work is done; it goes away when all is."""
        self._show(0 if done >= total else _USUAL, 100 * done // max(1, total))

    def show_time_left(self, share: float | None) -> None:
        """Show the share of a turn's time that is left, from 0 to 1; None for no turn, or one without a clock."""
        percent = 0 if share is None else ceil(100 * max(0.0, min(1.0, share)))
        self._show(0 if share is None else _URGENT if percent <= _SHORT else _USUAL, percent)

    def hide(self) -> None:
        """Remove the progress from the tab."""
        self._show(0, 0)

    def _show(self, state: int, percent: int) -> None:
        wanted = (state, _STEP * ceil(percent / _STEP)) if state and self.enabled else (0, 0)
        if self._knows and wanted != self._shown:
            self._shown = wanted
            self._write(f"\x1b]9;4;{wanted[0]};{wanted[1]}\x1b\\" if wanted[0] else NO_PROGRESS)
