"""Parser of what a terminal sends: Textual's own, which turns text into keys, clicks and reports."""

from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator

from textual._xterm_parser import XTermParser
from textual.message import Message


class InputParser:
    """Turns the bytes of a terminal into messages of Textual. Not every terminal writes UTF-8.

    Attributes:
        unparsed: Characters since the last message.
    """

    def __init__(self) -> None:
        self._parser = XTermParser()
        self._decode = getincrementaldecoder("utf-8")(errors="replace").decode
        self.unparsed = 0

    def feed(self, data: bytes) -> Iterator[Message]:
        """Yield the messages that are complete."""
        text = self._decode(data)
        self.unparsed += len(text)
        if text:  # Textual's parser takes an empty text for the end
            yield from self._count_from(self._parser.feed(text))

    def tick(self) -> Iterator[Message]:
        """Yield what is complete because nothing has followed for a while, such as a lone Escape."""
        yield from self._count_from(self._parser.tick())

    def restart(self) -> None:
        """Drop a sequence that never ends."""
        self.close()
        self._parser, self.unparsed = XTermParser(), 0

    def close(self) -> None:
        """Let the parser's generator end: a cache of Textual's keeps it, and would keep the whole app."""
        for _ in self._parser.feed(""):
            pass

    def _count_from(self, messages: Iterable[Message]) -> Iterator[Message]:
        for message in messages:
            self.unparsed = 0
            yield message
