"""The seats as rows and as tiles: whose turn it is, Chilli Scores and points; and the dice at the beginning."""

from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.language import render
from scoville_client.tui.boards.chilli_chase import words
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.boards.motion import is_flashing
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.drawing.digits import Block, draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of, list_tiles
from scoville_client.tui.drawing.status import TIME, mark_of, put_head, put_name, put_time
from scoville_shared.engine.phrases import Phrase, write_signed
from scoville_shared.ids import Seat

_WON, _OPEN = "■", "□"
_MOVER = "▸"
_SCORED = " +1"
_NAME = 12
_LEAST_NAME = 4
_ROOMY = 36


def draw_seats(canvas: Canvas, x: int, y: int, width: int, scene: Scene, step: int = 1) -> None:
    """Draw a heading and a row a seat in `width` columns, one every `step` rows."""
    columns = _choose_columns(scene, width - scene.status.room)
    heading = scene.say(words.SCORE)
    canvas.put(x + columns.score - cell_len(heading), y, heading, "faint")
    target = scene.say(words.name_target(scene.board))
    if columns.points + cell_len(target) <= width - scene.status.room:
        canvas.put(x + columns.points, y, target, "faint")
    if scene.status.times:
        canvas.put_right(x + width, y, scene.say(TIME), "faint")
    draw_rows(canvas, x, y + 1, width, scene, step)


def draw_seats_narrow(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> None:
    """Draw a row a seat in `width` columns; above them what the numbers are, if there are fewer than `height` seats."""
    if len(scene.board.scores) < height:
        columns = _choose_columns(scene, width - scene.status.room)
        heading = scene.say(words.SCORE)
        if cell_len(heading) <= columns.score:
            canvas.put_right(x + columns.score, y, heading, "faint")
        y += 1
    draw_rows(canvas, x, y, width, scene)


def draw_rows(canvas: Canvas, x: int, y: int, width: int, scene: Scene, step: int = 1) -> None:
    """Draw a row a seat: turn, name, score, points, time."""
    columns = _choose_columns(scene, width - scene.status.room)
    for seat in map(Seat, range(len(scene.board.scores))):
        if seat == scene.place:
            canvas.marks["own seat"] = (x, y + seat * step, width, 1)
        _draw_row(canvas, x, y + seat * step, columns, scene, seat)
        put_time(canvas, x + width, y + seat * step, scene.status.time_of(seat))


class _Columns(NamedTuple):
    """Where a row's parts begin or end; `marks` where there is room for a mark a point."""

    name: int
    room: int
    mark: int
    score: int
    points: int
    marks: bool


def _roomy_columns(digits: int) -> _Columns:
    """Spread the columns out."""
    score = 2 + _NAME + 10
    return _Columns(2, _NAME, score - digits - 2, score, score + 2, marks=True)


def _tight_columns(width: int, digits: int, target: int) -> _Columns:
    """Push the columns together: the name takes the remaining width."""
    marks = width >= _LEAST_NAME + digits + target + 5
    points = width - (target if marks else len(f"{target}/{target}"))
    points -= len(_SCORED) if points - digits - len(_SCORED) > 2 * _LEAST_NAME else 0
    mark = points - digits - 2
    name = 2 if mark - 3 > _LEAST_NAME else 1
    return _Columns(name, max(mark - 1 - name, 1), mark, points - 1, points, marks=marks)


def _choose_columns(scene: Scene, width: int) -> _Columns:
    digits = max(len(str(score)) for score in scene.board.scores)
    target = scene.board.options.points
    return _roomy_columns(digits) if width >= _ROOMY else _tight_columns(width, digits, target)


def _draw_row(canvas: Canvas, x: int, y: int, columns: _Columns, scene: Scene, seat: Seat) -> None:
    board, frame = scene.board, scene.frame
    hit = frame is not None and frame.hit == seat
    flash = hit and is_flashing(scene.progress)
    if seat == board.mover and not board.over and (frame is None or frame.rolled is None):
        canvas.put(x, y, _MOVER, "selected")
    style = "selected-pin" if flash else "you" if seat == scene.place else "text"
    put_name(canvas, x + columns.name, y, columns.room, scene.name_of(seat), style, mark_of(scene.marks, seat))
    if frame is not None and frame.rolled is not None and seat not in frame.rolled:
        return
    score = write_signed(board.scores[seat])
    sign, sign_style = scene.mark_of_holder(seat)
    canvas.put(x + columns.mark, y, sign, sign_style)
    canvas.put_right(x + columns.score, y, score, "selected-pin" if flash else sign_style)
    _draw_points(canvas, x + columns.points, y, columns, board.points[seat], board.options.points, hit=hit)


def _draw_points(canvas: Canvas, x: int, y: int, columns: _Columns, won: int, target: int, *, hit: bool) -> None:
    style = "selected" if hit else "strong"
    if columns.marks:
        end = canvas.put(x, y, _WON * won, style)
        end = canvas.put(end, y, _OPEN * (target - won), "faint")
    else:
        end = canvas.put(x, y, f"{won}/{target}", style)
    if hit:
        canvas.put(end, y, _SCORED, style)


LEAST_HEIGHT = 3
_OF = Phrase("{won} of {points}")
_LEAST_WIDTH = 20
_SHADED = 3
"""Rows from which on a die is shaded."""
_DIE_SHAPE = 2
"""Columns of a die for each of its rows."""


def draw_tiles(canvas: Canvas, area: Area, scene: Scene, across: int = 1) -> None:
    """Draw a tile for each seat, `across` beside each other."""
    for seat, tile in enumerate(list_tiles(area, len(scene.board.scores), across)):
        if seat == scene.place:
            canvas.marks["own seat"] = tile
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
    put_head(canvas, area, name, look, scene.status.time_of(seat))
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
    _draw_tile_points(canvas, (x + width // 2, y, width - width // 2 - 1, height), scene, seat, plain=block is not None)


def _draw_tile_points(canvas: Canvas, area: Area, scene: Scene, seat: Seat, *, plain: bool) -> None:
    """Draw the points as marks, in tall tiles with their number and the Chilli Score below."""
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
        block = fit_block(["88"], die[2] - 2, die[3] - 2)  # of two digits: all dice have numbers of one size
        text = str(scene.board.scores[seat]) if is_rolled else "?"
        draw_shade(canvas, inside_of(die), style, _SHADED)
        draw_figure(canvas, inside_of(die), text, style, block)


def _side_of_die(width: int, height: int) -> int:
    return min(width, _DIE_SHAPE * height)
