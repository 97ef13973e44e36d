"""Table screen: the waiting room, then the board, then the result."""

import sys
from collections.abc import Hashable

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.containers import Horizontal

from scoville_client.i18n.event_text import pause_text
from scoville_client.i18n.language import render, tr
from scoville_client.rules import FIRST_PAGE
from scoville_client.session.changes import (
    Change,
    ChatReceived,
    ConnectionLost,
    EventApplied,
    Invited,
    RemovedFromTable,
    TableChanged,
    TablesChanged,
)
from scoville_client.session.table.remaining_time import overrun_text
from scoville_client.session.table.table import AtTable
from scoville_client.session.table.vote import vote_text
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.drawing.canvas import Area
from scoville_client.tui.screens.base import WITH_COLUMN
from scoville_client.tui.screens.table.keys import TableKeys
from scoville_client.tui.screens.table.side_column import SideColumn
from scoville_client.tui.screens.table.stage import Stage
from scoville_client.tui.screens.table.texts import invitation_text
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.widgets.notice import Notice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    Closed,
    HostTransferred,
    Kicked,
    Paused,
    RematchOpened,
    Resumed,
    Voted,
    VoteEnded,
    Warned,
)

_NOTICED = (Warned, Paused, Resumed, VoteEnded)
"""Events that are shown as notices: they are no part of the game, and must be noticed."""
_ANNOUNCED = (Kicked, HostTransferred, Closed)
"""Events that are announced: the next event would replace a notice."""


