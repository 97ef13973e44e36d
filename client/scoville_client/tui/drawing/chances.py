"""The coach's bars at the cards: how often each move wins, to one scale for all moves of a decision."""

from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.tui.drawing.canvas import Canvas

_CERTAIN, _UNSURE, _WORSE = "█", "░", "▒"
_LEAST_BAR = 4
"""Cells of a bar that says anything; with fewer it stands upright in one cell."""
_LEVELS = "▁▂▃▄▅▆▇█"


class Chance(NamedTuple):
    """The chance to win with a move, as text too, what of it is open, and the largest one of the decision.

    `is_good` says that no other move is clearly better.
    """

    figure: str
    win: float
    error: float
    longest: float
    is_good: bool

    @property
    def style(self) -> str:
        """The style of the bar: bright where no other move is clearly better."""
        return "good" if self.is_good else "muted"


def draw_chance(canvas: Canvas, x: int, y: int, width: int, chance: Chance) -> None:
    """Draw a bar and the percentage in `width` cells; a move as good as the best is solid, another one shaded."""
    bar = width - cell_len(chance.figure) - 1
    if bar < _LEAST_BAR:
        level = _LEVELS[min(len(_LEVELS) - 1, int(len(_LEVELS) * chance.win / chance.longest))]
        upright = f"{level}{chance.figure}"
        canvas.put_centred(x, width, y, upright if cell_len(upright) < width else chance.figure, chance.style)
        return
    canvas.put(x, y, " " * width, "muted")
    reach = round(bar * min(1.0, (chance.win + chance.error) / chance.longest))
    sure = min(reach, round(bar * chance.win / chance.longest))
    canvas.put(x, y, _UNSURE * reach, "muted")
    canvas.put(x, y, (_CERTAIN if chance.is_good else _WORSE) * sure, chance.style)
    canvas.put_right(x + width, y, chance.figure, chance.style)
