"""Notifications for a user who looks at another window: a desktop notice, the terminal bell and the window title."""

import os
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
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


def has_clipboard(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a text may be sent to the clipboard: a console prints the sequence, GNU screen drops it."""
    is_screen = environment.get("TERM", "").startswith("screen") and "TMUX" not in environment
    return has_titles(environment) and not is_screen


class Call(StrEnum):
    """What calls a user who looks at another window."""

    TURN = "turn"
    START = "start"
    INVITATION = "invitation"
    WHISPER = "whisper"
    TOURNAMENT = "tournament"


class DesktopNotices(StrEnum):
    """The escape sequence by which a terminal shows a notice on the desktop."""

    NONE = "none"
    OSC_9 = "9"
    """iTerm2, WezTerm, Ghostty, Windows Terminal and the door's page; others ignore it."""
    OSC_99 = "99"
    """kitty."""
    OSC_777 = "777"
    """foot, and terminals of GNOME."""


def find_notices(environment: Mapping[str, str] = os.environ) -> DesktopNotices:
    """Return how the terminal of an environment shows notices: by its TERM, and what it says of itself."""
    name = environment.get("TERM", "")
    if not has_clipboard(environment):
        return DesktopNotices.NONE  # a terminal that drops or prints the one sequence does the same with the others
    if name == "xterm-kitty" or "KITTY_WINDOW_ID" in environment:
        return DesktopNotices.OSC_99
    if name.startswith("foot") or "VTE_VERSION" in environment:
        return DesktopNotices.OSC_777
    return DesktopNotices.OSC_9


def is_in_tmux(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether tmux stands between this process and the terminal."""
    return "TMUX" in environment or environment.get("TERM", "").startswith("tmux")


def notice_of(text: str, notices: DesktopNotices, *, tmux: bool = False) -> str:
    """Return the escape sequence that shows `text` on the desktop; the text can neither end it nor be another one."""
    # A number at the start would be a command of ConEmu's, a semicolon a field.
    body = f"{NAME}: {clean_title(text).replace(';', ',')}"
    match notices:
        case DesktopNotices.NONE:
            return ""
        case DesktopNotices.OSC_9:
            sequence = f"\x1b]9;{body}\x1b\\"
        case DesktopNotices.OSC_99:
            sequence = f"\x1b]99;;{body}\x1b\\"
        case DesktopNotices.OSC_777:
            sequence = f"\x1b]777;notify;{NAME};{body.removeprefix(f'{NAME}: ')}\x1b\\"
    # tmux hands it on where its option allow-passthrough is set, and drops it otherwise.
    return _through_tmux(sequence) if tmux else sequence


def clipboard_of(text: str, *, tmux: bool = False) -> str:
    """Return the escape sequence that puts a text into the clipboard of the terminal, where that allows it."""
    sequence = f"\x1b]52;c;{b64encode(text.encode()).decode()}\x1b\\"
    # tmux takes it itself or hands it on, as it is set up.
    return sequence + _through_tmux(sequence) if tmux else sequence


def send_to_clipboard(text: str, write: Callable[[str], None] | None, *, tmux: bool) -> str:
    """Copy a text by `write`, None where the terminal has no clipboard; returns a sentence that has the text."""
    if write is None:
        return tr("This terminal cannot copy; select it: {text}", text=text)
    write(clipboard_of(text, tmux=tmux))
    return tr("Copied: {text}", text=text)


def _through_tmux(sequence: str) -> str:
    escaped = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{escaped}\x1b\\"


class Notifier:
    """Shows notices, rings the bell and sets the title through `write`.

    `focused` is None while the terminal has not reported whether the window is in front: then all are silent. A
    notification stays in the title until the window is in front, or, without such reports, until a key is pressed.

    Args:
        write: Writes an escape sequence.
        titles: Whether the terminal has a title.
        notices: How it shows notices on the desktop.
        tmux: Whether tmux stands before it.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        *,
        titles: bool = True,
        notices: DesktopNotices = DesktopNotices.NONE,
        tmux: bool = False,
    ) -> None:
        self.focused: bool | None = None
        self.bell_enabled = self.title_enabled = self.desktop_enabled = True
        self._wanted = frozenset(Call)
        self._notices, self._tmux = notices, tmux
        self._write = write
        self._titles = titles
        self._shown = NAME
        self._game = self._server = ""
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
        if begins and self.wants_call(Call.TURN):
            self._call_user(f"{tr('Your turn')} – {game}")
        self._write_title()

    def show_server(self, name: str) -> None:
        """Show the name of the server while there is no game; empty for none."""
        self._server = name
        self._write_title()

    def notify_user(self, call: Call, text: str) -> None:
        """Notify of a single event."""
        if self.focused is not True and self.wants_call(call):
            self._notification = text
            self._call_user(text)
            self._write_title()

    def allow_ways(self, *, bell: bool, title: bool, desktop: bool = True) -> None:
        """Enable or disable the bell, the title and notices on the desktop."""
        self.bell_enabled, self.title_enabled, self.desktop_enabled = bell, title, desktop
        self._write_title()

    def allow_calls(self, wanted: Iterable[Call]) -> None:
        """Call the user by no other event than these."""
        self._wanted = frozenset(wanted)
        self._write_title()

    def wants_call(self, call: Call) -> bool:
        return call in self._wanted

    @property
    def title(self) -> str:
        """The current title of the window."""
        if not self.title_enabled:
            return NAME
        if self._notification:
            return f"● {self._notification}"
        if self._turn and self.focused is not True and self.wants_call(Call.TURN):
            return f"● {tr('Your turn')} – {self._game}"
        shown = self._game or self._server
        return f"{NAME} – {shown}" if shown else NAME

    # They go past the screen: Textual cannot send them without repainting.
    def _call_user(self, text: str) -> None:
        """Show a notice on the desktop, and ring the bell, which tmux and terminals without notices know."""
        # Only a window that has said so is not in front: a bell before the eyes of its user is a nuisance.
        if self.focused is not False:
            return
        if self.desktop_enabled and self._notices is not DesktopNotices.NONE:
            self._write(notice_of(text, self._notices, tmux=self._tmux))
        if self.bell_enabled:
            self._write(BELL)

    def _write_title(self) -> None:
        if self._titles and self.title != self._shown:
            self._shown = self.title
            self._write(title_of(self._shown))
