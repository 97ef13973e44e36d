"""The course of a finished game: a sparkline for each player, and the move that cost the user the most."""

from collections.abc import Sequence

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.daily import is_daily
from scoville_client.session.table.points import CONTRADICTIONS
from scoville_client.session.table.table import AtTable
from scoville_client.tui.boards import find_board_of
from scoville_client.tui.boards.course import Costly, Course
from scoville_client.tui.drawing.canvas import Area, Canvas, fit_text
from scoville_client.tui.drawing.sparkline import write_sparkline
from scoville_shared.protocol.messages import Played

_EIGHTHS = " ▁▂▃▄▅▆▇"
_HALF = 4
"""Eighths of a cell from which on the upper half of it is drawn: terminals have no finer signs for that."""
_HIGHEST_CURVE = 8


def course_of(at: AtTable) -> Course:
    """Return the course of the game at a table, from everything that was received there.

    It is empty where the facts contradict the table, as a hostile server's may.
    """
    try:
        turns = [at.facts_of(seen.event) for seen in at.deal.events if isinstance(seen.event, Played)]
        return find_board_of(at).make_course(turns, len(at.info.seats), at.seat)
    except CONTRADICTIONS:
        return Course()


def find_decision(at: AtTable, move: int) -> int:
    """Return the position before the user's latest decision up to a move of the game.

    Where all choose at once, what a choice leads to belongs to the move of the last one who chose.
    """
    moves = [seen.event for seen in at.deal.events if isinstance(seen.event, Played)]
    return next((number for number in reversed(range(move)) if moves[number].seat == at.seat), move)


def draw_sparkline(canvas: Canvas, x: int, y: int, width: int, course: Course, seat: int, style: str) -> None:
    """Draw the points of a seat from the beginning of the game to its end, to the same scale for all seats."""
    values = [points[seat] for points in course.points]
    every = [value for points in course.points for value in points]
    canvas.put(x, y, write_sparkline(values, min(every), max(every), width), style)


def draw_curve(canvas: Canvas, area: Area, course: Course, seat: int, style: str) -> None:
    """Draw the points of a seat over the whole width of an area, to the same scale for all seats, from zero on."""
    x, y, width, height = area
    values = [points[seat] for points in course.points]
    every = [value for points in course.points for value in points]
    least, most = min(0, *every), max(0, *every)
    eighths = 8 * height / max(1, most - least)
    zero = round(most * eighths / 8)
    for column in range(width):
        value = values[column * len(values) // width]
        reach = round(abs(value) * eighths)
        whole, part = divmod(reach, 8)
        for row in range(whole + 1):
            sign = "█" if row < whole else _EIGHTHS[part] if value > 0 else "▀" if part >= _HALF else " "
            at = zero - 1 - row if value > 0 else zero + row
            if sign != " " and 0 <= at < height:
                canvas.put(x + column, y + at, sign, style)
        if not reach:
            canvas.put(x + column, y + min(zero, height - 1), "▔" if zero < height else "▁", style)


def draw_course(
    canvas: Canvas, area: Area, course: Course, names: Sequence[str], order: Sequence[int], name: int
) -> int:
    """Draw a heading and the course of each seat in `order`; returns the row below.

    `area` has the rows that may be used, and `name` columns of it are for the names. Courses are sparklines of one
    row, or curves where there are rows for them.
    """
    x, y, width, height = area
    canvas.put(x, y, tr("The course of the game"), "faint")
    each = max(1, (height - 1) // len(order))
    curve = min(each - 1, _HIGHEST_CURVE)  # and a blank row
    for number, seat in enumerate(order):
        style, row = "heat4" if number == 0 else "muted", y + 1 + number * (curve + 1 if curve > 1 else 1)
        canvas.put(x + 2, row, fit_text(names[seat], name), "text")
        if curve > 1:
            draw_curve(canvas, (x + name + 3, row, width - name - 3, curve), course, seat, style)
        else:
            draw_sparkline(canvas, x + name + 3, row, width - name - 3, course, seat, style)
    return y + 1 + len(order) * (curve + 1 if curve > 1 else 1)


def rows_of_costly(at: AtTable, costliest: Costly | None, width: int) -> list[str]:
    """Write the user's costliest decision in wrapped rows, and the key that shows it; nothing where nothing did."""
    if costliest is None:
        return []
    what = render(costliest.what, at.names)
    # A daily deal is sealed until its time is over: until then there is no replay.
    is_sealed = is_daily(at.info)
    text = tr("Your worst moment: {what}", what=what) if is_sealed else ""
    return list(wrap_lines(text or tr("Your worst moment (c shows it): {what}", what=what), width))
