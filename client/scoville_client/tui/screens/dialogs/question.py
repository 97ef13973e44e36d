"""Questions before something that cannot be undone: only a key that is named for it does it, Enter and Esc never."""

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from scoville_client.i18n.language import words
from scoville_client.tui.screens.page import Dialog, TooSmall, keys

T = TypeVar("T")


class Question(Dialog[T]):
    """A heading, what becomes of it, and the keys of the answers.

    Subclasses bind a key of its own to each answer that changes something. Enter, Esc and n change nothing, because
    people press Enter and Esc in passing, for instance to get through a reveal.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("n,escape,enter", "stay", show=False)]
    SMALL_KEYS = frozenset({"y", "n", "escape", "enter"})

    def compose(self) -> ComposeResult:
        """Put the question."""
        with Vertical(classes="box"):
            yield Static(self.heading(), classes="heading", markup=False)
            yield Static(self.about(), markup=False)
            yield Static(keys(*self.answers(), (words("Esc"), self.staying())), classes="keys")
        yield TooSmall()

    def heading(self) -> str:
        """Write the question."""
        raise NotImplementedError

    def about(self) -> str:
        """Write what becomes of it."""
        raise NotImplementedError

    def answers(self) -> Sequence[tuple[str, str]]:
        """List the answers that change something, as (key, word); `y` is the plainest."""
        raise NotImplementedError

    def staying(self) -> str:
        """Name what Enter and Esc do: nothing."""
        return words("stay")

    @property
    def small_text(self) -> str:
        """The question alone, where the window is too small for more."""
        yes = next((word for key, word in self.answers() if key == "y"), "")
        plain = words("{question} Esc: {stay}.", question=self.heading(), stay=self.staying())
        return f"{plain} y: {yes}." if yes else plain

    def action_stay(self) -> None:
        """Change nothing."""
        raise NotImplementedError


class Sure(Question[bool]):
    """Asks whether something is meant; `deed` names it. Only `y` answers True."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "do", show=False),
        Binding("q", "stay", show=False),
    ]

    def __init__(self, heading: str, about: str, deed: str) -> None:
        super().__init__()
        self._texts = (heading, about, deed)

    def heading(self) -> str:
        """Write the question."""
        return self._texts[0]

    def about(self) -> str:
        """Write what becomes of it."""
        return self._texts[1]

    def answers(self) -> Sequence[tuple[str, str]]:
        """Name the deed."""
        return [("y", self._texts[2])]

    def staying(self) -> str:
        """Say no."""
        return words("no")

    def action_do(self) -> None:
        """Say that it is meant."""
        self.dismiss(True)

    def action_stay(self) -> None:
        """Say that it is not meant."""
        self.dismiss(False)
