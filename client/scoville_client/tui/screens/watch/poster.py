"""Poster: a picture for a television as a widget, with a clock for countdowns."""

from collections.abc import Callable
from math import ceil
from typing import cast

from scoville_client.tui.boards.television import Picture, draw_picture
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.ticking import TickingWidget

_TICK = 0.02
"""Seconds of tolerance after which a countdown has certainly changed."""


class Poster(TickingWidget):
    """Draws the picture that `picture` returns for a time; `ends_at` returns when its countdown ends, if it has one."""

    def __init__(self, picture: Callable[[float], Picture], ends_at: Callable[[], float | None]) -> None:
        super().__init__()
        self._picture = picture
        self._ends_at = ends_at

    def changes_in(self) -> float | None:
        ends_at = self._ends_at()
        left = 0.0 if ends_at is None else ends_at - self.now()
        return left - ceil(left) + 1 + _TICK if left > 0 else None

    def draw(self, width: int, height: int) -> Canvas:
        half_blocks = cast("Shell", self.app).terminal.half_blocks
        return draw_picture(self._picture(self.now()), width, height, half_blocks=half_blocks)
