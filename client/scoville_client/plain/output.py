"""Translated sentences on a plain text stream, one per line."""

from collections.abc import Callable, Iterable, Sequence

from scoville_client.i18n.language import told
from scoville_shared.engine.phrases import Filling, Phrase


class TextOutput:
    """Writes phrases through `write`, which receives lines without line breaks."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def say(self, text: str, /, **fields: Filling) -> None:
        """Write a sentence; its fields are named in braces."""
        self.tell([Phrase(text, fields)])

    def tell(self, phrases: Iterable[Phrase], names: Sequence[str] = ()) -> None:
        """Write phrases, in which seats are called by `names`."""
        for phrase in phrases:
            self._write(told(phrase, names))
