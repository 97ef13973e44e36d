"""The card in the middle, the deck beside it, and the map of all cards from 3 to 35.

The map shows the holder of each card, the card that is offered, and the cards that have not been seen yet.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.language import tr
from scoville_client.tui.boards.layout import Band
from scoville_client.tui.boards.no_thanks.scene import Scene
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.drawing.digits import draw_figure
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of
from scoville_shared.games.no_thanks.state import CARDS
from scoville_shared.ids import Seat

CHIP = "●"
_FIVE = 5


def draw_chips(canvas: Canvas, x: int, y: int, width: int, height: int, count: int) -> int:
    """Draw `count` chips in fives in `width` x `height` cells, as many as there is room for; returns the rows used."""
    across = max(1, (width + 1) // (_FIVE + 1)) * _FIVE
    rows = min(height, -(-count // across))
    for row in range(rows):
        canvas.put(x, y + row, _in_fives(min(across, count - row * across)), "target")
    if count > rows * across and rows:
        canvas.put(x + _width_of_chips(across) - 1, y + rows - 1, "…", "target")
    return rows


def _in_fives(count: int) -> str:
    return " ".join(CHIP * min(_FIVE, count - start) for start in range(0, count, _FIVE))


def _width_of_chips(count: int) -> int:
    return len(_in_fives(count))


_HEATS = 5


class Face(NamedTuple):
    """A size of card: columns and rows."""

    width: int
    height: int


MIDDLE = Face(11, 7)
SMALL = Face(9, 5)


def heat_style(card: int) -> str:
    """Return the style of a card: the more points, the hotter."""
    heat = (card - CARDS.start) * _HEATS // len(CARDS)
    return f"heat{1 + min(max(heat, 0), _HEATS - 1)}"


def draw_face(canvas: Canvas, area: Area, card: int, *, fresh: bool = False, pot: int | None = None) -> None:
    """Draw a card as large as an area; one that has just been turned up has a double edge, a pot lies at its foot."""
    style = heat_style(card)
    draw_frame(canvas, area, Edge.DOUBLE if fresh else Edge.PLAIN, style, str(card))
    x, y, width, height = inside_of(area)
    draw_shade(canvas, inside_of(area), style)
    if pot is not None:
        across = width - 2
        rows = min(max(1, -(-pot // (max(1, (across + 1) // (_FIVE + 1)) * _FIVE))), 2)
        chips = min(across, _width_of_chips(pot)) if pot else 0
        used = draw_chips(canvas, x + (width - chips) // 2, y + height - rows, across, rows, pot) if pot else 0
        height -= used
    draw_figure(canvas, (x + 1, y, width - 2, height), str(card), style)
    canvas.note_face((x, y, width, height), str(card))
    canvas.put(area[0] + 2, area[1], f" {card} ", "strong")


def draw_deck(canvas: Canvas, area: Area, word: str, *, empty: bool) -> None:
    """Draw the cards that are still face down with a word, or the empty place when there are none."""
    if empty:
        draw_place(canvas, area)
        return
    draw_frame(canvas, area, Edge.PLAIN, "muted", foot=word)
    x, y, width, height = inside_of(area)
    for row in range(height):
        canvas.put(x, y + row, "▒" * width, "faint")


def draw_place(canvas: Canvas, area: Area) -> None:
    """Draw the empty place of a card."""
    draw_frame(canvas, area, Edge.GHOST, "faint")


LEAST_ROWS = 2
"""Rows of a map without a legend: the cards and their numbers."""
_PER_ROW = 11
"""Cards in a row of a map of three rows."""
_WRITTEN = 3
"""Columns of a card from which on every number has room."""
_MINE, _OTHERS, _UNSEEN, _OFFERED = "█", "▒", "·", "◆"
_NAMED = 5
"""Rows of a card from which on the holders are named."""


def band_of_map(width: int, *, narrow: bool, counted: bool) -> Band:
    """Return the rows of the map with its legend: one row of cards is enough where it is wide.

    Once the round is `counted` it takes the place of the card.
    """
    if width // len(CARDS) >= _WRITTEN:
        return Band(3, 40, 2) if counted else Band(3, 8, 1)
    return Band(7, 10, 1) if narrow else Band(3, 13, 2)


def _count_rows(width: int, height: int) -> int:
    """Return in how many rows the cards are drawn: in one, or where that is too narrow in three."""
    in_three = width // len(CARDS) < _WRITTEN and height > 2 * (len(CARDS) // _PER_ROW)
    return len(CARDS) // _PER_ROW if in_three else 1


def rows_used(width: int, height: int) -> int:
    """Return how many of `height` rows the map has a use for: its lines are of one height."""
    return height - (height - 1) % _count_rows(width, height)


def draw_map(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> None:
    """Draw the map with its legend in `width` x `height` cells; from enough rows on with the holders' names."""
    lines = _count_rows(width, height)
    each = max(1, (height - (height > LEAST_ROWS)) // lines)
    named = lines == 1 and each >= _NAMED
    thick = max(1, each - 1 - named)
    if height > LEAST_ROWS:
        _draw_legend(canvas, x, y, width, scene)
        y += 1

    count = len(CARDS) // lines
    cell = width // count
    left = x + (width - cell * count) // 2
    for line in range(lines):
        shown = CARDS[line * count : (line + 1) * count]
        top = y + line * each
        free = left
        for place, card in enumerate(shown):
            sign, style = _look_of(scene, card)
            start = left + place * cell
            for row in range(thick):
                canvas.put(start, top + row, sign * max(1, cell - 1), style)
            # A number that would touch the one before is left out.
            if start >= free and (cell >= _WRITTEN or style != "faint"):
                number_style = "caption" if card == scene.board.card else "strong" if style != "faint" else "muted"
                canvas.put_centred(start, max(1, cell - 1), top + thick, str(card), number_style)
                free = start + len(str(card)) + 1
        if named:
            _name_holders(canvas, left, top + thick + 1, cell, shown, scene)


def _draw_legend(canvas: Canvas, x: int, y: int, width: int, scene: Scene) -> None:
    """Explain the signs where there is room for it."""
    canvas.put(x, y, tr("Where every card is"), "muted")
    place = scene.place
    own = "" if place is None else tr("you") if scene.status.place is None else scene.name_of(place)
    legend = (
        *(((_MINE, own, "you"),) if own else ()),
        (_OTHERS, tr("others"), "rim"),
        (_UNSEEN, tr("unseen"), "faint"),
    )
    text = "  ".join(f"{sign} {word}" for sign, word, _ in legend)
    column = x + width - cell_len(text)
    if column <= x + cell_len(tr("Where every card is")):
        return
    for sign, word, style in legend:
        column = canvas.put(column, y, f"{sign} ", style)
        column = canvas.put(column, y, word, "muted") + 2


def _holder_of(scene: Scene, card: int) -> Seat | None:
    return next((Seat(seat) for seat, cards in enumerate(scene.board.cards) if card in cards), None)


def _look_of(scene: Scene, card: int) -> tuple[str, str]:
    """Return the sign and the style of a card."""
    if card == scene.board.card:
        return _OFFERED, "caption"
    holder = _holder_of(scene, card)
    if holder is None:
        return _UNSEEN, "faint"
    if card == scene.fresh:
        return _OTHERS if holder != scene.place else _MINE, "selected-pin"
    return (_MINE, "you") if holder == scene.place else (_OTHERS, "rim")


def _name_holders(canvas: Canvas, x: int, y: int, cell: int, shown: Sequence[int], scene: Scene) -> None:
    """Name the holder below the lowest card of each run, where there is room."""
    free = 0
    for place, card in enumerate(shown):
        holder = _holder_of(scene, card)
        run_begins = place == 0 or _holder_of(scene, shown[place - 1]) != holder
        if holder is None or not run_begins or place * cell < free:
            continue
        behind = next(
            (at for at in range(place + 1, len(shown)) if _holder_of(scene, shown[at]) not in (None, holder)),
            len(shown),
        )
        room = (behind - place) * cell - 1
        name = tr("you") if holder == scene.seat and scene.status.place is None else scene.name_of(holder)
        name = name if cell_len(name) <= room else name[:room]
        canvas.put(x + place * cell, y, name, "you" if holder == scene.place else "muted")
        free = place * cell + cell_len(name) + 1
