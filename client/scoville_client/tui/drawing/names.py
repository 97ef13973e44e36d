"""A player's name in a row of the table, and behind it a mark while the player is disconnected."""

from collections.abc import Sequence

from rich.cells import cell_len

from scoville_client.tui.drawing.canvas import Canvas, fitted

_LEAST_NAME = 2
"""Cells that a mark leaves to the name at least."""
_SHORT = "?"
"""The mark in columns that are too narrow for words."""


def put_name(canvas: Canvas, x: int, y: int, width: int, name: str, style: str, mark: str = "") -> None:
    """Write a name into `width` cells, and behind it as much of a mark as fits."""
    if mark and cell_len(mark) + 1 + _LEAST_NAME > width:
        mark = _SHORT
    if not mark or width < _LEAST_NAME + 2:
        canvas.put(x, y, fitted(name, width), style)
        return
    behind = canvas.put(x, y, fitted(name, width - cell_len(mark) - 1).rstrip(), style)
    canvas.put(behind + 1, y, mark, "muted")


def mark_of(marks: Sequence[str], seat: int) -> str:
    """Return the mark of a seat; empty where there are no marks."""
    return marks[seat] if seat < len(marks) else ""
