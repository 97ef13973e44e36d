"""What stands beside the circle in wide windows: a tile for each seat, the piles, and what a card costs."""

from collections.abc import Sequence

from rich.cells import cell_len

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.boards.dicht_dran.cards import PEPPER
from scoville_client.tui.boards.dicht_dran.scene import Scene
from scoville_client.tui.boards.dicht_dran.seats import peppers_won, write_points
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.drawing.digits import draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of, list_tiles
from scoville_client.tui.drawing.status import mark_of, put_head
from scoville_shared.engine.phrases import Phrase

LEAST_TILE = 4
_CARDS_WON = Phrase("cards won {n}")
_HAND = Phrase("hand {n}")
_DRAW_PILE, _DISCARD_PILE = Phrase("draw pile"), Phrase("discard pile")
_COSTS = Phrase("What a card costs")
_RULES = (
    Phrase("closest: wins the target"),
    Phrase("in the gap: discarded for free"),
    Phrase("outside: draw a card for each ●"),
)


def draw_tiles(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw a tile for each seat, one beneath another."""
    for seat, tile in enumerate(list_tiles(area, len(scene.board.hands), 1)):
        _draw_tile(canvas, tile, scene, seat)


def _draw_tile(canvas: Canvas, area: Area, scene: Scene, seat: int) -> None:
    board, mine = scene.board, seat == scene.place
    name = " ".join(filter(None, (scene.name_of(seat), mark_of(scene.marks, seat))))
    chosen = scene.frame is None and scene.view.chosen[seat]
    style = "you" if mine else "text"
    draw_frame(canvas, area, Edge.PLAIN, "good" if chosen else "muted")
    put_head(canvas, area, name, style, scene.status.time(seat))
    x, y, width, height = inside_of(area)
    x, width = x + 1, width - 2
    points = write_points(board.totals[seat])
    block = fit_block([points], width // 3, height - 1)
    if block is None:
        canvas.put_right(x + width, y, points, "strong")
    else:
        room = width // 3
        draw_figure(canvas, (x + width - room, y, room, height - 1), points, "strong", block)
        canvas.put_right(x + width, y + height - 1, tr("points"), "muted")
    rows = _state_rows(scene, seat)
    if height < len(rows):
        joined = [rows[0], (f"{rows[1][0]}  {rows[2][0]}", rows[1][1])]
        rows = joined[:height]
    for offset, (text, look) in enumerate(rows):
        canvas.put(x, y + offset, text, look)
    _draw_held(canvas, (x, y + len(rows), width * 2 // 3, height - len(rows)), board.hands[seat])


def _draw_held(canvas: Canvas, area: Area, count: int) -> None:
    """Draw the backs of a hand in what is left of a tile."""
    x, y, width, height = area
    if height < 1 or not count:
        return
    wide = max(1, min(4, width // count - 1))
    for card in range(min(count, width // (wide + 1))):
        for row in range(height):
            canvas.put(x + card * (wide + 1), y + row, "▓" * wide, "faint")


def _state_rows(scene: Scene, seat: int) -> list[tuple[str, str]]:
    """Write the choice or the played card of a seat, its hand, and what it has won."""
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
    return [state, (render(_HAND.with_fields({"n": board.hands[seat]})), "text"), (won, "text")]


def rows_of_costs(width: int) -> list[str]:
    """Wrap what a card costs."""
    return [row for rule in _RULES for row in wrap_lines(render(rule), width - 4, indent="  ")]


def draw_costs(canvas: Canvas, area: Area) -> None:
    """Draw what a card costs in a box."""
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
        draw_frame(canvas, place, Edge.PLAIN, "muted", foot=name if cell_len(name) <= half - 6 else "")
        draw_shade(canvas, inside_of(place), "faint")
        draw_figure(canvas, inside_of(place), str(count), "text", block)
