"""Miniature of a table: its cards, how the players stand and what happens, in a few cells or in more."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from scoville_client.tui.boards.gauges import draw_bar, draw_line, list_bars
from scoville_client.tui.boards.picture import BigCard, Picture
from scoville_client.tui.drawing.canvas import Area, Canvas, fit_text
from scoville_client.tui.drawing.digits import draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, inside_of

HEIGHTS: Final = (20, 14, 10, 7)
"""Rows of a miniature, from the fullest: larger digits, large ones, the line of all numbers, cards and players."""
LEAST_WIDTH: Final = 37
_APART: Final = 3
"""Columns between the cards and the players."""
_LEAST_SEAT: Final = 13
"""Columns of a player's name and points at least."""
_LINE: Final = 3
_EDGES: Final = 4
"""Columns of a card that its number leaves free."""
_MARK: Final = "►"


def draw_miniature(canvas: Canvas, area: Area, picture: Picture) -> None:
    """Draw a table in one of the HEIGHTS, and at least LEAST_WIDTH columns."""
    x, y, width, height = area
    draw_frame(canvas, area, Edge.PLAIN, "muted", foot=picture.status)
    canvas.put(x + 2, y, f" {fit_text(picture.title, min(cell_len(picture.title), width - 6))} ", "title")
    left, top, room, rows = inside_of(area)
    left, room, rows = left + 1, room - 2, rows - 1
    canvas.put(left, top + rows, fit_text(picture.sentence, room).rstrip(), "caption")
    if picture.line is not None and picture.line.marks and height >= HEIGHTS[-2]:
        rows -= _LINE
        draw_line(canvas, (left, top + rows, room, _LINE), picture.line)
    named = 4 + max((cell_len(seat.name) + cell_len(seat.score) for seat in picture.seats), default=0)
    cards = room - _APART - max(_LEAST_SEAT, min(named, room // 3))
    taken = _draw_cards(canvas, (left, top, cards, rows), picture.cards)
    beside = left + taken + _APART if taken else left
    _draw_seats(canvas, (beside, top, left + room - beside, rows), picture)


def _draw_cards(canvas: Canvas, area: Area, cards: Sequence[BigCard]) -> int:
    """Draw cards beside each other, in large digits where they have room, and words below them.

    Returns the columns that they take.
    """
    x, y, room, height = area
    if not cards:
        return 0
    # Names come before the words below the cards.
    words = [card.word for card in cards]
    if sum(map(_width_of, cards, words)) + len(cards) - 1 > room:
        words = [""] * len(cards)
    numbers = [str(card.number) for card in cards]
    widest = (room + 1) // len(cards) - 1
    block = fit_block(numbers, widest - _EDGES, height - 3)
    high, start = height - 1 if block else 3, x
    for place, (card, word) in enumerate(zip(cards, words, strict=True)):
        x += bool(place)
        width = widest if block else _width_of(card, word)
        wide = widest if block else len(str(card.number)) + _EDGES
        left = x + (width - wide) // 2
        if card.framed:
            draw_frame(canvas, (left, y, wide, high), Edge.DOUBLE if card.style == "target" else Edge.PLAIN, card.style)
        draw_figure(canvas, (left + 1, y + 1, wide - 2, high - 2), str(card.number), card.style, block)
        canvas.put_centred(x, width, y + high, word, "muted")
        x += width
    return x - start


def _width_of(card: BigCard, word: str) -> int:
    return max(len(str(card.number)) + (_EDGES if card.framed else 0), cell_len(word))


def _draw_seats(canvas: Canvas, area: Area, picture: Picture) -> None:
    """Draw names with points, and bars below them where there are rows; in columns where there are too many.

    Those without room are left out.
    """
    x, y, width, height = area
    seats, bars = picture.seats, list_bars(picture)
    columns = max(1, min(-(-len(seats) // height), width // _LEAST_SEAT))
    each, lines = width // columns, -(-len(seats) // columns)
    step = min(3, max(1, height // max(1, lines)))
    names = max((cell_len(seat.name) for seat in seats), default=0)
    for number, seat in enumerate(seats):
        column, row = number // min(lines, height), y + number % min(lines, height) * step
        if column >= columns:
            return
        left = x + column * each
        right = left + each - (_APART if column < columns - 1 else 0)
        style = "caption" if seat.leads else "text"
        canvas.put(left, row, _MARK if seat.leads else "", style)
        canvas.put(left + 2, row, fit_text(seat.name, right - left - 4 - cell_len(seat.score)).rstrip(), style)
        canvas.put_right(right, row, seat.score, style)
        note = seat.note.strip()
        if columns == 1 and names + cell_len(note) + cell_len(seat.score) + 2 * _APART < right - left:
            canvas.put(left + 2 + names + _APART, row, note, "muted")
        if bars and step > 1:
            draw_bar(canvas, (left + 2, row + 1, right - left - 2, 1), bars[number], "caption" if seat.leads else "rim")
