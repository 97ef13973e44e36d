"""Layout of the board: one arrangement from 76 columns up, and one down to 46 x 18 cells."""

from rich.cells import cell_len

from scoville_client.i18n.language import render
from scoville_client.tui.boards.dicht_dran import circle, hand, seats, stage
from scoville_client.tui.boards.dicht_dran.scene import Scene
from scoville_client.tui.boards.layout import MINIMUM, arrange_scene, draw_header
from scoville_client.tui.drawing.canvas import WIDE_FROM, Canvas, fitted
from scoville_client.tui.drawing.text_box import draw_log
from scoville_shared.engine.phrases import Fields, Phrase
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.prospects import Weighed, weigh_hand

WIDE = (WIDE_FROM, 22)
_ROOMY = 34
"""Rows from which on the cards are large."""
_APART = 4
_ACTIONS = (Phrase("1st action"), Phrase("2nd action"), Phrase("3rd action"), Phrase("4th action"))
_HEADER = (
    Phrase("cycle {cycle} of {cycles}  round {round}"),
    Phrase("draw pile {pile}  discard pile {discard}"),
)
_SHORT_HEADER = (Phrase("{cycle}/{cycles} round {round}"), Phrase("pile {pile} discard {discard}"))


def draw_table(scene: Scene, width: int, height: int) -> Canvas:
    """Draw the whole table in `width` x `height` cells, at least MINIMUM."""
    return arrange_scene(scene, (width, height), WIDE, _draw_wide, _draw_narrow)


