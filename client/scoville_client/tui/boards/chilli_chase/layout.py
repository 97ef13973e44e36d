"""Layout of the board: one arrangement from 76 columns up, and one down to 46 x 18 cells."""

from scoville_client.i18n.wrapping import wrap
from scoville_client.tui.boards.chilli_chase import choices, dice, scores, seats, total, words
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.boards.layout import arrange, draw_header
from scoville_client.tui.drawing.canvas import WIDE_FROM, Canvas
from scoville_client.tui.drawing.text_box import draw_log
from scoville_shared.games.chilli_chase import GAME

WIDE = (WIDE_FROM, 22)
_SEATS_WIDE = 40
_SEATS_ENOUGH = 30
_SEATS_LEAST = 17
_LOG_LEAST = 1
_LOG_ROOMY = 3


def draw(scene: Scene, width: int, height: int) -> Canvas:
    """Draw the whole table in `width` x `height` cells, at least MINIMUM."""
    return arrange(scene, (width, height), WIDE, _draw_wide, _draw_narrow)


def _draw_wide(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    _draw_header(canvas, x, 0, width, scene, short=False)
    time = scene.status.room
    room = width - _SEATS_ENOUGH - time - 3
    left = min(max(total.width_of_total(scene, room), width - _SEATS_WIDE - time - 3), room)
    total.draw_total(canvas, x, 2, left, scene)
    seats.draw_seats(canvas, x + left + 3, 1, width - left - 3, scene)
    _draw_lower(canvas, x, 9, width, scene)


def _draw_narrow(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    _draw_header(canvas, x, 0, width, scene, short=True)
    time = scene.status.room
    left = min(max(total.width_of_total(scene, 0), width - _SEATS_WIDE - time), width - _SEATS_LEAST - time - 1)
    total.draw_total(canvas, x, 1, left, scene)
    seats.draw_rows(canvas, x + left + 1, 1, width - left - 1, scene)
    _draw_lower(canvas, x, 1 + total.HEIGHT, width, scene)


def _draw_header(canvas: Canvas, x: int, y: int, width: int, scene: Scene, *, short: bool) -> None:
    turn, piles = (words.turn_short, words.piles_short) if short else (words.turn, words.piles)
    status, lie = scene.say(turn(scene.board)), scene.say(piles(scene.board))
    draw_header(canvas, (x, y, width), GAME.info.title, status, lie, paused=scene.status.paused)


def _draw_lower(canvas: Canvas, x: int, y: int, width: int, scene: Scene) -> None:
    """Draw the log, the sentence of the moment, and at the bottom the choices."""
    said = list(wrap(_said(scene), width))
    room = canvas.height - y
    height = min(max(_rows_beneath(scene), 0), room - len(said) - _LOG_LEAST)
    top = canvas.height - height
    _draw_beneath(canvas, x, top, width, height, scene)
    for offset, row in enumerate(said):
        canvas.put(x, top - len(said) + offset, row, _style(scene))
    left = top - len(said) - y
    draw_log(canvas, x, y, width, left - (left > _LOG_ROOMY), scene.log)


def _rows_beneath(scene: Scene) -> int:
    if scene.frame is not None and scene.frame.rolled is not None:
        return dice.HEIGHT + 1
    if scene.status.viewpoint is not None:
        return choices.HIDDEN_HEIGHT
    return scores.HEIGHT if scene.choosing else choices.rows_needed(scene)


def _draw_beneath(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> None:
    if scene.frame is not None and scene.frame.rolled is not None:
        dice.draw_dice(canvas, x, y + 1, width, scene, scene.frame.rolled)
    elif scene.status.viewpoint is not None:
        choices.draw_hidden(canvas, x, y, scene.board.hands[scene.status.viewpoint])
    elif scene.choosing:
        scores.draw_scores(canvas, x, y, width, height, scene)
    else:
        choices.draw_choices(canvas, x, y, width, height, scene)


def _said(scene: Scene) -> str:
    return " ".join(scene.captions) if scene.frame else scene.prompt


def _style(scene: Scene) -> str:
    if scene.frame is not None:
        return "caption"
    return "bad" if scene.wrong else "strong" if scene.my_turn else "text"
