"""Reaction dialog: a reaction by its digit."""

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.widgets import Static

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.reactions import REACTIONS
from scoville_client.tui import STYLES
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_shared.protocol.messages import Reaction

_COLUMNS: Final = 3


class ReactDialog(Dialog[Reaction | None]):
    """Returns the reaction whose digit is pressed, or None for any other key."""

    CSS_PATH = STYLES / "chat.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", show=False)]

    def compose(self) -> ComposeResult:
        with Vertical(id="reactions"):
            yield Static(self._reactions_text())
            yield KeyHints(lambda: ((tr("Esc"), tr("back")),))
        yield TooSmall()

    def on_key(self, event: Key) -> None:
        digits = {str(number): reaction for number, reaction in enumerate(REACTIONS, 1)}
        if event.character is not None:
            event.stop()
            self.dismiss(digits.get(event.character))

    def action_back(self) -> None:
        self.dismiss(None)

    def _reactions_text(self) -> Content:
        """List the reactions in columns; a digit stays beside its reaction in narrow terminals."""
        said = [render(reaction.call) for reaction in REACTIONS.values()]
        widths = [max(map(cell_len, said[column::_COLUMNS])) for column in range(_COLUMNS)]
        listed = [
            (str(number), set_cell_size(word, widths[(number - 1) % _COLUMNS])) for number, word in enumerate(said, 1)
        ]
        rows = [_row_text(listed[first : first + _COLUMNS]) for first in range(0, len(listed), _COLUMNS)]
        return Content("\n").join(rows)


def _row_text(reactions: Sequence[Hint]) -> Content:
    parts = [part for digit, word in reactions for part in ((digit, "bold"), f" {word}   ")]
    return Content.assemble(*parts).rstrip()