def _draw_wide(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    """Draw the circle with the seats and the log beside it, and beneath it the line and the hand.

    The header is the first row and the words are the last one, in a window of any height.
    """
    large = canvas.height >= _ROOMY and not scene.compact
    lower = canvas.height - stage.LABEL_ROWS - 3 - (hand.LARGE_HEIGHT if large else hand.HEIGHT)
    shape = circle.SMALL if scene.compact else _circle_of(width, lower - 2)
    air = max(0, lower - 1 - shape.height)
    _draw_header(canvas, x, 0, width, scene)
    circle.draw_circle(canvas, x, 1 + air // 2, scene.board, scene.peppers, shape)
    right = x + shape.width + _APART
    rows = len(scene.board.hands) + 2
    top = 1 if scene.log or shape is circle.SMALL else 1 + air // 2 + max(0, shape.height - rows) // 2
    beneath = _draw_seats(canvas, right, top, x + width - right, scene)
    canvas.marks["seats"] = (right, top, x + width - right, beneath - top)
    draw_log(canvas, right, beneath + 1, x + width - right, lower - beneath - 2, scene.log)
    _draw_lower(canvas, x, lower, width, scene, stage.LABEL_ROWS, large=large)


def _circle_of(width: int, height: int) -> circle.Circle:
    """Choose the largest circle that leaves room for the seats beside it."""
    sizes = ((circle.LARGE, seats.WIDTH), (circle.MIDDLE, seats.NARROWEST))
    fitting = (shape for shape, room in sizes if shape.width + _APART + room <= width and shape.height <= height)
    return next(fitting, circle.SMALL)


def _draw_seats(canvas: Canvas, x: int, y: int, width: int, scene: Scene) -> int:
    """Draw the seats in words, or in few cells beside a larger circle; returns the row beneath."""
    if width < seats.WIDTH:
        return seats.draw_seats_narrow(canvas, x, y, width, scene, heading=True)
    beneath = seats.draw_seats(canvas, x, y, scene)
    return seats.draw_legend(canvas, x, beneath, width)


def _draw_narrow(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    rows = stage.LABEL_ROWS if canvas.height > MINIMUM[1] else 1
    lower = canvas.height - rows - 2 - hand.HEIGHT - 1
    _draw_header(canvas, x, 0, width, scene)
    circle.draw_chips(canvas, x, 1, scene.board, scene.peppers)
    right = x + circle.CHIPS_WIDTH + 1
    heading = len(scene.board.hands) < circle.CHIPS_HEIGHT
    beneath = seats.draw_seats_narrow(canvas, right, 1, x + width - right, scene, heading=heading)
    canvas.marks["seats"] = (right, 1, x + width - right, beneath - 1)
    log = max(beneath, 1 + circle.CHIPS_HEIGHT)
    draw_log(canvas, x, log, width, lower - log, scene.captions or scene.log)
    _draw_lower(canvas, x, lower, width, scene, rows)


def _draw_header(canvas: Canvas, x: int, y: int, width: int, scene: Scene) -> None:
    board = scene.board
    where, piles = _HEADER if width >= WIDE[0] - 4 else _SHORT_HEADER
    fields: Fields = {
        "cycle": board.cycle,
        "cycles": board.options.cycles,
        "round": board.round,
        "pile": board.pile,
        "discard": board.discard,
    }
    status, lie = render(where.with_fields(fields)), render(piles.with_fields(fields))
    draw_header(canvas, (x, y, width), GAME.info.title, status, lie, paused=scene.status.paused)


def _draw_lower(canvas: Canvas, x: int, y: int, width: int, scene: Scene, rows: int, *, large: bool = False) -> None:
    """Draw the line, then the hand or what the story shows in its place, then a line of words."""
    frame = scene.frame
    beneath = y + rows + 2
    if frame is not None and frame.scored is not None:
        stage.draw_cycle(canvas, x + (width - stage.SCORES_WIDTH) // 2, y + 1, scene, frame.scored)
    elif frame is not None and frame.fronts:
        stage.draw_line(canvas, x, y, width, scene.board, stage.list_pins(frame, scene.progress), rows)
        stage.draw_stage(canvas, x, beneath, width, scene, frame, large=large)
    else:
        weighed = weigh_hand(scene.board, scene.hand, scene.peppers)
        stage.draw_line(canvas, x, y, width, scene.board, _hand_pins(weighed, scene.selected), rows)
        _draw_my_hand(canvas, x, beneath, width, scene, weighed, large=large)
    words = beneath + (hand.LARGE_HEIGHT if large else hand.HEIGHT)
    canvas.marks["hand"] = (x, beneath, width, words - beneath + 1)
    _draw_words(canvas, x, words, scene)


def _draw_my_hand(
    canvas: Canvas, x: int, y: int, width: int, scene: Scene, weighed: list[Weighed], *, large: bool
) -> None:
    place = scene.status.viewpoint
    if place is not None:
        chosen = scene.frame is None and scene.view.chosen[place]
        hand.draw_backs(canvas, x, y, width, scene.board.hands[place], chosen=chosen, large=large)
        return
    shown = scene.view.pick if scene.frame is None and scene.view.pick is not None else scene.selected
    held = [each.card for each in weighed]
    index = held.index(shown) if shown in held else None
    picked = scene.frame is None and scene.view.pick is not None
    hand.draw_hand(canvas, x, y, width, weighed, index, picked=picked, large=large)


def _hand_pins(weighed: list[Weighed], selected: int | None) -> list[stage.Pin]:
    return [stage.Pin(each.card, _pin_style(each, selected), each.closest or each.card == selected) for each in weighed]


def _pin_style(weighed: Weighed, selected: int | None) -> str:
    if weighed.card == selected:
        return "selected-pin"
    if weighed.closest:
        return "closest"
    return "fits" if weighed.fits else "outside"


def _draw_words(canvas: Canvas, x: int, y: int, scene: Scene) -> None:
    captions = scene.captions
    if not captions:
        room = canvas.width - x
        canvas.put(x, y, scene.prompt if cell_len(scene.prompt) <= room else fitted(scene.prompt, room), "text")
        return
    if scene.frame is not None and scene.frame.action:
        x = canvas.put(x, y, render(_ACTIONS[scene.frame.action - 1]), "title") + 2
    for caption in captions:
        if x + cell_len(caption) > canvas.width:
            return
        x = canvas.put(x, y, caption, "caption") + 1
