"""Translated sentences on a plain text stream, one per line."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import render, tr
from scoville_client.session.table.deal_record import FULL
from scoville_shared.engine.phrases import Filling, Phrase
from scoville_shared.errors import ScovilleError

_LETTERS: Final = re.compile(r"[^\W\d_]+")


class TextOutput:
    """Writes phrases through `write`, which receives lines without line breaks."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def say(self, text: str, /, **fields: Filling) -> None:
        """Write a sentence; its fields are named in braces."""
        self.write([Phrase(text, fields)])

    def write(self, phrases: Iterable[Phrase], names: Sequence[str] = ()) -> None:
        """Write phrases, in which seats are called by `names`."""
        for phrase in phrases:
            line = render(phrase, names)
            # A line that begins with a field begins with words of the server, or of somebody there.
            if phrase.text.startswith("{") and _sounds_verified(line):
                line = tr("The server says: {text}", text=line)
            self._write(line)

    def answer(self, sentences: Iterable[str]) -> None:
        """Write what a command answers: the user who typed it knows what its words are."""
        for sentence in sentences:
            self._write(render(Phrase("{message}", {"message": sentence})))

    def copy(self, lines: Iterable[str]) -> None:
        """Write lines as they are."""
        for line in lines:
            self._write(line)

    def write_error(self, error: Exception) -> None:
        """Write the sentence of a ScovilleError, LinkError or ValueError."""
        self.say("{message}", message=error_text(error) if isinstance(error, ScovilleError) else str(error))


def _sounds_verified(line: str) -> bool:
    """Whether a line begins as the verdict on a deal does, which a hostile server would like to write itself."""
    first = _first_word(line)
    return any(
        len(first) == len(word)
        and all(sign == own or not sign.isascii() for sign, own in zip(first, word, strict=True))
        for word in (_first_word(FULL.text), _first_word(render(FULL)))
    )


def _first_word(line: str) -> str:
    """Return the first word of a line in small letters without accents."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", line) if not unicodedata.combining(sign))
    found = _LETTERS.search(plain.casefold())
    return found[0] if found else ""
