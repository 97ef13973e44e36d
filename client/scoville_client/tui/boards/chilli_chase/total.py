"""The running total in large with its formula, and the number line: the Chilli Scores, and what the cards reach."""

from collections.abc import Iterator

from rich.cells import cell_len

from scoville_client.tui.boards.chilli_chase import words
from scoville_client.tui.boards.chilli_chase.picker import list_columns
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.boards.motion import number_between
from scoville_client.tui.boards.number_line import Label, Scale, draw_labels, draw_scale, scale_of
from scoville_client.tui.drawing import digits
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_shared.games.chilli_chase.arithmetic import write_signed

HEIGHT = digits.ROWS + 1
"""Rows of the total with its formula."""
LINE_HEIGHT = 3
"""Rows of the number line: whose scores, the line, and what can be reached."""
LEAST_LINE_HEIGHT = 2
"""The same without the last row."""
_TOTAL = "▼"
_FURTHEST = 4
"""Most columns between a result and its label."""
_NAMED = 70
"""Columns of a line that has room for the names of those who get a point."""


_BLOCKS = (2, 1)
"""Cells that a block of the figures is wide, the largest first."""


def width_of_total(scene: Scene, room: int) -> int:
    """Return how many of `room` columns the total takes."""
    return max(
        digits.width_of_number(scene.board.total, _choose_block(scene, room)),
        cell_len(_how_text(scene, room)),
    )


def draw_total(canvas: Canvas, x: int, y: int, room: int, scene: Scene) -> None:
    """Draw the total in `room` x HEIGHT cells; nothing while the dice are rolled."""
    if scene.frame is not None and scene.frame.rolled is not None and len(scene.frame.rolled) < len(scene.names):
        return
    style = "caption" if scene.frame is None or scene.frame.hit is None else "selected"
    wide = _choose_block(scene, room)
    canvas.marks["total"] = (x, y, digits.width_of_number(scene.board.total, wide), HEIGHT)
    digits.draw_number(canvas, x, y, scene.board.total, wide, style)
    how = _how_text(scene, room)
    canvas.put(x, y + digits.ROWS, how if cell_len(how) <= room else fitted(how, room), "strong")


def _choose_block(scene: Scene, room: int) -> int:
    fitting = (wide for wide in _BLOCKS if digits.width_of_number(scene.board.total, wide) <= room)
    return next(fitting, _BLOCKS[-1])


def _how_text(scene: Scene, room: int) -> str:
    """Write how the total came about; that it is the Hot Pile's if there is room."""
    if scene.how is None and len(scene.board.hot) > 1:
        return ""
    plain = scene.say(words.opening(scene.board)) if scene.how is None else scene.how.formula
    explained = scene.say(words.hot_pile(plain))
    return explained if cell_len(explained) <= room else plain


def draw_line(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene, thick: int = 1) -> None:
    """Draw the number line in `width` x `height` cells: the total, the Chilli Scores, and what my cards reach.

    The line itself is `thick` rows high: from two on a body of blocks.
    """
    board, reached = scene.board, _reached_numbers(scene)
    scale = scale_of(sorted({board.total, *board.scores, *reached}), width)
    if scene.place is not None and scene.place < len(board.scores):
        canvas.marks["score"] = (x + scale.columns[board.scores[scene.place]], y, 1, height)
    for row in range(y + 1, y + 1 + thick):
        draw_scale(canvas, x, row, width, scale, body=thick > 1)
        for number, style in reached.items():
            canvas.put(x + scale.columns[number], row, "┃" if thick > 1 else "┬", style)
        for score in board.scores:
            canvas.put(x + scale.columns[score], row, *scene.mark_of_holder(board.holder(score)))
        # A score at the same number stays visible, once the total has slid there.
        if board.holder(board.total) is None or scene.progress < 1:
            canvas.put(x + _column_of_total(scene, scale), row, "█", "caption")
    draw_labels(canvas, x, y, width, 1, list(_held_labels(scene, scale)))
    if height >= LINE_HEIGHT:
        draw_labels(
            canvas,
            x,
            y + 1 + thick,
            width,
            1,
            list(_reached_labels(scene, scale, reached, named=width >= _NAMED)),
            _FURTHEST,
        )


def _column_of_total(scene: Scene, scale: Scale) -> int:
    """Return the column of the total; after a card it slides there from where the total was before."""
    here, before = scale.columns[scene.board.total], scene.frame.before if scene.frame else None
    if before is None:
        return here
    nearest = min(scale.columns, key=lambda number: abs(number - before))
    return number_between(scale.columns[nearest], here, scene.progress)


def _reached_numbers(scene: Scene) -> dict[int, str]:
    """Find what the hand can make of the total, in the style of its number: bright what the selected card makes."""
    styles: dict[int, str] = {}
    for column in list_columns(scene.board, scene.hand):
        bright = not scene.selects or column.card == scene.picker.card
        for way in column.ways:
            if bright or way.total not in styles:
                styles[way.total] = "strong" if bright else "faint"
    chosen = scene.picker.chosen if scene.selects else None
    return styles if chosen is None else {**styles, chosen.total: "selected-pin"}


def _held_labels(scene: Scene, scale: Scale) -> Iterator[Label]:
    """Label the total and the Chilli Scores, the total and the own one first."""
    board = scene.board
    for number in {*board.scores, board.total}:
        sign, style = scene.mark_of_holder(board.holder(number))
        here = number == board.total
        text = f"{_TOTAL if here else ''}{sign.strip()}{write_signed(number)}"
        first = here or board.holder(number) == scene.place
        yield Label(number, scale.columns[number], text, "caption" if here else style, first)


def _reached_labels(scene: Scene, scale: Scale, reached: dict[int, str], *, named: bool) -> Iterator[Label]:
    """Label what can be reached: first what is chosen and what makes a point, then what the selected card makes."""
    for number, style in sorted(reached.items(), key=lambda each: each[1] == "faint"):
        holder = scene.board.holder(number)
        sign, hit = scene.mark_of_holder(holder)
        look = style if style == "selected-pin" or holder is None else hit
        first = holder is not None or style == "selected-pin"
        name = f" {scene.name_of_holder(holder)}" if named and holder is not None and style != "faint" else ""
        yield Label(number, scale.columns[number], f"{sign.strip()}{write_signed(number)}{name}", look, first)
