"""Key bar: the keys that work now, at the bottom of every page."""

from collections.abc import Container, Iterable, Sequence
from typing import Any

from rich.cells import cell_len
from textual.screen import Screen

from scoville_client.i18n.delay_text import SLOW_SECONDS, delay_text
from scoville_client.i18n.language import tr
from scoville_client.tui.actions import USUAL_KEYS, Action, Keys, list_actions
from scoville_client.tui.drawing.canvas import Canvas, edge_of
from scoville_client.tui.drawing.key_names import keys_in
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.key_hints import GAP, Hint, KeyHints, put_hints, width_of_keys

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
        self._covered = False

    def show_covered(self, covered: bool) -> None:
        """Show nothing while a dialog is in front, which has its keys itself: a tall one left a piece of the bar."""
        if covered != self._covered:
            self._covered = covered
            self.repaint()

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
        if self._covered:
            return canvas
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
    """Return the actions of the screen's key bar; for a dialog, which has none, the keys of its hints, translated."""
    for child in screen.children:
        if isinstance(child, KeyBar):
            return child.actions
    return [
        Action("", key, written, word, "")
        for hints in screen.query(KeyHints)
        for keys, word in hints.hints
        for _, written, key in keys_in(keys)
    ]


# --- which keys a line shows ------------------------------------------------------------------------------

_DISPENSABLE = (
    "point_of_view",
    "coach_review",
    "costliest",
    "review",
    "save",
    "chat",
    "ready",
    "part_before",
    "invite",
    "quick_match",
    "filter",
    "join_by_code",
    "users",
    "left",
    "rules",
    "log",
    "back",
    "faster",
    "to_start",
    "to_end",
    "react",
    "pause",
    "table_users",
    "invitation",
    "account",
    "leaderboards",
    "settings",
    "explain",
    "palette",
)
"""Actions that the key bar shows if there is room, the most important first; all others come before them."""
_LASTING = ("help", "quit")


def line_of_keys(
    context: str,
    width: int,
    own: Iterable[Action] = (),
    disabled: Container[str] = (),
    more: Sequence[Hint] = (),
    keys: Keys = USUAL_KEYS,
) -> list[Hint]:
    """Choose the (key, word) pairs that fit into `width` cells.

    The pairs `more` come first and replace those of the same keys; actions whose ids are in `disabled` are left out.
    The first key that decides something has its room before help, which names all others; these come before the coach,
    the past and quit, and everything else after that. A key without room for its word is left out: a letter says
    nothing.
    """
    offered = [action for action in list_actions(context, own, keys) if action.shown and action.id not in disabled]
    offered = [action for action in offered if not _is_among(action, more)]
    offered.sort(key=lambda action: "enter" not in action.keys.split(","))  # the main key of a page, whatever follows
    pairs = [*more, *map(_hint_of, offered)]
    ranks = [2 * bool(number) for number in range(len(more))] + [_rank_action(action, context) for action in offered]
    order = sorted(range(len(pairs)), key=ranks.__getitem__)
    shown: dict[int, Hint] = {}
    deciding = [place for place in order if _LASTS < ranks[place] <= _DECIDES]
    dispensable = [place for place in order if ranks[place] > _FAVOURED]
    favoured = [place for place in order if ranks[place] == _FAVOURED]
    help_and_quit = [place for place in order if ranks[place] == _LASTS]
    first, later = deciding[:_SURE], deciding[_SURE:]
    for place in (*first, *help_and_quit[:1], *later, *favoured, *help_and_quit[1:], *dispensable):
        if width_of_keys({**shown, place: pairs[place]}.values()) <= width:
            shown[place] = pairs[place]
    return [shown[place] for place in sorted(shown)]


_SURE = 1
"""Keys that decide something and come before help, which names all others."""
_LASTS, _DECIDES, _FAVOURED = -1, 2, 3
"""Ranks: of help and quit, which are always there; the last one of what decides something; of the coach and looking
back, and of the review of a game that is over."""


def _rank_action(action: Action, context: str) -> int:
    if action.id in _LASTING:
        return _LASTS
    # Behind a game the review says why it was lost; in a replay it is one key of many.
    if action.id in ("coach", "look_back") or (action.id, context) == ("coach_review", "result"):
        return _FAVOURED
    return _FAVOURED + 1 + _DISPENSABLE.index(action.id) if action.id in _DISPENSABLE else 1


def _is_among(action: Action, more: Iterable[Hint]) -> bool:
    """Whether the key of an action is among `more`, alone or with another key of the same effect."""
    written = tr(action.written)
    return any(key == written or key.startswith(f"{written} ") for key, _ in more)


def _hint_of(action: Action) -> Hint:
    return tr(action.written), tr(action.word)
