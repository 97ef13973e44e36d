"""Terminal of a hosted user: the way to it, and what it can show, derived from TERM, its size and its environment."""

from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

from scoville_client.i18n.language import environment_language
from scoville_client.tui.notifications import DesktopNotices, find_notices, has_titles
from scoville_client.tui.terminal.colours import Colours, colours_of
from scoville_client.tui.terminal.glyphs import Level


class Channel(Protocol):
    """A way for bytes to one terminal. Its owner calls `HostedSession` with what comes from there."""

    def write(self, data: bytes) -> None:
        """Send bytes to the terminal; after the end of the connection they are dropped."""

    def end(self, status: int) -> None:
        """End the session with an exit status, once everything written has been sent."""

    def abort(self) -> None:
        """Cut the connection at once, even if output waits to be sent."""


SMALLEST: Final = (20, 6)
LARGEST: Final = (300, 100)
"""Columns and rows. Textual fails below, and a larger screen costs everybody time."""
USUAL: Final = (80, 24)
"""For a terminal that does not know its size, which is 0×0 then."""

_LONGEST_NAME: Final = 64
_WITHOUT_SCREENS: Final = {"", "dumb", "unknown"}
_WITH_EMOJI: Final = ("alacritty", "contour", "foot", "ghostty", "kitty", "rio", "wezterm")
"""Terminals that draw emoji in the cells that Unicode gives them; others may be behind the same TERM."""
_CHARSETS: Final = ("LC_ALL", "LC_CTYPE", "LANG")
"""Variables that name the character set, in the order of the C library."""


class Terminal(NamedTuple):
    """A terminal at the other end of a channel.

    Attributes:
        name: Its TERM.
        size: Columns and rows, within SMALLEST and LARGEST.
        colours: Which colours it has.
        glyphs: Which characters it has.
        language: The language of its user.
        titles: Whether it has a window title, and reports whether its window is in front.
        notices: How it shows notices on the desktop.
        emoji: Whether it is known to draw an emoji in two cells.
        mouse: Whether its user clicks, unless they have chosen otherwise: a connection that breaks leaves clicks on.
    """

    name: str = "xterm-256color"
    size: tuple[int, int] = USUAL
    colours: Colours = "256"
    glyphs: Level = "unicode"
    language: str = "en"
    titles: bool = True
    notices: DesktopNotices = DesktopNotices.OSC_9
    emoji: bool = False
    mouse: bool = False

    @property
    def has_screens(self) -> bool:
        """Whether it can move its cursor; otherwise only lines of text can be shown."""
        return self.name not in _WITHOUT_SCREENS


def describe_terminal(name: str, size: tuple[int, int], environment: Mapping[str, str]) -> Terminal:
    """Describe a terminal by its TERM, its columns and rows, and the environment variables that came with it."""
    name = name[:_LONGEST_NAME]
    return Terminal(
        name,
        clamp_size(size),
        colours_of(name, environment),
        _find_glyphs(name, environment),
        environment_language(environment),
        has_titles({"TERM": name}),
        find_notices({**environment, "TERM": name}),
        _draws_emoji(name, environment),
    )


def clamp_size(size: tuple[int, int]) -> tuple[int, int]:
    """Return a size that can be drawn; a terminal without a size gets the usual one."""
    width, height = (given if given > 0 else usual for given, usual in zip(size, USUAL, strict=True))
    return (
        min(max(width, SMALLEST[0]), LARGEST[0]),
        min(max(height, SMALLEST[1]), LARGEST[1]),
    )


def _draws_emoji(name: str, environment: Mapping[str, str]) -> bool:
    """Whether a terminal is one of those that draw an emoji in two cells; iTerm2 says what it is in LC_TERMINAL."""
    known = name.lower().removeprefix("xterm-").startswith(_WITH_EMOJI) or environment.get("LC_TERMINAL") == "iTerm2"
    return known and _find_glyphs(name, environment) == "unicode"


def _find_glyphs(name: str, environment: Mapping[str, str]) -> Level:
    locale = next((environment[each] for each in _CHARSETS if environment.get(each)), "")
    charset = locale.partition(".")[2].partition("@")[0].lower().replace("-", "")
    if locale and charset != "utf8":  # no locale was sent: nearly every terminal shows UTF-8
        return "ascii"
    return "light" if name == "linux" else "unicode"
