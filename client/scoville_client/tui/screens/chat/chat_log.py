"""What was said, line by line: when, by whom, and what."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.dates import time_of_day
from scoville_client.i18n.language import words
from scoville_client.i18n.wrapping import wrap
from scoville_client.tui.widgets.reading import Reading, Row
from scoville_shared.protocol.messages import MessageInfo

_TIME = 8
"""Columns before the name: a mark for lines of mine, and the time."""
_BAR = 2
_NARROW = 50
"""Below so many columns, what does not fit beside the name goes on beneath the time."""


class Said(NamedTuple):
    """A line, and whether it is `mine`; of whoever looks on at a table, `aside`."""

    line: MessageInfo
    mine: bool
    aside: bool


class TalkLog(Reading):
    """Shows lines of talk, and beneath them what was `told` to me alone."""

    def __init__(self, said: Callable[[], Sequence[Said]]) -> None:
        super().__init__(lambda: ())
        self._said = said
        self._told: Sequence[str] = ()

    def tell(self, lines: Sequence[str]) -> None:
        """Show lines beneath the talk, instead of those before."""
        self._told = lines
        self.to_end()
        self.repaint()

    def rows(self, width: int) -> list[Row]:
        """Write the talk as rows."""
        talk = [row for each in self._said() for row in _rows(each, width - _BAR)]
        return [*talk, *(row for line in self._told for row in _told(line, width - _BAR))] or [_nothing()]


def _rows(said: Said, width: int) -> Iterator[Row]:
    who = f"{said.line.name} {words('(looks on)')}: " if said.aside else f"{said.line.name}: "
    indent = _TIME if width < _NARROW else _TIME + 2
    first, *others = _broken(said.line.text, width, _TIME + cell_len(who), indent)
    yield (
        (f"{'▸' if said.mine else ' '} ", "target"),
        (f"{time_of_day(said.line.at_ms)} ", "faint"),
        (who, "you" if said.mine else "title"),
        (first, "text"),
    )
    for row in others:
        yield ((" " * indent + row, "text"),)


def _broken(text: str, width: int, first: int, indent: int) -> list[str]:
    """Break a text whose first row begins in the column `first`, the others at the `indent`."""
    rows = list(wrap(text, max(width - first, 2)))
    if len(rows) < 2:
        return rows or [""]
    rest = text.strip()[len(rows[0]) :]
    return [rows[0], *wrap(rest, width - indent)]


def _told(line: str, width: int) -> Iterator[Row]:
    for number, row in enumerate(wrap(line, width - _TIME)):
        yield ((" " * (_TIME - 2) + ("· " if number == 0 else "  ") + row, "caption"),)


def _nothing() -> Row:
    return ((f"  {words('Nothing has been said here yet.')}", "muted"),)
