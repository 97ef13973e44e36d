"""Model of the table that the client is at, built from snapshots and events alone."""

from collections.abc import Callable, Sequence
from copy import copy
from math import ceil
from typing import Any, NamedTuple

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from scoville_client.i18n.event_text import fact_phrases, known_facts
from scoville_client.i18n.language import tr
from scoville_client.i18n.name_text import OWNED
from scoville_client.i18n.option_text import unrated_terms
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.deal_record import MOST_VIEWS, DealRecord
from scoville_client.session.table.log import LogEntry, OpeningStory, TableLog
from scoville_client.session.table.pledge import deal_terms
from scoville_client.session.table.sentence_game import FactSentence, SentenceGame
from scoville_client.session.table.start_record import SeatNames
from scoville_client.session.table.vote import Vote, vote_since
from scoville_outside.safe_text import list_moves, with_safe_text
from scoville_runtime.clock import SYSTEM
from scoville_shared.coach.registry import has_coach
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
    CountdownCancelled,
    CountdownStarted,
    EventNotice,
    Finished,
    HostTransferred,
    Joined,
    Kicked,
    Left,
    NoncesRequested,
    PastView,
    Paused,
    Played,
    PresenceNotice,
    ReadyChanged,
    RematchOpened,
    Resumed,
    SeatInfo,
    SpectatorsNotice,
    Started,
    StartVoided,
    TableInfo,
    TableSentences,
    TableSnapshot,
    Voted,
    VoteEnded,
)
from scoville_shared.values import Plain


class Clocks(NamedTuple):
    """Thinking time of each seat in milliseconds, received at the time `since`; empty without clocks."""

    left_ms: tuple[int, ...]
    since: float

    def seconds_left(self, seat: int, now: float) -> int | None:
        """Return the reading of a running clock at `now`: whole seconds, rounded up; None without clocks."""
        if seat >= len(self.left_ms):
            return None
        return max(0, ceil(self.left_ms[seat] / 1000 - (now - self.since)))


class Audience(NamedTuple):
    """Those who watch a table, this user perhaps among them.

    `spectators` are the present ones; `commentators` are all who have seen a hand with the commentators' key, also
    those who left; `claimed` are those of these names that were claimed when their users came.
    """

    spectators: list[str]
    commentators: list[str]
    claimed: frozenset[str]


def audience_of(message: TableSnapshot | SpectatorsNotice) -> Audience:
    """Return the audience that a server describes. A name that a guest has had too counts as not claimed."""
    lists = (
        (message.spectators, {*message.claimed_spectators}),
        (message.commentators, {*message.claimed_commentators}),
    )
    each = [(name, place in claimed) for names, claimed in lists for place, name in enumerate(names)]
    claimed = {name for name, claimed in each} - {name for name, claimed in each if not claimed}
    return Audience(message.spectators, message.commentators, frozenset(claimed))


def info_after(info: TableInfo, event: AnyTableEvent) -> TableInfo:
    """Return the description of a table after an event."""
    if isinstance(event, Joined | Left | Kicked | HostTransferred):
        info = replace(info, host=event.host)
    match event:
        case Joined(seat=seat, name=name, claimed=claimed):
            return with_seat(info, seat, SeatInfo(name=name, kind="human", connected=True, claimed=claimed))
        case Left(seat=int(seat)) | Kicked(seat=int(seat)):
            return with_seat(_with_ready(info, seat, ready=False), seat, _seat_after_leaving(info, seat))
        case ReadyChanged(seat=seat, ready=ready):
            return _with_ready(info, seat, ready=ready)
        case _:
            return _info_of_game_after(info, event)


def _info_of_game_after(info: TableInfo, event: AnyTableEvent) -> TableInfo:
    match event:
        case CountdownStarted(starts_in_ms=starts_in_ms) | NoncesRequested(starts_in_ms=starts_in_ms):
            return replace(info, starts_in_ms=starts_in_ms)
        case CountdownCancelled() | StartVoided():
            return replace(info, starts_in_ms=None)
        case Started(seats=seats):
            return replace(info, seats=seats, status="playing", starts_in_ms=None)
        case Paused(granted=paused):
            return replace(info, paused=paused)
        case Resumed():
            return replace(info, paused=False)
        case Finished():
            return replace(info, status="finished")
        case _:
            return info


