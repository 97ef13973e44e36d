"""Spectator screen for a television: a table in large, then the next game of the same players, without a key."""

from collections.abc import Callable, Sequence
from math import ceil
from typing import ClassVar, Literal, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from scoville_client.i18n.event_text import finish_phrase
from scoville_client.i18n.language import render, tr
from scoville_client.session.changes import (
    Change,
    ConnectionLost,
    EventApplied,
    RemovedFromTable,
    TableChanged,
    TablesChanged,
)
from scoville_client.session.session import Session
from scoville_client.session.spectating import begin_watching, busiest_table
from scoville_client.session.table.table import AtTable
from scoville_client.tui.actions import screen_bindings
from scoville_client.tui.boards import find_board_of
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.picture import BigSeat, Picture
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.boards.television import draw_picture
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.screens.base import KeyActions
from scoville_client.tui.screens.page import Page
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.canvas_widget import TickingWidget
from scoville_client.tui.widgets.timers import call_after
from scoville_runtime.clock import Alarm
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import Finished, RematchOpened, SeatInfo

_TICK = 0.02
"""Seconds of tolerance after which a countdown has certainly changed."""


class Poster(TickingWidget):
    """Draws the picture that `picture` returns for a time; `ends_at` returns when its countdown ends, if it has one."""

    def __init__(self, picture: Callable[[float], Picture], ends_at: Callable[[], float | None]) -> None:
        super().__init__()
        self._picture = picture
        self._ends_at = ends_at

    def changes_in(self) -> float | None:
        ends_at = self._ends_at()
        left = 0.0 if ends_at is None else ends_at - self.now()
        # Until the seconds that are left, rounded up, are one less.
        return left - ceil(left) + 1 + _TICK if left > 0 else None

    def draw(self, width: int, height: int) -> Canvas:
        half_blocks = cast("Shell", self.app).terminal.half_blocks
        return draw_picture(self._picture(self.now()), width, height, half_blocks=half_blocks)


_FREE = Phrase("{n} seat is free.", many="{n} seats are free.")
_COUNTDOWN = Phrase("The game starts in {n} second.", many="The game starts in {n} seconds.")


def no_table(code: str, why: str) -> Picture:
    """Show that there is nothing to watch, and `why` if that is known."""
    sentence = why or (tr("Waiting for the table …") if code else tr("Waiting for a public table …"))
    return Picture("Scoville", (), sentence, headline=code)


def waiting_picture(at: AtTable, code: str, ways: Sequence[str], now: float) -> Picture:
    """Show who has come, and how others join, at the time `now` (seconds, monotonic)."""
    free = sum(seat.kind == "open" for seat in at.info.seats)
    if at.starts_at is not None:
        left = max(0, ceil(at.starts_at - now))
        sentence = render(_COUNTDOWN.with_fields({"n": left}, left))
    else:
        sentence = render(_FREE.with_fields({"n": free}, free)) if free else tr("All seats are taken.")
    seats = [
        BigSeat(seat.name or tr("free seat"), note=_note_text(at, number, seat), leads=number in at.info.ready_seats)
        for number, seat in enumerate(at.info.seats)
    ]
    return Picture(at.game.info.title, seats, sentence, headline=at.info.code or code, asides=ways)


def finished_picture(at: AtTable, result: Finished, rematch_by: str) -> Picture:
    """Show the places, the winners first, and whether a rematch is open."""
    order = sorted(range(len(result.scores)), key=lambda seat: (result.places[seat], seat))
    winners = [at.names[seat] for seat in order if result.places[seat] == 1]
    seats = [
        BigSeat(
            at.names[seat],
            str(result.scores[seat]),
            f"{result.places[seat]}.",
            "muted",
            leads=result.places[seat] == 1,
        )
        for seat in order
    ]
    asides = [tr("{name} wants a rematch.", name=rematch_by)] if at.next is not None and rematch_by else []
    heads = (tr("place"), tr("points"))
    sentence = render(finish_phrase(result), at.names)
    return Picture(at.game.info.title, seats, sentence, headline=", ".join(winners), asides=asides, heads=heads)


def _note_text(at: AtTable, number: int, seat: SeatInfo) -> str:
    away = seat.kind == "human" and not seat.connected
    notes = (
        [tr("host")] * (number == at.info.host) + [tr("away")] * away + [tr("ready")] * (number in at.info.ready_seats)
    )
    return "   ".join(notes)


RESULT_SECONDS, NEXT_SECONDS = 20.0, 2.5
"""Seconds for which a result is shown at least before the next game: of a table with a code, and of any other."""
_MOST_FRAMES = 30
"""Frames that may wait: a story that falls further behind fast players is skipped."""


