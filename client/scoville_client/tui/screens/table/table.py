"""Table screen: the waiting room, then the board, then the result; and the past of the table."""

import sys
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Key

from scoville_client.i18n.event_text import NOTICED, pause_text
from scoville_client.i18n.language import current_language, render, tr
from scoville_client.rules import FIRST_PAGE, rules_pages
from scoville_client.session.changes import (
    Change,
    ChatReceived,
    ConnectionLost,
    EventApplied,
    Invited,
    PlanEnded,
    PlaysBySentences,
    RemovedFromTable,
    TableChanged,
    TablesChanged,
)
from scoville_client.session.table.remaining_time import overrun_text
from scoville_client.session.table.table import AtTable, Missed
from scoville_client.session.table.vote import vote_text
from scoville_client.tui.actions import list_actions, screen_bindings
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.drawing.canvas import Area
from scoville_client.tui.screens.base import WITH_COLUMN, KeyActions, TooSmall
from scoville_client.tui.screens.chat.chat_log import ChatEntry
from scoville_client.tui.screens.dialogs.dialog import SCROLLING, Dialog, ScrollingDialog
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.table.coach import TableCoach
from scoville_client.tui.screens.table.course import course_of, find_decision
from scoville_client.tui.screens.table.keys import SKIPPING, TableKeys
from scoville_client.tui.screens.table.side_column import SideColumn
from scoville_client.tui.screens.table.stage import Stage, invitation_text
from scoville_client.tui.widgets.fitted_box import FittedBox
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.notice import Notice
from scoville_client.tui.widgets.text_view import MarkedText, TextView
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    Closed,
    HostTransferred,
    Kicked,
    Paused,
    RematchOpened,
    Voted,
)

if TYPE_CHECKING:
    from scoville_client.tui.screens.table.actions import TableKeyActions

_ANNOUNCED = (Kicked, HostTransferred, Closed)
"""Events that are announced: the next event would replace a notice."""


