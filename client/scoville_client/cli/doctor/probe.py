"""Questions to a terminal and its answers, as bytes. No I/O.

The last question is one that every terminal answers (primary device attributes): when that answer has come, all others
have come or never will. Terminals that print what they do not understand get only questions that the oldest know.
"""

import re
from collections.abc import Mapping
from typing import Final

from rich.cells import cell_len

from scoville_client.settings.preferences import Characters, Colours
from scoville_client.settings.terminals import CHILLI, EMOJI, Measured, multiplexer
from scoville_client.tui.terminal.colours import colours_of

GLYPHS: Final = ("╭─╮│╰╯", "┏━┓┃┗┛", "╔═╗║╚╝", "▸◂▲▼►◄", "←→↑↓↗↘↙↖", "▀▄█▒", "●◆■□", "−×÷√…·✓")
"""What the screens draw with, each group of one kind."""
SAMPLES: Final = (*GLYPHS, CHILLI, EMOJI, "é", "語")
WITHOUT_QUESTIONS: Final = ("", "dumb", "unknown")
"""Terminals (TERM) that are asked nothing."""
_OLD: Final = ("linux", "vt", "ansi", "cygwin")

_POSITION: Final = b"\x1b[6n"
_LAST: Final = b"\x1b[c"
_CLEAR: Final = b"\r\x1b[K"
_MODES: Final = {2026: "synchronized", 1006: "mouse"}
_COLOUR: Final = b"\x1b[48;2;1;2;3m\x1bP$qm\x1b\\\x1b[49m"
"""A background in 24 bits, the question for the colours now, and the background of before."""

_POSITIONS: Final = re.compile(rb"\x1b\[\d+;(\d+)R")
_END: Final = re.compile(rb"\x1b\[\?[\d;]*c")
_MODE: Final = re.compile(rb"\x1b\[\?(\d+);(\d)\$y")
_BACKGROUND: Final = re.compile(rb"\x1b\]11;rgb:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_VERSION: Final = re.compile(rb"\x1bP>\|([^\x1b]{1,60})\x1b\\")
_SEEN: Final = re.compile(rb"\x1bP1\$r[^\x1b]*48[:;]2:*;?[\d:;]*1[:;]2[:;]3m?\x1b\\")
_HALF: Final = 0.5


def questions(environment: Mapping[str, str]) -> bytes:
    """Return what to write to a terminal; empty for one that answers nothing."""
    term = environment.get("TERM", "")
    if term in WITHOUT_QUESTIONS:
        return b""
    widths = b"".join(_CLEAR + sample.encode() + _POSITION for sample in SAMPLES) + _CLEAR
    if term.startswith(_OLD):
        return widths + _LAST
    modes = b"".join(b"\x1b[?%d$p" % number for number in _MODES)
    return widths + modes + b"\x1b]11;?\x1b\\" + b"\x1b[>0q" + _COLOUR + _LAST + _CLEAR


def is_complete(answers: bytes) -> bool:
    """Whether no further answer will come."""
    return _END.search(answers) is not None


def measured(answers: bytes, environment: Mapping[str, str], *, encodes_unicode: bool) -> Measured:
    """Read what a terminal has answered, and choose by it."""
    columns = [int(column) - 1 for column in _POSITIONS.findall(answers)]
    widths = dict(zip(SAMPLES, columns, strict=False))
    expected = {sample: cell_len(sample) for sample in SAMPLES}
    modes = {_MODES.get(int(number)): code in b"1234" for number, code in _MODE.findall(answers)}
    version = _VERSION.search(answers)
    seen = _SEEN.search(answers) is not None
    return Measured(
        colours=_colours(environment, seen=seen),
        characters=_characters(widths, expected, environment, encodes_unicode=encodes_unicode),
        widths=widths,
        expected=expected,
        light=_light(answers),
        synchronized=modes.get("synchronized"),
        mouse=modes.get("mouse"),
        version="" if version is None else version[1].decode("ascii", "replace"),
    )


def _colours(environment: Mapping[str, str], *, seen: bool) -> Colours:
    """Return the colours: all if the terminal has shown one of them. NO_COLOR is read at each start."""
    by_name = colours_of(environment.get("TERM", ""), {**environment, "NO_COLOR": ""})
    return "true" if seen and by_name != "none" else by_name


def _characters(
    widths: Mapping[str, int], expected: Mapping[str, int], environment: Mapping[str, str], *, encodes_unicode: bool
) -> Characters:
    if not encodes_unicode:
        return "ascii"
    if environment.get("TERM") == "linux" and not multiplexer(environment):
        return "light"
    wrong = any(widths.get(glyphs, expected[glyphs]) != expected[glyphs] for glyphs in GLYPHS)
    return "ascii" if wrong else "unicode"


def _light(answers: bytes) -> bool | None:
    found = _BACKGROUND.search(answers)
    if found is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
    return bool(0.2126 * red + 0.7152 * green + 0.0722 * blue > _HALF)
