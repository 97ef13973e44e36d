"""Model of the table that the client is at, built from snapshots and events alone."""

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, NamedTuple

from msgspec.structs import replace

from scoville_client.i18n.event_text import known_facts
from scoville_client.i18n.language import tr
from scoville_client.i18n.name_text import OWNED
from scoville_client.i18n.option_text import unrated
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.audience import TableAudience
from scoville_client.session.table.deal_record import MOST_VIEWS, DealRecord
from scoville_client.session.table.log import LogEntry, TableLog
from scoville_client.session.table.pledge import deal_terms
from scoville_client.session.table.start_record import SeatNames
from scoville_client.session.table.state import Clocks, seats_of
from scoville_client.session.table.vote import vote_since
from scoville_runtime.clock import SYSTEM
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.dice import DealTerms
from scoville_shared.engine.plausible import is_plausible
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol.consistency import fits_seats
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    Closed,
    EventNotice,
    Finished,
    Kicked,
    Left,
    PastView,
    Paused,
    Played,
    PresenceNotice,
    RematchOpened,
    Resumed,
    SpectatorsNotice,
    Started,
    TableSnapshot,
)
from scoville_shared.values import Plain

MOST_OPENING_EVENTS = 64
"""The longest opening that a board can show as a story: nobody watches more than a minute of what is over."""


class Missed(NamedTuple):
    """So many moves, all of them after event `since`."""

    since: int
    moves: int