class TableScreen(Page):
    """Shows the stage of the table `at`; `pace` is the seconds of a step of an animation, 0 for none."""

    KEY_CONTEXT = "waiting"
    HORIZONTAL_BREAKPOINTS = WITH_COLUMN
    BINDINGS: ClassVar[list[BindingType]] = [
        *screen_bindings("waiting"),
        *screen_bindings("paused"),
        *screen_bindings("watching"),
        *screen_bindings("result"),
    ]

    def __init__(self, at: AtTable, *, pace: float) -> None:
        super().__init__()
        self._stage = Stage(at, pace)
        self._coach = TableCoach(self, self._stage)
        self._past = TablePast(self, self._stage)
        self._keys = TableKeys(self, self._stage, self._coach, pace)

    @property
    def at(self) -> AtTable:
        """The table that is shown."""
        return self._stage.at

    @property
    def _board(self) -> Board | None:
        return self._stage.board

    @property
    def meaning(self) -> Hashable:
        """The stage, what its keys decide, and whether the user is the host."""
        board = None if self._board is None else self._board.meaning
        return self.at.id, self.KEY_CONTEXT, board, self.at.hosting, self.at.notes.next

    @property
    def rules(self) -> tuple[str, str]:
        """The rules page that fits the stage; in a game the board knows it."""
        pages = {"waiting": "setup", "result": "end"}
        return self.at.info.game, self._board.page if self._board else pages.get(self.KEY_CONTEXT, FIRST_PAGE)

    @property
    def notice_area(self) -> Area | None:
        return None if self._board is None else self._board.notice_area

    @property
    def notice_ends(self) -> tuple[int, ...]:
        return () if self._board is None else self._board.notice_ends

    def compose_body(self) -> ComposeResult:
        """Arrange the stage, and beside it in wide windows the log and the chat."""
        with Horizontal(id="table"):
            yield self._stage
            messages = self._list_messages if self.shell.client.is_multiplayer else None
            yield SideColumn(self._past.log_lines, messages, self._game_to_explain)

    def _game_to_explain(self) -> str:
        """Return the game whose rules the column may tell: not where the waiting room does, or there are none."""
        at = self.at
        told = at.view is None or at.by_sentences is not None or not rules_pages(at.info.game, current_language())
        return "" if told else at.info.game

    def _list_messages(self) -> list[ChatEntry]:
        lines, mine = self.shell.session.chat.lines_of(self.at.id), self.shell.conversations.is_mine
        return [ChatEntry(line, mine(line), line.seat is None) for line in lines]

    async def on_mount(self) -> None:
        await self._show_stage()
        if self.at.by_sentences is not None:
            self.announce(render(self.at.by_sentences.explain_itself()))

    def note_painted(self) -> None:
        self._past.offer_missed()

    # --- keys -------------------------------------------------------------------------------------------

    @property
    def actions(self) -> "TableKeyActions":
        """Requests at the session's table."""
        from scoville_client.tui.screens.table.actions import TableKeyActions  # with a key: the board is shown sooner

        return TableKeyActions(self.shell)

    def key_actions(self) -> KeyActions:
        from scoville_client.tui.screens.leaving import LeaveFlow
        from scoville_client.tui.screens.lobby.actions import LobbyActions

        actions, lobby = self.actions, LobbyActions(self.shell)
        typed = (action for action in list_actions(self._keys.context) if action.types_command)
        return {
            **super().key_actions(),
            **{action.id: partial(actions.run_command, action.commands[0]) for action in typed},
            "back": LeaveFlow(self.shell).leave_table,
            "coach": self._coach.open_advice,
            "coach_review": self._coach.review_game,
            "commentate": actions.watch_with_key,
            "copy": actions.copy_text,
            "costliest": self._show_costliest,
            "explain": self._coach.explain_bots,
            "help": self._open_help,
            "invitation": lobby.show_invitation,
            "invite": lobby.invite_user,
            "kick": actions.kick_user,
            "log": self._past.open_log,
            "look_back": self._past.look_back,
            "plan": actions.plan_moves,
            "point_of_view": self._show_next_view,
            "react": actions.choose_reaction,
            "ready": actions.toggle_ready,
            "daily_results": actions.compare_daily,
            "rematch": actions.open_rematch,
            "tournaments": self.shell.navigation.open_tournaments,
            "review": self.shell.navigation.open_replay,
            "save": actions.save_game,
            "start_game": actions.start_game if self.at.hosting else actions.toggle_ready,
            "table_users": actions.show_users,
            "transfer_host": actions.transfer_host,
            "vote": actions.vote_on_kick,
            "waiting_table": lobby.join_waiting_table,
        }

    def allows_action(self, action: str) -> bool:
        return self._keys.allow_action(action)

    def on_key(self, event: Key) -> None:
        self._keys.note_key(event)
        if self._stage.skip_finale() and event.key in SKIPPING:
            event.stop()  # it is meant for the count, not for the result

    def _open_help(self) -> None:
        """Open the help, with the keys of this stage and game first."""
        self.shell.navigation.open_help(self._keys.context, None if self._board is None else self._board.ACTIONS)

    def _show_next_view(self) -> None:
        self.actions.next_point_of_view()
        if self._board is not None:
            self._board.repaint()

    def _show_costliest(self) -> None:
        """Open the replay where the user decided on their costliest move."""
        costliest = course_of(self.at).costliest
        if costliest is not None:
            self.shell.navigation.open_replay(find_decision(self.at, costliest.move))

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
            self.shell.send_request(self.shell.navigation.open_lobby(render(change.sentence)))
        elif isinstance(change, TablesChanged):
            self._show_keys()
        elif isinstance(change, Invited):
            self.announce(invitation_text(change, self.shell.session.games))
        elif at is None or at.id == self.at.id:  # another table that the session has joined gets a screen of its own
            self._show_table_change(change, at)

    def _show_table_change(self, change: Change, at: AtTable | None) -> None:
        if isinstance(change, PlaysBySentences | PlanEnded):
            self.announce(render(change.sentence))
        if isinstance(change, TableChanged) and at is not None:
            self._stage.at = at
            if self._board is not None and not self._stage.is_outdated:
                self._board.show_table(at)
        elif isinstance(change, EventApplied):
            # Events older than the board are in the table with which it was made.
            if self._board is not None and change.event.seq > self._board.opened_at:
                self._board.show_event(change)
            self._show_event_notice(change.event)
        else:
            return
        self.call_later(self._show_stage)  # it mounts widgets, which only a coroutine can wait for

    def _show_event_notice(self, event: AnyTableEvent) -> None:
        """Show events that are no part of the game; a user who is removed gets an announcement in the lobby."""
        if isinstance(event, RematchOpened):
            self._stage.rematch_by = event.by
        if isinstance(event, Voted) or (isinstance(event, Paused) and event.granted):
            self.show_notice("")  # the status says it for as long as the pause or the vote lasts
        elif isinstance(event, NOTICED):
            self.show_notice(render(self.at.log[-1].phrase, self.at.names), sticky=True)
        elif isinstance(event, _ANNOUNCED) and self.shell.session.table is self.at:
            self.announce(render(self.at.log[-1].phrase, self.at.names))
        elif sentence := overrun_text(self.at, event):
            self.show_notice(sentence, sticky=True)

    # --- the board --------------------------------------------------------------------------------------

    def on_board_moved(self) -> None:
        """Show the keys, and the result once the animation has ended; save whether the user prefers less motion."""
        if isinstance(self._board, StoryBoard):
            motion: Literal["less", "full"] = "less" if self._board.calm else "full"
            self.shell.settings.save_preferences(replace(self.shell.preferences, motion=motion))
        self._show_keys()
        self.query_one(SideColumn).repaint()
        if self._stage.due != self.KEY_CONTEXT:
            self.call_later(self._show_stage)

    def on_board_play(self, message: Board.Play) -> None:
        """Play the chosen move, unless the table has changed since or is paused."""
        if self.at.info.paused or self._board is None or message.meaning != self._board.meaning:
            return
        self.show_notice("")
        # Not by `actions`, whose dialogs the first move would wait for.
        self.shell.send_request(self.shell.session.play_move(message.move))

    def on_board_doubted(self, message: Board.Doubted) -> None:
        """Say why the chosen move is costly, and how it is played all the same."""
        self.show_notice(Phrase("{why} Press the key again to play it.", {"why": message.why}))

    # --- what is shown ----------------------------------------------------------------------------------

    async def _show_stage(self) -> None:
        """Show the stage of the table; a new one gets new widgets."""
        if self._stage.due != self.KEY_CONTEXT or not self._stage.children or self._stage.is_outdated:
            # A key that skipped the last story may still be held down.
            if self.KEY_CONTEXT == "play":
                self._keys.wait_for_release()
            self.KEY_CONTEXT = self._stage.due
            self.set_class(self.KEY_CONTEXT == "waiting", "-waiting")
            await self._stage.show_due()
            # Without a board nothing has the focus: all keys are the screen's.
            self.set_focus(self._board)
            self.notices.place_all()
        else:
            self._stage.repaint()
        self._stage.show_rematch()
        self._show_keys()
        self._show_status()

    def _show_keys(self) -> None:
        self._keys.show_keys(self.children_of(KeyBar)[0])

    def _show_status(self) -> None:
        at = self.at
        text = pause_text(at.notes.pausing, at.names, seated=at.seat is not None) if at.info.paused else ""
        if at.vote is not None:
            text = vote_text(at.vote, at.names, asked=at.vote.waits_for(at.seat))
        for notice in self.children_of(Notice):
            notice.show_status(text)

    def retranslate(self) -> None:
        self._stage.show_rematch()
        self._show_keys()
        self._show_status()
        super().retranslate()