def with_seat(info: TableInfo, seat: int, occupant: SeatInfo) -> TableInfo:
    """Return the description of a table with another occupant of a seat."""
    seats = list(info.seats)
    seats[seat] = occupant
    return replace(info, seats=seats)


def _with_ready(info: TableInfo, seat: int, *, ready: bool) -> TableInfo:
    others = {*info.ready_seats} - {seat}
    return replace(info, ready_seats=sorted({*others, seat} if ready else others))


def _seat_after_leaving(info: TableInfo, seat: int) -> SeatInfo:
    """Return a seat after its player left: open before the game, a bot of the same name in it."""
    if info.status == "waiting":
        return SeatInfo()
    # In a game a bot plays on under the player's name, since the seat is a part of the result.
    level = info.settings.absent_level or info.settings.bot_level
    return replace(info.seats[seat], kind="bot", connected=True, claimed=False, level=level)


def seats_of(numbers: Sequence[int]) -> frozenset[Seat]:
    """Return seat numbers of the protocol as a set of seats."""
    return frozenset(map(Seat, numbers))


def mark_of_seat(now: SeatInfo, started: Started | None, seat: int) -> str:
    """Return the mark of a seat: disconnected, replaced by a bot, or a claimed name; empty for the others."""
    if now.kind == "human":
        return OWNED * now.claimed if now.connected else tr("(away)")
    dealt = "bot" if started is None else started.seats[seat].kind
    return tr("(bot)") if now.kind == "bot" and dealt == "human" else ""


def next_seat(now: Seat | None, seats: int, *, neutral: bool) -> Seat | None:
    """Return the next point of view after `now`, in a circle that includes no seat (None) if `neutral`."""
    order: list[Seat | None] = [*([None] if neutral else []), *map(Seat, range(seats))]
    return order[(order.index(now) + 1) % len(order)] if now in order else order[0]


class Missed(NamedTuple):
    """So many moves, all of them after event `since`."""

    since: int
    moves: int


class ReceivedGame:
    """Decodes a server's messages about a game, and checks that boards can rely on them.

    Args:
        game: The game of the table.
        seats: The number of its seats.
    """

    def __init__(self, game: AnyGame, seats: int) -> None:
        self._game = game
        self._seats = seats

    def decode_view(self, view: Plain | None, seat: Seat | None, sentences: TableSentences | UnsetType = UNSET) -> Any:
        """Decode a View of `seat`. Raises ScovilleError for one that this game cannot have."""
        if isinstance(self._game, SentenceGame):
            return self._game.take_sentences(sentences, started=view is not None)
        if view is None:
            return None
        try:
            shown = self._game.codec.decode_view(view)
        except CodecError as error:
            raise ScovilleError(Code.BAD_FRAME, f"The server sent an invalid View: {error}") from error
        # Well typed is not enough: boards index and count by a View's values.
        if not is_plausible(self._game, shown, seat, self._seats):
            raise ScovilleError(Code.BAD_FRAME, "The server sent an invalid View: no game can look like this")
        return shown

    def check_facts(self, event: AnyTableEvent) -> None:
        """Check that the facts of a move have their names: many readers ask for them. Raises ScovilleError."""
        try:
            self._game.codec.check_names(event.facts if isinstance(event, Played) else ())
        except CodecError as error:
            raise ScovilleError(Code.BAD_FRAME, f"The server sent an invalid fact: {error}") from error


class EventNotes:
    """Facts that only the events of a table say, and no snapshot; a new state by an event has its place here.

    Attributes:
        pausing: Seats that have requested a pause.
        next: Id of the rematch's table.
        opened_by: Name of the player who opened it.
        closed: Why the table was closed.
    """

    def __init__(self) -> None:
        self.pausing: list[Seat] = []
        self.next: str | None = None
        self.opened_by = ""
        self.closed = ""

    def note_event(self, event: AnyTableEvent) -> None:
        match event:
            case RematchOpened(rematch=rematch, by=by):
                self.next, self.opened_by = rematch, by
            case Closed(reason=reason):
                self.closed = reason
            case Paused(seat=seat):
                self.pausing.append(Seat(seat))
            case Resumed():
                self.pausing.clear()


