"""Create-table dialog: game, seats, options, thinking time and access of a new table."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key
from textual.widgets import Static

from scoville_client.i18n.language import tr
from scoville_client.session.new_table.options import Draft, Line, NewTable
from scoville_client.session.new_table.settings import MORE, PACE_MS, PASSWORD
from scoville_client.tui.actions import bindings
from scoville_client.tui.drawing.canvas import WIDE_FROM
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_shared.protocol.messages import GameInfo

_AROUND = 10
"""Rows of the terminal around the list, without the explanation."""
EXPLANATION_ROWS = 2
"""Rows of the explanation of a line; narrow windows have one more."""


class CreateDialog(Dialog[NewTable | None]):
    """Returns the settings of the new table, or None. Left, right and typing change the marked line.

    Bots of a `shared` table move at a pace that people can follow, unless their host wants a `calm` screen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *[binding for binding in bindings("create") if binding.action in {"up", "down"}],
        Binding("escape,q", "back", show=False),
        Binding("left", "change(-1)", show=False),
        Binding("right,space", "change(1)", show=False),
        Binding("backspace", "erase", show=False),
        # Before the Enter of the menu, which would only choose a row.
        Binding("enter", "done", show=False, priority=True),
    ]

    def __init__(self, games: list[GameInfo], first: str, *, shared: bool = False, calm: bool = False) -> None:
        super().__init__()
        self._fault = ""
        self._draft = Draft(games, first, shared=shared, pace_ms=PACE_MS if shared and not calm else 0)

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide"):
            yield Static(tr("New table"), classes="heading")
            yield Menu(self._list_items(), label_width=17, filters=False)
            yield LiveText(self._explanation_text, classes="explanation")
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_resize(self) -> None:
        """Give the list the rows it needs, as far as the terminal has them."""
        self._fit_menu()

    def on_key(self, event: Key) -> None:
        if event.character is not None and self._draft.takes_character(self._marked, event.character):
            event.stop()
            self._draft.type_character(self._marked, event.character)
            self._show_draft()

    def on_menu_marked(self) -> None:
        self._explain_line("")

    def on_menu_taken(self) -> None:
        """Change the marked line, which was clicked once more."""
        self.action_change(1)

    def action_back(self) -> None:
        self.dismiss(None)

    def action_done(self) -> None:
        """Create the table, or show why it is impossible; on the line of further settings, show them."""
        fault = self._draft.find_fault()
        if self._marked == MORE:
            self.action_change(1)
        elif fault is None:
            self.dismiss(self._draft.table)
        else:
            self._explain_line(fault)

    def action_change(self, step: int) -> None:
        self._draft.change_line(self._marked, step)
        self._show_draft()

    def action_erase(self) -> None:
        self._draft.erase_character(self._marked)
        self._show_draft()

    @property
    def _menu(self) -> Menu:
        return self.query_one(Menu)

    @property
    def _marked(self) -> str:
        return self._menu.marked or ""

    def _show_draft(self) -> None:
        self._explain_line("")
        self._menu.show_items(self._list_items())
        self._fit_menu()

    def _explain_line(self, fault: str) -> None:
        """Explain the marked line in the rows below the list; or say why the table cannot be created."""
        self._fault = fault
        for text in self.query(LiveText):
            text.set_class(bool(fault), "fault")
            text.retranslate()

    def _explanation_text(self) -> str:
        return self._fault or self._draft.explain_line(self._menu.marked or "game" if self.is_mounted else "game")

    def _fit_menu(self) -> None:
        """Give the list a height that no other game changes."""
        rows = EXPLANATION_ROWS if self.size.width >= WIDE_FROM else EXPLANATION_ROWS + 1
        self.query_one(LiveText).styles.height = rows
        self._menu.styles.height = max(1, min(self._draft.most_lines, self.size.height - _AROUND - rows))

    def _list_items(self) -> list[Item]:
        return [Item(line.id, line.label, _value_text(line)) for line in self._draft.list_lines()]

    def _list_hints(self) -> Sequence[Hint]:
        return (
            ("↑ ↓", tr("row")),
            ("← → 0-9", tr("change")),
            (tr("Enter"), tr("create")),
            (tr("Esc"), tr("back")),
        )


def _value_text(line: Line) -> str:
    """Write a value between the arrows that change it; a password is only typed."""
    return line.value if line.id in (MORE, PASSWORD) else f"◂ {line.value} ▸"
