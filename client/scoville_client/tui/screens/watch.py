"""Spectator screen for a television: a table in large, then the next game of the same players, without a key."""

from collections.abc import Callable, Sequence
from math import ceil
from typing import ClassVar, Literal, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from scoville_client.i18n.event_text import finish_phrase
from scoville_client.i18n.language import choose_texts, render, tr
from scoville_client.i18n.tournament_text import percent_text, stage_text, standing_name, team_text
from scoville_client.session.changes import (
    Change,
    ConnectionLost,
    EventApplied,
    RemovedFromTable,
    TableChanged,
    TablesChanged,
    TournamentNews,
)
from scoville_client.session.session import Session
from scoville_client.session.spectating import begin_watching, busiest_table
from scoville_client.session.table.table import AtTable
from scoville_client.session.tournaments import FEATURE as TOURNAMENTS
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
from scoville_shared.protocol.messages import Finished, RematchOpened, SeatInfo, ShowTournamentReply, TournamentInfo

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
    """Show the players who have come, and how others join, at the time `now` (seconds, monotonic)."""
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
    asides = [tr("{name} wants a rematch.", name=rematch_by)] if at.notes.next is not None and rematch_by else []
    heads = (tr("place"), tr("points"))
    sentence = render(finish_phrase(result), at.names)
    return Picture(at.game.info.title, seats, sentence, headline=", ".join(winners), asides=asides, heads=heads)


_NEXT_DEAL = Phrase("The next deal begins in {n} second.", many="The next deal begins in {n} seconds.")
_MOST_STANDINGS = 8
"""Players of a barometer: more are too small for the room."""


def barometer_picture(shown: ShowTournamentReply, next_at: float | None, now: float) -> Picture:
    """Show how all stand in a duplicate evening, whose next deal begins at `next_at`, at the time `now`."""
    info = shown.tournament_info
    left = 0 if next_at is None else max(0, ceil(next_at - now))
    if info.stage == "finished":
        sentence = tr("The evening is over.")
    elif left:
        sentence = render(_NEXT_DEAL.with_fields({"n": left}, left))
    else:
        sentence = tr("Deal {n} is being played at all tables.", n=info.round_number)
    seats = [
        BigSeat(
            standing_name(each),
            percent_text(each.half_points, info),
            f"{each.place}." if info.scored_count else "",
            "muted",
            leads=each.place == 1 and info.scored_count > 0,
        )
        for each in shown.standings[:_MOST_STANDINGS]
    ]
    return Picture(
        info.name,
        seats,
        sentence,
        stage_text(info),
        headline=tr("{n} of {deals} deals played", n=info.scored_count, deals=info.round_count),
        asides=[team_text(team, info) for team in shown.teams[:3]],
        heads=(tr("place"), tr("of all points")),
    )


def _shows_barometer(info: TournamentInfo) -> bool:
    """Whether a television shows the standings of a tournament: its tables cannot be watched."""
    return info.format == "duplicate" and info.stage == "running"


def _note_text(at: AtTable, number: int, seat: SeatInfo) -> str:
    away = seat.kind == "human" and not seat.connected
    notes = choose_texts(
        {tr("host"): number == at.info.host, tr("away"): away, tr("ready"): number in at.info.ready_seats}
    )
    return "   ".join(notes)


RESULT_SECONDS, NEXT_SECONDS = 20.0, 2.5
"""Seconds for which a result is shown at least before the next game: of a table with a code, and of any other."""
_MOST_FRAMES = 30
"""Frames that may wait: a story that falls further behind fast players is skipped."""


class BigScreen(Page):
    """Shows the session's table, and the one after it; `code` leads to it, empty for the busiest public table.

    Without a code a duplicate evening comes first, of which it shows the standings after each deal.
    """

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
        self._stage: Literal["", "none", "waiting", "play", "result", "evening"] = ""
        self._evening: ShowTournamentReply | None = None
        self._next_at: float | None = None
        self._why = ""
        self._rematch_by = ""
        self._timer: Alarm | None = None

    def compose_body(self) -> ComposeResult:
        yield Vertical(id="stage")

    async def on_mount(self) -> None:
        self._adopt_table()
        await self._show_stage()
        if self._takes_any and TOURNAMENTS in self._session.connection.features:
            self.shell.send_request(self._find_evening())

    def on_unmount(self) -> None:
        self._stop_timer()

    # --- the session ------------------------------------------------------------------------------------

    @property
    def _session(self) -> Session:
        return self.shell.session

    def session_changed(self, change: Change) -> None:
        """Show the events of the table, and go to another one when this one is over."""
        match change:
            case ConnectionLost(reason=reason):
                way_out = Phrase("{sentence} Press q to quit.", {"sentence": reason})
                self.show_notice(way_out, error=True, sticky=True)
            case RemovedFromTable(sentence=sentence):
                self._why = render(sentence)
                self._adopt_table()
                self.shell.send_request(self._watch_again())
            case TournamentNews(info=info) if self._takes_any and info.format == "duplicate":
                if _shows_barometer(info) or (self._evening and self._evening.tournament_info.id == info.id):
                    self.shell.send_request(self._show_evening(info.id))
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

    # --- duplicate evenings -----------------------------------------------------------------------------

    async def _find_evening(self) -> None:
        """Show the duplicate evening that runs, if there is one."""
        for info in await self._session.tournaments.list_tournaments():
            if _shows_barometer(info):
                await self._show_evening(info.id)
                return

    async def _show_evening(self, number: str) -> None:
        self._evening = await self._session.tournaments.show_tournament(number)
        left = self._evening.tournament_info.next_in_ms
        self._next_at = None if left is None else self.shell.clock.seconds() + left / 1000
        await self._show_stage()

    # --- the next table ---------------------------------------------------------------------------------

    @property
    def _may_move_on(self) -> bool:
        """Whether nothing is shown that spectators may still want to see."""
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
            if at is not None and at.notes.next is not None:
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
    def _due(self) -> Literal["none", "waiting", "play", "result", "evening"]:
        if self._evening is not None and (_shows_barometer(self._evening.tournament_info) or self._at is None):
            return "evening"
        if self._at is None:
            return "none"
        if self._at.view is None:
            return "waiting"
        over = self._at.result is not None
        return "result" if over and not (self._board and self._board.animating) else "play"

    def _make_widget(self) -> Board | Poster:
        self._board = None
        if self._stage != "play" or self._at is None:
            return Poster(self._make_picture, self._find_end)
        self._board = find_board_of(self._at)(self._at, self._pace)
        self._board.big, self._board.can_focus = True, False
        self._board.show_opening(self._at.opening.take_events())
        return self._board

    def _find_end(self) -> float | None:
        """Return when the countdown of the picture ends."""
        if self._stage == "evening":
            return self._next_at
        return None if self._at is None else self._at.starts_at

    def _make_picture(self, now: float) -> Picture:
        at = self._at
        if self._stage == "evening" and self._evening is not None:
            return barometer_picture(self._evening, self._next_at, now)
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
