"""Games and their aims, in the rows that a large window leaves below the start menu."""

from typing import Final

from scoville_client.i18n.language import tr
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.reading import draw_games
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_outside import guard

_WIDEST: Final = 200
"""Columns of the texts, which are centred in wider windows."""
_EDGE: Final = 3


class WhatIsPlayed(CanvasWidget):
    """Writes each game with its aim and, as far as there are rows, how it is played."""

    def draw(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height)
        wide = min(width - 2 * _EDGE, _WIDEST)
        left = (width - wide) // 2
        games = [(slug, guard.load_game(slug).info.title) for slug in sorted(guard.list_usable())]
        canvas.put(left, 0, tr("What is played here"), "caption")
        draw_games(canvas, (left, 1, wide, height - 2), games)
        return canvas
