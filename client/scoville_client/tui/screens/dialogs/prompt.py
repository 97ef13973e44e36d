"""Prompt dialog: one line of text."""

from typing import ClassVar, Final, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from scoville_client.i18n.language import tr
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.notice import Notice


class TextLine(NamedTuple):
    """A line to type: an example in it while it is empty, its first value and what is wrong with that.

    `hidden` hides the typed text.
    """

    example: str = ""
    hidden: bool = False
    value: str = ""
    fault: str = ""
    max_length: int = 64


EMPTY_LINE: Final = TextLine()


class PromptDialog(Dialog[str | None]):
    """Returns the text of a line, or None. `action` is the word for Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", show=False)]

    def __init__(self, heading: str, about: str, action: str, line: TextLine = EMPTY_LINE) -> None:
        super().__init__()
        self._texts = (heading, about, action)
        self._line = line

    def compose(self) -> ComposeResult:
        (heading, about, action), line = self._texts, self._line
        with Vertical(classes="box"):
            yield Static(heading, classes="heading", markup=False)
            yield Static(about, classes="about", markup=False)
            yield Input(line.value, placeholder=line.example, password=line.hidden, max_length=line.max_length)
            yield Notice()
            yield KeyHints(lambda: ((tr("Enter"), action), (tr("Esc"), tr("back"))))
        yield TooSmall()

    def on_mount(self) -> None:
        self.query_one(Notice).show_sentence(self._line.fault, error=True)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        self.dismiss(message.value)

    def action_back(self) -> None:
        self.dismiss(None)
