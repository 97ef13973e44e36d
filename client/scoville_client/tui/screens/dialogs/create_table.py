"""Create-table dialog: game, seats, options, thinking time and access of a new table."""

from scoville_client.i18n.language import tr
from scoville_client.session.new_table.options import Draft, Line, NewTable
from scoville_client.session.new_table.settings import MORE, PACE_MS, PASSWORD
from scoville_client.tui.screens.dialogs.draft import DraftDialog
from scoville_shared.protocol.messages import GameInfo


class CreateDialog(DraftDialog[NewTable | None]):
    """Returns the settings of the new table, or None.

    Bots of a `shared` table move at a pace that people can follow, unless their host wants a `calm` screen.
    """

    def __init__(self, games: list[GameInfo], first: str, *, shared: bool = False, calm: bool = False) -> None:
        self._new = Draft(games, first, shared=shared, pace_ms=PACE_MS if shared and not calm else 0)
        super().__init__(self._new)

    def heading_text(self) -> str:
        return tr("New table")

    def word_for_enter(self) -> str:
        return tr("create")

    def write_value(self, line: Line) -> str:
        """Write a value between the arrows that change it; a password is only typed."""
        return line.value if line.id in (MORE, PASSWORD) else super().write_value(line)

    def action_done(self) -> None:
        """Create the table, or show why it is impossible; on the line of further settings, show them."""
        if self._marked == MORE:
            self.action_change(1)
        else:
            super().action_done()

    def accept_draft(self) -> None:
        self.dismiss(self._new.table)
