"""Table list: a row for each table of a lobby, and beneath it how its settings differ from the defaults."""

from collections.abc import Sequence

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
    """A menu of tables."""

    def __init__(self) -> None:
        super().__init__([])
        self._tables: dict[str, Listed] = {}

    def show(self, tables: Sequence[Listed]) -> None:
        """Show other tables; the marked one stays marked."""
        shown = {table.table: table for table in tables}
        if list(shown.items()) == list(self._tables.items()):  # the order counts
            return
        self._tables = shown
        self.fill([Item(table.table, table.game) for table in tables])

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the tables around the marked one."""
        canvas = Canvas(width, height)
        shown = [self._tables[item.id] for item in self.items]
        terms = [self._terms(table, width, marked=number == self.index) for number, table in enumerate(shown)]
        y = 0
        for number in range(self._first([1 + len(rows) for rows in terms], height), len(shown)):
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
        gap = 2 if canvas.width >= _ROOMY else 0
        canvas.put(1, y, "▸" if marked else " ", "target")
        x = canvas.put(3, y, fitted(table.game, _GAME), "title" if marked else "text") + gap
        x = canvas.put(x, y, fitted(table.seats, _SEATS), "text" if marked else "muted") + gap
        x = canvas.put(x, y, fitted(table.state, _STATE), "you" if table.urgent else "text") + max(gap, 1)
        canvas.put(x, y, fitted(table.users, max(canvas.width - x - 2, 1)), "text" if marked else "muted")
