"""A table: the waiting room, then the board, then the result."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical

from scoville_client.i18n.event_text import pause_text
from scoville_client.i18n.language import told, words
from scoville_client.rules import FIRST_PAGE
from scoville_client.session.changes import (
    Change,
    ConnectionLost,
    EventApplied,
    Invited,
    RemovedFromTable,
    TableChanged,
    TablesChanged,
)
from scoville_client.session.join_text import how_to_join, is_local
from scoville_client.session.table.table import AtTable
from scoville_client.tui.boards import find
from scoville_client.tui.boards.actions import USUAL
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.drawing.canvas import Area
from scoville_client.tui.screens.table.keys import TableKeys
from scoville_client.tui.screens.table.result import Result
from scoville_client.tui.screens.table.waiting_room import Waiting
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.widgets.notice import Notice
from scoville_client.tui.widgets.painting import Painting
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    Closed,
    HostTransferred,
    Kicked,
    Paused,
    RematchOpened,
    Resumed,
    Started,
    Warned,
)

if TYPE_CHECKING:
    from scoville_client.session.hosting import Running

_SAID = (Warned, Paused, Resumed)
"""Events that are said above the keys: they are no part of the game, and want to be noticed."""
_ANNOUNCED = (Kicked, HostTransferred, Closed)
"""The same, until a key is pressed: what comes after them would wipe them away."""


class TableScreen(TableKeys):
    """Shows one of three stages; the session says which."""

    WHERE = "waiting"

    def __init__(self, at: AtTable, *, pace: float, hosted: "Running | None" = None) -> None:
        super().__init__()
        self.at = at
        self._pace = pace
        self._hosted = hosted
        self._board: Board | None = None
        self._gone_on = ""
        self._settled_at = 0.0

    @property
    def meaning(self) -> Hashable:
        """The stage, what its keys decide, and what they do for a host."""
        board = None if self._board is None else self._board.meaning
        return self.at.id, self.WHERE, board, self.at.hosting, self.at.next

    @property
    def settled(self) -> bool:
        """Whether the result has been there for half as long as a step of the story stays."""
        return self.scoville.clock.now() >= self._settled_at

    def compose_body(self) -> ComposeResult:
        """Arrange the stage."""
        yield Vertical(id="stage")

    async def on_mount(self) -> None:
        """Begin with the stage the table is at."""
        await self._go_on()

    # --- what happens -----------------------------------------------------------------------------------

    def heard(self, change: Change) -> None:
        """Hand events on to the board, and show what it does not tell."""
        at = self.scoville.session.table
        if isinstance(change, ConnectionLost):
            self.tell(Phrase("{reason} Press Esc to go back.", {"reason": change.reason}), bad=True, stays=True)
        elif isinstance(change, RemovedFromTable):
            self.scoville.ask(self.scoville.exits.to_lobby(told(change.sentence)))
        elif isinstance(change, TablesChanged):
            self._show_keys()
        elif isinstance(change, Invited):
            self.announce(self._invitation(change))
        elif at is None or at.id == self.at.id:
            self._heard_here(change, at)

    def _heard_here(self, change: Change, at: AtTable | None) -> None:
        """Show what changed at this table; another one that I am on the way to has a screen of its own."""
        if isinstance(change, TableChanged) and at is not None:
            self._show_afresh(at)
        elif isinstance(change, EventApplied):
            self._happened(change)

    def _invitation(self, change: Invited) -> str:
        titles = {game.slug: game.title for game in self.scoville.session.games}
        game = titles.get(change.info.game, change.info.game)
        return words("{name} invites you to {game}: you find it in the lobby.", name=change.by, game=game)

    def _show_afresh(self, at: AtTable) -> None:
        self.at = at
        if self._board is not None:
            self._board.show(at)
        self.call_later(self._go_on)

    def _happened(self, change: EventApplied) -> None:
        if self._board is not None and not isinstance(change.event, Started):
            self._board.happened(change)
        self._say(change.event)
        self.call_later(self._go_on)

    def _say(self, event: AnyTableEvent) -> None:
        """Say above the keys what is no part of the game; to whom it happens is told elsewhere."""
        if isinstance(event, RematchOpened):
            self._gone_on = event.by
        if isinstance(event, Paused) and event.paused:
            self.tell("")  # what stands there says it for as long as it is so
        elif isinstance(event, _SAID):
            self.tell(told(self.at.log[-1].phrase, self.at.names), stays=True)
        elif isinstance(event, _ANNOUNCED) and self.scoville.session.table is self.at:
            self.announce(told(self.at.log[-1].phrase, self.at.names))

    def on_board_moved(self) -> None:
        """Show what the keys mean now, and the result once the story is told; keep how much motion is liked."""
        if isinstance(self._board, StoryBoard):
            self.scoville.like_calm(calm=self._board.calm)
        self._show_keys()
        if self._stage() != self.WHERE:
            self.call_later(self._go_on)

    def on_board_rearranged(self) -> None:
        """Place what is told where the log is now."""
        self.place_notices()

    @property
    def spare(self) -> Area | None:
        """What a notice may cover."""
        return None if self._board is None else self._board.spare

    def on_board_play(self, message: Board.Play) -> None:
        """Play what was decided on, unless the table has moved on since or is paused, which the notice says."""
        if self.at.info.paused or self._board is None or message.meaning != self._board.meaning:
            return
        self.tell("")
        self.scoville.deeds.play(message.move)

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
            self._settled_at = self.scoville.clock.now() + self._pace / 2 if self.WHERE == "play" else 0.0
            self.WHERE = stage
            await place.remove_children()
            await place.mount(self._widget(stage))
            self._focus()
            self.place_notices()
        elif stage != "play":
            place.query_one(Painting).repaint()
        self._show_sequel()
        self._show_keys()
        self._show_pause()

    def _widget(self, stage: str) -> Waiting | Board | Result:
        if stage == "waiting":
            return self._waiting_room()
        if stage == "result":
            self._board = None
            return Result(self.at)
        self._board = find(self.at.info.game)(self.at, self._pace)
        if isinstance(self._board, StoryBoard):
            self._board.calm = self.scoville.calm
        return self._board

    def _waiting_room(self) -> Waiting:
        games = {game.slug: game.options for game in self.scoville.session.games}
        folder = self._hosted.folder if self._hosted is not None else None
        usual = games.get(self.at.info.game, {})
        key = self.scoville.session.commentary_keys.get(self.at.id, "")
        return Waiting(lambda: self.at, usual, ways=self._ways, folder="" if folder is None else str(folder), key=key)

    def _ways(self) -> list[str]:
        """Say what others type to reach the server; nothing in practice, nor where this client reached it locally."""
        if self._hosted is not None and self._hosted.address is not None:
            return self._hosted.invitation()
        opened = self.scoville.opened
        if opened.kind != "join" or is_local(opened.host):
            return []
        return how_to_join(opened.host, opened.port, [])

    def _show_pause(self) -> None:
        at = self.at
        text = pause_text(at.pausing, at.names, seated=at.seat is not None) if at.info.paused else ""
        for notice in self.query(Notice):
            notice.stand(text)

    def _show_sequel(self) -> None:
        """Say that the others play again, if they do."""
        sequel = ""
        if self.at.next is not None:
            sequel = (
                words("{name} plays again: press Enter to join in.", name=self._gone_on)
                if self._gone_on
                else words("The others play again: press Enter to join in.")
            )
        for result in self.query(Result):
            result.tell(sequel)

    def look_again(self) -> None:
        """Show the board from another place."""
        if self._board is not None:
            self._board.repaint()

    def _focus(self) -> None:
        self.set_focus(self._board)

    def _show_keys(self) -> None:
        bar, board = self.query_one(KeyBar), self._board
        turn = [("w", words("your turn"))] if self._wanted_elsewhere else []
        if self.at.info.paused and self.at.seat is not None and not (board is not None and board.telling):
            bar.show("paused", *turn)
        elif board is not None and (board.telling or self.at.seat is not None):
            bar.show(board.where, *board.keys, *turn, own=board.own_actions)
        else:
            hands = self._place() == "watching" and self.at.info.settings.commentary
            bar.show(self._place(), *turn, *[("K", words("hands"))] * hands)

    @property
    def _wanted_elsewhere(self) -> bool:
        return any(table.table != self.at.id for table in self.scoville.session.lobby.waiting_for_me)

    def reword(self) -> None:
        """Say everything again, in another language."""
        self._show_sequel()
        self._show_keys()
        self._show_pause()
        super().reword()

    @property
    def rules(self) -> tuple[str, str]:
        """Name the page that fits the stage; in a game the board knows."""
        pages = {"waiting": "setup", "result": "end"}
        return self.at.info.game, self._board.page if self._board else pages.get(self.WHERE, FIRST_PAGE)

    def story(self) -> list[str]:
        """Write the log; a story that is being told ends it."""
        if self._board is None:
            return super().story()
        return [told(phrase, self.at.names) for phrase in self._board.past()]

    def action_help(self) -> None:
        """Show the help, this game's keys first."""
        self.scoville.show_help(self._place(), USUAL if self._board is None else self._board.ACTIONS)

    def _place(self) -> str:
        """Name the place of the registry whose keys count here."""
        if self.WHERE == "play" and self.at.seat is None:
            return "watching"
        if self.at.info.paused:
            return "paused"
        if self.WHERE == "waiting" and not self.at.hosting:
            return "guest"
        return self.WHERE
