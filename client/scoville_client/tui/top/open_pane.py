"""The open pane: its rows, which of them is marked and shown, and by what they are filtered and sorted."""

import json
from typing import Any, Final

from scoville_client.tui.top.panes import AUDIT, LOG, NETWORKS, PEOPLE, REPORTS, SLOW, TABLES, Pane, Row

_MOST_ROWS: Final = 500
"""Rows that are asked for: more than anybody scrolls through; the filter finds the others."""
_MOST_EVENTS: Final = 200
_TABLE_SORTS: Final = {"age": "age", "seats": "seats", "watch": "spectators", "moves": "moves", "idle": "idle"}
"""By which columns the server sorts tables, and its names for that."""


class OpenPane:
    """A pane with its rows; `total` is how many the server has, `top` the first row that is shown."""

    def __init__(self, pane: Pane) -> None:
        self.pane = pane
        self.rows: list[Row] = []
        self.total = 0
        self.cursor = self.top = 0
        self.filter_text = self.sort = ""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments with which the server is asked for the rows."""
        if self.pane is TABLES:
            return {"match": self.filter_text, "most": _MOST_ROWS, "sort": _TABLE_SORTS.get(self.sort, "age")}
        if self.pane in (PEOPLE, NETWORKS):
            return {"match": self.filter_text, "most": _MOST_ROWS}
        return {"most": _MOST_EVENTS} if self.pane in (LOG, AUDIT) else {}

    @property
    def marked_row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def take_rows(self, listed: Any) -> None:
        """Keep the rows of a reply in the order in which they are shown, and the cursor on the row where it was."""
        rows: list[Row] = listed[self.pane.rows]
        if self.pane.newest_last:
            rows = [*reversed(rows)]
        if self.pane in (SLOW, LOG, REPORTS, AUDIT) and self.filter_text:
            wanted = self.filter_text.casefold()
            rows = [row for row in rows if wanted in json.dumps(row, ensure_ascii=False).casefold()]
        column = next((column for column in self.pane.columns if column.title == self.sort), None)
        if column is not None and not (self.pane is TABLES and self.sort in _TABLE_SORTS):
            rows = sorted(rows, key=column.sort or column.cell, reverse=column.sort is not None)
        marked = self.marked_row
        self.rows, self.total = rows, listed.get("total", len(rows))
        if marked is not None:
            same = (n for n, row in enumerate(rows) if _identity_of(row) == _identity_of(marked))
            self.cursor = next(same, self.cursor)
        self.move_cursor(0)

    def move_cursor(self, step: int) -> None:
        """Mark another row, as far as there are rows."""
        self.cursor = max(0, min(self.cursor + step, len(self.rows) - 1))

    def scroll_to_cursor(self, room: int) -> None:
        """Show so many rows with the marked one among them."""
        self.top = max(0, min(self.top, self.cursor, max(0, len(self.rows) - room)))
        self.top = max(self.top, self.cursor - room + 1)

    def sort_by_next(self) -> None:
        """Sort by the next column that can be sorted by, at last in the server's order again."""
        sortable = [
            column.title
            for column in self.pane.columns
            if column.sort is not None or self.pane in (PEOPLE, AUDIT, REPORTS)
        ]
        names = ["", *sortable]
        self.sort = names[(names.index(self.sort) + 1) % len(names)]


def _identity_of(row: Row) -> object:
    """Return what distinguishes a row from the others."""
    return next((row[name] for name in ("id", "number", "name", "network", "what") if name in row), None)