class BigScreen(Page):
    """Shows the session's table, and the one after it; `code` leads to it, empty for the busiest public table."""

    KEY_CONTEXT = "big"
    AUTO_FOCUS = None  # nothing to choose
    BINDINGS: ClassVar[list[BindingType]] = [*screen_bindings("big")]

    def __init__(self, code: str, *, pace: float) -> None:
        super().__init__()
        self._code = code
        self._takes_any = not code
        self._moving = False
        self._pace = pace
        self._at: AtTable | None = None
        self._board: Board | None = None
        self._stage: Literal["", "none", "waiting", "play", "result"] = ""
        self._why = ""
        self._rematch_by = ""
        self._timer: Alarm | None = None

    def compose_body(self) -> ComposeResult:
        yield Vertical(id="stage")

    async def on_mount(self) -> None:
        self._adopt_table()
        await self._show_stage()

    def on_unmount(self) -> None:
        self._stop_timer()

    # --- the session ------------------------------------------------------------------------------------

    @property
    def _session(self) -> Session:
        return self.shell.session

    def session_changed(self, change: Change) -> None:
        """Show what happens at the table, and go to another one when this one is over."""
        match change:
            case ConnectionLost(reason=reason):
                way_out = Phrase("{sentence} Press q to quit.", {"sentence": reason})
                self.show_notice(way_out, error=True, sticky=True)
            case RemovedFromTable(sentence=sentence):
                self._why = render(sentence)
                self._adopt_table()
                self.shell.send_request(self._watch_again())
            case TablesChanged() if self._may_move_on:
                self.shell.send_request(self._move_on())
            case TableChanged():
                self._adopt_table()
            case EventApplied():
                self._show_event(change)
        self.call_later(self._show_stage)

    def _adopt_table(self) -> None:
        """Take over the table that the session is at; the code of a rematch is its own."""
        at = self._session.table
        if at is not None and at is not self._at:
            self._code = at.info.code or self._code
            self._board, self._stage, self._rematch_by = None, "", ""
        elif at is not None and self._board is not None:
            self._board.show_table(at)
        self._at = at

    def _show_event(self, change: EventApplied) -> None:
        if isinstance(change.event, RematchOpened):
            self._rematch_by = change.event.by
            if self._may_move_on:
                self.shell.send_request(self._move_on())
        elif self._board is not None and change.event.seq > self._board.opened_at:
            self._board.show_event(change)
            if isinstance(self._board, StoryBoard) and len(self._board.story) > _MOST_FRAMES:
                self._board.skip_story()

    # --- the next table ---------------------------------------------------------------------------------

    @property
    def _may_move_on(self) -> bool:
        """Whether nothing is shown that somebody may still want to see."""
        return self._stage == "none" or (self._stage == "result" and self._timer is None)

    async def _watch_again(self) -> None:
        """Watch the table again, as a server that has restarted knows this client no more; or another one."""
        await begin_watching(self._session, "" if self._takes_any else self._code)

    async def _move_on(self) -> None:
        """Watch the rematch, or without a code the busiest public table; stay if there is neither."""
        # Changes come faster than the server answers, and each of them asks to move on.
        if self._moving:
            return
        self._moving = True
        try:
            at, found = self._at, busiest_table(self._session.lobby.tables) if self._takes_any else None
            if at is not None and at.next is not None:
                await self._session.follow_rematch()
            elif found is not None and (at is None or found.table != at.id):
                await self._session.watch_table(found.table)
        finally:
            self._moving = False

    def _keep_result(self) -> None:
        """Show the result for a while."""
        self._stop_timer()
        self._timer = call_after(self, NEXT_SECONDS if self._takes_any else RESULT_SECONDS, self._end_result)

    def _end_result(self) -> None:
        self._timer = None
        self.shell.send_request(self._move_on())

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- the stages -------------------------------------------------------------------------------------

    def on_board_moved(self) -> None:
        self.call_later(self._show_stage)

    async def _show_stage(self) -> None:
        due = self._due
        if due == self._stage:
            for poster in self.query(Poster):
                poster.repaint()
            return
        self._stage = due
        self._stop_timer()
        if due == "result":
            self._keep_result()
        stage = self.query_one("#stage", Vertical)
        await stage.remove_children()
        await stage.mount(self._make_widget())

    @property
    def _due(self) -> Literal["none", "waiting", "play", "result"]:
        if self._at is None:
            return "none"
        if self._at.view is None:
            return "waiting"
        over = self._at.result is not None
        return "result" if over and not (self._board and self._board.animating) else "play"

    def _make_widget(self) -> Board | Poster:
        self._board = None
        if self._stage != "play" or self._at is None:
            return Poster(self._make_picture, lambda: None if self._at is None else self._at.starts_at)
        self._board = find_board_of(self._at)(self._at, self._pace)
        self._board.big, self._board.can_focus = True, False
        self._board.show_opening(self._at.opening.take_events())
        return self._board

    def _make_picture(self, now: float) -> Picture:
        at = self._at
        if at is None:
            return no_table(self._code, self._why)
        if at.result is not None:
            return finished_picture(at, at.result, self._rematch_by)
        return waiting_picture(at, self._code, self.shell.client.join_instructions(), now)

    # --- keys -------------------------------------------------------------------------------------------

    def key_actions(self) -> KeyActions:
        return {**super().key_actions(), "quit": lambda: self.shell.exit(0)}  # a spectator leaves nothing behind

    def retranslate(self) -> None:
        if self._board is not None:
            self._board.repaint()
        super().retranslate()
