"""The hand in windows with room: each card as large as it fits, with its results and for whom they score."""

from msgspec.structs import replace

from scoville_client.tui.boards.chilli_chase.choices import draw_way, room_of_totals
from scoville_client.tui.boards.chilli_chase.picker import Column, Picker, list_columns
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.drawing.digits import draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of, list_tiles

LEAST_FACE = 3
_BESIDE = 30
"""Columns from which on the results are beside the card rather than beneath it."""
_LEAST_FACE_WIDTH = 8
_FLAT_WIDTH = 16
_BACK_WIDTH = 3
"""Columns of a card that is face down, for each of its rows at most."""


def least_rows(scene: Scene, width: int) -> int:
    """Return the rows in which every result of the hand is in sight; 0 without a hand."""
    columns = list_columns(scene.board, scene.hand)
    if not columns:
        return 0
    rows = max(len(column.ways) for column in columns)
    return rows + 2 if width // len(columns) >= _BESIDE else rows + LEAST_FACE


def draw_hand(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw each different card of the hand with its results; lists that are too long move with the selection."""
    columns = list_columns(scene.board, scene.hand)
    draw = _draw_beside if area[2] // len(columns) >= _BESIDE else _draw_beneath
    for index, place in enumerate(list_tiles(area, len(columns), len(columns))):
        column = columns[index]
        selected = scene.selects and scene.picker.card == column.card
        row = scene.picker.row if selected else None
        picker = Picker(columns, index, row)
        draw(canvas, place, scene, picker, selected=selected)


def _draw_beside(canvas: Canvas, area: Area, scene: Scene, picker: Picker, *, selected: bool) -> None:
    """Draw a card in a box, and the results at its right."""
    x, y, width, height = area
    _draw_box(canvas, area, scene, picker, selected=selected)
    face = max(_LEAST_FACE_WIDTH, min(width * 2 // 5, 3 * height))
    canvas.link(x, y, face, height, Picker(picker.columns, picker.column))
    inside = (x + 1, y + 1, face - 1, height - 2)
    _draw_number(canvas, inside, picker.columns[picker.column], selected=selected)
    _draw_results(canvas, (x + face + 1, y + 1, width - face - 2, height - 2), scene, picker)


def _draw_beneath(canvas: Canvas, area: Area, scene: Scene, picker: Picker, *, selected: bool) -> None:
    """Draw a card, and the results beneath it."""
    x, y, width, height = area
    ways = len(picker.columns[picker.column].ways)
    face = min(max(LEAST_FACE, height - ways), height - 1)
    if face < LEAST_FACE:
        face = LEAST_FACE
    # A flat card needs no width for its number, and each cell of an edge is sent when the selection moves.
    place = (x, y, width - 1 if face > LEAST_FACE else min(width - 1, _FLAT_WIDTH), face)
    _draw_box(canvas, place, scene, picker, selected=selected)
    canvas.link(x, y, width - 1, face, Picker(picker.columns, picker.column))
    _draw_number(canvas, inside_of(place), picker.columns[picker.column], selected=selected)
    _draw_results(canvas, (x, y + face, width - 1, height - face), scene, picker)


def _draw_box(canvas: Canvas, area: Area, scene: Scene, picker: Picker, *, selected: bool) -> None:
    card = picker.columns[picker.column].card
    count = scene.hand.count(card)
    head = "" if count == 1 else f"{count} × [{card}]"
    draw_frame(canvas, area, Edge.DOUBLE if selected else Edge.PLAIN, "selected" if selected else "card", head)


def _draw_number(canvas: Canvas, area: Area, column: Column, *, selected: bool) -> None:
    style = "selected" if selected else "card"
    if fit_block([str(column.card)], area[2], area[3]) is None:
        canvas.put_centred(area[0], area[2], area[1] + (area[3] - 1) // 2, f"[{column.card}]", style)
        return
    draw_shade(canvas, area, style)
    draw_figure(canvas, area, str(column.card), style)


def _draw_results(canvas: Canvas, area: Area, scene: Scene, picker: Picker) -> None:
    """Draw the results around the selected one, with air between them where there is room."""
    x, y, width, height = area
    column, row = picker.columns[picker.column], picker.row
    step = max(1, min(3, height // len(column.ways)))
    shown = max(1, height // step)
    first = min(max((row or 0) - shown // 2, 0), max(len(column.ways) - shown, 0))
    room = room_of_totals(column)
    y += max(0, height - step * min(shown, len(column.ways))) // 2
    for offset, way in enumerate(column.ways[first : first + shown]):
        top = y + offset * step
        canvas.link(x, top, width, step, replace(picker, row=first + offset))
        draw_way(canvas, x, top, width, room, scene, way, selected=row == first + offset)
    if first > 0:
        canvas.put(x + width - 1, y, "▲", "muted")
    if first + shown < len(column.ways):
        canvas.put(x + width - 1, y + shown - 1, "▼", "muted")


def draw_backs(canvas: Canvas, area: Area, count: int) -> None:
    """Draw a hand face down."""
    x, y, width, height = area
    each = min(width // max(1, count), max(_LEAST_FACE_WIDTH, _BACK_WIDTH * height))
    left = x + (width - each * count) // 2
    for card in range(count):
        place = (left + card * each, y, each - 1, height)
        draw_frame(canvas, place, Edge.PLAIN, "muted")
        inner_x, inner_y, wide, high = inside_of(place)
        for row in range(high):
            canvas.put(inner_x, inner_y + row, "▒" * wide, "faint")
