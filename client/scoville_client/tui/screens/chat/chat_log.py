"""Chat log: messages with their time and sender."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.clock_text import time_of_day
from scoville_client.i18n.language import tr
from scoville_client.i18n.name_text import with_mark
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.widgets.text_view import Row, TextView
from scoville_shared.protocol.messages import MessageInfo

_TIME = 8
"""Columns before the name: a mark for own messages, and the time."""
_BAR = 2
_NARROW = 50
"""Below this number of columns, a message continues below the time instead of below the name."""


class ChatEntry(NamedTuple):
    """A message; `mine` if the user sent it, `aside` if a spectator of the table did."""

    line: MessageInfo
    mine: bool
    aside: bool


class ChatLog(TextView):
    """Shows messages, and below them the output of the last command, which only the user sees."""

    def __init__(self, entries: Callable[[], Sequence[ChatEntry]]) -> None:
        super().__init__(lambda: ())
        self._entries = entries
        self._output: Sequence[str] = ()

    def show_output(self, lines: Sequence[str]) -> None:
        """Show the output of a command below the messages."""
        self._output = lines
        self.to_end()
        self.repaint()

    def write_rows(self, width: int) -> list[Row]:
        messages = [row for each in self._entries() for row in rows_of_message(each, width - _BAR)]
        return [*messages, *(row for line in self._output for row in _output_rows(line, width - _BAR))] or [
            _empty_row()
        ]


def rows_of_message(entry: ChatEntry, width: int) -> Iterator[Row]:
    """Write a message with its time and sender in rows of `width` cells."""
    name = with_mark(entry.line.name, claimed=entry.line.claimed, moderator=entry.line.moderator)
    who = f"{name} {tr('(spectator)')}: " if entry.aside else f"{name}: "
    indent = _TIME if width < _NARROW else _TIME + 2
    first, *others = _wrap_message(entry.line.text, width, _TIME + cell_len(who), indent)
    yield (
        (f"{'▸' if entry.mine else ' '} ", "target"),
        (f"{time_of_day(entry.line.at_ms)} ", "faint"),
        (who, "you" if entry.mine else "title"),
        (first, "text"),
    )
    for row in others:
        yield ((" " * indent + row, "text"),)


def _wrap_message(text: str, width: int, first: int, indent: int) -> list[str]:
    """Wrap a text whose first row begins in the column `first`, the others in the column `indent`."""
    rows = list(wrap_lines(text, max(width - first, 2)))
    if len(rows) < 2:
        return rows or [""]
    rest = text.strip()[len(rows[0]) :]
    return [rows[0], *wrap_lines(rest, width - indent)]


def _output_rows(line: str, width: int) -> Iterator[Row]:
    for number, row in enumerate(wrap_lines(line, width - _TIME)):
        yield ((" " * (_TIME - 2) + ("· " if number == 0 else "  ") + row, "caption"),)


def _empty_row() -> Row:
    return ((f"  {tr('There are no messages yet.')}", "muted"),)
