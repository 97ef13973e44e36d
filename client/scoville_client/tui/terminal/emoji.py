"""Emoji in the output: simple ones where the terminal draws them in two cells, letters and signs elsewhere.

Joined emoji, skin tones and variation selectors have other widths in every terminal: they become their first emoji.
What replaces an emoji is as wide as the screens have reckoned with.
"""

import re
from typing import TYPE_CHECKING, Final
from unicodedata import name

from rich.cells import cell_len, set_cell_size

if TYPE_CHECKING:
    from textual.driver import Driver

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


def with_emoji(driver: "type[Driver]", *, shown: bool) -> "type[Driver]":
    """Make a driver class that writes emoji as the terminal shows them."""

    class WithEmoji(driver):  # type: ignore[misc, valid-type]
        def write(self, data: str) -> None:
            super().write(settle_emoji(data, shown=shown))

    return WithEmoji
