"""Look-back screen: earlier rounds of the game that is being played, as this client saw them."""

from collections.abc import Iterator
from typing import ClassVar

from textual.binding import BindingType

from scoville_client.i18n.language import tr
from scoville_client.replays.look_back import LookBack
from scoville_client.session.changes import Change, ConnectionLost, EventApplied, RemovedFromTable, TableChanged
from scoville_client.tui.actions import screen_bindings
from scoville_client.tui.screens.base import KeyActions
from scoville_client.tui.screens.replay.replay_bar import Piece
from scoville_client.tui.screens.replay.tape_screen import TapeScreen
from scoville_client.tui.widgets.key_bar import KeyBar

_FAST_FORWARD = 4
"""How many times faster missed events are played."""


class LookBackScreen(TapeScreen[LookBack]):
    """Shows past events of a table; one key goes back to the present. `plays` starts it at once, fast-forward."""

    KEY_CONTEXT = "look_back"
    BINDINGS: ClassVar[list[BindingType]] = [*screen_bindings("look_back")]

    def __init__(self, tape: LookBack, pace: float, *, plays: bool = False) -> None:
        super().__init__(tape, pace)
        self._plays = plays

    def on_mount(self) -> None:
        """Show the moment, and play on from it if that is wanted."""
        self._show_keys()
        self.player.show_position()
        if self._plays:
            self.player.change_speed(_FAST_FORWARD)
            self.player.start_playing()

    def key_actions(self) -> KeyActions:
        return {**super().key_actions(), "back": self._go_to_present}

    def pieces_before(self) -> Iterator[Piece]:
        """Return that this is the past, or that it is the user's turn in the present."""
        if self._is_waited_for:
            yield Piece(tr("Your turn: Esc"), "caption")
        else:
            yield Piece(tr("Looking back"), "caption")

    def pieces_after(self) -> Iterator[Piece]:
        """Return the way back, if there is no key bar."""
        if not self.has_class("-tall") and not self._is_waited_for:
            yield Piece(tr("Esc: now"), "muted")

    @property
    def _is_waited_for(self) -> bool:
        at = self.shell.session.table
        return at is not None and at.my_turn

    def session_changed(self, change: Change) -> None:
        """Take over new events of the table; go back to the present when the table closes or the game is over."""
        if isinstance(change, ConnectionLost | RemovedFromTable):
            self._go_to_present()
        elif isinstance(change, EventApplied | TableChanged):
            at = self.shell.session.table
            if at is None or at.id != self.tape.at.id or at.result is not None:
                self._go_to_present()
                return
            self.tape.catch_up()
            self._bar.repaint()

    def note_end(self) -> None:
        self._go_to_present()

    def _show_keys(self) -> None:
        for bar in self.children_of(KeyBar):
            bar.show_keys(self.KEY_CONTEXT, (tr("Esc"), tr("to the game")))

    def retranslate(self) -> None:
        self._show_keys()
        super().retranslate()

    def _go_to_present(self) -> None:
        self.shell.navigation.close_page(self)
