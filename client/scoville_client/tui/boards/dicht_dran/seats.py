"""The seats as rows and as tiles: played cards, hands, won cards and points; and beside them piles and costs."""

from collections.abc import Sequence

from rich.cells import cell_len

from scoville_client.i18n.language import render, tr, with_sign
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.boards.dicht_dran.cards import PEPPER
from scoville_client.tui.boards.dicht_dran.scene import Scene
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.drawing.digits import draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, fits_edge, inside_of, list_tiles
from scoville_client.tui.drawing.status import TIME, mark_of, put_head, put_name, put_time
from scoville_shared.engine.phrases import Phrase

_TIME, _HAND, _WON, WIDTH = 20, 25, 32, 42
_LEGEND = Phrase("won: cards  ●: a pepper, 1 point")
_SHORT_LEGENDS = (Phrase("●: pepper  ■: has chosen"), Phrase("●: pepper"))
_COLUMNS = ((Phrase("hand"), _HAND), (Phrase("won"), _WON), (Phrase("points"), WIDTH))
"""Headings, and the columns they end before."""
_PLUS_MINUS = "+/-"
"""The points, in as few cells as they take themselves."""


def draw_seats(canvas: Canvas, x: int, y: int, scene: Scene) -> int:
    """Draw a heading and a row a seat in WIDTH columns; returns the row below."""
    timed = ((TIME, _TIME),) if scene.status.times else ()
    for heading, right in (*timed, *_COLUMNS):
        canvas.put_right(x + right, y, render(heading), "faint")
    for seat in range(len(scene.board.hands)):
        y += 1
        _mark_own_seat(canvas, (x, y, WIDTH, 1), scene, seat)
        _draw_row(canvas, x, y, scene, seat)
    return y + 1


def _mark_own_seat(canvas: Canvas, area: Area, scene: Scene, seat: int) -> None:
    if seat == scene.place:
        canvas.marks["own seat"] = area


def draw_legend(canvas: Canvas, x: int, y: int, width: int) -> int:
    """Explain the headings and the signs, if there is room; returns the row below."""
    words = render(_LEGEND)
    if cell_len(words) > width:
        return y
    canvas.put(x, y, words, "faint")
    return y + 1


def draw_seats_narrow(canvas: Canvas, x: int, y: int, width: int, scene: Scene, *, heading: bool) -> int:
    """Draw a row a seat in `width` columns: name, choice, hand size, points; returns the row below."""
    if heading:
        room = width - 4 - cell_len(render(_COLUMNS[0][0]))
        canvas.put(x, y, next((each for each in map(render, _SHORT_LEGENDS) if cell_len(each) < room), ""), "faint")
        canvas.put_right(x + width - 4, y, render(_COLUMNS[0][0]), "faint")
        canvas.put_right(x + width, y, _PLUS_MINUS, "faint")
        y += 1
    for seat in range(len(scene.board.hands)):
        _mark_own_seat(canvas, (x, y, width, 1), scene, seat)
        time = scene.status.room if scene.status.time_of(seat).time else 0
        _draw_name(canvas, x, y, width - (7 + time if time else 10), scene, seat)
        _draw_front_narrow(canvas, x + width - 9, y, scene, seat)
        canvas.put_right(x + width - 4, y, str(scene.board.hands[seat]), "muted")
        canvas.put_right(x + width, y, with_sign(scene.board.totals[seat]), "text")
        y += 1
    return y


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
    put_time(canvas, x + _TIME, y, scene.status.time_of(seat))
    canvas.put_right(x + _HAND, y, str(board.hands[seat]), "text")
    canvas.put_right(x + _WON, y, str(board.won[seat]), "text")
    peppers = peppers_won(scene, seat)
    canvas.put(x + _WON + 1, y, "" if peppers is None else f"{PEPPER}{peppers}", "muted")
    canvas.put_right(x + WIDTH, y, with_sign(board.totals[seat]), "strong")


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
    if not scene.status.time_of(seat).time:
        _draw_front(canvas, x, y, scene, seat, short=True)
        return
    if scene.view.chosen[seat] and scene.frame is None:
        canvas.put(x + 2 - scene.status.room, y, "■", "good")
    put_time(canvas, x + 2, y, scene.status.time_of(seat))


def _draw_name(canvas: Canvas, x: int, y: int, width: int, scene: Scene, seat: int) -> None:
    style = "you" if seat == scene.place else "text"
    put_name(canvas, x, y, width, scene.name_of(seat), style, mark_of(scene.marks, seat))


LEAST_TILE = 4
_CARDS_WON = Phrase("cards won {n}")
_IN_HAND = Phrase("hand {n}")
_DRAW_PILE, _DISCARD_PILE = Phrase("draw pile"), Phrase("discard pile")
_COSTS = Phrase("What a card costs")
_RULES = (
    Phrase("closest: wins the target"),
    Phrase("in the gap: discarded for free"),
    Phrase("outside: draw a card per ●"),
)


