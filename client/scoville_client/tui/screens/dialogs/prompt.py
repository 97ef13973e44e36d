"""Prompt dialog: one line of text."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from scoville_client.i18n.language import tr
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.notice import Notice


class PromptDialog(Dialog[str | None]):
    """Returns the text, or None. `action` names what Enter does.

    `value` is filled in, and `fault` says what is wrong with it; `hidden` hides what is typed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", show=False)]

    def __init__(
        self,
        heading: str,
        about: str,
        action: str,
        *,
        example: str = "",
        hidden: bool = False,
        value: str = "",
        fault: str = "",
        max_length: int = 64,
    ) -> None:
        super().__init__()
        self._texts = (heading, about, action)
        self._example = example
        self._hidden = hidden
        self._value = value
        self._fault = fault
        self._max_length = max_length

    def compose(self) -> ComposeResult:
        heading, about, action = self._texts
        with Vertical(classes="box"):
            yield Static(heading, classes="heading", markup=False)
            yield Static(about, classes="about", markup=False)
            yield Input(self._value, placeholder=self._example, password=self._hidden, max_length=self._max_length)
            yield Notice()
            yield KeyHints(lambda: ((tr("Enter"), action), (tr("Esc"), tr("back"))))
        yield TooSmall()

    def on_mount(self) -> None:
        self.query_one(Notice).show_sentence(self._fault, error=True)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        self.dismiss(message.value)

    def action_back(self) -> None:
        self.dismiss(None)
