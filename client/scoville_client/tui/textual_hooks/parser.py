"""Parser of a terminal's input: Textual's own, which turns text into keys, clicks and reports."""

from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator

from textual._xterm_parser import XTermParser
from textual.message import Message

from scoville_client.tui.reports import Report, ReportFilter, rest_of_report

_ESCAPE = "\x1b"


class TerminalReported(Message):
    """The terminal has said something of itself."""

    def __init__(self, report: Report) -> None:
        super().__init__()
        self.report = report


class InputParser:
    """Turns the bytes of a terminal into messages of Textual. Not every terminal writes UTF-8.

    Attributes:
        unparsed: Characters since the last message.
    """

    def __init__(self) -> None:
        self._parser = XTermParser()
        self._reports = ReportFilter()
        self._decode = getincrementaldecoder("utf-8")(errors="replace").decode
        self._after_escape = False
        self.unparsed = 0

    def feed(self, data: bytes) -> Iterator[Message]:
        """Yield the messages that are complete."""
        text = self._decode(data)
        self.unparsed += len(text)
        if self._after_escape and (rest := rest_of_report(text)) is not None:
            # The Escape that Textual's parser waits with was the first byte of a report, and no key.
            self._renew_parser()
            text, found = rest
            yield from self._report(found)
        text, found = self._reports.take_reports(text)
        yield from self._report(found)
        self._after_escape = text.endswith(_ESCAPE)
        if text:  # Textual's parser takes an empty text for the end
            yield from self._count_from(self._parser.feed(text))

    def tick(self) -> Iterator[Message]:
        """Yield what is complete because nothing has followed for a while, such as a lone Escape."""
        self._after_escape = False
        if held := self._reports.release():
            yield from self._count_from(self._parser.feed(held))
        yield from self._count_from(self._parser.tick())

    def restart(self) -> None:
        """Drop a sequence that never ends."""
        self._renew_parser()
        self._reports.release()
        self.unparsed = 0

    def close(self) -> None:
        """Let the parser's generator end: a cache of Textual's keeps it, and would keep the whole app."""
        for _ in self._parser.feed(""):
            pass

    def _renew_parser(self) -> None:
        self.close()
        self._parser = XTermParser()

    def _report(self, found: Iterable[Report]) -> Iterator[Message]:
        yield from self._count_from(TerminalReported(report) for report in found)

    def _count_from(self, messages: Iterable[Message]) -> Iterator[Message]:
        for message in messages:
            self.unparsed = 0
            yield message