class AtTable:
    """Model of a table after event `seq`, from this user's seat or as a spectator.

    Args:
        game: The game of the table.
        snapshot: The table as the server sent it.
        now: Returns monotonic seconds.

    Attributes:
        info: The table as the lobby describes it.
        seat: The user's seat; None for a spectator.
        view: The game's typed View; None until the game starts.
        pending: Seats that must move.
        played: How many moves each seat has made.
        clocks: The thinking time of the seats.
        started, result: The events that began and ended the game.
        dealt: The View right after the deal; None if the user was not there.
        deal: The commitments and messages of the deal, for the check of the finished game.
        starts_at: Monotonic seconds at which a countdown ends, or the wait for nonces.
        vote: The open vote on a kick.
        notes: Further facts of its events.
        missed: The moves that happened while this client was not here, until it has looked back at them; or None.
        audience: Those who watch.
        viewpoint: The seat that a spectator's board shows as its own, with its cards face down.
        key: Commentators' key, with which `point_of_view` is the seat whose View this is.
        openers_key: That key, where this user has opened the table.
        opening: The start of the game and what followed it, until a board shows them.
    """

    def __init__(self, game: AnyGame, snapshot: TableSnapshot, now: Callable[[], float] = SYSTEM.seconds) -> None:
        self.game: AnyGame = game if isinstance(game, SentenceGame) else with_safe_text(game)
        self.now = now
        self.seq = 0
        self.info = snapshot.info
        self.seat: Seat | None = None
        self.view: Any = None
        self.vote: Vote | None = None
        self.notes = EventNotes()
        self.result: Finished | None = None
        self.dealt: Any = None
        self.started: Started | None = None
        self.deal = DealRecord()
        self.missed: Missed | None = None
        self.key = ""
        self.openers_key = snapshot.commentary_key or ""
        self.viewpoint: Seat | None = None
        self.opening = OpeningStory()
        self._received = ReceivedGame(self.game, len(snapshot.info.seats))
        self._log = TableLog()
        self._mine: list[Played] = []
        self.catch_up(snapshot)
        self.deal.pinned = self.terms, self.info.commitment

    @property
    def log(self) -> list[LogEntry]:
        """Events at this table, oldest first, as far as this client knows them."""
        return self._log.entries

    @property
    def id(self) -> str:
        """The table's public id."""
        return self.info.table

    @property
    def kind(self) -> tuple[str, int]:
        """The constants of a table: the slug of its game, and the number of seats."""
        return self.info.game, len(self.info.seats)

    @property
    def has_coach(self) -> bool:
        """Whether there is a coach for the game as it is played here."""
        return self.by_sentences is None and has_coach(self.info.game)

    @property
    def by_sentences(self) -> SentenceGame | None:
        """The game, if this client does not have its rules and plays it by the server's sentences."""
        return self.game if isinstance(self.game, SentenceGame) else None

    @property
    def terms(self) -> DealTerms:
        """The terms of the deal, as the table is described now."""
        return deal_terms(self.info)

    @property
    def rated(self) -> bool:
        """Whether the game that has begun counts for ratings: one with bots from the start never does."""
        users = self.started is not None and all(seat.kind == "human" for seat in self.started.seats)
        info = self.info
        return users and not info.settings.private and not [*unrated_terms(info.settings, info.clock, rated=info.rated)]

    @property
    def hosting(self) -> bool:
        """Whether this user may start the game."""
        return self.seat is not None and self.seat == self.info.host

    @property
    def my_turn(self) -> bool:
        """Whether this user must move."""
        # Moves are still owed in a pause, but the server refuses them.
        return self.seat in self.pending and not self.info.paused

    @property
    def names(self) -> list[str]:
        """The name of each seat; open seats are called by their numbers."""
        return [seat.name or tr("Seat {number}", number=number) for number, seat in enumerate(self.info.seats, 1)]

    @property
    def marks(self) -> list[str]:
        """A mark for each seat: disconnected, replaced by a bot, or a claimed name; empty for the others."""
        return [mark_of_seat(info, self.started, seat) for seat, info in enumerate(self.info.seats)]

    def seconds_left(self, seat: int, now: float) -> int | None:
        """Return the seconds that a seat has for its move at `now` (monotonic); None without a clock."""
        runs = not self.info.paused and seat in self.pending and self.info.seats[seat].kind == "human"
        # A stopped clock keeps its reading from when it was received.
        return self.clocks.seconds_left(seat, now if runs else self.clocks.since)

    def perspective_of(self, point_of_view: int | None) -> Seat | None:
        """Return the seat whose Views this client receives: its own, or a commentator's."""
        return self.seat if point_of_view is None else Seat(point_of_view)

    def next_point_of_view(self) -> Seat | None:
        """Return the next point of view: a seat, whose hand is visible with a commentator's key.

        Without a key there is also a point of view of no seat (None).
        """
        now = self.point_of_view if self.key else self.viewpoint
        return next_seat(now, len(self.info.seats), neutral=not self.key)

    def legal_moves(self) -> Sequence[Any]:
        """Return the legal moves. There may be some while none is due, such as taking a choice back."""
        return () if self.view is None or self.seat is None or self.info.paused else list_moves(self.game, self.view)

    def copy_table(self) -> "AtTable":
        """Copy the table with all that was received there, for a check in another thread."""
        other = copy(self)
        other.deal, other.notes = self.deal.copy_record(), copy(self.notes)
        return other

    def own_move(self, nth: int) -> Played | None:
        """Return this seat's move number `nth` from 0, by the user or a bot; None if it is not made yet."""
        return self._mine[nth] if nth < len(self._mine) else None

    def is_rewound_by(self, snapshot: TableSnapshot) -> bool:
        """Whether the server has an earlier state of the table than this client: its host has restored a backup.

        A player who becomes a spectator may get fewer events as well, those of complete rounds.
        """
        return snapshot.seq < self.seq and (snapshot.seat, snapshot.point_of_view) == (self.seat, self.point_of_view)

    def start_over(self, snapshot: TableSnapshot) -> None:
        """Forget the events after the state to which the server has returned; `snapshot` has all events."""
        self.seq = 0
        self.result = self.started = self.dealt = self.missed = None
        self.notes, self._log, self._mine = EventNotes(), TableLog(), []
        self.deal.start_over(snapshot.seq)
        self.catch_up(snapshot)
        self.missed = None  # events that this client has seen are in the log, and no gap

    def catch_up(self, snapshot: TableSnapshot, notices: Sequence[EventNotice] = ()) -> None:
        """Apply a snapshot, and log the missed events; `notices` are those that have overtaken it."""
        if any(event.seq > self.seq for event in snapshot.events):
            self.opening.drop_events()  # skipped events have no Views, so that a story would have holes
        for event in snapshot.events:
            self._received.check_facts(event)
        self.info = snapshot.info
        self.seat = None if snapshot.seat is None else Seat(snapshot.seat)

        # Before `seq` moves on: the user has missed the events between the two.
        self._note_missed(snapshot)
        for event in snapshot.events:
            # A server may send known events again, and seats that the table does not have.
            if event.seq > self.seq and fits_seats(event, len(self.info.seats)):
                view = next((notice.view for notice in notices if notice.event == event), None)
                shown = self._received.decode_view(view, self.perspective_of(snapshot.point_of_view))
                self.deal.add_event(event, self.perspective_of(snapshot.point_of_view), shown, live=shown is not None)
                self._note_event(event, snapshot.point_of_view)

        self.deal.start.add_entry(SeatNames(tuple(seat.name for seat in snapshot.info.seats)))
        self.seq = snapshot.seq
        self.audience = audience_of(snapshot)
        self.point_of_view = None if snapshot.point_of_view is None else Seat(snapshot.point_of_view)
        self._note_start()
        perspective = self.perspective_of(self.point_of_view)
        self.view = self._received.decode_view(snapshot.view, perspective, snapshot.sentences)
        if self.view is not None:
            self.deal.add_view(snapshot.seq, self.perspective_of(snapshot.point_of_view), self.view)
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
        seat = self.perspective_of(self.point_of_view)
        taken = [(past.seq, past.view) for past in views[:MOST_VIEWS] if past.view is not None and past.seq <= self.seq]
        self.deal.add_past(seat, [(seq, self._received.decode_view(view, seat)) for seq, view in taken])

    def apply_event(
        self,
        event: AnyTableEvent,
        view: Plain | None,
        left_ms: Sequence[int] | None = None,
        sentences: TableSentences | UnsetType = UNSET,
    ) -> EventApplied:
        """Apply the next event by number; `view` is this seat's View after it, `left_ms` the clocks."""
        assert event.seq == self.seq + 1, "the session hands over events in order, without gaps"
        lost = isinstance(event, Left | Kicked) and event.seat is not None and event.seat == self.seat
        seat = None if lost else self.perspective_of(self.point_of_view)
        # Before anything changes: it may be none that this game can have.
        shown = self._received.decode_view(view, seat, sentences)
        self._received.check_facts(event)
        if lost:  # a bot has taken over from a player who is here: from now on the server sends a spectator's Views
            self.seat = None
        self.seq, before = event.seq, self.view
        self.deal.add_event(event, self.perspective_of(self.point_of_view), shown, live=True)
        self._apply_changes(event)
        self.view = shown
        self.clocks = Clocks(tuple(left_ms or ()), self.now())
        if isinstance(event, Started):
            self.dealt = self.view
        return EventApplied(event, self._note_event(event, self.point_of_view), before, self.view)

    def _apply_changes(self, event: AnyTableEvent) -> None:
        """Apply an event to the table beside its View and its log."""
        self.info = info_after(self.info, event)
        match event:
            case CountdownStarted() | CountdownCancelled() | NoncesRequested() | StartVoided():
                self._note_start()
            case Started(seats=seats, pending=pending):
                self._note_start()
                self.pending, self.played = seats_of(pending), (0,) * len(seats)
            case Played(pending=pending, move_counts=played):
                self.pending, self.played = seats_of(pending), tuple(played)
            case Finished():
                self.pending, self.vote = frozenset(), None
            case Voted(vote=vote):
                self.vote = vote_since(vote, self.now())
            # A kick by vote ends the vote; no other event follows.
            case VoteEnded() | Kicked(voted=True):
                self.vote = None

    def _note_start(self) -> None:
        milliseconds = self.info.starts_in_ms
        # In this client's own time: the clocks of client and server need not agree.
        self.starts_at = None if milliseconds is None else self.now() + milliseconds / 1000

    def on_notice(self, notice: PresenceNotice | SpectatorsNotice) -> None:
        """Apply a change of a player's connection, or of the spectators."""
        if isinstance(notice, SpectatorsNotice):
            self.audience = audience_of(notice)
        else:
            seat = replace(self.info.seats[notice.seat], connected=notice.connected)
            self.info = with_seat(self.info, notice.seat, seat)

    def facts_of(self, event: AnyTableEvent) -> tuple[Any, ...]:
        """Return the typed facts of an event; only moves have any."""
        if not isinstance(event, Played):
            return ()
        if self.by_sentences is not None:
            return tuple(FactSentence(text) for text in event.fact_sentences or ())
        return tuple(known_facts(self.game, event))

    def change_to_sentences(self, game: SentenceGame, snapshot: TableSnapshot) -> None:
        """Go on by the server's sentences, or in another language, from a snapshot of the whole game."""
        self.game, self.view, self.dealt = game, None, None
        self._received = ReceivedGame(game, len(snapshot.info.seats))
        moves = [event for event in snapshot.events if isinstance(event, Played)]
        seat = self._seen_from(snapshot.point_of_view)
        self._log.replace_moves({e.seq: fact_phrases(game, self.facts_of(e), seat) for e in moves})
        self.catch_up(snapshot)

    def _seen_from(self, point_of_view: int | None) -> Seat | None:
        """Return the seat from which this user sees the game, whose name the log has; None if from none."""
        return self.perspective_of(point_of_view) if self.seat is None else self.seat

    def _note_event(self, event: AnyTableEvent, point_of_view: int | None) -> tuple[Any, ...]:
        """Note an event in the log and elsewhere, and return its typed facts: they are decoded once."""
        if isinstance(event, Finished):
            self.result = event
        elif isinstance(event, Started):
            self.started = event
        # By a bot or the clock too: moves are numbered by seat, not by who made them.
        elif isinstance(event, Played) and event.seat == self.seat:
            self._mine.append(event)
        self.notes.note_event(event)
        playing = self.started is not None and self.result is None
        facts = self.facts_of(event)
        seen_from = self._seen_from(point_of_view)
        self._log.append_event(self.game, event, self.info, facts, seen_from=seen_from, playing=playing)
        return facts
