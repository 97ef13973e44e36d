"""Draft dialog: the lines of a thing to create; left, right and typing change the marked one."""

from collections.abc import Iterable, Sequence
from typing import ClassVar, Protocol, TypeVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key

from scoville_client.i18n.language import tr
from scoville_client.session.new_table.options import Line
from scoville_client.tui.actions import bindings
from scoville_client.tui.drawing.canvas import WIDE_FROM, fit_text
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog, columns_of_box
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.menu import Item, Menu

_AROUND_VALUE = 5
"""Columns of a row of the list before its label, after it, and after its value."""
_AROUND = 10
"""Rows of the terminal around the list, without the explanation."""
EXPLANATION_ROWS = 2
"""Rows of the explanation of a line; narrow windows have one more."""


class Changeable(Protocol):
    """A draft of a thing to be created, line by line."""

    @property
    def most_lines(self) -> int:
        """The number of lines whatever is chosen."""

    def list_lines(self) -> Iterable[Line]:
        """Return the lines."""

    def find_fault(self) -> str | None:
        """Return why it cannot be created like this; None if it can."""

    def explain_line(self, line: str) -> str:
        """Explain a line."""

    def takes_character(self, line: str, char: str) -> bool:
        """Whether a character can be typed on a line."""

    def change_line(self, line: str, step: int) -> None:
        """Change the value of a line by one step, forwards or backwards."""

    def type_character(self, line: str, char: str) -> None:
        """Type a character."""

    def erase_character(self, line: str) -> None:
        """Delete the last character."""


T = TypeVar("T")


class DraftDialog(Dialog[T]):
    """Changes a draft; subclasses give its name, and the effect of Enter once it has no fault."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *[binding for binding in bindings("create") if binding.action in {"up", "down"}],
        Binding("escape,q", "back", show=False),
        Binding("left", "change(-1)", show=False),
        Binding("right,space", "change(1)", show=False),
        Binding("backspace", "erase", show=False),
        # Before the Enter of the menu, which would only choose a row.
        Binding("enter", "done", show=False, priority=True),
    ]
    LABEL_WIDTH: ClassVar[int] = 17

    def __init__(self, draft: Changeable) -> None:
        super().__init__()
        self._fault = ""
        self._draft = draft

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide"):
            yield LiveText(self.heading_text, classes="heading")
            yield Menu(self._list_items(), label_width=self.LABEL_WIDTH, filters=False)
            yield LiveText(self._explanation_text, classes="explanation")
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def heading_text(self) -> str:
        raise NotImplementedError

    def word_for_enter(self) -> str:
        """Return the word of the key bar for Enter."""
        raise NotImplementedError

    def accept_draft(self) -> None:
        """Use the draft: Enter was pressed."""
        raise NotImplementedError

    def write_value(self, line: Line) -> str:
        """Write a value between the arrows that change it; a long one is cut, and never its arrow."""
        room = columns_of_box(self.app.size.width) - self.LABEL_WIDTH - _AROUND_VALUE
        if cell_len(f"◂ {line.value} ▸") <= room:
            return f"◂ {line.value} ▸"
        return f"◂{fit_text(line.value, min(cell_len(line.value), room - 2))}▸"

    def on_resize(self) -> None:
        """Give the list the rows it needs, as far as the terminal has them, and each value its columns."""
        self._menu.show_items(self._list_items())
        self._fit_menu()

    def on_key(self, event: Key) -> None:
        if event.character is not None and self._draft.takes_character(self._marked, event.character):
            event.stop()  # a name may have any letter, also those of keys
            self._draft.type_character(self._marked, event.character)
            self.show_draft()

    def on_menu_marked(self) -> None:
        self.explain_marked("")

    def on_menu_taken(self) -> None:
        """Change the marked line, which was clicked once more."""
        self.action_change(1)

    def action_back(self) -> None:
        self.dismiss(None)

    def action_done(self) -> None:
        """Accept the draft, or show why that is impossible."""
        fault = self._draft.find_fault()
        if fault is None:
            self.accept_draft()
        else:
            self.explain_marked(fault)

    def action_change(self, step: int) -> None:
        self._draft.change_line(self._marked, step)
        self.show_draft()

    def action_erase(self) -> None:
        self._draft.erase_character(self._marked)
        self.show_draft()

    @property
    def _menu(self) -> Menu:
        return self.query_one(Menu)

    @property
    def _marked(self) -> str:
        return self._menu.marked or ""

    def show_draft(self) -> None:
        """Write all lines again."""
        self.explain_marked("")
        self._menu.show_items(self._list_items())
        self._fit_menu()

    def explain_marked(self, fault: str) -> None:
        """Explain the marked line in the rows below the list; or say why the draft cannot be accepted."""
        self._fault = fault
        for text in self.query(LiveText).filter(".explanation"):
            text.set_class(bool(fault), "fault")
            text.retranslate()

    def _explanation_text(self) -> str:
        return self._fault or self._draft.explain_line(
            self._menu.marked or self._first if self.is_mounted else self._first
        )

    @property
    def _first(self) -> str:
        return next(iter(self._draft.list_lines())).id

    def _fit_menu(self) -> None:
        """Give the list a height that no other choice changes."""
        rows = EXPLANATION_ROWS if self.size.width >= WIDE_FROM else EXPLANATION_ROWS + 1
        for text in self.query(LiveText).filter(".explanation"):
            text.styles.height = rows
        self._menu.styles.height = max(1, min(self._draft.most_lines, self.size.height - _AROUND - rows))

    def _list_items(self) -> list[Item]:
        return [Item(line.id, line.label, self.write_value(line)) for line in self._draft.list_lines()]

    def _list_hints(self) -> Sequence[Hint]:
        return (
            ("↑ ↓", tr("row")),
            ("← → 0-9", tr("change")),
            (tr("Enter"), self.word_for_enter()),
            (tr("Esc"), tr("back")),
        )
