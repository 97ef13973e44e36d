"""The hand at the bottom: a column for each card, a row for each result with its formulas and who gets a point."""

from collections.abc import Sequence

from rich.cells import cell_len

from scoville_client.tui.boards.chilli_chase import words
from scoville_client.tui.boards.chilli_chase.picker import Column, columns
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_shared.games.chilli_chase.arithmetic import Reach, signed
from scoville_shared.ids import Seat

_SELECTED = "▸"
_MARKS = 2
_ROOMY = 20
_WIDEST = 34
_SHORTEST_NAME = 3
HIDDEN_HEIGHT = 4
_BACK: Sequence[str] = ("╭────╮", "│▒▒▒▒│", "╰────╯")
_STEP = 8


def rows_needed(scene: Scene) -> int:
    """Return the number of rows of the hand: a heading and the longest column."""
    return 1 + max((len(column.ways) for column in columns(scene.board, scene.hand)), default=-1)


def draw_choices(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> None:
    """Draw the hand in `width` x `height` cells; columns that are too long move with the selection."""
    hand = columns(scene.board, scene.hand)
    each = min(width // max(len(hand), 1), _WIDEST)
    for index, column in enumerate(hand):
        selected = scene.my_turn and scene.picker.card == column.card
        row = scene.picker.row if selected else None
        left = x + index * each
        _draw_heading(canvas, left, y, each - 1, column.card, scene.hand.count(column.card), selected=selected)
        _draw_column(canvas, left, y + 1, each - 1, height - 1, scene, column, row)


def draw_hidden(canvas: Canvas, x: int, y: int, count: int) -> None:
    """Draw the backs of `count` cards in HIDDEN_HEIGHT rows from (x, y) on, the first row left blank."""
    for card in range(count):
        for offset, row in enumerate(_BACK, 1):
            canvas.put(x + card * _STEP, y + offset, row, "muted")


def _draw_heading(canvas: Canvas, x: int, y: int, width: int, card: int, count: int, *, selected: bool) -> None:
    style = "selected" if selected else "muted"
    canvas.put(x, y, ("━" if selected else "─") * width, style)
    canvas.put(x + 1, y, " ".join(f"[{card}]" for _ in range(count)), style if selected else "strong")


def _draw_column(
    canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene, column: Column, row: int | None
) -> None:
    first = min(max((row or 0) - height // 2, 0), max(len(column.ways) - height, 0))
    shown = column.ways[first : first + height]
    digits = max(cell_len(signed(way.total)) for way in column.ways)
    for offset, way in enumerate(shown):
        _draw_way(canvas, x, y + offset, width, digits, scene, way, selected=row == first + offset)
    if first > 0:
        canvas.put(x + width - 1, y, "▲", "muted")
    if first + height < len(column.ways):
        canvas.put(x + width - 1, y + height - 1, "▼", "muted")


def _draw_way(
    canvas: Canvas, x: int, y: int, width: int, digits: int, scene: Scene, way: Reach, *, selected: bool
) -> None:
    scorer = scene.board.holder(way.total)
    sign, hit = scene.mark(scorer)
    plain = "text" if scene.my_turn else "muted"
    canvas.put(x + 1, y, sign, hit)
    canvas.put_right(x + _MARKS + digits, y, signed(way.total), hit if scorer is not None else plain)
    left = x + _MARKS + digits + (2 if width >= _ROOMY else 1)
    _draw_formulas(canvas, left, y, x + width - left, scene, way, scorer, plain)
    if selected:
        canvas.restyle(x, y, width, "selected-pin")
        canvas.put(x, y, _SELECTED)


def _draw_formulas(
    canvas: Canvas, x: int, y: int, room: int, scene: Scene, way: Reach, scorer: Seat | None, plain: str
) -> None:
    """Write the formulas, and the name of the player who gets a point if there is room for it."""
    ways = ", ".join(way.ways(scene.board.total))
    if cell_len(ways) > room:
        ways = ways.replace(" ", "").replace(",", " ")
    ways = ways if cell_len(ways) <= room else fitted(ways, room)
    end = canvas.put(x, y, ways, "muted" if scorer is None else plain)
    left = x + room - end - 1
    if scorer is not None and left >= _SHORTEST_NAME:
        name = scene.say(words.YOU) if scorer == scene.me else scene.name(scorer)
        canvas.put_right(x + room, y, name if cell_len(name) <= left else fitted(name, left), scene.mark(scorer)[1])
