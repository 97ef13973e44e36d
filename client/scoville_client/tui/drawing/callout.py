"""Callout: a box with a short text and an arrow, placed where it covers the least and none of what must be seen."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.drawing.canvas import Area, Canvas, Press

_WIDTHS = (44, 34, 26)
"""Columns of the text, the widest first."""
_EDGES = 4
"""Columns of a box around its text."""
_ARROW_COST = 3
"""Cost of a cell of the arrow, in covered cells."""
_CROSSED_COST = 150
"""Cost of a sign under the arrow: a word with an arrow through it cannot be read."""

_BACK = {"▼": (0, -1), "▲": (0, 1), "▶": (-1, 0), "◀": (1, 0)}
"""By its head, the way from the first cell of an arrow back to its box."""


class _BoxPlace(NamedTuple):
    """A box at (x, y) and its arrow, from the box to the cell beside the mark; `tip` is its head, "" for none."""

    cost: int
    x: int
    y: int
    width: int
    rows: tuple[str, ...]
    arrow: tuple[tuple[int, int], ...] = ()
    tip: str = ""


def draw_callout(canvas: Canvas, text: str, hint: str, mark: Area | None, kept: Sequence[Area]) -> bool:
    """Draw a box with `text` and the keys in `hint`, and an arrow from it to `mark`; it covers none of `kept`.

    Without room for an arrow the box has none, and without other room it covers a part of the mark; where there is no
    room at all, nothing is drawn. A click on the box is its first key, Enter. Returns whether it is drawn.
    """
    boxes = list(_list_boxes(canvas, text, hint))
    places: list[_BoxPlace] = []
    if mark is not None:
        covered = _Covered(canvas, [*kept, mark])
        places = [place for box in boxes for place in _place_pointing(covered, box, mark)]
        places = places or [place for box in boxes for place in _place_anywhere(covered, box, mark)]
    if not places:
        covered = _Covered(canvas, kept)
        places = [place for box in boxes for place in _place_anywhere(covered, box, mark)]
    if places:
        _draw_box(canvas, min(places), hint)
    return bool(places)


class _Covered:
    """Counts the cells that a box would cover; what must be seen counts more than all others together."""

    def __init__(self, canvas: Canvas, kept: Sequence[Area]) -> None:
        self.width, self.height = canvas.width, canvas.height
        self.none = self.width * self.height
        """A cost from which on a place is none."""
        costs = [[int(canvas.char(x, y) != " ") for x in range(self.width)] for y in range(self.height)]
        for left, top, width, height in kept:
            for y in range(max(0, top), min(self.height, top + height)):
                for x in range(max(0, left), min(self.width, left + width)):
                    costs[y][x] = self.none
        rows = [[0, *accumulate(row)] for row in costs]
        # Of everything above and to the left, so that the cost of an area takes four of them: thousands of places are
        # compared.
        self._sums = [[0] * (self.width + 1)]
        for row in rows:
            self._sums.append([above + here for above, here in zip(self._sums[-1], row, strict=True)])

    def cost_of(self, x: int, y: int, width: int, height: int) -> int:
        """Return the cost of covering an area; `none` or more outside of the canvas."""
        if x < 0 or y < 0 or x + width > self.width or y + height > self.height:
            return self.none
        upper, lower = self._sums[y], self._sums[y + height]
        return lower[x + width] - lower[x] - upper[x + width] + upper[x]


def _list_boxes(canvas: Canvas, text: str, hint: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the sizes that the box can have: its width, and its rows of text."""
    for width in _WIDTHS:
        inside = max(min(width, canvas.width - _EDGES), cell_len(hint))
        rows = tuple(wrap_lines(text, inside))
        yield max(cell_len(hint), *map(cell_len, rows)) + _EDGES, rows


