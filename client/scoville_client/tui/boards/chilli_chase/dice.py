"""The dice at the beginning: everybody's roll, in the order of rolling."""

from rich.cells import cell_len

from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.drawing import digits
from scoville_client.tui.drawing.canvas import Canvas, fitted
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
    name = scene.name(seat)
    shown = name if cell_len(name) < width else fitted(name, width - 1)
    canvas.put_centred(x, width, y + inside + 2, shown, "you" if mine else "text")
