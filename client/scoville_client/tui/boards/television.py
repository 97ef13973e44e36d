"""Spectator view for a television: a picture of the table that every game fills in, drawn large.

The cards are on the left, the players on the right, a sentence below. A picture says what is shown of any game.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.language import tr
from scoville_client.i18n.name_text import OWNED
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.boards.gauges import draw_bar, draw_line, list_bars
from scoville_client.tui.boards.picture import BigCard, BigMove, BigSeat, Picture
from scoville_client.tui.drawing.canvas import Canvas, fit_text
from scoville_client.tui.drawing.digits import ROWS
from scoville_client.tui.drawing.digits import SHAPES as DIGITS
from scoville_client.tui.drawing.frames import Edge, draw_frame
from scoville_client.tui.drawing.letters import (
    HALF,
    SQUARE,
    TALL,
    Pen,
    cut_letters,
    draw_shape,
    draw_text,
    has_accent,
    width_of,
    wrap_large,
)

# Packages of games import the parts of a picture from here, as before they had a module of their own.
__all__ = ["MINIMUM", "BigCard", "BigSeat", "Picture", "draw_picture", "fits_television"]

MINIMUM: Final = (100, 29)
"""Columns and rows, above the row of keys, from which on things are larger than on the usual board."""
_LARGER: Final = {
    (260, 70): (Pen(6, 3), Pen(5, 3), Pen(4, 2), Pen(3, 2)),
    (190, 48): (Pen(4, 2), Pen(3, 2), SQUARE),
}
"""Columns and rows from which on the letters are larger, and their pens."""
_SMALLER: Final = (SQUARE, HALF)
"""Pens of names and asides where the smallest of a window's pens is too large."""
_MARGIN: Final = 3
_CARDS_SHARE: Final = 0.44
_SMALLER_SHARES: Final = (0.4, 0.36, 0.32)
"""What the cards take where else a name would be cut: "Bot Em" is nobody."""
_LARGER_SHARES: Final = (0.48, 0.52, 0.56)
"""The part of the width that the cards take, and what they take where that makes them larger."""
_BETWEEN: Final = 3
"""Columns between cards and players."""
_BENEATH: Final = 7
"""Rows below the cards for what is said about them."""
_AROUND_NOTE: Final = 9
"""Columns before a name, and between the longest one and the notes beside them."""
_AFTER_NOTE: Final = 5
"""Columns between the notes and the figures."""
_LEAST_NAME: Final = 7
"""Large letters of a name that have to fit; a longer name is cut."""
_FRAME: Final = 2
"""Rows of the frame of a player's tile."""
_INSET: Final = 3
"""Columns between the right edge of a tile and its figures, the edge among them."""
_LEAST_LINE, _MOST_LINE = 3, 5
"""Rows of the line with its numbers."""
_AROUND_LINE: Final = 2
"""Rows that are left of those of the cards at least."""
_MOST_BAR: Final = 3
"""Rows of the bar of a player's points at most."""
_MARK: Final = "►"
_MOST_LINES: Final = 2
"""Large lines of the sentence; a longer one is written in small letters."""
_CARD_PENS: Final = (Pen(10, 5), Pen(8, 4), Pen(6, 3), Pen(4, 2), Pen(3, 2), Pen(2, 1), Pen(1, 1))
_CLAUSES: Final = re.compile(r" [;,:]")
"""What ends a clause, in a reversed sentence."""
_ASIDES: Final = 3
"""Small rows below the cards."""
_MOST_PADDING: Final = 2
"""Rows from the outside of a card to its number at most: a larger number says more than a larger frame."""
_EDGE: Final = tuple("╔═╗║╚╝")
_MOST_APART: Final = 4
"""Blank rows between two players at most."""
_LOW: Final = 34
"""Rows below which nothing lies between the players and the sentence."""
_LEAST_MOVES: Final = 2
"""Moves beside each other from which on they are shown."""


def fits_television(width: int, height: int) -> bool:
    """Whether a window of that size has room for the view."""
    return width >= MINIMUM[0] and height >= MINIMUM[1]


