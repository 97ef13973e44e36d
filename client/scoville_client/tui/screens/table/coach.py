"""Coach of a table: advice on the user's decision, explanations of bots' moves, and the review afterwards.

Its dialogs are imported when it is first asked: the board is on the screen sooner.
"""

from functools import partial
from typing import TYPE_CHECKING

from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import tr
from scoville_client.session.coach_quota import allows_coach
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.table.stage import Stage
from scoville_shared.errors import ScovilleError

if TYPE_CHECKING:
    from scoville_client.replays.reel import Reel
    from scoville_client.reviews.advice import Advice
    from scoville_client.reviews.explanation import BotMove, Explanation

COACHING = frozenset({"coach", "explain"})
"""Actions that need a coach during the game."""


class TableCoach:
    """Asks the coach about the game of a stage, and shows the answers on its page."""

    def __init__(self, page: Page, stage: Stage) -> None:
        self._page = page
        self._stage = stage

    def has_answer(self, action: str) -> bool:
        """Whether an action of `COACHING` has something to say, at a table where it may."""
        at = self._stage.at
        waits = at.my_turn if action == "coach" else self._bots_have_moved
        return waits and allows_coach(at, multiplayer=self._page.shell.client.is_multiplayer)

    @property
    def _bots_have_moved(self) -> bool:
        """Whether a bot has moved in the game that runs."""
        at = self._stage.at
        seats = zip(at.info.seats, at.played, strict=False)
        return at.result is None and any(made and seat.kind == "bot" for seat, made in seats)

    def open_advice(self) -> None:
        """Ask about the decision that the user owes."""
        shell = self._page.shell
        try:
            shell.session.coach_quota.count_question()
        except ScovilleError as refusal:
            self._page.show_notice(refusal.message)
        else:
            from scoville_client.tui.screens.coach.advice import AdviceDialog

            shell.open_dialog(AdviceDialog(self._stage.at, self._show_on_board))

    def _show_on_board(self, advice: "Advice") -> None:
        """Show the coach's bars at the cards, which stay when the dialog is closed."""
        from scoville_client.tui.screens.coach.chance_chart import chances_of

        if self._stage.board is not None:
            self._stage.board.show_chances(chances_of(advice, self._stage.at.game))

    def explain_bots(self) -> None:
        """Explain the bots' latest moves, the newest first."""
        from scoville_client.reviews.explanation import bot_moves, explain_bot
        from scoville_client.tui.screens.coach.explanation import ExplanationDialog

        at, shell = self._stage.at, self._page.shell
        try:
            made = bot_moves(at)
        except ScovilleError as failure:
            self._page.show_notice(error_text(failure), error=True)
            return

        async def explain(move: "BotMove") -> "Explanation":
            with shell.session.coach_quota.ask_question():
                return await explain_bot(at, move, f"advice {at.id} {at.seat}")

        if made:
            names = [at.names[move.seat] for move in made]
            shell.open_dialog(ExplanationDialog(names, [partial(explain, move) for move in made], len(at.names)))
        else:
            self._page.show_notice(tr("No bot has made a move yet that everybody could see."))

    def review_game(self) -> None:
        """Review the finished game; a line leads to its moment in the replay."""
        from scoville_client.replays.after_game import reel_of_finished_game
        from scoville_client.tui.screens.coach.review import ReviewDialog, Shown

        shell = self._page.shell

        async def load() -> "Reel":
            return (await reel_of_finished_game(shell.session)).reel

        def show(shown: Shown | None) -> None:
            if shown is not None:
                shell.navigation.open_replay(shown.position, moments=shown.moments)

        shell.open_dialog(ReviewDialog(load, self._stage.at.seat), show)
