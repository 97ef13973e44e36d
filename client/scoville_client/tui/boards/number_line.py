"""Number lines, which several boards draw: labels near their places, and scales that break where nothing lies."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.tui.drawing.canvas import Canvas

_LEAST_UNIT = 1.5
"""Columns that one step on a line true to scale takes at least; else longer gaps are broken."""
_BROKEN = 4
"""Steps that a broken gap takes at most."""


class Label(NamedTuple):
    """A text near the place of `number`, at column `at`; `first` labels get their place before others do."""

    number: int
    at: int
    text: str
    style: str
    first: bool = False


class Scale(NamedTuple):
    """The columns of ascending numbers, and the gaps that are not drawn true to scale, by their first number."""

    columns: dict[int, int]
    broken: frozenset[int]


def scale_of(numbers: Sequence[int], width: int) -> Scale:
    """Spread ascending numbers over `width` columns, each in one of its own as long as there are enough."""
    gaps = [after - before for before, after in pairwise(numbers)]
    longest = _longest_gap(gaps, width - 1)
    steps = [gap if gap <= longest else min(longest, _BROKEN) for gap in gaps]
    unit = (width - 1) / max(1, sum(steps))
    places = [round(unit * place) for place in accumulate(steps, initial=0)]
    broken = frozenset(number for number, gap in zip(numbers, gaps, strict=False) if gap > longest)
    return Scale(dict(zip(numbers, places, strict=True)), broken)


def _longest_gap(gaps: Sequence[int], room: int) -> int:
    """Find the longest gap that can be drawn true to scale."""
    for longest in sorted(set(gaps), reverse=True):
        steps = sum(gap if gap <= longest else min(longest, _BROKEN) for gap in gaps)
        if steps * _LEAST_UNIT <= room:
            return longest
    return 1


def draw_scale(canvas: Canvas, x: int, y: int, width: int, scale: Scale, *, body: bool = False) -> None:
    """Draw a row of the axis in `width` columns, dotted where it is broken; `body` is that of a thick one."""
    canvas.put(x, y, ("░" if body else "─") * width, "faint")
    for (number, start), (_, end) in pairwise(scale.columns.items()):
        if number in scale.broken:
            canvas.put(x + start + 1, y, ("·" if body else "┄") * (end - start - 1), "faint")


def draw_labels(
    canvas: Canvas, x: int, y: int, width: int, rows: int, labels: Sequence[Label], furthest: int | None = None
) -> None:
    """Draw labels in `rows` rows, in order within each row; one that finds no room is left out.

    Labels that are not `first` are at most `furthest` columns from their place.
    """
    shelves = [_Shelf(width) for _ in range(rows)]
    for label in sorted(labels, key=lambda label: not label.first):
        away = width if furthest is None or label.first else furthest + 1
        for row, start in _places_near(label.at, away, rows):
            if shelves[row].place_label(label, start):
                canvas.put(x + start, y + row, label.text, label.style)
                break


class _Shelf:
    """A row of labels, a blank between two, smaller numbers to the left of greater ones."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._labels: list[tuple[Label, int]] = []

    def place_label(self, label: Label, start: int) -> bool:
        """Put a label at column `start` if there is room; returns whether there was."""
        fits = 0 <= start <= self._width - cell_len(label.text)
        if fits and all(_are_apart(label, start, *other) for other in self._labels):
            self._labels.append((label, start))
            return True
        return False


def _are_apart(label: Label, start: int, other: Label, other_start: int) -> bool:
    if label.number < other.number:
        return start + cell_len(label.text) < other_start
    return other_start + cell_len(other.text) < start


def _places_near(wanted: int, before: int, rows: int) -> Iterator[tuple[int, int]]:
    """Yield (row, column) less than `before` columns away, the nearest to `wanted` first, upper rows before lower."""
    for away in range(before):
        for row in range(rows):
            yield row, wanted - away
            yield row, wanted + away
