"""Layout of the board: one arrangement from 76 columns up, and one down to 46 x 18 cells."""

from rich.cells import cell_len

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.boards.chilli_chase import choices, seats, total, words
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.boards.layout import arrange_scene, draw_header
from scoville_client.tui.drawing import digits
from scoville_client.tui.drawing.canvas import WIDE_FROM, Canvas, fitted
from scoville_client.tui.drawing.text_box import draw_log
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.state import MOST_SEATS
from scoville_shared.ids import Seat

HEIGHT, LARGE_HEIGHT = 4, 8
"""Rows of the dice with the names beneath, and of those in large figures."""
_DIE, _LARGE = 6, 11


def draw_dice(
    canvas: Canvas, x: int, y: int, width: int, scene: Scene, rolled: tuple[Seat, ...], *, large: bool = False
) -> None:
    """Draw a die for each of `rolled` in `width` x HEIGHT or LARGE_HEIGHT cells, with its player's name beneath."""
    each = width // MOST_SEATS
    left = x + (width - each * len(scene.board.scores)) // 2
    for place, seat in enumerate(rolled):
        _draw_die(canvas, left + place * each, y, each, scene, seat, large=large)


def _draw_die(canvas: Canvas, x: int, y: int, width: int, scene: Scene, seat: Seat, *, large: bool) -> None:
    mine, score = seat == scene.place, scene.board.scores[seat]
    style = "target" if mine else "rim"
    across, inside = (_LARGE, LARGE_HEIGHT - 3) if large else (_DIE, HEIGHT - 3)
    middle = x + (width - across) // 2
    canvas.put(middle, y, f"╭{'─' * (across - 2)}╮", style)
    for row in range(1, inside + 1):
        canvas.put(middle, y + row, f"│{' ' * (across - 2)}│", style)
    if large:
        left = middle + (across - digits.width_of_number(score, 1)) // 2
        digits.draw_number(canvas, left, y + 1, score, 1, style)
    else:
        canvas.put(middle + 2, y + 1, f"{score:>2}", style)
    canvas.put(middle, y + inside + 1, f"╰{'─' * (across - 2)}╯", style)
    name = scene.name_of(seat)
    shown = name if cell_len(name) < width else fitted(name, width - 1)
    canvas.put_centred(x, width, y + inside + 2, shown, "you" if mine else "text")


WIDE = (WIDE_FROM, 22)
_SEATS_WIDE = 40
_SEATS_ENOUGH = 30
_SEATS_LEAST = 17
_APART = 4
"""Blanks between the parts of the header."""
_LOG_LEAST, _LOG_WIDE, _LOG_ROOMY = 1, 2, 3
"""Rows of the log: at least; those for which there are rather smaller cards; from when on one stays blank."""
_ROOMY = 34
"""Rows from which on the total is larger, and a blank row is between two seats."""
_TALL = 27
"""Rows from which on a blank row lies above the number line."""
_LEAST_CHOICES = 5
"""Rows of the choices that stay beneath the number line in the smallest windows."""


def draw_table(scene: Scene, width: int, height: int) -> Canvas:
    """Draw the whole table in `width` x `height` cells, at least MINIMUM."""
    return arrange_scene(scene, (width, height), WIDE, _draw_wide, _draw_narrow)


