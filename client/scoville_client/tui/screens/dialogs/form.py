"""Asks for a few lines of text, and does something with them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from scoville_client.i18n.language import words
from scoville_client.tui.screens.dialogs.request_dialog import AskingDialog
from scoville_client.tui.screens.page import TooSmall, keys
from scoville_client.tui.widgets.notice import Notice

Values = Mapping[str, str]


class Field(NamedTuple):
    """A line to fill in: its id, what it is called, what is in it, whether its letters are hidden, how long it is."""

    id: str
    label: str
    value: str = ""
    hidden: bool = False
    most: int = 128


class Form(AskingDialog[bool]):
    """True once `done` has taken the values; what it raises as a Fault or a refusal is said, and can be put right.

    `hint` says something about the values while they are typed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", show=False),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", show=False),
    ]

    def __init__(
        self,
        heading: str,
        about: str,
        fields: Sequence[Field],
        deed: str,
        done: Callable[[Values], Awaitable[None]],
        hint: Callable[[Values], str] = lambda _: "",
    ) -> None:
        super().__init__()
        self._texts = (heading, about, deed)
        self._fields = fields
        self._done = done
        self._hint = hint

    def compose(self) -> ComposeResult:
        """Arrange the lines."""
        heading, about, deed = self._texts
        with Vertical(classes="box"):
            yield Static(heading, classes="heading", markup=False)
            if about:
                yield Static(about, classes="about", markup=False)
            for field in self._fields:
                yield Static(field.label, markup=False)
                yield Input(field.value, id=field.id, password=field.hidden, max_length=field.most)
            yield Static(id="hint", markup=False)
            yield Notice()
            yield Static(
                keys((words("Enter"), deed), ("Tab", words("next")), (words("Esc"), words("back"))), classes="keys"
            )
        yield TooSmall()

    def on_mount(self) -> None:
        """Begin at the first line that is empty."""
        empty = [field for field in self._fields if not field.value]
        self.set_focus(self.query_one(f"#{(empty or self._fields)[0].id}", Input))
        self._show_hint()

    def on_input_changed(self) -> None:
        """Say something about what is typed."""
        self.query_one(Notice).forget()
        self._show_hint()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Go to the next line, or do it at the last one."""
        ids = [field.id for field in self._fields]
        at = ids.index(message.input.id or "")
        if at + 1 < len(ids):
            self.set_focus(self.query_one(f"#{ids[at + 1]}", Input))
        else:
            self.fetch(self._done(self._values), lambda _: self.dismiss(True))

    def action_back(self) -> None:
        """Do nothing."""
        self.dismiss(False)

    @property
    def _values(self) -> Values:
        return {field.id: self.query_one(f"#{field.id}", Input).value for field in self._fields}

    def _show_hint(self) -> None:
        hint = self.query_one("#hint", Static)
        said = self._hint(self._values)
        hint.display = bool(said)
        hint.update(said)
