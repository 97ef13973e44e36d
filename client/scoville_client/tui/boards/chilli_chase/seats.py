"""The seats: whose turn it is, everybody's Chilli Score, and the points on the way to the target."""

from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.tui.boards.chilli_chase import words
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.boards.motion import is_flashing
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.status import TIME, mark_of, put_name, put_time
from scoville_shared.games.chilli_chase.arithmetic import write_signed
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
    target = scene.say(words.target(scene.board))
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
        _draw_row(canvas, x, y + seat * step, columns, scene, seat)
        put_time(canvas, x + width, y + seat * step, scene.status.time(seat))


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
