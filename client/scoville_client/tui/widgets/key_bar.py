"""Key bar: the keys that work now, at the bottom of every page."""

from collections.abc import Sequence

from textual.screen import Screen

from scoville_client.i18n.language import tr
from scoville_client.tui.actions import Action, at, line_of_keys, width_of_keys
from scoville_client.tui.drawing.canvas import Canvas, edge_of
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.key_hints import Hint, put_hints

_BARE = 8
"""Cells of help and quit without words, and the blanks before them."""


class KeyBar(CanvasWidget):
    """Shows the keys of one context of the key registry."""

    def __init__(self, context: str) -> None:
        super().__init__()
        self._context_name = context
        self._more: tuple[tuple[str, str], ...] = ()
        self._own: Sequence[Action] = ()
        self._disabled: frozenset[str] = frozenset()
        self._unread = 0

    def show(
        self,
        context: str,
        *more: tuple[str, str],
        own: Sequence[Action] = (),
        disabled: frozenset[str] = frozenset(),
    ) -> None:
        """Show the keys of `context` and of a game, without those of the `disabled` actions.

        The pairs `more` come first and replace those of the same key.
        """
        if (context, more, own, disabled) != (self._context_name, self._more, self._own, self._disabled):
            self._context_name, self._more, self._own, self._disabled = context, more, own, disabled
            self.repaint()

    def show_unread(self, unread: int) -> None:
        """Show the number of unread messages beside the key of the chat."""
        if unread != self._unread:
            self._unread = unread
            self.repaint()

    @property
    def actions(self) -> list[Action]:
        """Every action whose keys work now, those that the bar may show first."""
        possible = (action for action in at(self._context_name, self._own) if action.id not in self._disabled)
        working = [action for action in possible if action.keys]
        return sorted(working, key=lambda action: not action.shown)

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the keys in bold, their words muted."""
        canvas = Canvas(width, height)
        more = [*self._more, *self._unread_hint()]
        while more and width_of_keys(more) + _BARE > width - 2:
            more.pop()
        room = width - 4 - width_of_keys(more)
        usual = line_of_keys(self._context_name, room, self._own, self._disabled | self._replaced_by(more))
        put_hints(canvas, edge_of(width), 0, (*more, *usual))
        return canvas

    def _replaced_by(self, more: Sequence[Hint]) -> frozenset[str]:
        """Name the actions whose keys are shown with other words."""
        taken = {key for key, _ in more}
        return frozenset(action.id for action in at(self._context_name, self._own) if tr(action.written) in taken)

    def _unread_hint(self) -> list[tuple[str, str]]:
        chat = next((action for action in at(self._context_name) if action.id == "chat"), None)
        if chat is None or not self._unread:
            return []
        return [(chat.written, tr("{n} new", n=self._unread))]


def keys_of(screen: Screen[object]) -> Sequence[Action]:
    """Return the actions of the screen's key bar; for a dialog, which has none, each letter that it binds."""
    for child in screen.children:
        if isinstance(child, KeyBar):
            return child.actions
    return [Action("", key, key, "", "") for key in screen.active_bindings if len(key) == 1]