def draw_tiles(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw a tile for each seat, one below another."""
    for seat, tile in enumerate(list_tiles(area, len(scene.board.hands), 1)):
        _mark_own_seat(canvas, tile, scene, seat)
        _draw_tile(canvas, tile, scene, seat)


def _draw_tile(canvas: Canvas, area: Area, scene: Scene, seat: int) -> None:
    board, mine = scene.board, seat == scene.place
    name = " ".join(filter(None, (scene.name_of(seat), mark_of(scene.marks, seat))))
    chosen = scene.frame is None and scene.view.chosen[seat]
    style = "you" if mine else "text"
    draw_frame(canvas, area, Edge.PLAIN, "good" if chosen else "muted")
    put_head(canvas, area, name, style, scene.status.time_of(seat))
    x, y, width, height = inside_of(area)
    x, width = x + 1, width - 2
    points = with_sign(board.totals[seat])
    block = fit_block([points], width // 3, height - 1)
    if block is None:
        canvas.put_right(x + width, y, points, "strong")
    else:
        room = width // 3
        draw_figure(canvas, (x + width - room, y, room, height - 1), points, "strong", block)
        canvas.put_right(x + width, y + height - 1, tr("points"), "muted")
    rows = _state_rows(scene, seat)
    if height < len(rows):
        rows = _join_rows(rows, width)[:height]
    for offset, (text, look) in enumerate(rows):
        canvas.put(x, y + offset, text, look)
    _draw_held(canvas, (x, y + len(rows), width * 2 // 3, height - len(rows)), board.hands[seat])


def _join_rows(rows: Sequence[tuple[str, str]], width: int) -> list[tuple[str, str]]:
    """Write three rows as two: the last ones in one, or the first ones where both would be wider than the tile."""
    (state, look), (hand, text), (won, _) = rows
    both = f"{hand}  {won}"
    return [(state, look), (both, text)] if cell_len(both) <= width else [(f"{state}  {hand}", look), (won, text)]


def _draw_held(canvas: Canvas, area: Area, count: int) -> None:
    """Draw the backs of a hand in the rest of a tile."""
    x, y, width, height = area
    if height < 1 or not count:
        return
    wide = max(1, min(4, width // count - 1))
    for card in range(min(count, width // (wide + 1))):
        for row in range(height):
            canvas.put(x + card * (wide + 1), y + row, "▓" * wide, "faint")


def _state_rows(scene: Scene, seat: int) -> list[tuple[str, str]]:
    """Write the choice or the played card of a seat, its hand, and its won cards."""
    board, frame = scene.board, scene.frame
    if frame is not None and frame.fronts:
        front = frame.fronts[seat]
        word = "" if front.word is None else scene.say(front.word)
        state = (f"{front.card or ''} {word}".strip(), front.fate.value)
    elif scene.view.chosen[seat]:
        state = (f"■ {tr('chosen')}", "good")
    else:
        state = ("" if board.over else f"· {tr('thinks')}", "faint")
    peppers = peppers_won(scene, seat)
    won = render(_CARDS_WON.with_fields({"n": board.won[seat]}))
    won = won if peppers is None else f"{won}  {PEPPER}{peppers}"
    return [state, (render(_IN_HAND.with_fields({"n": board.hands[seat]})), "text"), (won, "text")]


def rows_of_costs(width: int) -> list[str]:
    """Wrap the cost of a card."""
    return [row for rule in _RULES for row in wrap_lines(render(rule), width - 4, indent="  ")]


def draw_costs(canvas: Canvas, area: Area) -> None:
    """Draw the cost of a card in a box."""
    draw_frame(canvas, area, Edge.PLAIN, "muted", render(_COSTS))
    x, y, width, height = area
    for offset, row in enumerate(rows_of_costs(width)[: height - 2]):
        canvas.put(x + 2, y + 1 + offset, row, "text")


def draw_piles(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw both piles side by side with the number of their cards."""
    x, y, width, height = area
    half = (width - 1) // 2
    piles: Sequence[tuple[int, int, Phrase]] = (
        (x, scene.board.pile, _DRAW_PILE),
        (x + width - half, scene.board.discard, _DISCARD_PILE),
    )
    block = fit_block([str(count) for _, count, _ in piles], half - 4, height - 2)
    for left, count, word in piles:
        name = render(word)
        place = (left, y, half, height)
        draw_frame(canvas, place, Edge.PLAIN, "muted", foot=name if fits_edge(name, half) else "")
        draw_shade(canvas, inside_of(place), "faint")
        draw_figure(canvas, inside_of(place), str(count), "text", block)
