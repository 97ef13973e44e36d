"""Dialog that picks one of several: games, users, seats."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from scoville_client.i18n.language import tr
from scoville_client.session.changes import Change
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import ListDialog
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.menu import Item, Menu

_MANY = 6
"""Items from which on users may want to find one by its name."""


class PickDialog(ListDialog[str | None]):
    """Returns the id of the chosen item, or None. `items` is read again whenever the session changes.

    `action` is the word for Enter on the marked item; without it the list is only for reading.
    """

    AROUND = 11
    LABEL: ClassVar[int] = 26
    """Cells of a label at most."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, heading: str, items: Callable[[], Sequence[Item]], action: str = "", *, about: str = "") -> None:
        super().__init__()
        self._heading = heading
        self._items = items
        self._action = action
        self._about = about

    def compose(self) -> ComposeResult:
        enter = [(tr("Enter"), self._action)] if self._action else []
        with Vertical(classes="box wide"):
            yield Static(self._heading, classes="heading", markup=False)
            yield self.make_about()
            yield Menu([*self._items()], label_width=self.LABEL, is_tight=True)
            find = [("/", tr("find"))] if len(self._items()) >= _MANY else []
            yield KeyHints(lambda: (*enter, *self.more_keys(), *find, (tr("Esc"), tr("close"))))
        yield TooSmall()

    def make_about(self) -> Widget:
        """Return the text between the heading and the list."""
        about = Static(self._about, classes="about", markup=False)
        about.display = bool(self._about)
        return about

    def more_keys(self) -> Sequence[tuple[str, str]]:
        """Name further keys, as (key, word)."""
        return ()

    def session_changed(self, change: Change) -> None:  # noqa: ARG002 - the items know it
        self.query_one(Menu).show_items([*self._items()])
        self.fit_menu()

    def on_menu_taken(self, message: Menu.Taken) -> None:
        if self._action:
            self.dismiss(message.item)

    def action_back(self) -> None:
        self.dismiss(None)

    @property
    def marked(self) -> str | None:
        """The id of the marked item."""
        return self.query_one(Menu).marked
