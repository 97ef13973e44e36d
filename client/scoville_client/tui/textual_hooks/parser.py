"""Parser of what a terminal sends: Textual's own, which turns text into keys, clicks and reports."""

from codecs import getincrementaldecoder
from collections.abc import Iterator

from textual._xterm_parser import XTermParser
from textual.message import Message


class InputParser:
    """Turns the bytes of a terminal into messages of Textual. Not every terminal writes UTF-8."""

    def __init__(self) -> None:
        self._parser = XTermParser()
        self._decode = getincrementaldecoder("utf-8")(errors="replace").decode

    def feed(self, data: bytes) -> Iterator[Message]:
        """Yield the messages that are complete."""
        text = self._decode(data)
        if text:  # Textual's parser takes an empty text for the end
            yield from self._parser.feed(text)

    def tick(self) -> Iterator[Message]:
        """Yield what is complete because nothing has followed for a while, such as a lone Escape."""
        yield from self._parser.tick()