def _place_pointing(covered: _Covered, box: tuple[int, tuple[str, ...]], mark: Area) -> Iterator[_BoxPlace]:
    """Yield the places from which a straight arrow leads to the mark."""
    width, rows = box
    height = len(rows) + 3
    x, y, columns, lines = mark
    row = y + lines // 2
    for at in sorted({x + columns // 4, x + columns // 2, x + columns * 3 // 4}):
        yield from _place_above_or_below(covered, box, mark, at)
    for top in {row - height // 2, row - 1, row - height + 2}:
        if top < row < top + height - 1:
            for left in range(x - width):
                arrow = tuple((cell, row) for cell in range(left + width, x))
                yield from _place_box(covered, (left, top, width, rows), arrow, "▶")
            for left in range(x + columns + 1, covered.width):
                arrow = tuple((cell, row) for cell in range(left - 1, x + columns - 1, -1))
                yield from _place_box(covered, (left, top, width, rows), arrow, "◀")


def _place_above_or_below(
    covered: _Covered, box: tuple[int, tuple[str, ...]], mark: Area, at: int
) -> Iterator[_BoxPlace]:
    """Yield the places above and below the mark from which an arrow in column `at` leads to it."""
    width, rows = box
    height = len(rows) + 3
    _, y, _, lines = mark
    for left in {max(0, min(at - width // 2, covered.width - width)), at - 2, at - width + 3, 0, covered.width - width}:
        if left < at < left + width - 1:
            for top in range(y - height):
                arrow = tuple((at, cell) for cell in range(top + height, y))
                yield from _place_box(covered, (left, top, width, rows), arrow, "▼")
            for top in range(y + lines + 1, covered.height):
                arrow = tuple((at, cell) for cell in range(top - 1, y + lines - 1, -1))
                yield from _place_box(covered, (left, top, width, rows), arrow, "▲")


def _place_box(
    covered: _Covered, box: tuple[int, int, int, tuple[str, ...]], arrow: tuple[tuple[int, int], ...], tip: str
) -> Iterator[_BoxPlace]:
    left, top, width, rows = box
    cost = covered.cost_of(left, top, width, len(rows) + 3)
    cost += sum(covered.cost_of(x, y, 1, 1) * _CROSSED_COST + _ARROW_COST for x, y in arrow)
    if cost < covered.none:
        yield _BoxPlace(cost, left, top, width, rows, arrow, tip)


def _place_anywhere(covered: _Covered, box: tuple[int, tuple[str, ...]], mark: Area | None) -> Iterator[_BoxPlace]:
    """Yield the places without an arrow, those near the mark before others."""
    width, rows = box
    near = covered.height // 2 if mark is None else mark[1]
    for top in range(covered.height):
        for left in {0, (covered.width - width) // 2, covered.width - width}:
            cost = covered.cost_of(left, top, width, len(rows) + 3)
            if cost < covered.none:
                yield _BoxPlace(cost + abs(top - near), left, top, width, rows)


def _draw_box(canvas: Canvas, place: _BoxPlace, hint: str) -> None:
    x, y, inside = place.x, place.y, place.width - _EDGES
    canvas.put(x, y, f"╭{'─' * (inside + 2)}╮", "caption")
    for offset, row in enumerate((*place.rows, ""), 1):
        canvas.put(x, y + offset, f"│{' ' * (inside + 2)}│", "caption")
        canvas.put(x + 2, y + offset, row, "strong")
    bottom = y + len(place.rows) + 2
    canvas.link(x, y, place.width, bottom - y + 1, Press("enter"))
    canvas.put(x + 2, bottom - 1, hint, "muted")
    canvas.put(x, bottom, f"╰{'─' * (inside + 2)}╯", "caption")
    # It covers no sign: its head is on the last free cell, at worst in the edge of the box.
    free = [cell for cell in place.arrow if canvas.char(*cell) == " "]
    for cell in free:
        canvas.put(*cell, "│" if place.tip in "▲▼" else "─", "caption")
    if place.arrow:
        across, down = _BACK[place.tip]
        first_x, first_y = place.arrow[0]
        canvas.put(*(free[-1] if free else (first_x + across, first_y + down)), place.tip, "caption")
