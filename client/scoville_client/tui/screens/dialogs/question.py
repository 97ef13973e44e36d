"""Question dialogs before something irreversible: only a key named for it confirms, never Enter or Esc."""

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from scoville_client.i18n.language import tr
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.key_hints import KeyHints

T = TypeVar("T")


class QuestionDialog(Dialog[T]):
    """A question, its consequences and the keys of the answers.

    Subclasses bind a key to each answer that changes something. Enter, Esc and n change nothing, because users press
    Enter and Esc in passing, for instance to skip an animation.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("n,escape,enter", "stay", show=False)]
    SMALL_KEYS = frozenset({"y", "n", "escape", "enter"})

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(self.heading_text(), classes="heading", markup=False)
            yield Static(self.about_text(), markup=False)
            yield KeyHints(lambda: (*self.list_answers(), (tr("Esc"), self.stay_text())))
        yield TooSmall()

    def heading_text(self) -> str:
        """Write the question."""
        raise NotImplementedError

    def about_text(self) -> str:
        """Write the consequences."""
        raise NotImplementedError

    def list_answers(self) -> Sequence[tuple[str, str]]:
        """List the answers that change something, as (key, word)."""
        raise NotImplementedError

    def stay_text(self) -> str:
        """Return the word for Enter and Esc, which change nothing."""
        return tr("stay")

    @property
    def small_text(self) -> str:
        """The question without its consequences, in too small a terminal."""
        yes = next((word for key, word in self.list_answers() if key == "y"), "")
        plain = tr("{question} Esc: {stay}.", question=self.heading_text(), stay=self.stay_text())
        return f"{plain} y: {yes}." if yes else plain

    def action_stay(self) -> None:
        raise NotImplementedError


class ConfirmDialog(QuestionDialog[bool]):
    """Asks for a confirmation of `action`. Only `y` returns True."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "confirm", show=False),
        Binding("q", "stay", show=False),
    ]

    def __init__(self, heading: str, about: str, action: str) -> None:
        super().__init__()
        self._heading, self._about, self._action = heading, about, action

    def heading_text(self) -> str:
        return self._heading

    def about_text(self) -> str:
        return self._about

    def list_answers(self) -> Sequence[tuple[str, str]]:
        return [("y", self._action)]

    def stay_text(self) -> str:
        return tr("no")

    def action_confirm(self) -> None:
        self.dismiss(True)

    def action_stay(self) -> None:
        self.dismiss(False)