def _draw_wide(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    _draw_header(canvas, x, 0, width, scene, short=False)
    time = scene.status.room
    room = width - _SEATS_ENOUGH - time - 3
    roomy = canvas.height >= _ROOMY and not scene.compact
    needed = total.width_of_total(scene, room, roomy=roomy)
    left = min(max(needed, width - _SEATS_WIDE - time - 3), room)
    total.draw_total(canvas, x, 2, left, scene, roomy=roomy)
    seats.draw_seats(canvas, x + left + 3, 1, width - left - 3, scene, step=1 + roomy)
    canvas.marks["seats"] = (x + left + 3, 1, width - left - 3, 1 + len(scene.board.scores) * (1 + roomy))
    beneath = 3 + total.ROOMY_HEIGHT if roomy else 9 if canvas.height >= _TALL else 8
    _draw_lower(canvas, x, beneath, width, scene)


def _draw_narrow(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    _draw_header(canvas, x, 0, width, scene, short=True)
    time = scene.status.room
    left = min(max(total.width_of_total(scene, 0), width - _SEATS_WIDE - time), width - _SEATS_LEAST - time - 1)
    total.draw_total(canvas, x, 1, left, scene)
    seats.draw_seats_narrow(canvas, x + left + 1, 1, width - left - 1, total.HEIGHT, scene)
    canvas.marks["seats"] = (x + left + 1, 1, width - left - 1, total.HEIGHT)
    _draw_lower(canvas, x, 1 + total.HEIGHT, width, scene)


def _draw_header(canvas: Canvas, x: int, y: int, width: int, scene: Scene, *, short: bool) -> None:
    piles = scene.say((words.piles_short if short else words.piles)(scene.board))
    room = width - cell_len(GAME.info.title) - cell_len(piles) - _APART
    status = scene.say(words.turn_in_full(scene.board))
    if short or scene.status.paused or cell_len(status) > room:
        status = scene.say((words.turn_short if short else words.turn)(scene.board))
    draw_header(canvas, (x, y, width), GAME.info.title, status, piles, paused=scene.status.paused)


def _draw_lower(canvas: Canvas, x: int, y: int, width: int, scene: Scene) -> None:
    """Draw the number line, the log, the sentence of the moment, and at the bottom the choices.

    Where the log is beside the board, the number line is in the middle of the rows that are free.
    """
    said = list(wrap_lines(_moment_text(scene), width))
    room = canvas.height - y - len(said)
    line = _line_rows(scene, width, room)
    log = _log_rows(scene, width)
    height = min(_rows_beneath(scene, width, room - line - log), room - line - min(log, _LOG_WIDE))
    top = canvas.height - height
    if _is_rolling(scene):  # nothing else is there yet: the dice are in the middle
        top -= (room - height) // 2
    _draw_beneath(canvas, x, top, width, height, scene)
    canvas.marks["choices"] = (x, top - len(said), width, height + len(said))
    for offset, row in enumerate(said):
        canvas.put(x, top - len(said) + offset, row, _moment_style(scene))
    left = top - len(said) - y - line
    if not scene.log:
        y, left = y + left // 2, left - left // 2
    if line:
        total.draw_line(canvas, x, y, width, line, scene)
    draw_log(canvas, x, y + line, width, left - (left > _LOG_ROOMY), scene.log)


def _log_rows(scene: Scene, width: int) -> int:
    """Return the rows that the log has at least; a choice of a Chilli Score needs all but one."""
    if scene.status.paused and width < WIDE_FROM - 4:
        return _LOG_ROOMY
    return _LOG_LEAST if scene.choosing or _is_rolling(scene) else _LOG_WIDE


def _is_rolling(scene: Scene) -> bool:
    return scene.frame is not None and scene.frame.rolled is not None


def _line_rows(scene: Scene, width: int, room: int) -> int:
    """Return the rows of the number line; none without room, and before the dice have shown the Chilli Scores.

    In a pause the log has the rows in narrow windows: a notice there says how the game goes on.
    """
    if _is_rolling(scene) or (scene.status.paused and width < WIDE_FROM - 4):
        return 0
    room -= _LOG_LEAST
    left = room - _rows_beneath(scene, width, 0)
    if left >= total.LINE_HEIGHT:
        return total.LINE_HEIGHT
    moves = not scene.choosing and scene.status.viewpoint is None
    enough = left >= total.LEAST_LINE_HEIGHT or (moves and room - _LEAST_CHOICES >= total.LEAST_LINE_HEIGHT)
    return total.LEAST_LINE_HEIGHT if enough else 0


def _rows_beneath(scene: Scene, width: int, room: int) -> int:
    if _is_rolling(scene):
        return (LARGE_HEIGHT if room >= LARGE_HEIGHT and width >= WIDE_FROM - 4 else HEIGHT) + 1
    if scene.status.viewpoint is not None:
        return choices.HIDDEN_HEIGHT
    return choices.HEIGHT if scene.choosing else choices.rows_needed(scene, width, room)


def _draw_beneath(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> None:
    if scene.frame is not None and scene.frame.rolled is not None:
        draw_dice(canvas, x, y + 1, width, scene, scene.frame.rolled, large=height > LARGE_HEIGHT)
    elif scene.status.viewpoint is not None:
        choices.draw_hidden(canvas, x, y, scene.board.hands[scene.status.viewpoint])
    elif scene.choosing:
        choices.draw_scores(canvas, x, y, width, height, scene)
    else:
        choices.draw_choices(canvas, x, y, width, height, scene)


def _moment_text(scene: Scene) -> str:
    return " ".join(scene.captions) if scene.frame else scene.prompt


def _moment_style(scene: Scene) -> str:
    if scene.frame is not None:
        return "caption"
    return "bad" if scene.wrong else "strong" if scene.my_turn else "text"
