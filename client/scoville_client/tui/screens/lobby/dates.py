"""The user's next dates in the lobby, each with the key that goes to it: above the list, or beside it."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from scoville_client.i18n.dates_text import NextDate
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.drawing.canvas import Canvas, Press, fit_text

MOST_DATES: Final = 5
"""Dates with a key, the nearest ones."""
_ROWS_A_DATE: Final = 8
"""Rows of a window for each date above the list: most of them are for tables."""
DateLine = tuple[str, str, str]
"""The key of a date, when it is, padded to the longest of its list, and what it is."""


def choose_dates(dates: Sequence[NextDate], height: int) -> Sequence[NextDate]:
    """Return the dates to list in a window of so many rows; none where there is nothing but the daily deal."""
    if all(date.kind == "daily" for date in dates):
        return ()  # it has a line of its own
    return dates[: min(MOST_DATES, height // _ROWS_A_DATE)]


def lines_of_dates(dates: Sequence[NextDate], now_ms: int) -> list[DateLine]:
    """Write dates that are listed, each with the key that goes to it."""
    times = [date.when_text(now_ms) for date in dates]
    wide = max(map(cell_len, times), default=0)
    return [
        (str(number), fit_text(time, wide), date.what)
        for number, (date, time) in enumerate(zip(dates, times, strict=True), 1)
    ]


def draw_dates(
    canvas: Canvas, x: int, y: int, room: int, dates: Sequence[DateLine], *, in_one_row: bool = False
) -> int:
    """Draw dates in `room` columns from (x, y) on, each to be clicked; returns the row below.

    A long one takes several rows, or is cut.
    """
    for key, time, what in dates:
        after_key = canvas.put(x, y, key, "target") + 1
        after_time = canvas.put(after_key, y, time, "caption") + 2
        left = max(1, room - (after_time - x))
        rows = [fit_text(what, min(left, cell_len(what)))] if in_one_row else [*wrap_lines(what, left)]
        # Its key is pressed: a row of keys for fingers has no numbers.
        canvas.link(x, y, room, len(rows), Press(key))
        for row in rows:
            canvas.put(after_time, y, row, "text")
            y += 1
    return y
