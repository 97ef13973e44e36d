"""Asks what a new table should play, in plain words."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key, Resize
from textual.widgets import Static

from scoville_client.i18n.language import words
from scoville_client.session.table.options import Draft, Line, Wish
from scoville_client.session.table.settings import MORE, PASSWORD
from scoville_client.tui.actions import bindings
from scoville_client.tui.screens.page import Dialog, TooSmall, keys
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.notice import Notice
from scoville_shared.protocol.messages import GameInfo

_AROUND = 10
"""Rows of the window that the list leaves to what is around it."""


class CreateDialog(Dialog[Wish | None]):
    """Left, right and typing change the marked line; Enter opens the table. None when no table is wanted."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *[binding for binding in bindings("create") if binding.action in {"up", "down"}],
        Binding("escape,q", "back", show=False),
        Binding("left", "change(-1)", show=False),
        Binding("right,space", "change(1)", show=False),
        Binding("backspace", "erase", show=False),
        Binding("enter", "done", show=False, priority=True),
    ]

    def __init__(self, games: list[GameInfo], first: str, *, among_people: bool = False) -> None:
        super().__init__()
        self._draft = Draft(games, first, among_people=among_people)

    def compose(self) -> ComposeResult:
        """Arrange the list."""
        with Vertical(classes="box wide"):
            yield Static(words("A new table"), classes="heading")
            yield Menu(self._items(), label_width=17)
            yield Notice()
            yield Static(self._keys(), classes="keys")
        yield TooSmall()

    def on_resize(self, event: Resize) -> None:
        """Give the list the rows it needs, as far as the window has them."""
        super().on_resize(event)
        self._fit()

    def on_key(self, event: Key) -> None:
        """Take what can be typed on the marked line."""
        if event.character is not None and self._draft.takes(self._marked, event.character):
            event.stop()
            self._draft.type(self._marked, event.character)
            self._show()

    def action_back(self) -> None:
        """Open no table."""
        self.dismiss(None)

    def action_done(self) -> None:
        """Open the table, or say why it cannot be; on the line that shows more, do that."""
        fault = self._draft.fault()
        if self._marked == MORE:
            self.action_change(1)
        elif fault is None:
            self.dismiss(self._draft.wish)
        else:
            self.query_one(Notice).tell(fault, bad=True)

    def action_change(self, step: int) -> None:
        """Change what the marked line says."""
        self._draft.change(self._marked, step)
        self._show()

    def action_erase(self) -> None:
        """Erase the last digit."""
        self._draft.erase(self._marked)
        self._show()

    @property
    def _menu(self) -> Menu:
        return self.query_one(Menu)

    @property
    def _marked(self) -> str:
        return self._menu.marked or ""

    def _show(self) -> None:
        self.query_one(Notice).tell("")
        self._menu.fill(self._items())
        self._fit()

    def _fit(self) -> None:
        self._menu.styles.height = max(1, min(len(self._menu.items), self.size.height - _AROUND))

    def _items(self) -> list[Item]:
        return [Item(line.id, line.label, _shown(line)) for line in self._draft.lines()]

    def _keys(self) -> Content:
        return keys(
            ("↑ ↓", words("line")),
            ("← → 0-9", words("change")),
            (words("Enter"), words("open it")),
            (words("Esc"), words("back")),
        )


def _shown(line: Line) -> str:
    """Write a value between the signs of the keys that change it; a password is only typed."""
    return line.value if line.id in (MORE, PASSWORD) else f"◂ {line.value} ▸"
