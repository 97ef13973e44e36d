"""Keys of a table: which of them work in each stage and role, and which of them the key bar shows."""

from textual.events import Key

from scoville_client.i18n.language import tr
from scoville_client.session.daily import is_daily
from scoville_client.tui.actions import ACTIONS, list_actions
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.table.coach import COACHING, TableCoach
from scoville_client.tui.screens.table.course import course_of
from scoville_client.tui.screens.table.stage import Stage
from scoville_client.tui.widgets.key_bar import KeyBar

_BEFORE = {"start_game", "ready", "kick", "transfer_host", "invite"}
_AFTERWARDS = {"rematch", "review", "coach_review", "costliest", "save"}
_SEALED = {"review", "coach_review", "costliest", "save"}
"""Actions that need the exported game, which a shared deal does not have before its time is over."""
_BY_RULES = {"review", "costliest"}
"""Actions that replay the game, which a client without its package cannot do."""
_OVERRUN = {"rematch", "back"}
"""Actions on the keys that skip animations: pressed once too often, they are not meant for the result."""
SKIPPING = frozenset({"enter", "escape", "space", "a"})
"""Keys that go on with what moves by itself, and do something else once it has ended."""
_SEATED = frozenset({"start_game", "ready", "invite", "vote"})
"""Actions of players only."""
_TOGETHER = frozenset(action.id for action in ACTIONS if action.needs_others)
_TYPED = frozenset(action.id for action in ACTIONS if action.types_command)
_BY_TERMS = {"daily_results", "plan"}
"""Actions that depend on how the table is played."""
_HOSTS = {"kick", "transfer_host"}
_SPECTATORS = {"point_of_view", "commentate"}


class TableKeys:
    """The keys of a page about the table of a stage; `pace` is the seconds of a step of an animation."""

    def __init__(self, page: Page, stage: Stage, coach: TableCoach, pace: float) -> None:
        self._page = page
        self._stage = stage
        self._coach = coach
        self._pace = pace
        self._settled_at = 0.0

    @property
    def context(self) -> str:
        """The context of the key registry that fits the stage, the game and the user's role."""
        at, shown = self._stage.at, self._stage.shown
        if shown == "play" and at.seat is None:
            return "watching"
        if at.info.paused:
            return "paused"
        return "guest" if shown == "waiting" and not at.hosting else shown

    def allow_action(self, action: str) -> bool:
        """Return whether the stage and the user's role allow an action."""
        at, shown = self._stage.at, self._stage.shown
        # From the stage to the user's role: the first rule that names an action decides.
        if action in _OVERRUN and not self._is_settled:
            return False
        if action in _BEFORE and shown != "waiting":
            return False
        if is_daily(at.info) and action in _SEALED:
            return False
        if action in _BY_TERMS:
            return self._fits_terms(action)
        if action in _BY_RULES and at.by_sentences is not None:
            return False
        if action in _AFTERWARDS:
            return shown == "result" and (action != "coach_review" or at.has_coach)
        if action in _SPECTATORS:
            return shown == "play" and at.seat is None
        if action in COACHING:
            return shown == "play" and self._coach.has_answer(action)
        if action in _TYPED:
            return self._allow_typed(action)
        return (action not in _SEATED or at.seat is not None) and (action not in _HOSTS or at.hosting)

    def _allow_typed(self, action: str) -> bool:
        """Return whether the command that an action types is possible here."""
        from scoville_client.session.commands.registry import command_named, is_offered  # late: the board comes first

        here = next((offered for offered in list_actions(self.context) if offered.id == action), None)
        return here is not None and is_offered(command_named(here.commands[0]), self._page.shell.session)

    def _fits_terms(self, action: str) -> bool:
        at, shown = self._stage.at, self._stage.shown
        if action == "plan":
            return shown == "play" and at.seat is not None and at.info.clock.by_days and at.by_sentences is None
        return shown == "result" and is_daily(at.info)

    # --- keys that are held down --------------------------------------------------------------------------

    @property
    def _is_settled(self) -> bool:
        """Whether the stage has been visible long enough that keys are meant for it, not for the animation before."""
        return self._page.shell.clock.seconds() >= self._settled_at

    def wait_for_release(self) -> None:
        """Wait half a step of an animation until keys are meant for the stage."""
        self._settled_at = self._page.shell.clock.seconds() + self._pace / 2

    def note_key(self, event: Key) -> None:
        """Wait longer while a key that skips animations is held down."""
        if not self._is_settled and event.key in SKIPPING:
            self.wait_for_release()

    # --- the key bar --------------------------------------------------------------------------------------

    def show_keys(self, bar: KeyBar) -> None:
        """Show the keys that count now, those that matter most first."""
        at, board = self._stage.at, self._stage.board
        urgent = [("w", tr("your turn"))] if self._waits_elsewhere else []
        if at.vote is not None and at.vote.waits_for(at.seat):
            urgent.append(("V", tr("vote")))
        if at.info.paused and at.seat is not None and not (board is not None and board.animating):
            bar.show_keys("paused", ("P", tr("resume")), *urgent, disabled=self._impossible)
        elif board is not None and (board.animating or at.seat is not None):
            bar.show_keys(board.where, *board.keys, *urgent, own=board.own_actions, disabled=self._impossible)
        elif self._stage.shown == "result" and is_daily(at.info):
            bar.show_keys(self.context, (tr("Enter"), tr("compare")), *urgent, disabled=self._impossible | _SEALED)
        elif self._stage.shown == "result" and at.info.tournament is not None:
            bar.show_keys(self.context, (tr("Enter"), tr("standings")), *urgent, disabled=self._impossible)
        else:
            hands = self.context == "watching" and at.info.settings.commentary
            bar.show_keys(self.context, *urgent, *([("K", tr("hands"))] if hands else []), disabled=self._impossible)

    @property
    def _waits_elsewhere(self) -> bool:
        waiting = self._page.shell.session.lobby.waiting_for_me
        return any(table.table != self._stage.at.id for table in waiting)

    @property
    def _impossible(self) -> frozenset[str]:
        """The actions that the key bar leaves out: those that the stage refuses, those with others in practice."""
        at = self._stage.at
        alone = () if self._page.shell.client.is_multiplayer else _TOGETHER
        nothing = ("costliest",) if self._stage.shown == "result" and course_of(at).costliest is None else ()
        unable = (each for each in (*_SEATED, *COACHING, *_BY_RULES, "coach_review") if not self.allow_action(each))
        present = () if at.deal.has_past else ("look_back",)
        return frozenset({*unable, *alone, *nothing, *present})