# --- looking back -----------------------------------------------------------------------------------


class LogDialog(Dialog[int | None], ScrollingDialog):
    """Shows the lines that `lines` returns, the newest at the end.

    Where `leads` says so, Enter returns the number of the line at the top, to look back at its moment; else it closes.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,l,q", "close", show=False),
        Binding("enter,left_square_bracket", "choose", show=False),
        *SCROLLING,
        Binding("g", "first", show=False),
        Binding("G", "last", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, lines: Callable[[], Sequence[str]], *, leads: bool = False) -> None:
        super().__init__()
        self._lines = lines
        self._leads = leads

    def compose(self) -> ComposeResult:
        """Arrange the log in a box as high as its entries."""
        with FittedBox(classes="box wide fitted"):
            yield LiveText(lambda: tr("Log"), classes="heading")
            yield MarkedText(self._lines) if self._leads else TextView(self._lines, newest="strong")
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def session_changed(self, change: Change) -> None:  # noqa: ARG002 - the lines know it
        self.text_view.repaint()

    def action_choose(self) -> None:
        text = self.text_view
        self.dismiss(text.marked if isinstance(text, MarkedText) else None)

    def _list_hints(self) -> Sequence[Hint]:
        if self._leads:
            return (f"↑ ↓ {tr('PgUp PgDn')}", tr("line")), (tr("Enter"), tr("look back")), (tr("Esc"), tr("close"))
        return (f"↑ ↓ {tr('PgUp PgDn')}", tr("scroll")), (tr("Esc"), tr("close"))


_MISSED = Phrase(
    "{n} move happened: press [ to watch it.",
    many="{n} moves happened: press [ to watch them.",
)


class TablePast:
    """Past of the table of a stage, as far as its board shows it already."""

    def __init__(self, page: Page, stage: Stage) -> None:
        self._page = page
        self._stage = stage
        self._offered: Missed | None = None

    def log_lines(self, most: int = sys.maxsize) -> list[str]:
        """Write the newest lines of the log, up to what the board shows."""
        at, board = self._stage.at, self._stage.board
        phrases = [line.phrase for line in at.log[-most:]] if board is None else board.past_phrases()[-most:]
        return [render(phrase, at.names) for phrase in phrases]

    def open_log(self) -> None:
        """Open the log; a line leads to its moment in the game."""
        at = self._stage.at
        leads = at.result is None and at.deal.has_past
        self._page.shell.open_dialog(LogDialog(self.log_lines, leads=leads), self._look_back_from_line)

    def _look_back_from_line(self, line: int | None) -> None:
        log = self._stage.at.log
        if line is not None and line < len(log):
            self._open_look_back(log[line].seq)

    def offer_missed(self) -> None:
        """Offer the missed events, once the table as it is now is on the terminal."""
        missed = self._stage.at.missed
        if missed is not None and missed != self._offered and self._stage.at.result is None:
            self._offered = missed
            self._page.announce(render(_MISSED.with_fields({"n": missed.moves}, missed.moves)))

    def look_back(self) -> None:
        """Watch the missed events; without that, look at the move before the present."""
        at = self._stage.at
        if at.missed is not None and at.result is None:
            self._page.shell.send_request(self._watch_missed(at, at.missed))
        else:
            self._open_look_back(None)

    async def _watch_missed(self, at: AtTable, missed: Missed) -> None:
        await self._page.shell.session.look_back()
        if self._stage.at is at and at.result is None and at.deal.has_past:
            self._page.shell.navigation.open_look_back(at, missed.since, plays=True)

    def _open_look_back(self, seq: int | None) -> None:
        at = self._stage.at
        if at.result is None and at.deal.has_past:
            self._page.shell.navigation.open_look_back(at, seq)
        else:
            self._page.show_notice(tr("There is nothing to look back at yet."))
