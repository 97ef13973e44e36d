"""Asks for one of several: games, people, seats."""

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.widgets import Static

from scoville_client.i18n.language import words
from scoville_client.session.changes import Change
from scoville_client.tui.screens.page import Dialog, TooSmall, keys
from scoville_client.tui.widgets.menu import Item, Menu

_AROUND = 11
"""Rows of the window that the list leaves to what is around it."""
_LABEL = 26


class Pick(Dialog[str | None]):
    """Shows what `items` gives, also while that changes; answers with the id of a line, None for none of them.

    `deed` names what Enter does with the marked line; without it the list is only to be read.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", show=False),
        Binding("L,f2", "language", show=False),
    ]

    def __init__(self, heading: str, items: Callable[[], Sequence[Item]], deed: str = "", *, about: str = "") -> None:
        super().__init__()
        self._heading = heading
        self._items = items
        self.deed = deed
        self._about = about

    def compose(self) -> ComposeResult:
        """Arrange the list."""
        deed = [(words("Enter"), self.deed)] * bool(self.deed)
        with Vertical(classes="box wide"):
            yield Static(self._heading, classes="heading", markup=False)
            about = Static(self._about, classes="about", markup=False)
            about.display = bool(self._about)
            yield about
            yield Menu([*self._items()], label_width=_LABEL)
            yield Static(keys(*deed, *self.more_keys(), (words("Esc"), words("close"))), classes="keys")
        yield TooSmall()

    def more_keys(self) -> Sequence[tuple[str, str]]:
        """Name further keys, as (key, word)."""
        return ()

    @property
    def meaning(self) -> Hashable:
        """Which line Enter takes, where others have changed that."""
        return tuple(menu.jumps for menu in self.query(Menu))

    def on_resize(self, event: Resize) -> None:
        """Give the list the rows it needs, as far as the window has them."""
        super().on_resize(event)
        self._fit()

    def heard(self, change: Change) -> None:  # noqa: ARG002 - whatever it was, the items know
        """Show who or what there is now."""
        self.query_one(Menu).fill([*self._items()])
        self._fit()

    def on_menu_taken(self, message: Menu.Taken) -> None:
        """Answer with the marked line."""
        if self.deed:
            self.dismiss(message.item)

    def action_back(self) -> None:
        """Take none."""
        self.dismiss(None)

    @property
    def marked(self) -> str | None:
        """The id of the marked line."""
        return self.query_one(Menu).marked

    def _fit(self) -> None:
        menu = self.query_one(Menu)
        menu.styles.height = max(1, min(len(menu.items), self.size.height - _AROUND))
