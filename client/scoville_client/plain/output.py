"""Translated sentences on a plain text stream, one per line."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.own_words import NAME_FIELDS, mark_foreign, quote_name, quote_names
from scoville_shared.engine.phrases import Filling, Phrase
from scoville_shared.errors import ScovilleError

_LEADING_FIELD: Final = re.compile(r"\{(\w+)\}")
_POWER: Final = re.compile(r"(?<=[\d)]) \^ (?=[(−-]?\d)")
"""The sign of powers in a formula: screen readers say plus and times, but leave this one out."""


def write_line_of(phrase: Phrase, names: Sequence[str] = ()) -> str:
    """Return a phrase as a line; a name at its beginning does not pass for that of a sentence of the client."""
    line, quoted = render(phrase, names), render(quote_names(phrase), [*map(quote_name, names)])
    return line if quoted[:1] == line[:1] else quoted


class TextOutput:
    """Writes phrases through `write`, which receives lines without line breaks; `count` is the number of lines."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write_out = write
        self.count = 0

    def say(self, text: str, /, **fields: Filling) -> None:
        """Write a sentence; its fields are named in braces."""
        self.write([Phrase(text, fields)])

    def write(self, phrases: Iterable[Phrase], names: Sequence[str] = ()) -> None:
        """Write phrases, in which seats are called by `names`."""
        for phrase in phrases:
            line, begins_with = write_line_of(phrase, names), _LEADING_FIELD.match(phrase.text)
            # A line that begins with another field than a name begins with words of the server.
            is_foreign = begins_with is not None and begins_with[1] not in NAME_FIELDS
            self._write(mark_foreign(line) if is_foreign else line)

    def write_answer(self, sentences: Iterable[str]) -> None:
        """Write the answer of a command: the user who typed it knows what its words are."""
        for sentence in sentences:
            self._write(render(Phrase("{message}", {"message": sentence})))

    def copy(self, lines: Iterable[str]) -> None:
        """Write lines as they are."""
        for line in lines:
            self._write(line)

    def write_error(self, error: Exception) -> None:
        """Write the sentence of a ScovilleError, LinkError or ValueError."""
        self.say("{message}", message=error_text(error) if isinstance(error, ScovilleError) else str(error))

    def _write(self, line: str) -> None:
        self.count += 1
        self._write_out(_POWER.sub(f" {tr('to the power of')} ", line))
