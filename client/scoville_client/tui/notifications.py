"""The bell and the title of the window: what calls somebody who looks at another one."""

import os
from collections.abc import Callable, Mapping
from typing import Final

from rich.cells import cell_len

from scoville_client.i18n.language import words

BELL: Final = "\a"
PUSH_TITLE: Final = "\x1b[22;2t"
POP_TITLE: Final = "\x1b[23;2t"
"""The window's title is kept by the terminal and given back (xterm's window operations; tmux has them too)."""

LONGEST: Final = 60
"""Characters of a title; more is cut by every bar of windows."""
NAME: Final = "Scoville"
_WITHOUT_TITLES: Final = {"", "dumb", "linux", "vt100", "vt102", "vt220", "unknown"}
"""Terminals that have no title, and might show or sound what was meant for it."""


def has_titles(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this terminal has a title to set."""
    return environment.get("TERM", "") not in _WITHOUT_TITLES or os.name == "nt"


def cleaned(text: str) -> str:
    """Keep of somebody's text what can be written into a title: no control characters, nothing that turns or joins."""
    kept = "".join(char for char in map(_printable, text) if cell_len(char))
    one_line = " ".join(kept.split())
    return one_line if len(one_line) <= LONGEST else one_line[: LONGEST - 1] + "…"


def _printable(char: str) -> str:
    return char if char.isprintable() else " "


def title_of(text: str) -> str:
    """Write what sets the window's title, in one piece that nothing in `text` can end."""
    return f"\x1b]2;{cleaned(text)}\x1b\\"


class Caller:
    """Calls somebody by the bell and the title, which `write` takes to the terminal.

    `focused` is None while the terminal has not told whether the window is in front: then only the title calls. What
    calls stays in the title until the window is in front, or, where nobody tells that, until a key is pressed.
    """

    def __init__(self, write: Callable[[str], None], *, titles: bool = True) -> None:
        self.focused: bool | None = None
        self.bell_wanted = self.title_wanted = True
        self._write = write
        self._titles = titles
        self._shown = NAME
        self._game = ""
        self._turn = False
        self._news = ""

    def focus(self, *, focused: bool) -> None:
        """Learn that the window comes to the front, or goes behind others."""
        self.focused = focused
        if focused:
            self._news = ""
        self._show()

    def key(self) -> None:
        """Learn that a key was pressed: somebody is there."""
        if self._news:
            self._news = ""
            self._show()

    def at(self, game: str, *, my_turn: bool) -> None:
        """Learn which game is looked at (its title, empty for none), and whether I owe a move there."""
        begins = my_turn and not self._turn
        self._game, self._turn = game, my_turn
        if begins:
            self._ring()
        self._show()

    def news(self, text: str) -> None:
        """Call because of something else, that does not last."""
        if self.focused is not True:
            self._news = text
            self._ring()
            self._show()

    def want(self, *, bell: bool, title: bool) -> None:
        """Call by the bell, by the title, by both or by none from now on."""
        self.bell_wanted, self.title_wanted = bell, title
        self._show()

    @property
    def title(self) -> str:
        """What the title says now."""
        if not self.title_wanted:
            return NAME
        if self._news:
            return f"● {self._news}"
        if self._turn and self.focused is not True:
            return f"● {words('Your turn')} – {self._game}"
        return f"{NAME} – {self._game}" if self._game else NAME

    def _ring(self) -> None:
        if self.focused is False and self.bell_wanted:
            self._write(BELL)

    def _show(self) -> None:
        if self._titles and self.title != self._shown:
            self._shown = self.title
            self._write(title_of(self._shown))
