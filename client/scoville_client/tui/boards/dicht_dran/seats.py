"""The seats: their played cards, hand sizes, won cards and points."""

from rich.cells import cell_len

from scoville_client.i18n.language import render, tr, with_sign
from scoville_client.tui.boards.dicht_dran.cards import PEPPER
from scoville_client.tui.boards.dicht_dran.scene import Scene
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.status import TIME, mark_of, put_name, put_time
from scoville_shared.engine.phrases import Phrase

_TIME, _HAND, _WON, WIDTH = 20, 25, 32, 42
NARROWEST = 26
"""Columns of a row without the words of `draw_seats`."""
_LEGEND = Phrase("won: cards  ●: a pepper, 1 point")
_SHORT_LEGEND = Phrase("●: pepper")
_COLUMNS = ((Phrase("hand"), _HAND), (Phrase("won"), _WON), (Phrase("points"), WIDTH))
"""Headings, and the columns they end before."""
_PLUS_MINUS = "+/-"
"""The points, in as few cells as they take themselves."""


def draw_seats(canvas: Canvas, x: int, y: int, scene: Scene) -> int:
    """Draw a heading and a row a seat in WIDTH columns; returns the row beneath."""
    timed = ((TIME, _TIME),) if scene.status.times else ()
    for heading, right in (*timed, *_COLUMNS):
        canvas.put_right(x + right, y, render(heading), "faint")
    for seat in range(len(scene.board.hands)):
        y += 1
        _draw_row(canvas, x, y, scene, seat)
    return y + 1


def draw_legend(canvas: Canvas, x: int, y: int, width: int) -> int:
    """Explain the headings and the signs, if there is room; returns the row beneath."""
    words = render(_LEGEND)
    if cell_len(words) > width:
        return y
    canvas.put(x, y, words, "faint")
    return y + 1


def draw_seats_narrow(canvas: Canvas, x: int, y: int, width: int, scene: Scene, *, heading: bool) -> int:
    """Draw a row a seat in `width` columns: name, choice, hand size, points; returns the row beneath."""
    if heading:
        legend = render(_SHORT_LEGEND)
        canvas.put(x, y, legend if cell_len(legend) < width - 4 - cell_len(render(_COLUMNS[0][0])) else "", "faint")
        canvas.put_right(x + width - 4, y, render(_COLUMNS[0][0]), "faint")
        canvas.put_right(x + width, y, _PLUS_MINUS, "faint")
        y += 1
    for seat in range(len(scene.board.hands)):
        time = scene.status.room if scene.status.time(seat).time else 0
        _draw_name(canvas, x, y, width - (7 + time if time else 10), scene, seat)
        _draw_front_narrow(canvas, x + width - 9, y, scene, seat)
        canvas.put_right(x + width - 4, y, str(scene.board.hands[seat]), "muted")
        canvas.put_right(x + width, y, write_points(scene.board.totals[seat]), "text")
        y += 1
    return y


def write_points(number: int) -> str:
    """Write points with their sign."""
    return with_sign(number)


def peppers_won(scene: Scene, seat: int) -> int | None:
    """Count a seat's won peppers, as far as the user may know (A24)."""
    if seat == scene.seat:
        return sum(scene.peppers[card] for card in scene.won)
    open_peppers = scene.board.won_peppers
    return None if open_peppers is None else open_peppers[seat]


def _draw_row(canvas: Canvas, x: int, y: int, scene: Scene, seat: int) -> None:
    board = scene.board
    _draw_name(canvas, x, y, 12, scene, seat)
    _draw_front(canvas, x + 13, y, scene, seat, short=bool(scene.status.times))
    put_time(canvas, x + _TIME, y, scene.status.time(seat))
    canvas.put_right(x + _HAND, y, str(board.hands[seat]), "text")
    canvas.put_right(x + _WON, y, str(board.won[seat]), "text")
    peppers = peppers_won(scene, seat)
    canvas.put(x + _WON + 1, y, "" if peppers is None else f"{PEPPER}{peppers}", "muted")
    canvas.put_right(x + WIDTH, y, write_points(board.totals[seat]), "strong")


def _draw_front(canvas: Canvas, x: int, y: int, scene: Scene, seat: int, *, short: bool = False) -> None:
    if scene.frame and scene.frame.fronts:
        front = scene.frame.fronts[seat]
        canvas.put(x, y, str(front.card or ""), front.fate.value)
    elif scene.view.chosen[seat]:
        canvas.put(x, y, "■" if short else f"■ {tr('chosen')}", "good")
    elif not scene.board.over:
        canvas.put(x, y, "·" if short else f"· {tr('thinks')}", "faint")


def _draw_front_narrow(canvas: Canvas, x: int, y: int, scene: Scene, seat: int) -> None:
    """Draw the choice; beside a clock only that a card was chosen, for the stage shows the cards."""
    if not scene.status.time(seat).time:
        _draw_front(canvas, x, y, scene, seat, short=True)
        return
    if scene.view.chosen[seat] and scene.frame is None:
        canvas.put(x + 2 - scene.status.room, y, "■", "good")
    put_time(canvas, x + 2, y, scene.status.time(seat))


def _draw_name(canvas: Canvas, x: int, y: int, width: int, scene: Scene, seat: int) -> None:
    style = "you" if seat == scene.place else "text"
    put_name(canvas, x, y, width, scene.name_of(seat), style, mark_of(scene.marks, seat))
