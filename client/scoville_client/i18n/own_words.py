"""Whose words a line has: the client's alone begin its verdict on a deal, and those of a server say that they are."""

import re
import unicodedata
from typing import Final

from scoville_client.i18n.language import render, tr
from scoville_shared.engine.phrases import Phrase

FULL = Phrase("Verified: the server dealt as it had committed to, and all that you saw of the game is true.")
"""The verdict on a deal of which everything was seen; all that praise a server begin with its first word."""

_LETTERS: Final = re.compile(r"[^\W\d_]+")


def quote_server(text: str) -> str:
    """Return words of a server as a line that says so: bare ones could be any line of the client."""
    return tr("The server says: {text}", text=text)


def mark_foreign(line: str) -> str:
    """Return a line that others have written; where it begins as a verdict does, it says who writes it."""
    return quote_server(line) if _sounds_verified(line) else line


def _sounds_verified(line: str) -> bool:
    first = _first_word(line)
    return any(_looks_like(first, _first_word(verdict)) for verdict in (FULL.text, render(FULL)))


def _looks_like(word: str, own: str) -> bool:
    """Whether a word may look like one of ours: a letter that is not ASCII may be drawn like any other one."""
    return len(word) == len(own) and all(
        sign == ours or not sign.isascii() for sign, ours in zip(word, own, strict=True)
    )


def _first_word(line: str) -> str:
    """Return the first word of a line in small letters without accents."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", line) if not unicodedata.combining(sign))
    found = _LETTERS.search(plain.casefold())
    return found[0] if found else ""
