"""Question dialogs before something irreversible: only a key named for it confirms, never Enter or Esc."""

from collections.abc import Sequence
from typing import ClassVar, Generic, NamedTuple, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from scoville_client.i18n.language import tr
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.key_hints import KeyHints

T = TypeVar("T")


class Answer(NamedTuple, Generic[T]):
    """An answer to a question: its key (y, g or l), its word, and the result of the dialog."""

    key: str
    word: str
    result: T


class QuestionDialog(Dialog[T]):
    """A question, its consequences and the keys of the answers.

    Enter, Esc and n change nothing, because users press Enter and Esc in passing, for instance to skip an animation.

    Args:
        heading: The question.
        about: The consequences.
        answers: The answers that change something.
        stay: The result of Enter, Esc and n, which change nothing.
        stay_word: The word for them; "stay" by default.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,escape,enter", "stay", show=False),
        *(Binding(key, f"answer('{key}')", show=False) for key in "ygl"),
    ]
    SMALL_KEYS = frozenset({"y", "g", "l", "n", "escape", "enter"})

    def __init__(
        self, heading: str, about: str, answers: Sequence[Answer[T]], stay: T, stay_word: str | None = None
    ) -> None:
        super().__init__()
        self._heading, self._about = heading, about
        self._answers = {answer.key: answer for answer in answers}
        self._stay, self._stay_word = stay, stay_word or tr("stay")

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(self._heading, classes="heading", markup=False)
            yield Static(self._about, markup=False)
            yield KeyHints(self.list_hints)
        yield TooSmall()

    def list_hints(self) -> Sequence[tuple[str, str]]:
        """List the keys with their words, that for no change last."""
        return [*((answer.key, answer.word) for answer in self._answers.values()), (tr("Esc"), self._stay_word)]

    @property
    def small_text(self) -> str:
        """The question without its consequences, in too small a terminal."""
        plain = tr("{question} Esc: {stay}.", question=self._heading, stay=self._stay_word)
        return f"{plain} y: {self._answers['y'].word}." if "y" in self._answers else plain

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the keys of the answers."""
        return parameters[0] in self._answers if action == "answer" else super().check_action(action, parameters)

    def action_answer(self, key: str) -> None:
        self.dismiss(self._answers[key].result)

    def action_stay(self) -> None:
        self.dismiss(self._stay)


class ConfirmDialog(QuestionDialog[bool]):
    """Asks for a confirmation of `action`. Only `y` returns True."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "stay", show=False)]

    def __init__(self, heading: str, about: str, action: str) -> None:
        super().__init__(heading, about, [Answer("y", action, True)], stay=False, stay_word=tr("no"))
