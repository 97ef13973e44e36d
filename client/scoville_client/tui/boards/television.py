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
from scoville_client.tui.boards.gauges import draw_line
from scoville_client.tui.boards.picture import BigCard, BigMove, BigSeat, Picture
from scoville_client.tui.boards.television_seats import (
    BETWEEN,
    FRAME,
    SMALLER,
    draw_seats,
    fits_notes,
    fits_whole_names,
    pen_of_names,
)
from scoville_client.tui.drawing.canvas import Canvas
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
    is_drawable,
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
_MARGIN: Final = 3
_CARDS_SHARE: Final = 0.44
_SMALLER_SHARES: Final = (0.4, 0.36, 0.32)
"""Shares of the width for the cards where else a name would be cut: "Bot Em" is nobody."""
_LARGER_SHARES: Final = (0.48, 0.52, 0.56)
"""The part of the width that the cards take, and what they take where that makes them larger."""
_BENEATH: Final = 7
"""Rows below the cards for sentences about them."""
_LEAST_LINE, _MOST_LINE = 3, 5
"""Rows of the line with its numbers."""
_AROUND_LINE: Final = 2
"""Rows that are left of those of the cards at least."""
_MOST_LINES: Final = 2
"""Large lines of the sentence; a longer one is written in small letters."""
_CARD_PENS: Final = tuple(
    Pen(*size) for size in ((10, 5), (8, 4), (7, 3), (6, 3), (5, 2), (4, 2), (3, 2), (2, 1), (1, 1))
)
_CLAUSES: Final = re.compile(r" [;,:]")
"""The end of a clause, in a reversed sentence."""
_ASIDES: Final = 3
"""Small rows below the cards."""
_MOST_PADDING: Final = 2
"""Rows from the outside of a card to its number at most: a larger number says more than a larger frame."""
_EDGE: Final = tuple("╔═╗║╚╝")
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
    right = _MARGIN + left + BETWEEN
    draw_seats(canvas, (right, top, width - _MARGIN - right, bottom - top), picture, pens)
    return canvas


