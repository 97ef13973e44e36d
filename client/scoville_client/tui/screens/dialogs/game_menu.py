"""Game menu: games with a sentence beneath each."""

from scoville_client.i18n.wrapping import wrap
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.widgets.menu import Item, Menu

_INDENT = 6
_ROWS = 3


class GameMenu(Menu):
    """A menu with three rows for each game."""

    def __init__(self, items: list[Item], first: str) -> None:
        super().__init__(items, at_once=True)
        self.index = next((number for number, item in enumerate(items) if item.id == first), 0)
        self.styles.height = _ROWS * len(items)

    def draw(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height)
        room = max(1, height // _ROWS)
        first = max(0, min(self.index - room + 1, len(self.items) - room))
        for row, item in enumerate(self.items[first : first + room]):
            y, marked = row * _ROWS, first + row == self.index
            canvas.link(0, y, width, _ROWS - 1, item.id)
            canvas.put(1, y, "▸" if marked else " ", "target")
            canvas.put(3, y, item.label, "title" if marked else "text")
            for offset, line in enumerate(list(wrap(item.more, width - _INDENT))[: _ROWS - 1]):
                canvas.put(_INDENT, y + 1 + offset, line, "text" if marked else "muted")
        return canvas
