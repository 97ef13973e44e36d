"""The course of a finished game: a sparkline for each player, and the move that cost the user the most."""

from collections.abc import Sequence

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.table.points import CONTRADICTIONS
from scoville_client.session.table.table import AtTable
from scoville_client.tui.boards import find_board_of
from scoville_client.tui.boards.course import Costly, Course
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_shared.protocol.messages import Played

BARS = "▁▂▃▅▆▇█"
_BELOW = "▔▀█"
"""What hangs from the upper edge, for points below zero."""
_ZERO = "─"
_WIDEST = 4
"""Cells of one value at most."""


def sparkline(values: Sequence[int], least: int, most: int, width: int) -> str:
    """Draw values between `least` and `most` in at most `width` cells.

    Few values have several cells each; of too many some are left out, never the last one.
    """
    if not values or width < 1:
        return ""
    each = max(1, min(width // len(values), _WIDEST))
    cells = min(len(values) * each, width)
    last = len(values) - 1
    places = (cell // each if each > 1 else round(cell * last / max(1, cells - 1)) for cell in range(cells))
    return "".join(_bar_of(values[place], least, most) for place in places)


def _bar_of(value: int, least: int, most: int) -> str:
    """Return the sign of a value; around zero where there are values below it, from the lowest one otherwise."""
    if least >= 0:
        return BARS[(value - least) * (len(BARS) - 1) // max(1, most - least)]
    reach = max(most, -least)
    if value == 0:
        return _ZERO
    signs = BARS if value > 0 else _BELOW
    return signs[min(abs(value) * len(signs) // (reach + 1), len(signs) - 1)]


LEAST_WIDTH = 8
"""Cells of a sparkline that says anything."""


def course_of(at: AtTable) -> Course:
    """Return the course of the game at a table, from everything that was received there.

    It is empty where the facts contradict the table, as a hostile server's may.
    """
    try:
        turns = [at.facts_of(seen.event) for seen in at.deal.events if isinstance(seen.event, Played)]
        return find_board_of(at).make_course(turns, len(at.info.seats), at.seat)
    except CONTRADICTIONS:
        return Course()


def draw_sparkline(canvas: Canvas, x: int, y: int, width: int, course: Course, seat: int, style: str) -> None:
    """Draw the points of a seat from the beginning of the game to its end, to the same scale for all seats."""
    values = [points[seat] for points in course.points]
    every = [value for points in course.points for value in points]
    canvas.put(x, y, sparkline(values, min(every), max(every), width), style)


def draw_course(
    canvas: Canvas, area: tuple[int, int, int], course: Course, names: Sequence[str], order: Sequence[int], name: int
) -> int:
    """Draw a heading and a sparkline for each seat in `order`; returns the row below.

    `area` is the first column, the row, and how many columns there are; `name` those of a name.
    """
    x, y, width = area
    canvas.put(x, y, tr("The course of the game"), "faint")
    for row, seat in enumerate(order, y + 1):
        canvas.put(x + 2, row, fitted(names[seat], name), "text")
        draw_sparkline(canvas, x + name + 3, row, width - name - 3, course, seat, "heat4" if row == y + 1 else "muted")
    return y + 1 + len(order)


def rows_of_costly(at: AtTable, costliest: Costly | None, width: int) -> list[str]:
    """Write what cost the user the most in wrapped rows, and the key that shows it; nothing where nothing did."""
    if costliest is None:
        return []
    what = render(costliest.what, at.names)
    # A daily deal is sealed until its time is over: until then there is no replay.
    is_sealed = at.info.deal is not None
    text = tr("Your costliest move: {what}", what=what) if is_sealed else ""
    return list(wrap_lines(text or tr("Your costliest move (c shows it): {what}", what=what), width))
