"""The seats as tiles of one size, and the dice at the beginning of a game."""

from scoville_client.i18n.language import render
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.boards.motion import is_flashing
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.drawing.digits import Block, draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of, list_tiles
from scoville_client.tui.drawing.status import mark_of, put_head
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase.arithmetic import write_signed
from scoville_shared.ids import Seat

LEAST_HEIGHT = 3
_WON, _OPEN = "■", "□"
_OF = Phrase("{won} of {points}")
_LEAST_WIDTH = 20
_SHADED = 3
"""Rows from which on a die is shaded."""
_DIE_SHAPE = 2
"""Columns of a die for each of its rows."""


def draw_tiles(canvas: Canvas, area: Area, scene: Scene, across: int = 1) -> None:
    """Draw a tile for each seat, `across` beside each other."""
    for seat, tile in enumerate(list_tiles(area, len(scene.board.scores), across)):
        _draw_tile(canvas, tile, scene, Seat(seat))


def _draw_tile(canvas: Canvas, area: Area, scene: Scene, seat: Seat) -> None:
    board, frame = scene.board, scene.frame
    hit = frame is not None and frame.hit == seat
    rolling = frame is not None and frame.rolled is not None
    moves = seat == board.mover and not board.over and not rolling
    style = "selected" if hit else "you" if seat == scene.place else "caption" if moves else "muted"
    mark = mark_of(scene.marks, seat)
    name = " ".join(filter(None, ("▸" if moves else "", scene.name_of(seat), mark)))
    draw_frame(canvas, area, Edge.DOUBLE if moves or hit else Edge.PLAIN, style)
    x, y, width, height = inside_of(area)
    look = "selected-pin" if hit and is_flashing(scene.progress) else "you" if seat == scene.place else "text"
    put_head(canvas, area, name, look, scene.status.time(seat))
    if rolling and frame is not None and seat not in (frame.rolled or ()):
        return
    sign, sign_style = scene.mark_of_holder(seat)
    written = [write_signed(score) for score in board.scores]
    block = fit_block(written, width // 2, height)
    score = f"{sign.strip()} {written[seat]}"
    if block is None:
        canvas.put(x + 1, y + (height - 1) // 2, score, sign_style)
    else:
        draw_figure(canvas, (x, y, width // 2, height), written[seat], sign_style, block)
    _draw_points(canvas, (x + width // 2, y, width - width // 2 - 1, height), scene, seat, plain=block is not None)


def _draw_points(canvas: Canvas, area: Area, scene: Scene, seat: Seat, *, plain: bool) -> None:
    """Draw the points as marks, in tall tiles with their number and the Chilli Score beneath."""
    x, y, width, height = area
    won, target = scene.board.points[seat], scene.board.options.points
    hit = scene.frame is not None and scene.frame.hit == seat
    wide = max(1, min(3, width // max(1, target) - 1)) if plain else 1
    gap = 1 if plain and (wide + 1) * target <= width else 0
    length = target * (wide + gap) - gap
    column = x + max(0, width - length)
    for point in range(target if length <= width else 0):
        sign, style = (_WON, "selected" if hit else "strong") if point < won else (_OPEN, "faint")
        canvas.put(column + point * (wide + gap), y + (0 if plain else (height - 1) // 2), sign * wide, style)
    if length > width:
        canvas.put_right(x + width, y, f"{won}/{target}" + (" +1" if hit else ""), "strong")
    elif plain and height > 1:
        text = render(_OF.with_fields({"won": won, "points": target})) + (" +1" if hit else "")
        canvas.put_right(x + width, y + 1, text, "selected" if hit else "muted")
    if plain and height > 2:
        sign, style = scene.mark_of_holder(seat)
        canvas.put_right(x + width, y + 2, f"{sign} {write_signed(scene.board.scores[seat])}", style)


def tiles_across(width: int) -> int:
    """Return how many tiles have room beside each other."""
    return max(1, width // _LEAST_WIDTH)


def draw_dice(canvas: Canvas, area: Area, scene: Scene, rolled: tuple[Seat, ...]) -> None:
    """Draw a die for each seat, as large as the area allows: empty until it is rolled."""
    _, _, width, height = area
    seats = len(scene.board.scores)
    block: Block | None
    across = max(range(1, seats + 1), key=lambda count: _side_of_die(width // count, height // -(-seats // count)))
    for seat, (left, top, wide, high) in zip(map(Seat, range(seats)), list_tiles(area, seats, across), strict=True):
        die = (left, top, wide - 1, high)
        mine, is_rolled = seat == scene.place, seat in rolled
        style = "faint" if not is_rolled else "target" if mine else "rim"
        name = " ".join(filter(None, (scene.name_of(seat), mark_of(scene.marks, seat))))
        foot = str(scene.board.scores[seat]) if is_rolled else ""
        draw_frame(canvas, die, Edge.PLAIN if is_rolled else Edge.GHOST, style, name, foot)
        block = fit_block(["88"], die[2] - 2, die[3] - 2)
        text = str(scene.board.scores[seat]) if is_rolled else "?"
        draw_shade(canvas, inside_of(die), style, _SHADED)
        draw_figure(canvas, inside_of(die), text, style, block)


def _side_of_die(width: int, height: int) -> int:
    return min(width, _DIE_SHAPE * height)
