"""Notifications: the terminal bell and the window title, for a user who looks at another window."""

import os
from collections.abc import Callable, Mapping
from typing import Final

from rich.cells import cell_len, chop_cells

from scoville_client.i18n.language import tr

BELL: Final = "\a"
PUSH_TITLE: Final = "\x1b[22;2t"
POP_TITLE: Final = "\x1b[23;2t"
"""Save and restore the title in the terminal (xterm's window operations; tmux has them too)."""

LONGEST: Final = 60
"""Most cells of a title."""
NAME: Final = "Scoville"
_WITHOUT_TITLES: Final = {"", "dumb", "linux", "vt100", "vt102", "vt220", "unknown"}
"""Terminals that have no title, and might print the escape sequence."""


def has_titles(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the title of this terminal can be set."""
    return environment.get("TERM", "") not in _WITHOUT_TITLES or os.name == "nt"


def clean_title(text: str) -> str:
    """Remove control, direction and joining characters from a text for a title, and cut it."""
    kept = "".join(char for char in map(_replace_unprintable, text) if cell_len(char))
    one_line = " ".join(kept.split())
    return one_line if cell_len(one_line) <= LONGEST else chop_cells(one_line, LONGEST - 1)[0].rstrip() + "…"


def _replace_unprintable(char: str) -> str:
    return char if char.isprintable() else " "


def title_of(text: str) -> str:
    """Return the escape sequence that sets the window title; `text` cannot end it early."""
    return f"\x1b]2;{clean_title(text)}\x1b\\"


class Notifier:
    """Rings the bell and sets the title through `write`; `titles` says whether the terminal has one.

    `focused` is None while the terminal has not reported whether the window is in front: then the bell is silent. A
    notification stays in the title until the window is in front, or, without such reports, until a key is pressed.
    """

    def __init__(self, write: Callable[[str], None], *, titles: bool = True) -> None:
        self.focused: bool | None = None
        self.bell_enabled = self.title_enabled = True
        self._write = write
        self._titles = titles
        self._shown = NAME
        self._game = ""
        self._turn = False
        self._notification = ""

    def note_focus(self, *, focused: bool) -> None:
        """Note whether the window is in front."""
        self.focused = focused
        if focused:
            self._notification = ""
        self._write_title()

    def note_key(self) -> None:
        """Remove a notification from the title: the user is there."""
        if self._notification:
            self._notification = ""
            self._write_title()

    def show_game(self, game: str, *, my_turn: bool) -> None:
        """Show the title of the current game (empty for none); ring when the user's turn begins."""
        begins = my_turn and not self._turn
        self._game, self._turn = game, my_turn
        if begins:
            self._ring_bell()
        self._write_title()

    def notify_user(self, text: str) -> None:
        """Notify of a single event."""
        if self.focused is not True:
            self._notification = text
            self._ring_bell()
            self._write_title()

    def allow_kinds(self, *, bell: bool, title: bool) -> None:
        """Enable or disable the bell and the title."""
        self.bell_enabled, self.title_enabled = bell, title
        self._write_title()

    @property
    def title(self) -> str:
        """The current title of the window."""
        if not self.title_enabled:
            return NAME
        if self._notification:
            return f"● {self._notification}"
        if self._turn and self.focused is not True:
            return f"● {tr('Your turn')} – {self._game}"
        return f"{NAME} – {self._game}" if self._game else NAME

    # Bell and title go past the screen: Textual cannot send them without repainting.
    def _ring_bell(self) -> None:
        # Only a window that has said so is not in front: a bell before the eyes of its user is a nuisance.
        if self.focused is False and self.bell_enabled:
            self._write(BELL)

    def _write_title(self) -> None:
        if self._titles and self.title != self._shown:
            self._shown = self.title
            self._write(title_of(self._shown))