def draw_picture(picture: Picture, width: int, height: int, *, half_blocks: bool) -> Canvas:
    """Draw a table in `width` x `height` cells; below MINIMUM in small letters."""
    canvas = Canvas(width, height)
    if not fits_television(width, height):
        _draw_small(canvas, picture)
        return canvas
    # Whose name is claimed matters to those who read names, not to those who watch from afar.
    seats = [seat._replace(note=seat.note.replace(OWNED, "").strip()) for seat in picture.seats]
    picture = picture._replace(seats=seats)
    pens = _pens_for(width, height, half_blocks=half_blocks)
    room = width - 2 * _MARGIN
    top = _draw_header(canvas, picture, pens[-1])
    bottom = _draw_sentence(canvas, picture.sentence, room, pens)
    left = _divide_room(picture, room, bottom - top, pens)
    _draw_middle(canvas, (_MARGIN, top, left, bottom - top), picture, pens)
    right = _MARGIN + left + _BETWEEN
    _draw_seats(canvas, (right, top, width - _MARGIN - right, bottom - top), picture, pens)
    return canvas


def _divide_room(picture: Picture, room: int, height: int, pens: Sequence[Pen]) -> int:
    """Return the columns of the cards: more than usual where that makes them larger, and no name or note smaller."""
    usual = int(room * _CARDS_SHARE)
    if not picture.cards:
        return usual
    names = _pen_of_names(picture, room - usual - _BETWEEN, height, pens)
    if not _fits_whole_names(picture, room - usual - _BETWEEN, height, names):
        for share in _SMALLER_SHARES:
            left = int(room * share)
            pen = _pen_of_names(picture, room - left - _BETWEEN, height, pens)
            if _fits_whole_names(picture, room - left - _BETWEEN, height, pen):
                return left
    cards = _pen_of_cards(picture.cards, usual, height - _BENEATH)
    noted = _fits_notes(picture, names, room - usual - _BETWEEN)
    for share in _LARGER_SHARES:
        left = int(room * share)
        players = room - left - _BETWEEN
        if names != _pen_of_names(picture, players, height, pens):
            break
        if noted and not _fits_notes(picture, names, players):
            break
        if _pen_of_cards(picture.cards, left, height - _BENEATH) != cards:
            return left
    return usual


def _pens_for(width: int, height: int, *, half_blocks: bool) -> Sequence[Pen]:
    """Return the pens of words, the largest first: the whole picture grows by its smallest letters."""
    for (wide, high), pens in _LARGER.items():
        if width >= wide and height >= high:
            return pens
    return (SQUARE, HALF) if half_blocks else (SQUARE, TALL)


def _draw_small(canvas: Canvas, picture: Picture) -> None:
    """Draw the words of a picture, as many as fit."""
    room = canvas.width - 4
    figures = [" ".join(filter(None, (seat.front, seat.score, seat.note))) for seat in picture.seats]
    seats = [
        (f"{seat.name}  {each}", "caption" if seat.leads else "text")
        for seat, each in zip(picture.seats, figures, strict=True)
    ]
    texts = [(picture.title, "title"), (picture.headline, "target"), *seats, (picture.sentence, "caption")]
    texts += [(aside, "muted") for aside in picture.asides]
    rows = [(row, style) for text, style in texts for row in wrap_lines(text, room)]
    for y, (row, style) in enumerate(rows[: canvas.height - 1], 1):
        canvas.put(2, y, row, style)


