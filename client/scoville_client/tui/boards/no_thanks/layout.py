"""Layout of the board: one arrangement from 76 columns up, and one down to 46 x 18 cells."""

from scoville_client.tui.boards.layout import arrange, draw_header
from scoville_client.tui.boards.no_thanks import answers, card, pot, seats, words
from scoville_client.tui.boards.no_thanks.scene import Scene
from scoville_client.tui.drawing.canvas import WIDE_FROM, Canvas
from scoville_client.tui.drawing.text_box import draw_log

WIDE = (WIDE_FROM, 22)
_TALLEST = 11
"""Rows of the middle on a tall screen: the card stays in sight of the seats."""
_POT = 11
_NAMES = {"wide": 14, "narrow": 10}
_LOG = 2
"""Rows of the log for which the narrow layout would rather have a smaller card."""


def draw(scene: Scene, width: int, height: int) -> Canvas:
    """Draw the whole table in `width` x `height` cells, at least MINIMUM."""
    return arrange(scene, (width, height), WIDE, _draw_wide, _draw_narrow)


def _draw_wide(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    """Draw the header, the middle, the seats and the answers, with air between them as far as there is some."""
    table = seats.lay_out(scene, width, canvas.height - 1 - card.LARGE.height - answers.ROWS, _NAMES["wide"])
    notice_area = canvas.height - 1 - card.LARGE.height - table.height - answers.ROWS
    air = min(1, notice_area // 3)
    middle = card.LARGE.height + min(max(0, notice_area - 3 * air), _TALLEST - card.LARGE.height)
    y = max(0, notice_area - 3 * air - (middle - card.LARGE.height)) // 3
    _draw_header(canvas, x, y, width, scene, "")
    y += 1 + air
    _draw_middle(canvas, x, y, width, middle, scene)
    y = seats.draw_seats(canvas, x, y + middle + air, scene, table)
    answers.draw_wide(canvas, x, y + air, width, scene)


def _draw_middle(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> None:
    """Draw deck, card and pot side by side, and the log to their right."""
    top = y + (height - card.LARGE.height) // 2
    card.draw_deck(canvas, x, top + 1, scene.board.left)
    left = words.left(scene.board)
    if left is not None:
        canvas.put_centred(x, card.DECK.width, top + 1 + card.DECK.height, scene.say(left), "muted")
    x += card.DECK.width + 2
    _draw_card(canvas, x, top, card.LARGE, scene)
    x += card.LARGE.width + 2
    if scene.board.card is not None:
        rows = pot.draw_chips(canvas, x, top + 1, _POT, card.LARGE.height - 3, scene.board.pot)
        canvas.put(x, top + 1 + rows, scene.say(words.chips(scene.board.pot)), "strong")
    x += _POT + 3
    right = (canvas.width + width) // 2
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
    y = seats.draw_seats(canvas, x, 1 + face.height, scene, table)
    draw_log(canvas, x, y, width, canvas.height - y, scene.log)


def _draw_pot(canvas: Canvas, x: int, y: int, width: int, scene: Scene) -> None:
    """Draw the chips on the card in one row."""
    if scene.board.card is not None:
        column = canvas.put(x, y, scene.say(words.chips(scene.board.pot)), "strong") + 1
        pot.draw_chips(canvas, column, y, x + width - column, 1, scene.board.pot)


def _draw_card(canvas: Canvas, x: int, y: int, face: card.Face, scene: Scene) -> None:
    number = scene.board.card
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