class TableScreen(TableKeys):
    """Shows the stage of the table `at`; `pace` is the seconds of a step of an animation, 0 for none."""

    KEY_CONTEXT = "waiting"
    HORIZONTAL_BREAKPOINTS = WITH_COLUMN

    def __init__(self, at: AtTable, *, pace: float) -> None:
        super().__init__()
        self.at = at
        self._pace = pace
        self._stage = Stage(at, pace)
        self._settled_at = 0.0

    @property
    def meaning(self) -> Hashable:
        """The stage, what its keys decide, and whether the user is the host."""
        board = None if self._board is None else self._board.meaning
        return self.at.id, self.KEY_CONTEXT, board, self.at.hosting, self.at.next

    @property
    def _board(self) -> Board | None:
        return self._stage.board

    @property
    def settled(self) -> bool:
        """Whether the result has been visible for half a step of an animation."""
        return self.shell.clock.seconds() >= self._settled_at

    def wait_for_release(self) -> None:
        self._settled_at = self.shell.clock.seconds() + self._pace / 2

    def compose_body(self) -> ComposeResult:
        """Arrange the stage, and beside it in wide windows the log and the chat."""
        with Horizontal(id="table"):
            yield self._stage
            yield SideColumn(self.log_lines, self.talk if self.shell.client.is_multiplayer else None)

    async def on_mount(self) -> None:
        await self._show_stage()

    # --- the session ------------------------------------------------------------------------------------

    def session_changed(self, change: Change) -> None:
        """Pass events to the board, and show notices of everything else."""
        self.query_one(SideColumn).repaint()
        if isinstance(change, ChatReceived):
            self._stage.repaint()
        at = self.shell.session.table
        if isinstance(change, ConnectionLost):
            way_out = Phrase("{sentence} Press Esc to go back.", {"sentence": change.reason})
            self.show_notice(way_out, error=True, sticky=True)
        elif isinstance(change, RemovedFromTable):
            self.shell.request(self.shell.navigation.open_lobby(render(change.sentence)))
        elif isinstance(change, TablesChanged):
            self._show_keys()
        elif isinstance(change, Invited):
            self.announce(invitation_text(change, self.shell.session.games))
        elif at is None or at.id == self.at.id:
            self._table_changed(change, at)

    def _table_changed(self, change: Change, at: AtTable | None) -> None:
        """Show what changed at this table; another one that the session has joined gets a screen of its own."""
        if isinstance(change, TableChanged) and at is not None:
            self._show_table(at)
        elif isinstance(change, EventApplied):
            self._happened(change)

    def _show_table(self, at: AtTable) -> None:
        self.at = self._stage.at = at
        if self._board is not None:
            self._board.show_table(at)
        self.call_later(self._show_stage)

    def _happened(self, change: EventApplied) -> None:
        if self._board is not None and change.event.seq > self._board.opened_at:
            self._board.show_event(change)
        self._notice(change.event)
        self.call_later(self._show_stage)

    def _notice(self, event: AnyTableEvent) -> None:
        """Show events that are no part of the game; a user who is removed gets an announcement in the lobby."""
        if isinstance(event, RematchOpened):
            self._stage.rematch_by = event.by
        if isinstance(event, Voted) or (isinstance(event, Paused) and event.granted):
            self.show_notice("")  # the status says it for as long as the pause or the vote lasts
        elif isinstance(event, _NOTICED):
            self.show_notice(render(self.at.log[-1].phrase, self.at.names), sticky=True)
        elif isinstance(event, _ANNOUNCED) and self.shell.session.table is self.at:
            self.announce(render(self.at.log[-1].phrase, self.at.names))
        elif sentence := overrun_text(self.at, event):
            self.show_notice(sentence, sticky=True)

    def on_board_moved(self) -> None:
        """Show the keys, and the result once the animation has ended; save whether the user prefers less motion."""
        if isinstance(self._board, StoryBoard):
            self.shell.settings.save_preferences(
                replace(self.shell.preferences, motion="less" if self._board.calm else "full")
            )
        self._show_keys()
        self.query_one(SideColumn).repaint()
        if self._stage.due != self.KEY_CONTEXT:
            self.call_later(self._show_stage)

    def on_board_rearranged(self) -> None:
        self.place_notices()

    @property
    def notice_area(self) -> Area | None:
        return None if self._board is None else self._board.notice_area

    def on_board_play(self, message: Board.Play) -> None:
        """Play the chosen move, unless the table has changed since or is paused."""
        if self.at.info.paused or self._board is None or message.meaning != self._board.meaning:
            return
        self.show_notice("")
        self.actions.play(message.move)

    # --- the stages -------------------------------------------------------------------------------------

    async def _show_stage(self) -> None:
        """Show the stage of the table; a new one gets new widgets."""
        stage = self._stage.due
        if stage != self.KEY_CONTEXT or not self._stage.children:
            if self.KEY_CONTEXT == "play":
                self.wait_for_release()
            self.KEY_CONTEXT = stage
            await self._stage.put(stage)
            self._focus()
            self.place_notices()
        else:
            self._stage.repaint()
        self._stage.show_rematch()
        self._show_keys()
        self._show_status()

    def _show_status(self) -> None:
        at = self.at
        text = pause_text(at.pausing, at.names, seated=at.seat is not None) if at.info.paused else ""
        if at.vote is not None:
            text = vote_text(at.vote, at.names, asked=at.vote.waits_for(at.seat))
        for notice in self.parts(Notice):
            notice.show_status(text)

    def repaint_board(self) -> None:
        if self._board is not None:
            self._board.repaint()

    def _focus(self) -> None:
        self.set_focus(self._board)

    def _show_keys(self) -> None:
        bar, board = self.parts(KeyBar)[0], self._board
        turn = [("w", tr("your turn"))] if self._waits_elsewhere else []
        if self.at.vote is not None and self.at.vote.waits_for(self.at.seat):
            turn.append(("V", tr("vote")))
        if self.at.info.paused and self.at.seat is not None and not (board is not None and board.animating):
            bar.show("paused", ("P", tr("resume")), *turn, disabled=self.impossible)
        elif board is not None and (board.animating or self.at.seat is not None):
            bar.show(board.where, *board.keys, *turn, own=board.own_actions, disabled=self.impossible)
        else:
            hands = self._key_context() == "watching" and self.at.info.settings.commentary
            bar.show(self._key_context(), *turn, *[("K", tr("hands"))] * hands, disabled=self.impossible)

    @property
    def _waits_elsewhere(self) -> bool:
        return any(table.table != self.at.id for table in self.shell.session.lobby.waiting_for_me)

    def retranslate(self) -> None:
        self._stage.show_rematch()
        self._show_keys()
        self._show_status()
        super().retranslate()

    @property
    def rules(self) -> tuple[str, str]:
        """The rules page that fits the stage; in a game the board knows it."""
        pages = {"waiting": "setup", "result": "end"}
        return self.at.info.game, self._board.page if self._board else pages.get(self.KEY_CONTEXT, FIRST_PAGE)

    def log_lines(self, most: int = sys.maxsize) -> list[str]:
        if self._board is None:
            return super().log_lines(most)
        return [render(phrase, self.at.names) for phrase in self._board.past_phrases()[-most:]]

    def action_help(self) -> None:
        self.shell.navigation.open_help(self._key_context(), None if self._board is None else self._board.ACTIONS)

    def _key_context(self) -> str:
        """The context of the key registry that fits the stage, the game and the user's role."""
        if self.KEY_CONTEXT == "play" and self.at.seat is None:
            return "watching"
        if self.at.info.paused:
            return "paused"
        if self.KEY_CONTEXT == "waiting" and not self.at.hosting:
            return "guest"
        return self.KEY_CONTEXT
