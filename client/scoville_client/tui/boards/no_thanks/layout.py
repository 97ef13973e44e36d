"""Layout of the board: one arrangement from 76 columns up, and one down to 46 x 18 cells."""

from scoville_client.tui.boards.layout import arrange_scene, draw_header
from scoville_client.tui.boards.no_thanks import answers, card, seats, words
from scoville_client.tui.boards.no_thanks.scene import Scene
from scoville_client.tui.drawing.canvas import WIDE_FROM, Canvas
from scoville_client.tui.drawing.text_box import draw_log

WIDE = (WIDE_FROM, 22)
_MOST_AIR = 3
"""Blank rows between two parts at most; what remains is above and beneath the middle."""
_POT = 11
_APART = 2
_LOG_WIDTH = 30
"""Columns that the largest card leaves to the log, and to notices where there is none."""
_NOTICE = 3
"""Rows for notices beneath a card in the middle; with fewer of them they are beside it."""
_AIR = 3
"""Blank rows that a larger card leaves between the parts."""
_NAMES = {"wide": 14, "narrow": 10}
_LOG = 2
"""Rows of the log for which the narrow layout would rather have a smaller card."""


def draw_table(scene: Scene, width: int, height: int) -> Canvas:
    """Draw the whole table in `width` x `height` cells, at least MINIMUM."""
    return arrange_scene(scene, (width, height), WIDE, _draw_wide, _draw_narrow)


def _draw_wide(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    """Draw the header, the middle, the seats and the answers, with air between them as far as there is some.

    The header is the first row and the answers are the last ones, in a window of any height.
    """
    room = canvas.height - 1 - answers.ROWS
    table = seats.lay_out(scene, width, room - card.LARGE.height, _NAMES["wide"])
    face = card.HUGE if _is_roomy(scene, width, room - table.height) else card.LARGE
    spare = room - face.height - table.height
    air = max(0, min(spare // 3, _MOST_AIR)) if scene.log else min(1, max(0, spare // 3))
    log = max(0, spare - 3 * air)
    _draw_header(canvas, x, 0, width, scene, "" if scene.board.options.open_chips else scene.say(words.HIDDEN))
    _draw_middle(canvas, x, 1 + air, width, face, face.height + log, scene)
    first = 1 + 2 * air + face.height + log
    canvas.marks["seats"] = (x, first, width, seats.draw_seats(canvas, x, first, scene, table) - first)
    answers.draw_wide(canvas, x, canvas.height - answers.ROWS, width, scene)
    canvas.marks["answers"] = (x, canvas.height - answers.ROWS, width, answers.ROWS)


def _is_roomy(scene: Scene, width: int, rows: int) -> bool:
    """Whether the largest card has room, with air around it and the log beside it."""
    if scene.compact or rows < card.HUGE.height + _AIR:
        return False
    beside = scene.log or rows - card.HUGE.height < _NOTICE + 2
    return width >= _width_of_middle(card.HUGE) + (_LOG_WIDTH if beside else 0)


def _width_of_middle(face: card.Face) -> int:
    return card.DECK.width + face.width + _POT + 2 * _APART


def _draw_middle(canvas: Canvas, x: int, y: int, width: int, face: card.Face, height: int, scene: Scene) -> None:
    """Draw deck, card and pot side by side, and the log to their right; without a log they are in the centre."""
    first, right = x, x + width
    centred = not scene.log and height - face.height >= _NOTICE
    top = y + (height - face.height - _NOTICE * centred) // 2
    beneath = top + face.height
    x += max(0, (width - _width_of_middle(face)) // 2) if centred else 0
    middle = top + (face.height - card.DECK.height) // 2
    card.draw_deck(canvas, x, middle, scene.board.left)
    left = words.left(scene.board)
    if left is not None:
        canvas.put_centred(x, card.DECK.width, middle + card.DECK.height, scene.say(left), "muted")
    x += card.DECK.width + _APART
    _draw_card(canvas, x, top, face, scene)
    x += face.width + _APART
    if scene.board.card is not None:
        rows = card.draw_chips(canvas, x, middle, _POT, card.LARGE.height - 3, scene.board.pot)
        canvas.put(x, middle + rows, scene.say(words.chips(scene.board.pot)), "strong")
    x += _POT + 3
    if centred:
        draw_log(canvas, first, beneath, width, y + height - beneath, ())
    else:
        draw_log(canvas, x, y, right - x, height, scene.log)


def _draw_narrow(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    """Draw the same with the answers beside the card, and the log beneath the seats."""
    table = seats.lay_out(scene, width, canvas.height - 1 - card.MIDDLE.height - _LOG, _NAMES["narrow"])
    face = card.MIDDLE if 1 + card.MIDDLE.height + table.height + _LOG <= canvas.height else card.SMALL
    _draw_header(canvas, x, 0, width, scene, scene.say(words.left_in_full(scene.board)))
    _draw_card(canvas, x, 1, face, scene)
    column = x + face.width + 1
    _draw_pot(canvas, column, 1, x + width - column, scene)
    answers.draw_narrow(canvas, column, 2, x + width - column, face.height - 1, scene)
    canvas.marks["answers"] = (column, 1, x + width - column, face.height)
    y = seats.draw_seats(canvas, x, 1 + face.height, scene, table)
    canvas.marks["seats"] = (x, 1 + face.height, width, y - 1 - face.height)
    draw_log(canvas, x, y, width, canvas.height - y, scene.log)


def _draw_pot(canvas: Canvas, x: int, y: int, width: int, scene: Scene) -> None:
    """Draw the chips on the card in one row."""
    if scene.board.card is not None:
        column = canvas.put(x, y, scene.say(words.chips(scene.board.pot)), "strong") + 1
        card.draw_chips(canvas, column, y, x + width - column, 1, scene.board.pot)


def _draw_card(canvas: Canvas, x: int, y: int, face: card.Face, scene: Scene) -> None:
    number = scene.board.card
    canvas.marks["card"] = (x, y, face.width, face.height)
    if number is None:
        card.draw_place(canvas, x, y, face)
    else:
        card.draw_face(canvas, x, y, face, number, fresh=number == scene.fresh)


def _draw_header(canvas: Canvas, x: int, y: int, width: int, scene: Scene, lie: str) -> None:
    """Draw the game's title, the round if there are several, the options that change the rules, and the piles."""
    options = scene.board.options
    parts = [words.which_round(scene.board)] if options.rounds > 1 else []
    if width >= WIDE[0] - 4:
        parts += [words.OPEN_CHIPS] * options.open_chips + [words.TACTICAL] * options.tactical
    status = "  ".join(map(scene.say, parts))
    draw_header(canvas, (x, y, width), words.TITLE, status, lie, paused=scene.status.paused)
