"""Sentences on a stream of plain text: no cursor, no colour, a line a thing."""

from collections.abc import Callable, Iterable, Sequence

from scoville_client.i18n.language import told
from scoville_shared.engine.phrases import Filling, Phrase


class TextOutput:
    """Says phrases through `write`, which is given one line at a time, without its end."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def say(self, text: str, /, **fields: Filling) -> None:
        """Say a sentence; its fields are named in braces."""
        self.tell([Phrase(text, fields)])

    def tell(self, phrases: Iterable[Phrase], names: Sequence[str] = ()) -> None:
        """Say phrases, in which seats are called by `names`."""
        for phrase in phrases:
            self._write(told(phrase, names))
