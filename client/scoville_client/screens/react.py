"""A quick reaction: one key, then a digit."""

from typing import ClassVar, Final, get_args

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.widgets import Static

from scoville_client.language import told, words
from scoville_client.screens.page import Dialog, TooSmall, keys
from scoville_shared.kit.phrases import Phrase
from scoville_shared.wire.messages import Reaction

REACTIONS: Final[tuple[Reaction, ...]] = get_args(Reaction)

_SAID: Final[dict[Reaction, Phrase]] = {
    "hello": Phrase("Hello!"),
    "thanks": Phrase("Thanks!"),
    "well played": Phrase("Well played!"),
    "oops": Phrase("Oops!"),
    "hot!": Phrase("Hot!"),
    "hurry": Phrase("Hurry up!"),
}


def reaction_said(reaction: Reaction) -> str:
    """Say a reaction in the language that is spoken."""
    return told(_SAID[reaction])


class ReactDialog(Dialog[Reaction | None]):
    """Answers with the reaction whose digit is pressed; any other key shows none."""

    CSS_PATH = "../styles/chat.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", show=False)]

    def compose(self) -> ComposeResult:
        """Show the digits."""
        with Vertical(id="reactions"):
            yield Static(self._list())
            yield Static(keys((words("Esc"), words("back"))), classes="keys")
        yield TooSmall()

    def on_key(self, event: Key) -> None:
        """Take a digit."""
        digits = {str(number): reaction for number, reaction in enumerate(REACTIONS, 1)}
        if event.character is not None:
            event.stop()
            self.dismiss(digits.get(event.character))

    def action_back(self) -> None:
        """Show none."""
        self.dismiss(None)

    def _list(self) -> Content:
        return keys(*((str(number), reaction_said(reaction)) for number, reaction in enumerate(REACTIONS, 1)))
