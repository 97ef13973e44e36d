"""Key bar: the keys that work now, at the bottom of every page."""

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from textual.screen import Screen

from scoville_client.i18n.delay_text import SLOW_SECONDS, delay_text
from scoville_client.i18n.language import tr
from scoville_client.tui.actions import GAP, USUAL_KEYS, Action, Keys, line_of_keys, list_actions
from scoville_client.tui.drawing.canvas import Canvas, edge_of
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.key_hints import Hint, put_hints

_SIDE_FROM = 100
"""Columns from which on a usual delay is shown as well."""


class KeyBar(CanvasWidget):
    """Shows the keys of one context of the key registry; `keys` are those that the user has given to actions."""

    SHOWS_HOVER = True

    def __init__(self, context: str, keys: Keys = USUAL_KEYS) -> None:
        super().__init__()
        self._keys = keys
        self._context_name = context
        self._more: tuple[tuple[str, str], ...] = ()
        self._own: Sequence[Action] = ()
        self._disabled: frozenset[str] = frozenset()
        self._unread = 0
        self._delay: float | None = None

    def show_keys(
        self,
        context: str,
        *more: tuple[str, str],
        own: Sequence[Action] = (),
        disabled: frozenset[str] = frozenset(),
    ) -> None:
        """Show the keys of `context` and of a game, without those of the `disabled` actions.

        The pairs `more` come first and replace those of the same key.
        """
        # Called after each change of the table, of which few change a key.
        if (context, more, own, disabled) != (self._context_name, self._more, self._own, self._disabled):
            self._context_name, self._more, self._own, self._disabled = context, more, own, disabled
            self.repaint()

    def show_unread(self, unread: int) -> None:
        """Show the number of unread messages beside the key of the chat."""
        if unread != self._unread:
            self._unread = unread
            self.repaint()

    def show_delay(self, seconds: float | None) -> None:
        """Show at the right end how long the server takes to answer; in narrow windows only if it is slow."""
        if delay_text(seconds) != delay_text(self._delay):
            self._delay = seconds
            self.repaint()

    @property
    def actions(self) -> list[Action]:
        """Every action whose keys work now, those that the bar may show first."""
        possible = (
            action
            for action in list_actions(self._context_name, self._own, self._keys)
            if action.id not in self._disabled
        )
        working = [action for action in possible if action.keys]
        return sorted(working, key=lambda action: not action.shown)

    def draw(self, width: int, height: int) -> Canvas:
        canvas, edge = Canvas(width, height), edge_of(width)
        more = [*self._more, *self._unread_hint()]
        delay, slow = delay_text(self._delay), (self._delay or 0) >= SLOW_SECONDS
        shown = f"◷ {delay}" if delay and (slow or width >= _SIDE_FROM) else ""
        room = width - 2 * edge - (cell_len(shown) + GAP if shown else 0)
        hints = line_of_keys(self._context_name, room, self._own, self._disabled, more, self._keys)
        put_hints(canvas, edge, 0, hints)
        canvas.put_right(width - edge, 0, shown, "bad" if slow else "faint")
        return canvas

    def _unread_hint(self) -> list[Hint]:
        chat = next(
            (action for action in list_actions(self._context_name, keys=self._keys) if action.id == "chat"), None
        )
        if chat is None or not self._unread:
            return []
        return [(chat.written, tr("{n} new", n=self._unread))]


def keys_of(screen: Screen[Any]) -> Sequence[Action]:
    """Return the actions of the screen's key bar; for a dialog, which has none, each letter that it binds."""
    for child in screen.children:
        if isinstance(child, KeyBar):
            return child.actions
    return [Action("", key, key, "", "") for key in screen.active_bindings if len(key) == 1]
