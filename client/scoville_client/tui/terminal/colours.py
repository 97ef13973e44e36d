"""Styles as SGR parameters in the colours that a terminal has.

Screens are drawn in 24 bits and translated here, per session: the caches of rich and Textual are shared by all
sessions of a process and know one kind of terminal only.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from rich.color import Color, ColorSystem
from rich.style import Style

Colours = Literal["true", "256", "16", "none"]
"""Colours of a terminal: 24 bits, the palettes of 256 and of 16, or none."""

_WITHOUT_COLOURS: Final = ("vt", "dumb", "unknown")
_FEW_COLOURS: Final = {"linux", "screen", "cygwin", "ansi"}
_ALL_COLOURS: Final = ("alacritty", "contour", "foot", "ghostty", "iterm", "kitty", "konsole", "rio", "tmux", "wezterm")
"""Terminals with 24 bits that do not send COLORTERM along. tmux translates for the terminal that it runs in."""
_SYSTEMS: Final = {"256": ColorSystem.EIGHT_BIT, "16": ColorSystem.STANDARD}
_BOLD, _DIM, _ITALIC, _UNDERLINE, _REVERSE, _STRIKE = (1 << bit for bit in range(6))
_ON: Final = {_BOLD: "1", _DIM: "2", _ITALIC: "3", _UNDERLINE: "4", _REVERSE: "7", _STRIKE: "9"}
_OFF: Final = {_BOLD | _DIM: "22", _ITALIC: "23", _UNDERLINE: "24", _REVERSE: "27", _STRIKE: "29"}
_COLOURLESS: Final = _BOLD | _UNDERLINE | _REVERSE
"""Styles of terminals without colours; italics and faint text are colours on many."""


def colours_of(name: str, environment: Mapping[str, str]) -> Colours:
    """Return the colours of a terminal by its TERM and the environment variables of its user."""
    name = name.lower()
    if environment.get("NO_COLOR") or not name or name.startswith(_WITHOUT_COLOURS):
        return "none"
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit") or name.endswith("-direct"):
        return "true"
    if any(name.removeprefix("xterm-").startswith(known) for known in _ALL_COLOURS):
        return "true"
    return "16" if name in _FEW_COLOURS or name.endswith("-16color") else "256"


def local_colours(*, is_windows: bool, environment: Mapping[str, str]) -> Colours:
    """Return the colours of the terminal that this process runs in. Windows Terminal sets no TERM, and has all."""
    if is_windows and not environment.get("TERM"):
        environment = {"COLORTERM": "truecolor", **environment}
        return colours_of("xterm-256color", environment)
    return colours_of(environment.get("TERM", ""), environment)


class Pen(NamedTuple):
    """A drawing style of a terminal: SGR parameters of the two colours, attributes as bits, what a click opens."""

    ink: str
    paper: str
    attributes: int
    link: str = ""


_SEEN_ON_BLANKS: Final = _UNDERLINE | _REVERSE | _STRIKE
DEFAULT: Final = Pen("39", "49", 0)
"""The pen of a terminal after a reset."""


# Each is asked for every run of cells that is drawn. The bound is above what all themes need: a smaller cache would
# forget the pens of one user while it draws for the next.
@lru_cache(maxsize=16_384)
def pen_of(style: Style | None, colours: Colours) -> Pen:
    if style is None:
        return DEFAULT
    attributes = (
        (_BOLD if style.bold else 0)
        | (_DIM if style.dim else 0)
        | (_ITALIC if style.italic else 0)
        | (_UNDERLINE if style.underline or style.underline2 else 0)
        | (_REVERSE if style.reverse else 0)
        | (_STRIKE if style.strike else 0)
    )
    # An address may come from a server, and what ends a sequence of OSC is not printable.
    link = style.link if style.link and style.link.isprintable() else ""
    if colours == "none":
        return Pen("39", "49", attributes & _COLOURLESS, link)
    return Pen(
        _colour_parameters(style.color, colours, foreground=True),
        _colour_parameters(style.bgcolor, colours, foreground=False),
        attributes,
        link,
    )


@lru_cache(maxsize=16_384)
def pen_of_blank(pen: Pen) -> Pen:
    """Return the pen for blanks, on which the colour of the ink is not seen."""
    return pen if pen.attributes & _SEEN_ON_BLANKS else Pen(DEFAULT.ink, pen.paper, 0)


@lru_cache(maxsize=16_384)
def for_blank(old: Pen, wanted: Pen) -> Pen:
    """Return the pen nearest to the old one that draws blanks like the wanted one."""
    if wanted.attributes & _SEEN_ON_BLANKS:
        return wanted
    return old._replace(paper=wanted.paper, attributes=old.attributes & ~_SEEN_ON_BLANKS, link=wanted.link)


@lru_cache(maxsize=16_384)
def write_change(old: Pen, new: Pen) -> str:
    """Return the escape sequence that makes the old pen the new one; empty if they are the same."""
    if old == new:
        return ""
    link = "" if old.link == new.link else f"\x1b]8;;{new.link}\x1b\\"
    if new == DEFAULT:
        return f"{link}\x1b[m"
    codes = []
    gone, come = old.attributes & ~new.attributes, new.attributes & ~old.attributes
    for bits, code in _OFF.items():
        if gone & bits:
            codes.append(code)
            come |= new.attributes & bits  # 22 ends bold and dim alike
    codes += [code for bit, code in _ON.items() if come & bit]
    codes += [new.ink] if new.ink != old.ink else []
    codes += [new.paper] if new.paper != old.paper else []
    return f"{link}\x1b[{';'.join(codes)}m" if codes else link


@lru_cache(maxsize=16_384)
def _colour_parameters(colour: Color | None, colours: Colours, *, foreground: bool) -> str:
    if colour is None or colour.is_default:
        return "39" if foreground else "49"
    system = _SYSTEMS.get(colours)
    shown = colour if system is None else colour.downgrade(system)
    return ";".join(shown.get_ansi_codes(foreground))
