"""Keys of a table: which actions each stage and role offers.

What a key opens is imported when it is pressed first: the board is on the screen sooner.
"""

import sys
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.events import Key

from scoville_client.i18n.language import render
from scoville_client.tui.actions import bindings
from scoville_client.tui.boards.board import Board
from scoville_client.tui.screens.chat.chat_log import ChatEntry
from scoville_client.tui.screens.table.coach_keys import COACHING
from scoville_client.tui.screens.table.course import course_of
from scoville_client.tui.screens.table.looking_back import LookBackKeys
from scoville_shared.coach.registry import has_coach
from scoville_shared.engine.phrases import Phrase

if TYPE_CHECKING:
    from scoville_client.tui.screens.lobby.actions import LobbyActions
    from scoville_client.tui.screens.table.actions import TableActions

_BEFORE = {"start_game", "ready", "kick", "transfer_host", "invite"}
_AFTERWARDS = {"rematch", "review", "coach_review", "costliest", "save"}
_OVERRUN = {"rematch", "back"}
"""Actions on the keys that skip animations: pressed once too often, they are not meant for the result."""
_SKIPPING = {"enter", "escape", "space", "a"}
SEATED = frozenset({"start_game", "ready", "invite", "pause", "vote"})
"""Actions of players only."""
TOGETHER = frozenset({"chat", "react", "table_users", "invite", "invitation", "leaderboards", "pause"})
"""Actions that need other users, or a server with others."""
_HOSTS = {"kick", "transfer_host"}
_SPECTATORS = {"point_of_view", "commentate"}


class TableKeys(LookBackKeys):
    """A page about the table `at`; KEY_CONTEXT is its stage."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("waiting"),
        *bindings("paused"),
        *bindings("watching"),
        *bindings("result"),
    ]

    @property
    def actions(self) -> "TableActions":
        """Requests of the keys at the session's table."""
        from scoville_client.tui.screens.table.actions import TableActions

        return TableActions(self.shell)

    @property
    def _lobby_actions(self) -> "LobbyActions":
        from scoville_client.tui.screens.lobby.actions import LobbyActions

        return LobbyActions(self.shell)

    @property
    def impossible(self) -> frozenset[str]:
        """The actions that the key bar leaves out: those that the stage refuses, those with others in practice."""
        alone = () if self.shell.client.is_multiplayer else TOGETHER
        nothing = ("costliest",) if self.KEY_CONTEXT == "result" and course_of(self.at).costliest is None else ()
        unable = (each for each in (*SEATED, *COACHING, "coach_review") if not self.check_action(each, ()))
        present = () if self.at.deal.has_past else ("look_back",)
        return frozenset({*unable, *alone, *nothing, *present})

    @property
    def settled(self) -> bool:
        """Whether the stage has been visible long enough that keys are meant for it, not for the animation before."""
        return True

    def wait_for_release(self) -> None:
        """Wait from now on until keys are meant for the stage."""
        raise NotImplementedError

    def on_key(self, event: Key) -> None:
        """Wait longer while a key that skips animations is held down."""
        if not self.settled and event.key in _SKIPPING:
            self.wait_for_release()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Enable the actions that the stage and the user's role allow."""
        if action in _OVERRUN and not self.settled:
            return False
        if action in _BEFORE and self.KEY_CONTEXT != "waiting":
            return False
        if action in _AFTERWARDS:
            has_reviewer = action != "coach_review" or has_coach(self.at.info.game)
            return self.KEY_CONTEXT == "result" and has_reviewer
        if action in _SPECTATORS:
            return self.KEY_CONTEXT == "play" and self.at.seat is None
        if action in COACHING:
            return self.KEY_CONTEXT == "play" and self.offers(action)
        if action in {"pause", "vote"} and self.at.info.status != "playing":
            return False
        return (action not in SEATED or self.at.seat is not None) and (action not in _HOSTS or self.at.hosting)

    def on_board_doubted(self, message: Board.Doubted) -> None:
        """Say why the chosen move is costly, and how it is played all the same."""
        self.show_notice(Phrase("{why} Press the key again to play it.", {"why": message.why}))

    def action_start_game(self) -> None:
        if self.at.hosting:
            self.actions.start()
        else:
            self.action_ready()

    def action_ready(self) -> None:
        self.actions.toggle_ready()

    def action_invite(self) -> None:
        self._lobby_actions.show_users()

    def action_invitation(self) -> None:
        self._lobby_actions.show_invitation()

    def action_kick(self) -> None:
        self.actions.kick()

    def action_transfer_host(self) -> None:
        self.actions.transfer_host()

    def action_table_users(self) -> None:
        self.actions.show_users()

    def action_waiting_table(self) -> None:
        self._lobby_actions.join_waiting_table()

    def action_point_of_view(self) -> None:
        self.actions.next_point_of_view()
        self.repaint_board()

    def action_commentate(self) -> None:
        self.actions.commentate()

    def action_react(self) -> None:
        self.actions.react()

    def action_pause(self) -> None:
        self.actions.pause()

    def action_vote(self) -> None:
        """Start a vote to kick a player, or answer the one that runs."""
        self.actions.vote()

    def action_log(self) -> None:
        from scoville_client.tui.screens.table.log import LogDialog

        leads = self.at.result is None and self.at.deal.has_past
        self.shell.open_dialog(LogDialog(self.log_lines, leads=leads), self._look_back_from_line)

    def _look_back_from_line(self, line: int | None) -> None:
        """Look back at the moment of a line of the log."""
        if line is not None and line < len(self.at.log):
            self.look_back(self.at.log[line].seq)

    def action_review(self) -> None:
        self.shell.navigation.open_replay()

    def action_costliest(self) -> None:
        costliest = course_of(self.at).costliest
        if costliest is not None:
            self.shell.navigation.open_replay(costliest.move)

    def action_save(self) -> None:
        self.actions.save_game()

    def action_rematch(self) -> None:
        self.actions.rematch()

    def action_back(self) -> None:
        from scoville_client.tui.screens.leaving import LeaveFlow

        LeaveFlow(self.shell).leave_table()

    def repaint_board(self) -> None:
        """Draw the board from another point of view."""
        raise NotImplementedError

    def log_lines(self, most: int = sys.maxsize) -> list[str]:
        """Write the newest lines of the log, up to what the board shows."""
        return [render(line.phrase, self.at.names) for line in self.at.log[-most:]]

    def talk(self) -> list[ChatEntry]:
        """Return the messages at this table."""
        lines, mine = self.shell.session.chat.lines(self.at.id), self.shell.conversations.is_mine
        return [ChatEntry(line, mine(line), line.seat is None) for line in lines]
