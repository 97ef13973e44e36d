"""The line of keys at the bottom of every screen."""

from collections.abc import Sequence

from scoville_client.i18n.language import words
from scoville_client.tui.actions import Action, at, line_of_keys, width_of_keys
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.widgets.painting import Painting

_BARE = 8
"""Cells that help and quitting take as bare keys, and the blanks before them."""


class KeyBar(Painting):
    """Shows what the keys do in one place of the interface."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where
        self._more: tuple[tuple[str, str], ...] = ()
        self._own: Sequence[Action] = ()
        self._unread = 0

    def show(self, where: str, *more: tuple[str, str], own: Sequence[Action] = ()) -> None:
        """Show the keys of `where` and a game's `own`; `more` come first and replace those of the same key."""
        if (where, more, own) != (self._where, self._more, self._own):
            self._where, self._more, self._own = where, more, own
            self.repaint()

    def show_unread(self, unread: int) -> None:
        """Show beside the key for talk how many lines nobody has read yet."""
        if unread != self._unread:
            self._unread = unread
            self.repaint()

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the keys bright, their words muted."""
        canvas = Canvas(width, height)
        more = [*self._more, *self._news()]
        while more and width_of_keys(more) + _BARE > width - 2:
            more.pop()
        taken = {key for key, _ in more}
        room = width - 4 - width_of_keys(more)
        usual = [pair for pair in line_of_keys(self._where, room, self._own) if pair[0] not in taken]
        column = 2 if width > 60 else 1
        for key, word in (*more, *usual):
            column = canvas.put(column, 0, key, "strong") + 1
            column = canvas.put(column, 0, word, "muted") + 2
        return canvas

    def _news(self) -> list[tuple[str, str]]:
        talk = next((action for action in at(self._where) if action.id == "chat"), None)
        if talk is None or not self._unread:
            return []
        return [(talk.written, words("{n} new", n=self._unread))]
