"""The dice at the beginning: everybody's roll, in the order of rolling."""

from rich.cells import cell_len

from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_shared.games.chilli_chase.state import MOST_SEATS
from scoville_shared.ids import Seat

HEIGHT = 4
_DIE = 6


def draw_dice(canvas: Canvas, x: int, y: int, width: int, scene: Scene, rolled: tuple[Seat, ...]) -> None:
    """Draw a die for each of `rolled` in `width` x HEIGHT cells, with its player's name beneath."""
    each = width // MOST_SEATS
    left = x + (width - each * len(scene.board.scores)) // 2
    for place, seat in enumerate(rolled):
        _draw_die(canvas, left + place * each, y, each, scene, seat)


def _draw_die(canvas: Canvas, x: int, y: int, width: int, scene: Scene, seat: Seat) -> None:
    mine = seat == scene.place
    style = "target" if mine else "rim"
    middle = x + (width - _DIE) // 2
    canvas.put(middle, y, "╭────╮", style)
    canvas.put(middle, y + 1, f"│ {scene.board.scores[seat]:>2} │", style)
    canvas.put(middle, y + 2, "╰────╯", style)
    name = scene.name(seat)
    shown = name if cell_len(name) < width else fitted(name, width - 1)
    canvas.put_centred(x, width, y + 3, shown, "you" if mine else "text")
