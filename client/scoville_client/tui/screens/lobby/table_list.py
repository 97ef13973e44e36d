"""Table list: a row for each table of a lobby, and beneath it how its settings differ from the defaults.

With details beside the list, it has a heading and rows of its own only.
"""

from collections.abc import Callable, Sequence

from scoville_client.i18n.language import tr
from scoville_client.i18n.table_text import Listed
from scoville_client.i18n.wrapping import wrap
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_client.tui.widgets.menu import Item, Menu

_GAME, _SEATS, _STATE = 13, 5, 12
_INDENT = 5
_MOST_TERMS = 3
"""Rows of settings beneath the marked table; the others have one, with an ellipsis where that is not all."""
_ROOMY = 60


class TableList(Menu):
    """A menu of tables; `has_details` says whether the marked one is described beside it.

    `is_compact` says whether only the marked one has its settings beneath it.
    """

    def __init__(
        self, has_details: Callable[[], bool] = lambda: False, is_compact: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__([])
        self._has_details = has_details
        self._is_compact = is_compact
        self._tables: dict[str, Listed] = {}

    def show(self, tables: Sequence[Listed]) -> None:
        """Show other tables; the marked one stays marked."""
        shown = {table.table: table for table in tables}
        if list(shown.items()) == list(self._tables.items()):  # the order counts
            return
        self._tables = shown
        self.fill([Item(table.table, table.game) for table in tables])

    @property
    def marked_row(self) -> Listed | None:
        """The row of the marked table."""
        return None if self.marked is None else self._tables.get(self.marked)

    def draw(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height)
        shown = [self._tables[item.id] for item in self.items]
        details = self._has_details()
        compact = self._is_compact()
        terms = [
            self._terms(table, width, marked=number == self.index)
            if not details and (number == self.index or not compact)
            else []
            for number, table in enumerate(shown)
        ]
        y = _draw_heading(canvas) if details and shown else 0
        for number in range(self._first([1 + len(rows) for rows in terms], height - y), len(shown)):
            canvas.link(0, y, width, 1 + len(terms[number]), shown[number].table)
            self._draw_table(canvas, y, shown[number], marked=number == self.index)
            for offset, row in enumerate(terms[number], 1):
                canvas.put(_INDENT, y + offset, row, "text" if number == self.index else "muted")
            y += 1 + len(terms[number])
        return canvas

    def _first(self, heights: Sequence[int], height: int) -> int:
        """Find the first table to draw, so that the marked one is visible with its settings."""
        first = 0
        while sum(heights[first : self.index + 1]) > height and first < self.index:
            first += 1
        return first

    @staticmethod
    def _terms(table: Listed, width: int, *, marked: bool) -> list[str]:
        terms = " · ".join(table.terms)
        room = width - _INDENT - 2
        rows = list(wrap(terms, room))
        most = _MOST_TERMS if marked else 1
        if len(rows) > most:
            rows[most - 1] = fitted(" ".join(rows[most - 1 :]), room)
        return rows[:most]

    @staticmethod
    def _draw_table(canvas: Canvas, y: int, table: Listed, *, marked: bool) -> None:
        other = "text" if marked else "muted"
        state = "you" if table.urgent else "text"
        canvas.put(1, y, "▸" if marked else " ", "target")
        cells = (table.game, table.seats, table.state, table.users)
        _draw_cells(canvas, y, cells, ("title" if marked else "text", other, state, other))


def _draw_heading(canvas: Canvas) -> int:
    """Name the columns; returns the row of the first table."""
    heading = (tr("Game"), tr("Seats"), tr("State"), tr("Players"))
    _draw_cells(canvas, 0, heading, ("faint",) * len(heading))
    return 1


def _draw_cells(canvas: Canvas, y: int, cells: Sequence[str], styles: Sequence[str]) -> None:
    gap = 2 if canvas.width >= _ROOMY else 0
    x = canvas.put(3, y, fitted(cells[0], _GAME), styles[0]) + gap
    x = canvas.put(x, y, fitted(cells[1], _SEATS), styles[1]) + gap
    x = canvas.put(x, y, fitted(cells[2], _STATE), styles[2]) + max(gap, 1)
    canvas.put(x, y, fitted(cells[3], max(canvas.width - x - 2, 1)), styles[3])
