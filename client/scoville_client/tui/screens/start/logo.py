"""Logo: the name in large letters, coloured from mild green to hot purple."""

from scoville_client.i18n.language import tr
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.screens.base import BaseScreen
from scoville_client.tui.widgets.canvas_widget import CanvasWidget

_LETTERS = {
    "S": (0b0111, 0b1000, 0b1000, 0b0110, 0b0001, 0b1110),
    "C": (0b0111, 0b1000, 0b1000, 0b1000, 0b1000, 0b0111),
    "O": (0b0110, 0b1001, 0b1001, 0b1001, 0b1001, 0b0110),
    "V": (0b1001, 0b1001, 0b1001, 0b1001, 0b1010, 0b0100),
    "I": (0b0110, 0b0110, 0b0110, 0b0110, 0b0110, 0b0110),
    "L": (0b1000, 0b1000, 0b1000, 0b1000, 0b1000, 0b1111),
    "E": (0b1111, 0b1000, 0b1110, 0b1000, 0b1000, 0b1111),
}
"""Letters of four by six pixels, the highest bit to the left."""
_NAME = "SCOVILLE"
_HEAT = ("heat1", "heat1", "heat2", "heat2", "heat3", "heat3", "heat4", "heat5")
_HALVES = " ▀▄█"
_STEP = 5
WIDTH = _STEP * len(_NAME) - 1


class Logo(CanvasWidget):
    """Draws the name and a tagline."""

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the name in the middle, two pixels to a cell."""
        canvas = Canvas(width, height)
        left = (width - WIDTH) // 2
        for index, letter in enumerate(_NAME):
            for row in range(3):
                canvas.put(left + index * _STEP, row, _half_blocks(letter, row), _HEAT[index])
        canvas.put_centred(
            0, width, min(4, height - 1), f"{self._chilli()}{tr('a card table in the terminal')}", "muted"
        )
        return canvas

    def _chilli(self) -> str:
        screen = self.screen
        assert isinstance(screen, BaseScreen), "all screens are ours"
        return screen.shell.settings.chilli


def _half_blocks(letter: str, row: int) -> str:
    upper, lower = _LETTERS[letter][2 * row : 2 * row + 2]
    return "".join(_HALVES[(upper >> bit & 1) + 2 * (lower >> bit & 1)] for bit in (3, 2, 1, 0))
