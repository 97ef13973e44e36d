"""Asks for one line of text."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from scoville_client.i18n.language import words
from scoville_client.tui.screens.page import Dialog, TooSmall, keys
from scoville_client.tui.widgets.notice import Notice


class Prompt(Dialog[str | None]):
    """A heading, what it is about, and a line to type on; None when nothing is to be said after all.

    `deed` names what Enter does. `hidden` shows no letters. `value` is typed already, `fault` what is wrong with it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", show=False)]

    def __init__(
        self,
        heading: str,
        about: str,
        deed: str,
        *,
        example: str = "",
        hidden: bool = False,
        value: str = "",
        fault: str = "",
        most: int = 64,
    ) -> None:
        super().__init__()
        self._texts = (heading, about, deed)
        self._example = example
        self._hidden = hidden
        self._value = value
        self._fault = fault
        self._most = most

    def compose(self) -> ComposeResult:
        """Arrange the line."""
        heading, about, deed = self._texts
        with Vertical(classes="box"):
            yield Static(heading, classes="heading", markup=False)
            yield Static(about, classes="about", markup=False)
            yield Input(self._value, placeholder=self._example, password=self._hidden, max_length=self._most)
            yield Notice()
            yield Static(keys((words("Enter"), deed), (words("Esc"), words("back"))), classes="keys")
        yield TooSmall()

    def on_mount(self) -> None:
        """Say what was wrong before."""
        self.query_one(Notice).tell(self._fault, bad=True)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Give the answer."""
        self.dismiss(message.value)

    def action_back(self) -> None:
        """Say nothing."""
        self.dismiss(None)
