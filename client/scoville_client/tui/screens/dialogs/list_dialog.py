"""List dialog: a modal box around one menu that is as high as its items need."""

from collections.abc import Hashable
from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.events import Resize

from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.menu import Menu

T = TypeVar("T")


class ListDialog(Dialog[T]):
    """A dialog with one `Menu`; `AROUND` are the rows of the terminal around the menu."""

    AROUND: ClassVar[int] = 10
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "mark(1)", show=False),
        Binding("k", "mark(-1)", show=False),
        Binding("g", "mark_end(0)", show=False),
        Binding("G", "mark_end(-1)", show=False),
    ]

    @property
    def meaning(self) -> Hashable:
        """The item that Enter chooses; it changes when other users change the list."""
        return tuple(menu.jumps for menu in self.query(Menu))

    def on_resize(self, event: Resize) -> None:
        """Give the menu the rows it needs, as far as the terminal has them."""
        super().on_resize(event)
        self.fit_menu()

    def action_mark(self, steps: int) -> None:
        """Mark the item so many further down."""
        menu = self.query_one(Menu)
        (menu.action_down if steps > 0 else menu.action_up)()

    def action_mark_end(self, index: int) -> None:
        """Mark the first item (0) or the last one (-1)."""
        self.query_one(Menu).action_mark_end(index)

    def fit_menu(self) -> None:
        """Fit the height of the menu to its items and the terminal."""
        self.query_one(Menu).fit_height(self.size.height - self.AROUND)
