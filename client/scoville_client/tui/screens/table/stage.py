"""Stage of a table: the waiting room, then the board, then the result."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, cast

from textual.containers import Vertical

from scoville_client.i18n.language import tr
from scoville_client.session.changes import Invited
from scoville_client.session.table.table import AtTable
from scoville_client.tui.boards import find_board_of
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_shared.protocol.messages import Finished, GameInfo

if TYPE_CHECKING:
    from scoville_client.tui.screens.table.result import Result
    from scoville_client.tui.screens.table.waiting_room import WaitingRoom


def invitation_text(invited: Invited, games: Sequence[GameInfo]) -> str:
    """Announce an invitation; `games` are those of the server."""
    titles = {game.slug: game.title for game in games}
    game = titles.get(invited.info.game, invited.info.game)
    return tr("{name} invites you to {game}; answer in the lobby.", name=invited.by, game=game)


def rematch_text(name: str) -> str:
    """Return the sentence about a rematch that `name` has opened; the name is empty if it is not known."""
    if name:
        return tr("{name} wants a rematch: press Enter to join.", name=name)
    return tr("The others want a rematch: press Enter to join.")


StageName = Literal["waiting", "play", "result"]


class Stage(Vertical):
    """Shows the page for the state of the table `at`; `pace` is the seconds of a step of an animation, 0 for none.

    Attributes:
        board: The board of a running game.
        shown: The stage that is shown.
        rematch_by: The name of the user who has opened a rematch.
    """

    def __init__(self, at: AtTable, pace: float) -> None:
        super().__init__(id="stage")
        self.at = at
        self.shown: StageName = "waiting"
        self.board: Board | None = None
        self.rematch_by = ""
        self._pace = pace
        self._result: Result | None = None

    @property
    def _shell(self) -> Shell:
        return cast("Shell", self.app)

    @property
    def due(self) -> StageName:
        """The stage that fits the table; the result waits for the end of an animation."""
        if self.at.view is None:
            return "waiting"
        over = self.at.result is not None
        return "result" if over and not (self.board and self.board.animating) else "play"

    @property
    def is_outdated(self) -> bool:
        """Whether the board shows a game that this client has; now it goes on by the server's sentences."""
        board = self.board
        return board is not None and self.at.by_sentences is not None and not isinstance(board, find_board_of(self.at))

    async def show_due(self) -> None:
        """Show the widgets of the stage that is due."""
        self.shown, self._result = self.due, None
        await self.remove_children()
        await self.mount(self._make_widget())

    def _has_seen_end(self) -> bool:
        """Whether the game has ended before the user's eyes: one who comes back later looks for the result."""
        return any(seen.view is not None and isinstance(seen.event, Finished) for seen in self.at.deal.events)

    def _make_widget(self) -> "WaitingRoom | Board | Result":
        if self.shown == "waiting":
            from scoville_client.tui.screens.table.waiting_room import waiting_room

            return waiting_room(self._shell, lambda: self.at)
        if self.shown == "result":
            from scoville_client.tui.screens.table.result import Result  # late: the board comes first

            self.board = None
            self._shell.session.account.careers.forget_players(self.at.names)
            counts = self._pace > 0 and not self._shell.preferences.calm and self._has_seen_end()
            self._result = Result(self.at, counts=counts)
            return self._result
        self.board = find_board_of(self.at)(self.at, self._pace)
        if isinstance(self.board, StoryBoard):
            self.board.calm = self._shell.preferences.calm
        self.board.show_opening(self.at.opening.take_events())
        return self.board

    def repaint(self) -> None:
        """Draw the waiting room or the result again; a board draws itself."""
        if self.board is None:
            for shown in self.query(CanvasWidget):
                shown.repaint()

    def skip_finale(self) -> bool:
        """Show the result at once while its points are counted; returns whether they were."""
        if self._result is None or not self._result.is_counting:
            return False
        self._result.skip_finale()
        return True

    def show_rematch(self) -> None:
        """Show that a rematch is open, if one is."""
        sentence = "" if self.at.notes.next is None else rematch_text(self.rematch_by)
        if self._result is not None:
            self._result.show_rematch(sentence)
