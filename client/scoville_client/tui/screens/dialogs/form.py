"""Form dialog: a few lines of text, submitted together."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from scoville_client.i18n.language import tr
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import RequestDialog
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.notice import Notice

Values = Mapping[str, str]


class Field(NamedTuple):
    """A line to fill in; `hidden` hides the typed text."""

    id: str
    label: str
    value: str = ""
    hidden: bool = False
    max_length: int = 128


class FormDialog(RequestDialog[bool]):
    """Returns True once `submit` has accepted the values; the form shows the sentence of an InputError or a refusal.

    `action` is the word for Enter at the last line; `hint` returns a sentence about the values while they are typed.
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
        action: str,
        submit: Callable[[Values], Awaitable[None]],
        hint: Callable[[Values], str] = lambda _: "",
    ) -> None:
        super().__init__()
        self._texts = (heading, about, action)
        self._fields = fields
        self._submit = submit
        self._hint = hint

    def compose(self) -> ComposeResult:
        heading, about, action = self._texts
        with Vertical(classes="box"):
            yield Static(heading, classes="heading", markup=False)
            if about:
                yield Static(about, classes="about", markup=False)
            for field in self._fields:
                yield Static(field.label, markup=False)
                yield Input(field.value, id=field.id, password=field.hidden, max_length=field.max_length)
            yield Static(id="hint", markup=False)
            yield Notice()
            yield KeyHints(lambda: ((tr("Enter"), action), ("Tab", tr("next")), (tr("Esc"), tr("back"))))
        yield TooSmall()

    def on_mount(self) -> None:
        empty = [field for field in self._fields if not field.value]
        self.set_focus(self.query_one(f"#{(empty or self._fields)[0].id}", Input))
        self._show_hint()

    def on_input_changed(self) -> None:
        self.query_one(Notice).dismiss_sentence()
        self._show_hint()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Go to the next line, or submit at the last one."""
        ids = [field.id for field in self._fields]
        at = ids.index(message.input.id or "")
        if at + 1 < len(ids):
            self.set_focus(self.query_one(f"#{ids[at + 1]}", Input))
        else:
            self.submit_change(partial(self._submit, self._values), lambda _: self.dismiss(True))

    def action_back(self) -> None:
        self.dismiss(False)

    @property
    def _values(self) -> Values:
        return {field.id: self.query_one(f"#{field.id}", Input).value for field in self._fields}

    def _show_hint(self) -> None:
        hint = self.query_one("#hint", Static)
        text = self._hint(self._values)
        hint.display = bool(text)
        hint.update(text)
