"""Keys that ask the coach: advice on the own decision, explanations of bots' moves, and the review afterwards.

The coach is imported when it is first asked: the board is on the screen sooner.
"""

from functools import partial
from typing import TYPE_CHECKING

from scoville_client.i18n.language import tr
from scoville_client.session.coach_quota import allows_coach
from scoville_client.session.table.table import AtTable
from scoville_client.tui.screens.page import Page
from scoville_shared.errors import ScovilleError

if TYPE_CHECKING:
    from scoville_client.replays.reel import Reel
    from scoville_client.reviews.explanation import BotMove, Explanation

COACHING = frozenset({"coach", "explain"})
"""Actions that need a coach during the game."""


class CoachKeys(Page):
    """A page about the table `at` whose keys ask the coach."""

    at: AtTable

    def offers(self, action: str) -> bool:
        """Whether an action of `COACHING` has something to say, at a table where it may."""
        waits = self.at.my_turn if action == "coach" else self._bots_have_moved
        return waits and allows_coach(self.at, multiplayer=self.shell.client.is_multiplayer)

    @property
    def _bots_have_moved(self) -> bool:
        """Whether a bot has moved in the game that runs."""
        at = self.at
        seats = zip(at.info.seats, at.played, strict=False)
        return at.result is None and any(made and seat.kind == "bot" for seat, made in seats)

    def action_coach(self) -> None:
        try:
            self.shell.session.coach_quota.take()
        except ScovilleError as refusal:
            self.show_notice(refusal.message)
        else:
            from scoville_client.tui.screens.coach.advice import AdviceDialog

            self.shell.open_dialog(AdviceDialog(self.at))

    def action_explain(self) -> None:
        from scoville_client.reviews.explanation import bot_moves, explain_bot
        from scoville_client.tui.screens.coach.explanation import ExplanationDialog

        at = self.at
        made = bot_moves(at)

        async def explain(move: "BotMove") -> "Explanation":
            self.shell.session.coach_quota.take()
            return await explain_bot(at, move, f"advice {at.id} {at.seat}")

        if made:
            names = [at.names[move.seat] for move in made]
            self.shell.open_dialog(ExplanationDialog(names, [partial(explain, move) for move in made]))
        else:
            self.show_notice(tr("No bot has made a move that everybody saw yet."))

    def action_coach_review(self) -> None:
        """Review the finished game; a line leads to its moment in the replay."""
        from scoville_client.replays.after_game import reel_of_finished_game
        from scoville_client.tui.screens.coach.review import ReviewDialog

        async def load() -> "Reel":
            return (await reel_of_finished_game(self.shell.session)).reel

        def show(position: int | None) -> None:
            if position is not None:
                self.shell.navigation.open_replay(position)

        self.shell.open_dialog(ReviewDialog(load), show)
