"""The line of keys at the bottom of every screen."""

from scoville_client.actions import line_of_keys
from scoville_client.boards.canvas import Canvas
from scoville_client.widgets.painting import Painting


class KeyBar(Painting):
    """Shows what the keys do in one place of the interface."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where
        self._more: tuple[tuple[str, str], ...] = ()

    def show(self, where: str, *more: tuple[str, str]) -> None:
        """Show the keys of `where`; `more` come first and replace those of the same key."""
        if (where, more) != (self._where, self._more):
            self._where, self._more = where, more
            self.repaint()

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the keys bright, their words muted."""
        canvas = Canvas(width, height)
        taken = {key for key, _ in self._more}
        room = width - 2 - sum(len(key) + len(word) + 3 for key, word in self._more)
        usual = [pair for pair in line_of_keys(self._where, room) if pair[0] not in taken]
        column = 2 if width > 60 else 1
        for key, word in (*self._more, *usual):
            column = canvas.put(column, 0, key, "strong") + 1
            column = canvas.put(column, 0, word, "muted") + 2
        return canvas