def _draw_header(canvas: Canvas, picture: Picture, pen: Pen) -> int:
    """Draw the title and the status; return the row below."""
    column = draw_text(canvas, _MARGIN, 1, picture.title, pen, "title")
    status = f"{tr('paused')}  {picture.status}" if picture.paused else picture.status
    style, right = "caption" if picture.paused else "muted", canvas.width - _MARGIN
    smaller = (each for each in (pen, *_SMALLER) if each.height <= pen.height)
    fitting = next((each for each in smaller if right - width_of(status, each) > column + 4), None)
    if fitting is None:
        canvas.put_right(right, 1 + pen.height // 2, status, style)
    else:
        # On the line of the title's feet.
        draw_text(canvas, right - width_of(status, fitting), 1 + pen.height - fitting.height, status, fitting, style)
    return 2 + pen.height


def _draw_sentence(canvas: Canvas, sentence: str, room: int, pens: Sequence[Pen]) -> int:
    """Draw the sentence at the bottom; return the row above which the table has room.

    One that is too long for large letters ends with an earlier clause; one of a single long clause is small.
    """
    area = _MOST_LINES * pens[-1].height
    top = canvas.height - 1 - area
    # In low windows the row between goes to the players: it is the one that their notes need.
    above = top - 1 if canvas.height >= _LOW else top
    for text in _shortened_sentences(sentence):
        for pen in pens:
            lines = wrap_large(text, room, pen)
            if len(lines) * pen.height <= area and all(width_of(each, pen) <= room for each in lines):
                first = top + (area - len(lines) * pen.height) // 2
                for row, line in enumerate(lines):
                    draw_text(canvas, _MARGIN, first + row * pen.height, line, pen, "caption")
                return above
    for row, line in enumerate(list(wrap_lines(sentence, room))[:area]):
        canvas.put(_MARGIN, top + row, line, "caption")
    return above


def _shortened_sentences(sentence: str) -> Iterator[str]:
    """Yield a sentence, then ever shorter forms of it, each without the last clause of the one before."""
    yield sentence
    # In the reversed text, so that the last clause is found first.
    for mark in _CLAUSES.finditer(sentence[::-1]):
        yield f"{sentence[: -mark.end()].rstrip()}."


# --- the middle of the table ----------------------------------------------------------------------------


def _draw_middle(canvas: Canvas, area: tuple[int, int, int, int], picture: Picture, pens: Sequence[Pen]) -> None:
    """Draw the cards or the headline, and below them the asides: the first in large letters where they fit."""
    x, y, width, height = area
    # The largest pen of them is for what is read first; the aside may be smaller, yet never small.
    fitting = [pen for pen in (pens[-1], *_SMALLER) if _fits_first_aside(picture, width, pen)]
    pen, large = (fitting[0], picture.asides[:1]) if fitting else (HALF, ())
    small = [row for aside in picture.asides[len(large) :] for row in wrap_lines(aside, width)][:_ASIDES]
    beneath = len(large) * (pen.height + 1) + len(small)
    first = [row for aside in picture.asides[len(large) : 1] for row in wrap_lines(aside, width)]
    room = height - len(large) * (pen.height + 1) - len(first) - 2
    strip = _fit_moves(picture, width, (height - beneath - 1, room), pens)
    if strip is not None:
        small, beneath = first, height - room - 1 + strip.height
    rows = _rows_of_line(picture, width, height - beneath - 1)
    if rows and picture.line is not None:
        draw_line(canvas, (x, y + height - beneath - 1 - rows, width, rows), picture.line)
    middle = (x, y, width, height - beneath - 1 - rows)
    if picture.cards:
        _draw_cards(canvas, middle, picture.cards)
    else:
        _draw_headline(canvas, middle, picture.headline, pens)
    row = y + height - beneath
    for aside in large:
        draw_text(canvas, x + (width - width_of(aside, pen)) // 2, row, aside, pen, "text")
        row += pen.height + 1
    for offset, aside in enumerate(small):
        canvas.put_centred(x, width, row + offset, aside, "text")
    if strip is not None:
        _draw_moves(canvas, (x, y + height - strip.height, width, strip.height), strip)


def _rows_of_line(picture: Picture, width: int, height: int) -> int:
    """Return the rows that the cards leave for the line of all numbers; 0 where they are too few."""
    if picture.line is None or not picture.line.marks:
        return 0
    cards = _size_of(picture.cards, _pen_of_cards(picture.cards, width, height))[1] if picture.cards else 0
    free = height - cards - _AROUND_LINE
    return min(free, _MOST_LINE) if free >= _LEAST_LINE else 0


class _Strip(NamedTuple):
    """The last moves that have room beside each other, each `width` columns wide, in letters of a pen."""

    moves: Sequence[BigMove]
    width: int
    pen: Pen

    @property
    def height(self) -> int:
        """Rows of a move: its figure within a frame, which has the name and the word."""
        return self.pen.height - self.pen.rows + _FRAME


def _fit_moves(picture: Picture, width: int, rooms: tuple[int, int], pens: Sequence[Pen]) -> _Strip | None:
    """Choose letters and number of the last moves: the largest that leave the cards as large as they are without.

    `rooms` are the rows of the cards without the moves, and those of both together.
    """
    cards = _pen_of_cards(picture.cards, width, rooms[0])
    for pen in (*pens, *_SMALLER):
        widths = [_width_of_move(move, pen) + 1 for move in picture.moves]
        shown = next((n for n in range(len(widths), 0, -1) if n * max(widths[-n:]) <= width + 1), 0)
        left = rooms[1] - (pen.height - pen.rows + _FRAME)
        if shown >= _LEAST_MOVES and (not picture.cards or _has_room(picture.cards, cards, width, left)):
            return _Strip(picture.moves[-shown:], (width + 1) // shown - 1, pen)
    return None


def _width_of_move(move: BigMove, pen: Pen) -> int:
    return max(width_of(move.figure, pen) + 4, cell_len(move.name) + 6, cell_len(move.word) + 6)


def _draw_moves(canvas: Canvas, area: tuple[int, int, int, int], strip: _Strip) -> None:
    """Draw the last moves as cards from edge to edge, the newest at the right with a stronger frame."""
    x, y, _, height = area
    # The blank row for accents is drawn over by the frame: figures have no accents.
    lift = strip.pen.rows
    for number, move in enumerate(strip.moves):
        left = x + number * (strip.width + 1)
        is_newest = number == len(strip.moves) - 1
        draw_frame(canvas, (left, y, strip.width, height), Edge.PLAIN, "text" if is_newest else "faint", move.name)
        column = left + (strip.width - width_of(move.figure, strip.pen)) // 2
        draw_text(canvas, column, y + 1 - lift, move.figure, strip.pen, move.style)
        canvas.put(left + 2, y + height - 1, f" {move.word} " if move.word else "", "strong" if is_newest else "muted")


def _fits_first_aside(picture: Picture, width: int, pen: Pen) -> bool:
    return bool(picture.asides) and width_of(picture.asides[0], pen) <= width


def _draw_headline(canvas: Canvas, area: tuple[int, int, int, int], text: str, pens: Sequence[Pen]) -> None:
    x, y, width, height = area
    pen = next((pen for pen in pens if _fits_in(text, width, height, pen)), None)
    if pen is None:
        canvas.put_centred(x, width, y + max(height, 0) // 2, text, "target")
        return
    # The code of a table may be broken at its hyphen.
    lines = wrap_large(text.replace("-", "- "), width, pen)
    top = y + max(0, (height - len(lines) * (pen.height + 1)) // 2)
    for line in lines:
        draw_text(canvas, x + (width - width_of(line, pen)) // 2, top, cut_letters(line, width, pen), pen, "target")
        top += pen.height + 1


def _fits_in(text: str, width: int, height: int, pen: Pen) -> bool:
    lines = wrap_large(text.replace("-", "- "), width, pen)
    return all(width_of(line, pen) <= width for line in lines) and len(lines) * (pen.height + 1) <= height


def _draw_cards(canvas: Canvas, area: tuple[int, int, int, int], cards: Sequence[BigCard]) -> None:
    """Draw numbers side by side as large as they fit."""
    x, y, width, height = area
    pen = _pen_of_cards(cards, width, height)
    wide, high = _size_of(cards, pen)
    column, top = x + max(0, (width - wide) // 2), y + max(0, (height - high) // 2)
    for number, card in enumerate(cards):
        each = _width_of_card(card, cards, pen)
        column += _gap_before(card, pen) if number else 0
        _draw_card(canvas, (column, top, each, high - 1), card, pen)
        canvas.put_centred(column, each, top + high - 1, card.word, "strong")
        column += each


def _pen_of_cards(cards: Sequence[BigCard], width: int, height: int) -> Pen:
    return next((pen for pen in _CARD_PENS if _has_room(cards, pen, width, height)), _CARD_PENS[-1])


def _gap_before(card: BigCard, pen: Pen) -> int:
    """Return the blanks before a card: a number without a frame must not be read with the one before."""
    return 1 if card.framed else 1 + 2 * pen.columns


def _has_room(cards: Sequence[BigCard], pen: Pen, width: int, height: int) -> bool:
    wide, high = _size_of(cards, pen)
    return wide <= width and high <= height


def _size_of(cards: Sequence[BigCard], pen: Pen) -> tuple[int, int]:
    """Return the columns and rows of cards with their words."""
    gaps = sum(_gap_before(card, pen) for card in cards[1:])
    return sum(_width_of_card(card, cards, pen) for card in cards) + gaps, ROWS * pen.rows + 2 * min(
        max(pen.rows, 1), _MOST_PADDING
    ) + 1


def _width_of_card(card: BigCard, cards: Sequence[BigCard], pen: Pen) -> int:
    """Return the columns of a card: all framed ones are as wide as the widest."""
    alike = [each for each in cards if each.framed] if card.framed else [card]
    edges = max(2, pen.columns) if card.framed else 0
    return max(max(_columns_of_number(each.number, pen) + edges, cell_len(each.word)) for each in alike)


def _columns_of_number(number: int, pen: Pen) -> int:
    return (sum(len(DIGITS[sign][0]) + 1 for sign in str(number)) - 1) * pen.columns


def _draw_card(canvas: Canvas, area: tuple[int, int, int, int], card: BigCard, pen: Pen) -> None:
    x, y, width, height = area
    if card.framed:
        top_left, across, top_right, down, bottom_left, bottom_right = _EDGE
        canvas.put(x, y, top_left + across * (width - 2) + top_right, card.style)
        for row in range(y + 1, y + height - 1):
            canvas.put(x, row, down, card.style)
            canvas.put(x + width - 1, row, down, card.style)
        canvas.put(x, y + height - 1, bottom_left + across * (width - 2) + bottom_right, card.style)
    column = x + (width - _columns_of_number(card.number, pen)) // 2
    for sign in str(card.number):
        draw_shape(canvas, column, y + (height - ROWS * pen.rows) // 2, DIGITS[sign], pen, card.style)
        column += (len(DIGITS[sign][0]) + 1) * pen.columns


# --- the players ----------------------------------------------------------------------------------------


def _pen_of_names(picture: Picture, width: int, height: int, pens: Sequence[Pen]) -> Pen | None:
    """Return the pen of the names; None where they have no room in large letters."""
    smaller = [pen for pen in _SMALLER if pen.height < pens[-1].height]
    fitting = [pen for pen in (*pens, *smaller) if _room_for_name(picture, width, height - 1, pen)]
    # Whole names before larger ones.
    whole = (pen for pen in fitting if _fits_whole_names(picture, width, height, pen))
    return next(whole, next(iter(fitting), None))


def _fits_whole_names(picture: Picture, width: int, height: int, pen: Pen | None) -> bool:
    """Whether no name is cut in letters of a pen."""
    return pen is not None and _room_for_name(picture, width - _INSET, height - 1, pen, whole=True)


def _fits_notes(picture: Picture, pen: Pen | None, width: int) -> bool:
    """Whether the notes of all players have room beside their names."""
    if pen is None:
        return False
    taken = _width_of_fronts(picture, pen) + _width_of_scores(picture, pen) + _INSET
    return not any(seat.note for seat in picture.seats) or _fits_beside(picture.seats, pen, width - taken)


def _draw_seats(canvas: Canvas, area: tuple[int, int, int, int], picture: Picture, pens: Sequence[Pen]) -> None:
    x, y, width, height = area
    pen = _pen_of_names(picture, width, height, pens)
    # Without a row for the note below a name it follows the name: small names cannot be read from afar.
    beside = pen is None and _room_for_name(picture, width, height - 1 + len(picture.seats), pens[-1])
    if beside:
        pen = pens[-1]
    rows = 2 if pen is None else pen.height + (not beside)
    share = (height - 1) // max(1, len(picture.seats))
    # The blank row for accents may lie in the edge above it.
    lift = 0 if pen is None or any(has_accent(seat.name) for seat in picture.seats) else pen.rows
    framed = pen is not None and share >= rows - lift + _FRAME and _room_for_name(picture, width - _INSET, height, pen)
    score = x + width - (_INSET if framed else 0)
    front = score - _width_of_scores(picture, pen)
    _draw_heads(canvas, y, (front, score), picture)
    if pen is not None and framed:
        # Tiles of one size say what belongs together where a name is far from its points.
        bars = list_bars(picture)
        most = rows + _FRAME + HALF.height + 1 + pen.rows + ((_MOST_BAR + 1) if bars else 0)
        tall, noted = min(share, most), any(seat.note for seat in picture.seats)
        letters = pen.height - lift
        beside_name = _fits_beside(picture.seats, pen, front - _width_of_fronts(picture, pen) - x)
        for number, seat in enumerate(picture.seats):
            top = y + 1 + number * tall
            draw_frame(canvas, (x, top, width, tall), Edge.DOUBLE if seat.leads else Edge.PLAIN,
                       "caption" if seat.leads else "faint")  # fmt: skip
            large_note = tall >= letters + HALF.height + _FRAME and width_of(seat.note, HALF) <= score - x - _INSET
            apart = not large_note and beside_name
            inside = letters + (0 if apart else noted * (HALF.height if large_note else 1))
            free = tall - _FRAME - inside
            # With a blank row above it, where there is one.
            thick = min(_MOST_BAR, max(1, free - 1)) if bars and free > 0 else 0
            inside += min(free, thick + 1) if thick else 0
            first = top + 1 + (tall - _FRAME - inside) // 2 - lift
            _draw_seat(canvas, (x + 1, first), (front, score), seat._replace(note="") if apart else seat, pen,
                       picture, HALF if large_note else None)  # fmt: skip
            if thick:
                beneath = (x + _INSET, top + tall - 1 - thick, width - 2 * _INSET, thick)
                draw_bar(canvas, beneath, bars[number], "caption" if seat.leads else "rim")
            if apart:
                # Far from the figures: the numbers of cards are no points.
                behind = x + _AROUND_NOTE + max(width_of(each.name, pen) for each in picture.seats)
                put_at = first + (pen.height + lift - HALF.height) // 2
                draw_text(canvas, behind, put_at, seat.note, HALF, "muted")
        return
    step, bars = min(max(rows, share), rows + _MOST_APART), list_bars(picture)
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
