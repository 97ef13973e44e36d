"""Character sets of terminals: characters that one lacks are replaced in the output of the whole interface."""

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal
from unicodedata import normalize

from rich.cells import cell_len

if TYPE_CHECKING:
    from textual.driver import Driver

Level = Literal["unicode", "light", "ascii"]
Table = Mapping[int, str | int]
"""A table for `str.translate`."""

_LIGHT = str.maketrans(
    "╭╮╰╯┏━┓┃┗┛┣┫┯┄┊▸◂▲▼↗↘↙↖▀▄□−×…✓▁▂▃▅▆▇░▓",
    "┌┐└┘╔═╗║╚╝╠╣╤─│►◄▲▼→↓←↑██·-x~√__▒▒██·▒",
)
"""For the Linux console, whose fonts have lines, doubles and arrows, but no rounded corners and no half blocks."""

_ASCII = str.maketrans(
    "╭─╮│╰╯┏━┓┃┗┛╔═╗║╚╝┌┐└┘├┤┬┴┼┣┫┯╠╣╤┄┊·●◆■▒█▀▄▲▼►◄▸◂→←↑↓↗↘↙↖□−×÷…\u2019✓▁▂▃▅▆▇░▓",
    "+-+|+++=+|++#=####+++++++++[]+[]+-|.*@#%##_^v><><><^v^vv^.-x/~'*_.-=+*.%",
)


class _Ascii(dict[int, str]):
    """The ASCII table; other characters become their base letter, or question marks of the same width."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        plain = normalize("NFKD", char)[0]
        self[code] = plain if plain.isascii() and cell_len(char) < 2 else "?" * cell_len(char)
        return self[code]


def table(level: Level) -> Table | None:
    """Return the table of a level; None where nothing is replaced."""
    if level == "ascii":
        return _Ascii({code: chr(sign) for code, sign in _ASCII.items()})
    return _LIGHT if level == "light" else None


def find_level(chosen: Literal["auto"] | Level = "auto", measured: Literal["auto"] | Level = "auto") -> Level:
    """Return the level that was chosen, else the one that was measured, else that of the locale and TERM."""
    if chosen != "auto":
        return chosen
    # Before what was measured: an output without Unicode cannot write it, whatever the terminal shows.
    if not encodes_unicode(getattr(sys.__stdout__, "encoding", None) or "ascii"):
        return "ascii"
    if measured != "auto":
        return measured
    return "light" if os.environ.get("TERM") == "linux" else "unicode"


def translating(driver: "type[Driver]", table: Table) -> "type[Driver]":
    """Make a driver class that replaces characters in everything it writes."""

    class Translating(driver):  # type: ignore[misc, valid-type]
        def write(self, data: str) -> None:
            super().write(data.translate(table))

    return Translating


def encodes_unicode(encoding: str) -> bool:
    """Whether the encoding of an output has all characters."""
    return encoding.lower().replace("-", "") in {"utf8", "cp65001"}
