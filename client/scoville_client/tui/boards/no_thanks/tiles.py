"""The seats as tiles of one size: cards with their edges, and everybody's figures as large as there is room."""

from collections.abc import Sequence

from rich.cells import cell_len

from scoville_client.tui.boards.motion import is_flashing
from scoville_client.tui.boards.no_thanks.scene import Scene
from scoville_client.tui.boards.no_thanks.seats import (
    CARD_ROWS,
    HIDDEN,
    Column,
    columns_of,
    draw_rows,
    has_fewest,
    joined_cards,
    rows_of,
)
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.drawing.digits import Block, draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of, list_tiles
from scoville_client.tui.drawing.status import TIME, mark_of, put_head
from scoville_shared.ids import Seat

_LEAST_WIDTH = 22
LEAST_HEIGHT = 4
_PADDING = 1
"""Columns that stay free within both edges of a tile."""


def columns_across(seats: int, width: int, height: int) -> int:
    """Return how many tiles stand beside each other in `width` x `height` cells; 0 where they have no room."""
    for lines in range(1, seats + 1):
        across = -(-seats // lines)
        if width // across >= _LEAST_WIDTH:
            return across if height // lines >= LEAST_HEIGHT else 0
    return 0


def least_height(scene: Scene, width: int) -> int:
    """Return the rows with which every seat's cards have room in tiles; 0 where tiles are too narrow."""
    seats = len(scene.board.cards)
    across = columns_across(seats, width, LEAST_HEIGHT * seats)
    if not across:
        return 0
    inside = width // across - 2 - 2 * _PADDING
    rows = max(len(rows_of(scene.board.runs(Seat(seat)), inside)) for seat in range(seats))
    return -(-seats // across) * (rows + 3)


def draw_tiles(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw a tile for each seat, side by side in as few lines as there is room for."""
    seats = len(scene.order)
    across = columns_across(seats, area[2], area[3])
    for seat, tile in zip(scene.order, list_tiles(area, seats, across), strict=True):
        _draw_tile(canvas, tile, scene, seat)


def _draw_tile(canvas: Canvas, area: Area, scene: Scene, seat: Seat) -> None:
    x, y, width, height = area
    mine, acts, first = seat == scene.place, seat == scene.actor, has_fewest(scene, seat)
    edge = Edge.DOUBLE if acts or first else Edge.PLAIN
    style = "caption" if acts or first else "you" if mine else "muted"
    mark = mark_of(scene.marks, seat)
    head = " ".join(filter(None, ("▸" if acts or first else "", scene.name_of(seat), mark)))
    word = scene.frame.word if acts and scene.frame is not None else None
    draw_frame(canvas, area, edge, style, foot=_counted_text(scene, seat) if word is None else scene.say(word))
    put_head(canvas, area, head, "you" if mine else "strong" if acts else "text", scene.status.time(seat))
    inside = (x + 1 + _PADDING, y + 1, width - 2 - 2 * _PADDING, height - 2)
    if first:
        draw_shade(canvas, inside_of(area), style)
    used = _draw_cards(canvas, inside, scene, seat)
    _draw_figures(canvas, (inside[0], inside[1] + used, inside[2], inside[3] - used), scene, seat)


def _counted_text(scene: Scene, seat: Seat) -> str:
    """Count the newest number of a scoring up in the edge: large figures would be too much to send at each step."""
    if scene.frame is None or scene.frame.tally is None:
        return ""
    return columns_of(scene)[-1].cells[seat]


def _draw_cards(canvas: Canvas, area: Area, scene: Scene, seat: Seat) -> int:
    """Draw the cards of a seat, with their edges if figures have room beneath; returns the rows that they take."""
    x, y, width, height = area
    rows = rows_of(scene.board.runs(seat), width)
    edged = len(rows) * CARD_ROWS + 1 <= height and not scene.compact
    draw_rows(
        canvas,
        x,
        y,
        rows,
        scene.fresh,
        joined_cards(scene, seat),
        edged=edged,
        flash=is_flashing(scene.progress),
    )
    return len(rows) * (CARD_ROWS if edged else 1) if scene.board.cards[seat] else 0


def _draw_figures(canvas: Canvas, area: Area, scene: Scene, seat: Seat) -> None:
    """Draw the numbers of a seat above their headings as large as they fit, or only the last one large."""
    x, y, width, height = area
    columns = [each for each in columns_of(scene, 1.0) if each.heading != TIME]
    if height <= 0 or not columns:
        return
    texts = [cell for column in columns for cell in column.cells]
    across, down = (width // len(columns), height), (width, height // len(columns))
    beside, beneath = (fit_block(texts, room - 1, rows - 1) for room, rows in (across, down))
    alone = fit_block(columns[-1].cells, width - 1, height - 2)
    sizes = [0 if block is None else block.wide * block.tall for block in (beside, beneath, alone)]
    # One number alone where it is larger than all of them together would be.
    if sizes[2] > len(columns) * max(sizes[:2]):
        _draw_figure(canvas, (x, y, width, height - 1), scene, columns[-1], seat, alone)
        _draw_words(canvas, x, y + height - 1, width, scene, columns[:-1], seat)
    elif not any(sizes):
        _draw_words(canvas, x, y + height - 1, width, scene, columns, seat)
    elif sizes[0] >= sizes[1]:
        for place, column in enumerate(columns):
            _draw_figure(canvas, (x + place * across[0], y, *across), scene, column, seat, beside)
    else:
        for place, column in enumerate(columns):
            _draw_figure(canvas, (x, y + place * down[1], *down), scene, column, seat, beneath)


def _draw_figure(canvas: Canvas, area: Area, scene: Scene, column: Column, seat: Seat, block: Block | None) -> None:
    x, y, width, height = area
    cell = column.cells[seat]
    style = "faint" if cell == HIDDEN else column.style_of(seat)
    draw_figure(canvas, (x, y, width - 1, height - 1), cell, style, block)
    canvas.put_centred(x, width - 1, y + height - 1, scene.say(column.heading), "muted")


def _draw_words(
    canvas: Canvas, x: int, y: int, width: int, scene: Scene, columns: Sequence[Column], seat: Seat
) -> None:
    """Write numbers in a row, with their headings if all of these have room."""
    named = [f"{column.cells[seat]} {scene.say(column.heading)}" for column in columns]
    is_roomy = sum(map(cell_len, named)) + 2 * (len(named) - 1) <= width
    for column in columns:
        cell = column.cells[seat]
        x = canvas.put(x, y, cell, "faint" if cell == HIDDEN else column.style_of(seat)) + 1
        if is_roomy:
            x = canvas.put(x, y, scene.say(column.heading), "muted") + 2
