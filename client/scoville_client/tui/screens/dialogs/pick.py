"""Dialog that picks one of several: games, users, seats."""

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.widgets import Static

from scoville_client.i18n.language import tr
from scoville_client.session.changes import Change
from scoville_client.tui.screens.base import TooSmall, key_hints
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.menu import Item, Menu

_AROUND = 11
"""Rows of the terminal around the list."""
_LABEL = 26


class PickDialog(Dialog[str | None]):
    """Returns the id of the chosen item, or None. `items` is read again whenever the session changes.

    `action` names what Enter does with the marked item; without it the list is only for reading.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", show=False),
        Binding("L,f2", "language", show=False),
    ]

    def __init__(self, heading: str, items: Callable[[], Sequence[Item]], action: str = "", *, about: str = "") -> None:
        super().__init__()
        self._heading = heading
        self._items = items
        self._action = action
        self._about = about

    def compose(self) -> ComposeResult:
        """Arrange the list."""
        enter = [(tr("Enter"), self._action)] * bool(self._action)
        with Vertical(classes="box wide"):
            yield Static(self._heading, classes="heading", markup=False)
            about = Static(self._about, classes="about", markup=False)
            about.display = bool(self._about)
            yield about
            yield Menu([*self._items()], label_width=_LABEL)
            yield Static(key_hints(*enter, *self.more_keys(), (tr("Esc"), tr("close"))), classes="keys")
        yield TooSmall()

    def more_keys(self) -> Sequence[tuple[str, str]]:
        """Name further keys, as (key, word)."""
        return ()

    @property
    def meaning(self) -> Hashable:
        """Which item Enter chooses, where other users have changed that."""
        return tuple(menu.jumps for menu in self.query(Menu))

    def on_resize(self, event: Resize) -> None:
        """Give the list the rows it needs, as far as the terminal has them."""
        super().on_resize(event)
        self._fit()

    def session_changed(self, change: Change) -> None:  # noqa: ARG002 - the items know it
        """Show the current items."""
        self.query_one(Menu).fill([*self._items()])
        self._fit()

    def on_menu_taken(self, message: Menu.Taken) -> None:
        """Return the chosen item."""
        if self._action:
            self.dismiss(message.item)

    def action_back(self) -> None:
        """Choose nothing."""
        self.dismiss(None)

    @property
    def marked(self) -> str | None:
        """The id of the marked item."""
        return self.query_one(Menu).marked

    def _fit(self) -> None:
        menu = self.query_one(Menu)
        menu.styles.height = max(1, min(len(menu.items), self.size.height - _AROUND))
