"""Translated sentences on a plain text stream, one per line."""

from collections.abc import Callable, Iterable, Sequence

from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import render
from scoville_client.i18n.own_words import mark_foreign
from scoville_shared.engine.phrases import Filling, Phrase
from scoville_shared.errors import ScovilleError


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
            line = render(phrase, names)
            # A line that begins with a field begins with words of the server, or of somebody there.
            self._write(mark_foreign(line) if phrase.text.startswith("{") else line)

    def write_answer(self, sentences: Iterable[str]) -> None:
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

    def _write(self, line: str) -> None:
        self.count += 1
        self._write_out(line)
