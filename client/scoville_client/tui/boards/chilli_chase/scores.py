"""The choice of a new Chilli Score: the numbers around the wanted one, those that are taken marked."""

from scoville_client.i18n.wrapping import wrap
from scoville_client.tui.boards.chilli_chase import words
from scoville_client.tui.boards.chilli_chase.scene import MINE, OTHERS, Scene
from scoville_client.tui.boards.chilli_chase.score import Wanted, is_free
from scoville_client.tui.drawing.canvas import Canvas
from scoville_shared.games.chilli_chase.arithmetic import signed
from scoville_shared.games.chilli_chase.state import DIE

HEIGHT = 9
"""Rows: a heading, the numbers in one or two rows, two rows with the taken ones, the hand; blank rows between."""

_GAP = 1
_DIE_COLUMNS = DIE // 2


def draw_scores(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> None:
    """Draw the numbers in `width` x `height` cells, then in words which ones are taken, and the hand."""
    canvas.put(x, y, "━" * width, "selected")
    canvas.put(x + 1, y, f" {scene.say(words.SCORE)} ", "selected")
    rows = _numbers(scene, width)
    each = max(map(_cell, rows))
    left = x + (width - each * len(rows[0])) // 2
    for offset, row in enumerate(rows):
        for index, number in enumerate(row):
            _draw_number(canvas, left + index * each, y + 2 + offset, each - _GAP, scene, number)
    left = height - 3 - len(rows)
    lines = [*wrap(scene.say(words.taken(scene.board)), width), scene.say(words.cards(scene.hand))]
    for offset, line in enumerate(lines[: max(left, 0)]):
        canvas.put(x, y + 3 + len(rows) + offset, line, "muted")


def _numbers(scene: Scene, width: int) -> list[list[int]]:
    """Choose the numbers to show: those of the die, or as many around the wanted one as there is room for."""
    if scene.board.options.die_scores:
        numbers = list(range(1, DIE + 1))
        each = _cell(numbers)
        return [numbers] if DIE * each <= width else [numbers[:_DIE_COLUMNS], numbers[_DIE_COLUMNS:]]
    middle = scene.board.scores[scene.board.mover] if scene.wanted is None else scene.wanted
    half = (width // _cell([middle - 9, middle + 9]) - 1) // 2
    return [list(range(middle - half, middle + half + 1))]


def _cell(numbers: list[int]) -> int:
    longest = max(len(signed(number)) for number in (numbers[0], numbers[-1]))
    return longest + 2 + _GAP


def _draw_number(canvas: Canvas, x: int, y: int, width: int, scene: Scene, number: int) -> None:
    """Draw a number, to be clicked: selected (in brackets), the user's own, an opponent's, not available, or free."""
    board = scene.board
    canvas.link(x, y, width, 1, Wanted(str(number), stepped=True))
    if number == scene.wanted:
        canvas.put_centred(x, width, y, f"[{signed(number)}]", "selected-pin")
    elif number == board.scores[board.mover]:
        canvas.put_centred(x, width, y, f"{MINE}{signed(number)} ", "target")
    elif number in board.scores:
        canvas.put_centred(x, width, y, f"{OTHERS}{signed(number)} ", "faint")
    elif is_free(board, number):
        canvas.put_centred(x, width, y, f" {signed(number)} ", "text")
