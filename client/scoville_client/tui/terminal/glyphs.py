"""Character sets of terminals: characters and emoji that one lacks are replaced in the output of the whole interface.

Joined emoji, skin tones and variation selectors have other widths in every terminal: they become their first emoji.
The replacement of an emoji is as wide as the screens have reckoned with.
"""

import os
import re
import sys
from collections.abc import Mapping
from typing import Final, Literal
from unicodedata import name, normalize

from rich.cells import cell_len, set_cell_size

Level = Literal["unicode", "light", "ascii"]
Table = Mapping[int, str | int]
"""A table for `str.translate`."""

_LIGHT = str.maketrans(
    "╭╮╰╯┏━┓┃┗┛┣┫┯┄┊▸◂▶◀↗↘↙↖▀▄□△○◷⚠−×…✓▁▂▃▅▆▇▔▏▎▍▌▋▊▉░▓–—“”„\u2018\u2019\u201a",
    "┌┐└┘╔═╗║╚╝╠╣╤─│►◄►◄→↓←↑██·^o@!-x~√__▒▒██─│││▒▒██·▒--\"\"\"'''",
)
"""For the Linux console, whose fonts have lines, doubles and arrows, but no rounded corners and no half blocks."""

_ASCII = str.maketrans(
    "╭─╮│╰╯┏━┓┃┗┛╔═╗║╚╝┌┐└┘├┤┬┴┼┣┫┯╠╣╤┄┊·●○◆■▒█▀▄▲△▼►◄▸◂▶◀→←↑↓↗↘↙↖□◷⚠−×÷±½√°…✓▁▂▃▅▆▇▔▏▎▍▌▋▊▉░▓"
    "–—“”„«»\u2039\u203a\u2018\u2019\u201a¡¿ßæÆœŒøØłŁđĐ",
    '+-+|+++=+|++#=####+++++++++[]+[]+-|.*o@#%##_^!v><><><><^v^vv^.@!-x/~+v.~*_.-=+*"|||%%##.%'
    '--"""""<>\'\'\'!?saAoOoOlLdD',
)


class _Ascii(dict[int, str]):
    """The ASCII table; other characters become their base letter, or question marks of the same width."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        plain = normalize("NFKD", char)[0]
        self[code] = plain if plain.isascii() and cell_len(char) < 2 else "?" * cell_len(char)
        return self[code]


def table_of_level(level: Level) -> Table | None:
    """Return the table of a level; None where nothing is replaced."""
    if level == "ascii":
        return _Ascii({code: chr(sign) for code, sign in _ASCII.items()})
    return _LIGHT if level == "light" else None


def find_level(chosen: Literal["auto"] | Level = "auto", measured: Literal["auto"] | Level = "auto") -> Level:
    """Return the level that was chosen, else the one that was measured, else that of the locale and TERM."""
    if chosen != "auto":
        return chosen
    # Before the measured traits: an output without Unicode cannot write it, whatever the terminal shows.
    if not encodes_unicode(getattr(sys.__stdout__, "encoding", None) or "ascii"):
        return "ascii"
    if measured != "auto":
        return measured
    return "light" if os.environ.get("TERM") == "linux" else "unicode"


def encodes_unicode(encoding: str) -> bool:
    """Whether the encoding of an output has all characters."""
    return encoding.lower().replace("-", "") in {"utf8", "cp65001"}


_ONE: Final = "(?:[\U0001f000-\U0001faff]|[\u231a-\u2bff](?=\ufe0f))[\ufe0f\U0001f3fb-\U0001f3ff]*"
_EMOJI: Final = re.compile(f"[\U0001f1e6-\U0001f1ff]{{2}}|{_ONE}(?:\u200d{_ONE})*")
_FLAG: Final = 0x1F1E6
# The first word that is in the name of an emoji counts, and FACE is in most of the names.
_SIGNS: Final = (
    ("HEART", "<3"),
    ("THUMBS UP", "+1"),
    ("THUMBS DOWN", "-1"),
    ("CRYING", ":("),
    ("FROWN", ":("),
    ("SAD", ":("),
    ("ANGRY", ":("),
    ("WORRIED", ":("),
    ("DISAPPOINTED", ":("),
    ("TEARS OF JOY", ":D"),
    ("FACE", ":)"),
    ("CHEQUERED FLAG", "|>"),
)
_OTHER: Final = "[]"


def settle_emoji(data: str, *, shown: bool) -> str:
    """Return text in which every emoji has the same width everywhere; `shown` keeps the simple ones."""
    if data.isascii():
        return data
    return _EMOJI.sub(lambda found: _in_place_of(found[0], shown=shown), data)


def _in_place_of(emoji: str, *, shown: bool) -> str:
    first, width = emoji[0], cell_len(emoji)
    if ord(first) in range(_FLAG, _FLAG + 26):
        return "".join(chr(ord("A") + ord(char) - _FLAG) for char in emoji)
    if shown and cell_len(first) == width:
        return first
    if width == 1:
        return first if shown else "*"
    called = name(first, "")
    return set_cell_size(next((sign for word, sign in _SIGNS if word in called), _OTHER), width)