class AtTable(TableAudience):
    """Model of a table after event `seq`, from this user's seat or as a spectator.

    Args:
        game: The game of the table.
        snapshot: The table as the server sent it.
        now: Returns monotonic seconds.

    Attributes, besides those of TableAudience:
        seat: The user's seat; None for a spectator.
        view: The game's typed View; None until the game starts.
        pending: Seats that must move.
        played: How many moves each seat has made.
        names: The name of each seat, for phrases.
        started, result: The events that began and ended the game.
        dealt: The View right after the deal; None if the user was not there.
        deal: What this client committed to and received, for the check of the finished game.
        starts_at: Monotonic seconds at which the game starts by itself.
        pausing: Seats that have requested a pause.
        vote: The open vote on a kick.
        next: Id of the rematch's table.
        closed: Why the table was closed.
        missed: The moves that happened while this client was not here, until it has looked back at them; or None.
    """

    def __init__(self, game: AnyGame, snapshot: TableSnapshot, now: Callable[[], float] = SYSTEM.seconds) -> None:
        super().__init__(snapshot, now)
        self.game = game
        self._story = TableLog()
        self.pausing: list[Seat] = []
        self._mine: list[Played] = []
        self.result: Finished | None = None
        self.dealt: Any = None
        self.started: Started | None = None
        self.deal = DealRecord()
        self.next: str | None = None
        self.closed = ""
        self.missed: Missed | None = None
        self._opening: list[EventApplied] | None = None
        self.catch_up(snapshot)
        self.deal.pinned = self.terms, self.info.commitment

    @property
    def log(self) -> list[LogEntry]:
        """The log so far."""
        return self._story.entries

    @property
    def id(self) -> str:
        """The table's public id."""
        return self.info.table

    @property
    def kind(self) -> tuple[str, int]:
        """The constants of a table: the slug of its game, and the number of seats."""
        return self.info.game, len(self.info.seats)

    @property
    def terms(self) -> DealTerms:
        """The terms of the deal, as the table is described now."""
        return deal_terms(self.info)

    @property
    def rated(self) -> bool:
        """Whether the game that has begun counts for ratings: one with bots from the start never does."""
        return (
            self.started is not None
            and all(seat.kind == "human" for seat in self.started.seats)
            and not [*unrated(self.info.settings, self.info.clock, rated=self.info.rated)]
            and not self.info.settings.private
        )

    @property
    def names(self) -> list[str]:
        """The name of each seat; open seats are called by their numbers."""
        return [seat.name or tr("Seat {number}", number=number) for number, seat in enumerate(self.info.seats, 1)]

    @property
    def marks(self) -> list[str]:
        """A mark for each seat: disconnected, replaced by a bot, or a claimed name; empty for the others."""
        return [self._mark(seat) for seat in range(len(self.info.seats))]

    def _mark(self, seat: int) -> str:
        now = self.info.seats[seat]
        if now.kind == "human":
            return OWNED * now.claimed if now.connected else tr("(away)")
        dealt = "bot" if self.started is None else self.started.seats[seat].kind
        return tr("(bot)") if now.kind == "bot" and dealt == "human" else ""

    def moves(self) -> Sequence[Any]:
        """Return the legal moves. There may be some while none is due, such as taking a choice back."""
        return () if self.view is None or self.seat is None or self.info.paused else self.game.moves(self.view)

    def copy(self) -> "AtTable":
        """Copy the table with all that was received there, for a check in another thread."""
        other = copy(self)
        other.deal = self.deal.copy()
        return other

    def made(self, nth: int) -> Played | None:
        """Return this seat's move number `nth` from 0, by the user or a bot; None if it is not made yet."""
        return self._mine[nth] if nth < len(self._mine) else None

    def catch_up(self, snapshot: TableSnapshot, notices: Sequence[EventNotice] = ()) -> None:
        """Apply a snapshot, and log the missed events; `notices` are those that have overtaken it."""
        self._opening = None  # what a snapshot skips has no Views, so that a story would have holes
        for event in snapshot.events:
            self._check_facts(event)
        self.info = snapshot.info
        self.seat = None if snapshot.seat is None else Seat(snapshot.seat)
        # Before `seq` moves on: what lies between the two is what the user has missed.
        self._note_missed(snapshot)
        for event in snapshot.events:
            # A server may send known events again, and seats that the table does not have.
            if event.seq > self.seq and fits_seats(event, len(self.info.seats)):
                view = next((notice.view for notice in notices if notice.event == event), None)
                shown = self._view(view, self.perspective(snapshot.point_of_view))
                self.deal.add(event, self.perspective(snapshot.point_of_view), shown, live=shown is not None)
                self._log(event)
        self.deal.start.note(SeatNames(tuple(seat.name for seat in snapshot.info.seats)))
        self.seq = snapshot.seq
        self.set_audience(snapshot)
        self.point_of_view = None if snapshot.point_of_view is None else Seat(snapshot.point_of_view)
        self.set_start(snapshot.info.starts_in_ms)
        self.view = self._view(snapshot.view, self.perspective(self.point_of_view))
        if self.view is not None:
            self.deal.add_view(snapshot.seq, self.perspective(snapshot.point_of_view), self.view)
        self.pending = seats_of(snapshot.pending)
        self.played = tuple(snapshot.move_counts)
        self.clocks = Clocks(tuple(snapshot.left_ms or ()), self.now())
        self.vote = vote_since(snapshot.vote, self.now())

    def _note_missed(self, snapshot: TableSnapshot) -> None:
        moves = sum(isinstance(event, Played) and event.seq > self.seq for event in snapshot.events)
        if moves:
            # Kept from the first gap on: a second loss before the user looks back adds to it.
            before = self.missed or Missed(self.seq, 0)
            self.missed = Missed(before.since, before.moves + moves)

    def add_past(self, views: Sequence[PastView]) -> None:
        """Take over requested Views of the past. Raises ScovilleError for one that this game cannot have."""
        seat = self.perspective(self.point_of_view)
        taken = [(past.seq, past.view) for past in views[:MOST_VIEWS] if past.view is not None and past.seq <= self.seq]
        self.deal.add_past(seat, [(seq, self._view(view, seat)) for seq, view in taken])

    def apply(self, event: AnyTableEvent, view: Plain | None, left_ms: Sequence[int] | None = None) -> None:
        """Apply the next event by number; `view` is this seat's View after it, `left_ms` the clocks."""
        assert event.seq == self.seq + 1, "the session hands over events in order, without gaps"
        lost = isinstance(event, Left | Kicked) and event.seat is not None and event.seat == self.seat
        seat = None if lost else self.perspective(self.point_of_view)
        shown = self._view(view, seat)  # before anything changes: it may be none that this game can have
        self._check_facts(event)
        if lost:  # a bot has taken over from a player who is here: from now on the server sends a spectator's Views
            self.seat = None
        self.seq = event.seq
        self.deal.add(event, self.perspective(self.point_of_view), shown, live=True)
        self.change(event)
        self.view = shown
        self.clocks = Clocks(tuple(left_ms or ()), self.now())
        if isinstance(event, Started):
            self.dealt = self.view
        self._log(event)

    def note_opening(self, change: EventApplied) -> None:
        """Keep the game's start and what followed it until a board shows them: a board takes a moment to appear."""
        if isinstance(change.event, Started):
            self._opening = [change]
        elif self._opening is not None:
            self._opening.append(change)
            # Dropped as a whole, since a story without its beginning cannot be told.
            if len(self._opening) > MOST_OPENING_EVENTS:
                self._opening = None

    def take_opening(self) -> list[EventApplied]:
        """Return the events since the game's start that no board has shown; empty from the second call on."""
        opening, self._opening = self._opening or [], None
        return opening

    def on_notice(self, notice: PresenceNotice | SpectatorsNotice) -> None:
        """Apply a change of a player's connection, or of the spectators."""
        if isinstance(notice, SpectatorsNotice):
            self.set_audience(notice)
        else:
            self.set_seat(notice.seat, replace(self.info.seats[notice.seat], connected=notice.connected))

    def facts(self, event: AnyTableEvent) -> tuple[Any, ...]:
        """Return the typed facts of an event; only moves have any."""
        return tuple(known_facts(self.game, event)) if isinstance(event, Played) else ()

    def _check_facts(self, event: AnyTableEvent) -> None:
        """Check that the facts of a move have their names: many readers ask for them. Raises ScovilleError."""
        try:
            self.game.codec.check_names(event.facts if isinstance(event, Played) else ())
        except CodecError as error:
            raise ScovilleError(Code.BAD_FRAME, f"The server sent an invalid fact: {error}") from error

    def _view(self, view: Plain | None, seat: Seat | None) -> Any:
        """Decode a View of `seat`. Raises ScovilleError for one that this game cannot have."""
        if view is None:
            return None
        try:
            shown = self.game.codec.view(view)
        except CodecError as error:
            raise ScovilleError(Code.BAD_FRAME, f"The server sent an invalid View: {error}") from error
        # Well typed is not enough: boards index and count by what a View says.
        if not is_plausible(self.game, shown, seat, len(self.info.seats)):
            raise ScovilleError(Code.BAD_FRAME, "The server sent an invalid View: no game can look like this")
        return shown

    def _log(self, event: AnyTableEvent) -> None:
        if isinstance(event, Finished):
            self.result = event
        elif isinstance(event, RematchOpened):
            self.next = event.rematch
        elif isinstance(event, Closed):
            self.closed = event.reason
        elif isinstance(event, Started):
            self.started = event
        elif isinstance(event, Paused):
            self.pausing.append(Seat(event.seat))
        elif isinstance(event, Resumed):
            self.pausing = []
        # By a bot or the clock too: the numbers of moves count for the seat, whoever made them.
        elif isinstance(event, Played) and event.seat == self.seat:
            self._mine.append(event)
        playing = self.started is not None and self.result is None
        self._story.append(self.game, event, self.info.seats, playing=playing, paused=self.info.paused)