def _divide_room(picture: Picture, room: int, height: int, pens: Sequence[Pen]) -> int:
    """Return the columns of the cards: more than usual where that makes them larger, and no name or note smaller."""
    usual = int(room * _CARDS_SHARE)
    if not picture.cards:
        return usual
    names = pen_of_names(picture, room - usual - BETWEEN, height, pens)
    if not fits_whole_names(picture, room - usual - BETWEEN, height, names):
        for share in _SMALLER_SHARES:
            left = int(room * share)
            pen = pen_of_names(picture, room - left - BETWEEN, height, pens)
            if fits_whole_names(picture, room - left - BETWEEN, height, pen):
                return left
    cards = _pen_of_cards(picture.cards, usual, height - _BENEATH)
    noted = fits_notes(picture, names, room - usual - BETWEEN)
    for share in _LARGER_SHARES:
        left = int(room * share)
        players = room - left - BETWEEN
        if names != pen_of_names(picture, players, height, pens):
            break
        if noted and not fits_notes(picture, names, players):
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
    smaller = (each for each in (pen, *SMALLER) if each.height <= pen.height)
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
    smaller = next((pen for pen in SMALLER if pen.height < pens[-1].height), pens[-1])
    # A sentence of one line is as large as the window's letters; one of two lines may be smaller.
    area = max(pens[-1].height, _MOST_LINES * smaller.height)
    top = canvas.height - 1 - area
    # In low windows the row between goes to the players: it is the one that their notes need.
    above = top - 1 if canvas.height >= _LOW else top
    for text in _shortened_sentences(sentence):
        for pen in (*pens, smaller):
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
    # The largest pen of them is for the text that is read first; the aside may be smaller, yet never small.
    fitting = [pen for pen in (pens[-1], *SMALLER) if _fits_first_aside(picture, width, pen)]
    pen, large = (fitting[0], picture.asides[:1]) if fitting else (HALF, ())
    small = [row for aside in picture.asides[len(large) :] for row in wrap_lines(aside, width)][:_ASIDES]

    beneath = len(large) * (pen.height + 1) + len(small)
    first = [row for aside in picture.asides[len(large) : 1] for row in wrap_lines(aside, width)]
    room = height - len(large) * (pen.height + 1) - len(first) - 2
    middle = _compose_middle(picture, width, (height - beneath - 1, room), pens)
    if middle.strip is not None:
        small, beneath = first, height - room - 1 + middle.strip.height
    left = height - beneath - 1 - middle.line

    if middle.line and picture.line is not None:
        draw_line(canvas, (x, y + left, width, middle.line), picture.line)
    if picture.cards:
        _draw_cards(canvas, (x, y, width, left), picture.cards, middle.pen)
    else:
        _draw_headline(canvas, (x, y, width, left), picture.headline, pens)

    row = y + height - beneath
    for aside in large:
        draw_text(canvas, x + (width - width_of(aside, pen)) // 2, row, aside, pen, "text")
        row += pen.height + 1
    for offset, aside in enumerate(small):
        canvas.put_centred(x, width, row + offset, aside, "text")
    if middle.strip is not None:
        _draw_moves(canvas, (x, y + height - middle.strip.height, width, middle.strip.height), middle.strip)


def _rows_of_line(picture: Picture, height: int, pen: Pen) -> int:
    """Return the rows that cards of a pen leave for the line of all numbers; 0 where they are too few."""
    if picture.line is None or not picture.line.marks:
        return 0
    free = height - (_size_of(picture.cards, pen)[1] if picture.cards else 0) - _AROUND_LINE
    return min(free, _MOST_LINE) if free >= _LEAST_LINE else 0


class _Strip(NamedTuple):
    """The last moves that have room beside each other, each `width` columns wide, in letters of a pen."""

    moves: Sequence[BigMove]
    width: int
    pen: Pen

    @property
    def height(self) -> int:
        """Rows of a move: its figure within a frame, which has the name and the word."""
        return self.pen.height - self.pen.rows + FRAME


class _Middle(NamedTuple):
    """Contents of the middle: the pen of the cards, the last moves, and the rows of the line of all numbers."""

    pen: Pen
    strip: _Strip | None
    line: int


def _compose_middle(picture: Picture, width: int, rooms: tuple[int, int], pens: Sequence[Pen]) -> _Middle:
    """Compose cards, line, moves and a formula: rather all of them than larger cards, but no card is half as high.

    `rooms` are the rows of the cards without moves, and those of cards and moves together.
    """
    largest = _pen_of_cards(picture.cards, width, rooms[0])
    smaller = [pen for pen in _CARD_PENS[_CARD_PENS.index(largest) :] if 2 * pen.rows > largest.rows]
    options = [
        _Middle(pen, strip, _rows_of_line(picture, rooms[0] if strip is None else rooms[1] - strip.height, pen))
        for pen in smaller
        for strip in (*_list_strips(picture, width, rooms[1], pens, pen), None)
    ]

    def count_parts(each: _Middle) -> int:
        left = (rooms[0] if each.strip is None else rooms[1] - each.strip.height) - each.line
        word = _pen_of_word(picture.cards, width, left - _size_of(picture.cards, each.pen)[1] + 1)
        return (each.strip is not None) + bool(each.line) + (word is not None)

    return max(options, key=count_parts)  # the first of the fullest


def _list_strips(picture: Picture, width: int, room: int, pens: Sequence[Pen], cards: Pen) -> Iterator[_Strip]:
    """Yield the last moves in ever smaller letters, where they leave cards of a pen their room."""
    for pen in (*pens, *SMALLER):
        widths = [_width_of_move(move, pen) + 1 for move in picture.moves]
        shown = next((n for n in range(len(widths), 0, -1) if n * max(widths[-n:]) <= width + 1), 0)
        left = room - (pen.height - pen.rows + FRAME)
        if shown >= _LEAST_MOVES and (not picture.cards or _has_room(picture.cards, cards, width, left)):
            yield _Strip(picture.moves[-shown:], (width + 1) // shown - 1, pen)


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


def _draw_cards(canvas: Canvas, area: tuple[int, int, int, int], cards: Sequence[BigCard], pen: Pen) -> None:
    """Draw numbers side by side in the middle of an area."""
    x, y, width, height = area
    wide, high = _size_of(cards, pen)
    word = _pen_of_word(cards, width, height - high + 1)
    high += word.height - 1 if word else 0
    column, top = x + max(0, (width - wide) // 2), y + max(0, (height - high) // 2)
    beneath = top + high - (word.height if word else 1)
    for number, card in enumerate(cards):
        each = _width_of_card(card, cards, pen)
        column += _gap_before(card, pen) if number else 0
        _draw_card(canvas, (column, top, each, beneath - top), card, pen)
        if word:
            draw_text(canvas, x + (width - width_of(card.word, word)) // 2, beneath, card.word, word, "strong")
        else:
            canvas.put_centred(column, each, beneath, card.word, "strong")
        column += each


def _pen_of_word(cards: Sequence[BigCard], width: int, height: int) -> Pen | None:
    """Return the pen of the word of a single card, such as the formula of a total; None where it is small."""
    text = cards[0].word if len(cards) == 1 else ""
    fitting = (pen for pen in SMALLER if width_of(text, pen) <= width and pen.height <= height)
    return next(fitting, None) if text and is_drawable(text) else None


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
