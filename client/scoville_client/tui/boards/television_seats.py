"""The players on a television: names, figures, notes and bars of points, in tiles where there are rows for them."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from scoville_client.tui.boards.gauges import draw_bar, list_bars
from scoville_client.tui.boards.picture import BigSeat, Picture
from scoville_client.tui.drawing.canvas import Canvas, fit_text
from scoville_client.tui.drawing.frames import Edge, draw_frame
from scoville_client.tui.drawing.letters import HALF, SQUARE, Pen, cut_letters, draw_text, has_accent, width_of

SMALLER: Final = (SQUARE, HALF)
"""Pens of names and asides where the smallest of a window's pens is too large."""
BETWEEN: Final = 3
"""Columns between cards and players."""
_AROUND_NOTE: Final = 9
"""Columns before a name, and between the longest one and the notes beside them."""
_AFTER_NOTE: Final = 5
"""Columns between the notes and the figures."""
_LEAST_NAME: Final = 7
"""Large letters of a name that have to fit; a longer name is cut."""
FRAME: Final = 2
"""Rows of the frame of a player's tile."""
_INSET: Final = 3
"""Columns between the right edge of a tile and its figures, the edge among them."""
_MOST_BAR: Final = 3
"""Rows of the bar of a player's points at most, in rows of a part of a letter."""
_MARK: Final = "►"
_MOST_APART: Final = 4
"""Blank rows between two players at most."""


def pen_of_names(picture: Picture, width: int, height: int, pens: Sequence[Pen]) -> Pen | None:
    """Return the pen of the names; None where they have no room in large letters."""
    smaller = [pen for pen in SMALLER if pen.height < pens[-1].height]
    fitting = [pen for pen in (*pens, *smaller) if _room_for_name(picture, width, height - 1, pen)]
    # Whole names before larger ones.
    whole = (pen for pen in fitting if fits_whole_names(picture, width, height, pen))
    return next(whole, next(iter(fitting), None))


def fits_whole_names(picture: Picture, width: int, height: int, pen: Pen | None) -> bool:
    """Whether no name is cut in letters of a pen."""
    return pen is not None and _room_for_name(picture, width - _INSET, height - 1, pen, whole=True)


def fits_notes(picture: Picture, pen: Pen | None, width: int) -> bool:
    """Whether the notes of all players have room beside their names."""
    if pen is None:
        return False
    taken = _width_of_fronts(picture, pen) + _width_of_scores(picture, pen) + _INSET
    return not any(seat.note for seat in picture.seats) or _fits_beside(picture.seats, pen, width - taken)


def draw_seats(canvas: Canvas, area: tuple[int, int, int, int], picture: Picture, pens: Sequence[Pen]) -> None:
    x, y, width, height = area
    pen = pen_of_names(picture, width, height, pens)
    # Without a row for the note below a name it follows the name: small names cannot be read from afar.
    beside = pen is None and _room_for_name(picture, width, height - 1 + len(picture.seats), pens[-1])
    if beside:
        pen = pens[-1]
    rows = 2 if pen is None else pen.height + (not beside)

    share = (height - 1) // max(1, len(picture.seats))
    # The blank row for accents may lie in the edge above it.
    lift = 0 if pen is None or any(has_accent(seat.name) for seat in picture.seats) else pen.rows
    framed = pen is not None and share >= rows - lift + FRAME and _room_for_name(picture, width - _INSET, height, pen)

    score = x + width - (_INSET if framed else 0)
    front = score - _width_of_scores(picture, pen)
    _draw_heads(canvas, y, (front, score), picture)
    if pen is not None and framed:
        _draw_tiles(canvas, (x, y + 1, width, share), (front, score), picture, pen)
        return

    step, bars = min(max(rows, share), rows + _MOST_APART), list_bars(picture)
    # In the row of the notes, all bars of one length.
    beneath_from = x + 4 + max((cell_len(seat.note) + BETWEEN for seat in picture.seats if seat.note), default=0)
    for number, seat in enumerate(picture.seats):
        place = (x, y + 1 + number * step)
        if pen is None and step > HALF.height and _fits_large_figures(picture, width):
            _draw_figures(canvas, place, score, seat, picture)
            if bars and not seat.note:
                reach = front - _width_of_fronts(picture, HALF) - x - 4 - _INSET
                draw_bar(
                    canvas, (x + 4, y + 3 + number * step, reach, 1), bars[number], "caption" if seat.leads else "rim"
                )
        else:
            _draw_seat(canvas, place, (front, score), seat, pen, picture, beside=beside)
            if bars and pen is not None and not beside and beneath_from < score:
                beneath = (beneath_from, place[1] + pen.height, score - beneath_from, 1)
                draw_bar(canvas, beneath, bars[number], "caption" if seat.leads else "rim")


