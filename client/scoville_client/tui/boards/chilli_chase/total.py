"""The running total in large, and beneath it how it came about."""

from rich.cells import cell_len

from scoville_client.tui.boards.chilli_chase import words
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.drawing import digits
from scoville_client.tui.drawing.canvas import Canvas, fitted

HEIGHT = digits.ROWS + 1


def width_of_total(scene: Scene, room: int) -> int:
    """Return how many of `room` columns the total takes."""
    return max(digits.width_of_number(scene.board.total, _blocks(scene, room)), cell_len(_how(scene)))


def draw_total(canvas: Canvas, x: int, y: int, room: int, scene: Scene) -> None:
    """Draw the total in `room` x HEIGHT cells; nothing while the dice are rolled."""
    if scene.frame is not None and scene.frame.rolled is not None and len(scene.frame.rolled) < len(scene.names):
        return
    style = "caption" if scene.frame is None or scene.frame.hit is None else "selected"
    digits.draw_number(canvas, x, y, scene.board.total, _blocks(scene, room), style)
    how = _how(scene)
    canvas.put(x, y + digits.ROWS, how if cell_len(how) <= room else fitted(how, room), "strong")


def _blocks(scene: Scene, room: int) -> int:
    return 2 if digits.width_of_number(scene.board.total, 2) <= room else 1


def _how(scene: Scene) -> str:
    if scene.how is not None:
        return scene.how.formula
    return scene.say(words.opening(scene.board)) if len(scene.board.hot) == 1 else ""
