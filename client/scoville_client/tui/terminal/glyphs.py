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
    "╭╮╰╯┏━┓┃┗┛┣┫┯┄┊▸◂▲▼↗↘↙↖▀▄□−×…✓",
    "┌┐└┘╔═╗║╚╝╠╣╤─│►◄▲▼→↓←↑██·-x~√",
)
"""For the Linux console, whose fonts have lines, doubles and arrows, but no rounded corners and no half blocks."""

_ASCII = str.maketrans(
    "╭─╮│╰╯┏━┓┃┗┛╔═╗║╚╝┌┐└┘├┤┬┴┼┣┫┯╠╣╤┄┊·●◆■▒█▀▄▲▼►◄▸◂→←↑↓↗↘↙↖□−×÷…\u2019✓",
    "+-+|+++=+|++#=####+++++++++[]+[]+-|.*@#%##_^v><><><^v^vv^.-x/~'*",
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


def find_level(*, ascii_wanted: bool) -> Level:
    """Choose the level from the command line, the locale and TERM."""
    if ascii_wanted or not _encodes_unicode():
        return "ascii"
    return "light" if os.environ.get("TERM") == "linux" else "unicode"


def translating(driver: "type[Driver]", table: Table) -> "type[Driver]":
    """Make a driver class that replaces characters in everything it writes."""

    class Translating(driver):  # type: ignore[misc, valid-type]
        def write(self, data: str) -> None:
            super().write(data.translate(table))

    return Translating


def _encodes_unicode() -> bool:
    encoding = getattr(sys.__stdout__, "encoding", None) or "ascii"
    return encoding.lower().replace("-", "") in {"utf8", "cp65001"}