def _draw_tiles(
    canvas: Canvas, place: tuple[int, int, int, int], ends: tuple[int, int], picture: Picture, pen: Pen
) -> None:
    """Draw a tile for each player, of at most as many rows as the last of `place` says.

    Tiles of one size say what belongs together where a name is far from its points. The bar of the points is below name
    and note, or beside the note; a note without rows of its own stands beside the name.
    """
    (x, y, width, share), (front, score), seats, bars = place, ends, picture.seats, list_bars(picture)
    lift = 0 if any(has_accent(seat.name) for seat in seats) else pen.rows
    letters, thickest = pen.height - lift, _MOST_BAR * max(1, pen.rows)  # half blocks have no rows of their own
    tall = min(share, pen.height + 1 + FRAME + HALF.height + 1 + pen.rows + ((thickest + 1) if bars else 0))
    notes = max((width_of(seat.note, HALF) for seat in seats), default=0)
    large = tall >= letters + HALF.height + FRAME and notes <= score - x - _INSET
    apart = not large and _fits_beside(seats, pen, front - _width_of_fronts(picture, pen) - x)
    inside = letters + (0 if apart or not notes else HALF.height if large else 1)

    free = tall - FRAME - inside
    # With a blank row above it, where there is one.
    thick = min(thickest, max(1, free - 1)) if bars and free > 0 else 0
    inside += min(free, thick + 1) if thick else 0

    for number, seat in enumerate(seats):
        top, style = y + number * tall, "caption" if seat.leads else "rim"
        draw_frame(canvas, (x, top, width, tall), Edge.DOUBLE if seat.leads else Edge.PLAIN,
                   "caption" if seat.leads else "faint")  # fmt: skip
        first = top + 1 + (tall - FRAME - inside) // 2 - lift
        shown = seat._replace(note="") if apart else seat
        _draw_seat(canvas, (x + 1, first), ends, shown, pen, picture, HALF if large else None)
        if thick:
            draw_bar(canvas, (x + _INSET, top + tall - 1 - thick, width - 2 * _INSET, thick), bars[number], style)
        elif bars and notes and not apart:
            behind = x + _INSET + 2 + BETWEEN + (notes if large else max(cell_len(each.note) for each in seats))
            draw_bar(
                canvas, (behind, first + pen.height, score - behind, HALF.height if large else 1), bars[number], style
            )
        if apart:
            # Far from the figures: the numbers of cards are no points.
            behind = x + _AROUND_NOTE + max(width_of(each.name, pen) for each in seats)
            draw_text(canvas, behind, first + (pen.height + lift - HALF.height) // 2, seat.note, HALF, "muted")


def _fits_large_figures(picture: Picture, width: int) -> bool:
    """Whether figures have room in large letters beside whole names in small ones."""
    names = max(cell_len(seat.name) for seat in picture.seats)
    return names + 5 + _width_of_fronts(picture, HALF) + _width_of_scores(picture, HALF) <= width


def _draw_figures(canvas: Canvas, place: tuple[int, int], score: int, seat: BigSeat, picture: Picture) -> None:
    """Draw a player whose name has no room in large letters: the figures have, and say how the game stands."""
    x, y = place
    style = "caption" if seat.leads else "strong"
    front = score - _width_of_scores(picture, HALF)
    canvas.put(x, y + 1, _MARK * 2 if seat.leads else "", "caption")
    canvas.put(x + 4, y + 1, seat.name, style)
    canvas.put(x + 4, y + 2, fit_text(seat.note, max(0, front - _width_of_fronts(picture, HALF) - x - 4)), "text")
    draw_text(canvas, front - width_of(seat.front, HALF), y, seat.front, HALF, seat.front_style)
    draw_text(canvas, score - width_of(seat.score, HALF), y, seat.score, HALF, style)


def _fits_beside(seats: Sequence[BigSeat], pen: Pen, room: int) -> bool:
    """Whether the notes have room in large letters, in a column between the names and the figures."""
    names = max((width_of(seat.name, pen) for seat in seats), default=0)
    notes = max((width_of(seat.note, HALF) for seat in seats), default=0)
    return names + notes + _AROUND_NOTE + _AFTER_NOTE <= room


def _draw_heads(canvas: Canvas, y: int, ends: tuple[int, int], picture: Picture) -> None:
    shown = any(seat.front for seat in picture.seats), any(seat.score for seat in picture.seats)
    for end, head, has_figures in zip(ends, picture.heads, shown, strict=True):
        canvas.put_right(end, y, head if has_figures else "", "muted")


def _draw_seat(
    canvas: Canvas,
    at: tuple[int, int],
    ends: tuple[int, int],
    seat: BigSeat,
    pen: Pen | None,
    picture: Picture,
    note_pen: Pen | None = None,
    *,
    beside: bool = False,
) -> None:
    (x, y), (front, score) = at, ends
    name = x + 4
    room = front - _width_of_fronts(picture, pen) - name - 1
    style = "caption" if seat.leads else "strong"
    middle = y + (pen.height // 2 if pen else 0)
    if seat.leads:
        canvas.put(x, middle, _MARK * 2, "caption")
    if pen is None:
        canvas.put(name, y, fit_text(seat.name, room), style)
        canvas.put_right(front, y, seat.front, seat.front_style)
        canvas.put_right(score, y, seat.score, style)
    else:
        draw_text(canvas, name, y, cut_letters(seat.name, room, pen), pen, style)
        draw_text(canvas, front - width_of(seat.front, pen), y, seat.front, pen, seat.front_style)
        draw_text(canvas, score - width_of(seat.score, pen), y, seat.score, pen, style)
    if beside and pen is not None:
        behind = name + width_of(cut_letters(seat.name, room, pen), pen) + 2
        canvas.put(behind, middle, fit_text(seat.note, max(0, name + room - behind)).rstrip(), "text")
        return
    beneath = y + (pen.height if pen else 1)
    if note_pen is not None:
        draw_text(canvas, name, beneath, seat.note, note_pen, "text")
    else:
        canvas.put(name, beneath, fit_text(seat.note, score - name), "text")


def _room_for_name(picture: Picture, width: int, height: int, pen: Pen, *, whole: bool = False) -> bool:
    """Whether every seat has its rows, and a name the room for enough large letters, or for all of them."""
    taken = _width_of_scores(picture, pen) + _width_of_fronts(picture, pen) + 5
    longest = max((width_of(seat.name, pen) for seat in picture.seats), default=0)
    least = longest if whole else _LEAST_NAME * 4 * pen.columns
    return (pen.height + 1) * len(picture.seats) <= height and taken + least <= width


def _width_of_fronts(picture: Picture, pen: Pen | None) -> int:
    return _width_of_column([seat.front for seat in picture.seats], picture.heads[0], pen)


def _width_of_scores(picture: Picture, pen: Pen | None) -> int:
    return _width_of_column([seat.score for seat in picture.seats], picture.heads[1], pen)


def _width_of_column(texts: Sequence[str], head: str, pen: Pen | None) -> int:
    """Return the columns of the widest figure with the gap before it; 0 where no seat has one."""
    widest = max((width_of(text, pen) if pen else cell_len(text) for text in texts), default=0)
    return max(widest + 3, cell_len(head) + 2) if any(texts) else 0
