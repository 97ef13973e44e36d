"""A table: the waiting room, then the board, then the result."""

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from scoville_client.actions import bindings
from scoville_client.boards import find
from scoville_client.boards.board import Board
from scoville_client.boards.storyboard import StoryBoard
from scoville_client.changes import Change, Happened, Lost, TableChanged, TablesChanged
from scoville_client.language import told, words
from scoville_client.rematch import opener, rematch
from scoville_client.rules import FIRST_PAGE
from scoville_client.screens.page import Page
from scoville_client.table import AtTable
from scoville_client.widgets.keybar import KeyBar
from scoville_client.widgets.painting import Painting
from scoville_client.widgets.result import Result
from scoville_client.widgets.waiting import Waiting
from scoville_shared.kit.phrases import Phrase
from scoville_shared.wire.messages import ClockWarning, GameStarted, PauseAsked, Resumed

if TYPE_CHECKING:
    from scoville_client.hosting import Running

_KEYS = bindings("waiting") + bindings("result")
_AFTERWARDS = ("again", "review", "save")
_SEATED = ("start_game", "again", "pause")
_SAID = (ClockWarning, PauseAsked, Resumed)
"""Events that are said above the keys: they are no part of the game, and want to be noticed."""


class TableScreen(Page):
    """Shows one of three stages; the session says which."""

    WHERE = "waiting"
    LIVE = 2.0
    """How many seconds pass between two looks at what the others do after a game."""
    BINDINGS: ClassVar[list[BindingType]] = [*_KEYS]

    def __init__(self, at: AtTable, *, pace: float, hosted: "Running | None" = None) -> None:
        super().__init__()
        self.at = at
        self._pace = pace
        self._hosted = hosted
        self._board: Board | None = None

    def compose_body(self) -> ComposeResult:
        """Arrange the stage."""
        yield Vertical(id="stage")

    async def on_mount(self) -> None:
        """Begin with the stage the table is at; after the game, look out for what the others do."""
        await self._go_on()
        if self.scoville.among_people:
            self.set_interval(self.LIVE, self._look_out)

    # --- what happens -----------------------------------------------------------------------------------

    def heard(self, change: Change) -> None:
        """Hand events on to the board, and show what it does not tell."""
        at = self.scoville.session.table
        if isinstance(change, Lost):
            self.tell(Phrase("{reason} Press Esc to go back.", {"reason": change.reason}), bad=True, stays=True)
        elif at is None:
            return
        elif isinstance(change, TablesChanged):
            self._show_sequel()
            return
        elif isinstance(change, TableChanged):
            self.at = at
            if self._board is not None:
                self._board.show(at)
        elif isinstance(change, Happened) and self._board is not None and not isinstance(change.event, GameStarted):
            self._board.happened(change)
        if isinstance(change, Happened) and isinstance(change.event, _SAID):
            self.tell(told(self.at.log[-1].phrase, self.at.names), stays=True)
        self.call_later(self._go_on)

    def on_board_moved(self) -> None:
        """Show what the keys mean now, and the result once the story is told; keep how much motion is liked."""
        if isinstance(self._board, StoryBoard):
            self.scoville.like_calm(calm=self._board.calm)
        self._show_keys()
        if self._stage() != self.WHERE:
            self.call_later(self._go_on)

    def on_board_play(self, message: Board.Play) -> None:
        """Play what was decided on."""
        self.tell("")
        self.scoville.play(message.move)

    # --- the stages -------------------------------------------------------------------------------------

    def _stage(self) -> str:
        if self.at.view is None:
            return "waiting"
        over = self.at.result is not None
        return "result" if over and not (self._board and self._board.telling) else "play"

    async def _go_on(self) -> None:
        """Show the stage the table has come to, afresh where it is another one."""
        stage = self._stage()
        place = self.query_one("#stage", Vertical)
        if stage != self.WHERE or not place.children:
            self.WHERE = stage
            await place.remove_children()
            await place.mount(self._widget(stage))
            self._focus()
        elif stage != "play":
            place.query_one(Painting).repaint()
        self._show_keys()

    def _widget(self, stage: str) -> Waiting | Board | Result:
        if stage == "waiting":
            return Waiting(self, self._hosted)
        if stage == "result":
            self._board = None
            return Result(self.at)
        self._board = find(self.at.info.game)(self.at, self._pace)
        if isinstance(self._board, StoryBoard):
            self._board.calm = self.scoville.calm
        return self._board

    def _look_out(self) -> None:
        """Ask, unseen, whether somebody has opened a table for another game."""
        if self.WHERE == "result" and self.scoville.screen is self and self.scoville.session.state == "online":
            self.scoville.refresh_tables()

    def _show_sequel(self) -> None:
        """Say where the others gather, if they do."""
        session = self.scoville.session
        table = rematch(session.tables, self.at.info, session.name)
        sequel = "" if table is None else words("{name} plays again. Press Enter to join in.", name=opener(table))
        for result in self.query(Result):
            result.tell(sequel)

    def _focus(self) -> None:
        self.set_focus(self._board)

    def _show_keys(self) -> None:
        bar, board = self.query_one(KeyBar), self._board
        if board is not None and (board.telling or self.at.seat is not None):
            bar.show(board.where, *board.keys)
        elif self.at.seat is None:
            bar.show("watching")
        else:
            bar.show("guest" if self.WHERE == "waiting" and not self.at.hosting else self.WHERE)

    def reword(self) -> None:
        """Say everything again, in another language."""
        self._show_keys()
        super().reword()

    @property
    def rules(self) -> tuple[str, str]:
        """Name the page that fits the stage; in a game the board knows."""
        pages = {"waiting": "setup", "result": "end"}
        return self.at.info.game, self._board.page if self._board else pages.get(self.WHERE, FIRST_PAGE)

    def _told(self) -> list[str]:
        """Write the log; a story that is being told ends it."""
        past = [line.phrase for line in self.at.log] if self._board is None else self._board.past()
        return [told(phrase, self.at.names) for phrase in past]

    # --- keys -------------------------------------------------------------------------------------------

    def action_help(self) -> None:
        """Show the help, this game's keys first."""
        self.scoville.show_help(self.WHERE if self._board is None else self._board.PLACE)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Offer each stage its own keys; who looks on starts nothing."""
        if action in _SEATED and self.at.seat is None:
            return False
        if action == "start_game":
            return self.WHERE == "waiting"
        if action == "pause":
            return self.at.info.status == "playing"
        return self.WHERE == "result" if action in _AFTERWARDS else True

    def action_start_game(self) -> None:
        """Start the game; bots take the empty seats."""
        self.scoville.start_game()

    def action_pause(self) -> None:
        """Ask for a pause, or end it."""
        self.scoville.pause()

    def action_log(self) -> None:
        """Read the story back, as far as it has been told."""
        self.scoville.show_log(self._told)

    def action_review(self) -> None:
        """See the game again."""
        self.scoville.review()

    def action_save(self) -> None:
        """Save the finished game."""
        self.scoville.save_game()

    def action_again(self) -> None:
        """Play the same again."""
        self.scoville.play_again()

    async def action_back(self) -> None:
        """Leave the table, after a question when the game is not over."""
        await self.scoville.leave_table()
