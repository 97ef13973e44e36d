"""Game of somebody else at a daily deal, as its player saw it, from where it parted from the user's own."""

from collections.abc import Iterator

from scoville_client.i18n.language import tr
from scoville_client.replays.look_back import LookBack
from scoville_client.session.changes import Change
from scoville_client.tui.screens.replay.look_back import LookBackScreen
from scoville_client.tui.screens.replay.replay_bar import Piece
from scoville_client.tui.widgets.key_bar import KeyBar


class DailyGameScreen(LookBackScreen):
    """Shows a finished game, whatever happens at tables meanwhile; then the results of its `day` again."""

    def __init__(self, tape: LookBack, pace: float, player: str, day: int) -> None:
        super().__init__(tape, pace)
        self._player = player
        self._day = day

    def session_changed(self, change: Change) -> None:
        """Stay: this game is over."""

    def note_end(self) -> None:
        """Stay at the end."""

    def pieces_before(self) -> Iterator[Piece]:
        yield Piece(self._player, "caption")

    def pieces_after(self) -> Iterator[Piece]:
        if not self.has_class("-tall"):
            yield Piece(tr("Esc: back"), "muted")

    def _go_to_present(self) -> None:
        self.shell.navigation.close_page(self)
        self.shell.call_later(self.shell.navigation.open_daily, self._day)

    def _show_keys(self) -> None:
        for bar in self.children_of(KeyBar):
            bar.show_keys(self.KEY_CONTEXT, (tr("Esc"), tr("back")))
