"""Bars of points, and the line of all numbers, of a picture for a television."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from scoville_client.tui.boards.number_line import Label, draw_labels, scale_of
from scoville_client.tui.boards.picture import BigLine, Picture
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_shared.engine.phrases import write_signed

_NUMBER: Final = re.compile("-?[0-9]+")


class Bar(NamedTuple):
    """A bar from `start` to `end`, as parts of its whole length."""

    start: float
    end: float


def list_bars(picture: Picture) -> Sequence[Bar]:
    """Return a bar for the points of each player, all to one scale; none where there are no points."""
    texts = [seat.score.replace("−", "-") if seat.bar is None else str(seat.bar) for seat in picture.seats]
    if not all(_NUMBER.fullmatch(text) for text in texts):
        return ()
    points = [int(text) for text in texts]
    least, most = min([0, *points]), max([picture.goal, *points])
    if least == most:
        return ()
    zero, whole = -least / (most - least), most - least
    return [Bar(min(zero, zero + value / whole), max(zero, zero + value / whole)) for value in points]


def draw_bar(canvas: Canvas, area: Area, bar: Bar, style: str) -> None:
    """Draw a bar on its track in an area."""
    x, y, width, height = area
    first, last = round(bar.start * width), round(bar.end * width)
    for row in range(y, y + height):
        canvas.put(x, row, "░" * width, "faint")
        canvas.put(x + first, row, "█" * (last - first), style)


def draw_line(canvas: Canvas, area: Area, line: BigLine) -> None:
    """Draw the line of all numbers as a band of blocks, with the marked ones below it."""
    x, y, width, height = area
    numbers = sorted({mark.number for mark in line.marks})
    if line.ends is None:
        columns = scale_of(numbers, width).columns
    else:
        first, last = line.ends
        columns = {number: (number - first) * (width - 1) // max(1, last - first) for number in numbers}
    for row in range(y, y + height - 1):
        canvas.put(x, row, "░" * width, "faint")
        if line.band is not None:
            start, end = (columns[number] for number in line.band)
            canvas.put(x + start, row, "▓" * (end - start), "band")
        for mark in line.marks:
            canvas.put(x + columns[mark.number], row, "█", mark.style)
    labels = [Label(mark.number, columns[mark.number], write_signed(mark.number), mark.style) for mark in line.marks]
    draw_labels(canvas, x, y + height - 1, width, 1, labels)
