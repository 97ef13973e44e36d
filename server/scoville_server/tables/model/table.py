"""A table as a value: its seats, the game's state, and everything that has happened so far.

Spectators in rounds see it as it was when a round ended, some rounds ago. The deal counts as the end of a round. Before
it and after the game all users see the table as it is.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoville_outside.guard import GameFailed
from scoville_server.nodes.members import Incarnation
from scoville_server.tables.model.clock import Clocks
from scoville_server.tables.model.history import History
from scoville_server.tables.model.records import Created, Played
from scoville_shared.bots.registry import USUAL
from scoville_shared.engine.contract import AnyGame, Refusal
from scoville_shared.engine.play import play_move
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.messages import AnyTableEvent, PlanEnd, PlanLine, SeatInfo, TableStatus
from scoville_shared.values import Plain

# The records of all default tables have this id.
SERVER_USER: Final = UserId("house")
"""The user that opens the default tables."""


class RecordedEvent(Struct, frozen=True):
    """A recorded event: its public part, and the facts of a move, each with the one seat it is for (None: all)."""

    event: AnyTableEvent
    facts: tuple[tuple[Seat | None, Plain], ...] = ()


MOST_STALLS: Final = 3
"""How often a bot takes over from a player of a rated game who lets the time run out; then they cannot return."""

CountdownWhy = Literal["full", "ready", "fill"]
"""Reason of an automatic start: all seats are taken, all players are ready, or they have waited long enough."""

LeaveReason = Literal["left", "absent", "stalled"]
"""Why a player left: by choice, disconnected for too long, or because they let the time run out again and again."""


class Commentator(Struct, frozen=True, kw_only=True):
    """A user who was sent what only the commentators' key shows; `claimed` says that they owned their name then."""

    name: str
    claimed: bool = False


class SeatState(Struct, frozen=True, kw_only=True):
    """One seat: open (no name), a bot's (no user), or a user's; while `away`, a bot plays it for them."""

    name: str = ""
    user: UserId | None = None
    claimed: bool = False
    away: bool = False
    nonce_hash: bytes = b""
    nonce: bytes = b""

    @property
    def open(self) -> bool:
        return not self.name

    @property
    def human(self) -> bool:
        return self.user is not None and not self.away

    @property
    def info(self) -> SeatInfo:
        """The seat as the table shows it. The table does not know whether the user is connected."""
        if self.open:
            return SeatInfo()
        return SeatInfo(
            name=self.name, kind="human" if self.human else "bot", connected=True, claimed=self.human and self.claimed
        )


class Revealing(Struct, frozen=True):
    """The stage between the start and the deal in which players reveal their nonces, until `until_ms`.

    `strength` is the level of the bots that will take the open seats, or says that the settings name the levels.
    """

    until_ms: int
    strength: str


class Ballot(Struct, frozen=True, kw_only=True):
    """The vote on kicking the player at the seat `against`, which needs `needed` votes until `until_ms`.

    `agreed` and `refused` are the seats that have voted, in that order; the first one that agreed has opened it.
    """

    against: Seat
    until_ms: int
    needed: int
    agreed: tuple[Seat, ...] = ()
    refused: tuple[Seat, ...] = ()


class Departure(Struct, frozen=True):
    """How a player left the running game, at `at_ms`; one who is `excused` counts as if they had stayed."""

    at_ms: int
    reason: LeaveReason
    excused: bool = False


class Countdown(Struct, frozen=True):
    """The automatic start: when (milliseconds since 1970), and why."""

    until_ms: int
    reason: CountdownWhy


class Planning(Struct, frozen=True, kw_only=True):
    """The plan of `user` for the moves of their seat from its `nth` on, `left` of them at most.

    Conditions ask for facts after event `seq`. Without `lines` the plan has `ended`.
    """

    user: UserId
    seq: int
    nth: int
    left: int
    lines: tuple[PlanLine, ...]
    ended: PlanEnd | None = None


class Table(Struct, frozen=True, kw_only=True):
    """A table. `state` is None until the game starts; `played` counts the moves of each seat.

    `to_move` are the seats that owe a move in this state: found once, since the game may be of another package, and
    every call of its code is guarded.

    `final_seats` are the seats when the game ended: who returns to see the result may have another name by then.

    `admitted` users may enter although not everybody may; `kicked` ones may not any more, each with the reason;
    `commentators` may have been sent hidden cards. At a table of a club's tournament `members` are admitted because
    they are in the club, and `former_members` have left it: without a seat they may not enter. While the table waits,
    `since_ms` is when the first of its players joined, and `ready` are the seats that are ready.
    `acted_ms` is the time of the latest action other than joining and leaving, `host_acted_ms` that of the host, or
    when they became the host. `next` is the rematch's table; `closed` the reason why the table was closed.

    While players reveal their nonces the table still waits, with `revealing`. After a voided start `redrawing` are the
    seats whose players have not yet committed to new nonces; it happened at `voided_ms`. `withheld` are the users who
    did not reveal a nonce.

    `clocks` are None without a time limit, before the deal and after the end. `pausing` are the seats that want a
    pause; when all players do, the table is `paused` until one of them resumes. A game is also paused when the last
    player leaves it. `unseen` are the seats whose players were disconnected when the game ended: they may return to
    see the result. `resting` says until when users are or were on vacation (milliseconds since 1970).

    `plans` are conditional moves, which only their players may know. `strength` is the level of bots since the game
    started, `levels` those of seats with another one.

    `ballot` is the vote on a kick. After one that failed, a seat in `vote_waits` can open no other one, and nobody can
    open one on a seat in `vote_shields`, until that time (milliseconds since 1970). The players at `voted_out` were
    kicked from the running game, by the votes of those at `voters`.

    `departures` are how the players left whose seats bots play now, the latest last. `overruns` counts, by seat, the
    latest moves in a row that the clock has made, and `stalls` how often a bot has taken over because of that. A pause
    began at `paused_since_ms`; earlier ones took `paused_ms` together.

    `recorded_events` are the latest events; `dropped` older ones were dropped while the table waited, and `age` counts
    its records since then. `extras` counts, by seat, everything but moves since the game started. `changed_ms` is the
    time of the latest record that is no move.

    `owner` is the node that has adopted the table last; None where nobody else could. `unsealed`: the shared deal of a
    tournament was played by all, so its seed and this game are no secret any more.

    If spectators see the game in rounds, `rounds` are this table at the ends of the latest rounds, oldest first,
    while the game runs; those have none themselves.
    """

    game: AnyGame
    opened: Created
    seats: tuple[SeatState, ...]
    final_seats: tuple[SeatState, ...] = ()
    host: Seat | None = None
    admitted: frozenset[UserId] = frozenset()
    members: frozenset[UserId] = frozenset()
    former_members: frozenset[UserId] = frozenset()
    kicked: Mapping[UserId, str] = {}
    commentators: Mapping[UserId, Commentator] = {}
    since_ms: int | None = None
    acted_ms: int
    host_acted_ms: int
    ready: frozenset[Seat] = frozenset()
    countdown: Countdown | None = None
    revealing: Revealing | None = None
    redrawing: frozenset[Seat] = frozenset()
    voided_ms: int = 0
    withheld: frozenset[UserId] = frozenset()
    next: TableId | None = None
    closed: str | None = None
    status: TableStatus = "waiting"
    strength: str = ""
    levels: Mapping[Seat, str] = {}
    started_ms: int = 0
    state: Any = None
    to_move: tuple[Seat, ...] = ()
    clocks: Clocks | None = None
    pausing: frozenset[Seat] = frozenset()
    paused: bool = False
    unseen: frozenset[Seat] = frozenset()
    ballot: Ballot | None = None
    vote_waits: Mapping[Seat, int] = {}
    vote_shields: Mapping[Seat, int] = {}
    voted_out: frozenset[Seat] = frozenset()
    voters: frozenset[Seat] = frozenset()
    departures: Mapping[Seat, Departure] = {}
    overruns: Mapping[Seat, int] = {}
    stalls: Mapping[Seat, int] = {}
    resting: Mapping[UserId, int] = {}
    plans: Mapping[Seat, Planning] = {}
    paused_since_ms: int = 0
    paused_ms: int = 0
    played: tuple[int, ...]
    moves: History[Played] = msgspec.field(default_factory=History)
    recorded_events: History[RecordedEvent] = msgspec.field(default_factory=History)
    dropped: int = 0
    age: int = 0
    owner: Incarnation | None = None
    changed_ms: int = 0
    unsealed: bool = False
    extras: tuple[int, ...] = ()
    rounds: tuple["Table", ...] = ()

    @property
    def id(self) -> TableId:
        return self.opened.table

    @property
    def seq(self) -> int:
        """The number of the latest event; 0 before the first."""
        return self.dropped + len(self.recorded_events)

    def events_after(self, seq: int) -> tuple[RecordedEvent, ...]:
        """List the events after number `seq`, without the dropped ones."""
        return self.recorded_events[max(0, seq - self.dropped) :]

    def iterate_events_after(self, seq: int) -> Iterator[RecordedEvent]:
        """Iterate over the events after number `seq`, lazily: a caller may need only the first of many."""
        return self.recorded_events.iterate_from(max(0, seq - self.dropped))

    def extras_of(self, seat: Seat) -> int:
        """Count the records that a seat has caused since the game started, beside moves."""
        return self.extras[seat] if self.extras else 0

    @property
    def names(self) -> list[str]:
        """The name at each seat; empty for an open one."""
        return [seat_state.name for seat_state in self.seats]

    @property
    def nonces(self) -> list[bytes]:
        """Each seat's share of the randomness, revealed; empty for none."""
        return [seat_state.nonce for seat_state in self.seats]

    @property
    def unrevealed_seats(self) -> list[Seat]:
        """The seats that committed to a nonce and have not revealed it."""
        return [
            Seat(n)
            for n, seat_state in enumerate(self.seats)
            if seat_state.human and seat_state.nonce_hash and not seat_state.nonce
        ]

    @property
    def free_seats(self) -> list[Seat]:
        return [Seat(n) for n, seat_state in enumerate(self.seats) if seat_state.open]

    @property
    def human_seats(self) -> frozenset[Seat]:
        return frozenset(Seat(n) for n, seat_state in enumerate(self.seats) if seat_state.human)

    def clockwise_from(self, seat: Seat) -> Iterator[Seat]:
        """Yield the other seats in order, starting on the left of `seat`."""
        count = len(self.seats)
        return (Seat((seat + step) % count) for step in range(1, count))

    def with_seat(self, seat: Seat, seat_state: SeatState) -> "Table":
        return msgspec.structs.replace(self, seats=(*self.seats[:seat], seat_state, *self.seats[seat + 1 :]))

    @property
    def counts_for_careers(self) -> bool:
        """Whether the game counts for its players' careers: public, between different users, without bots."""
        users = [seat_state.user for seat_state in self.seats]
        distinct = len(users) > 1 and None not in users and len({*users}) == len(users)
        return distinct and not self.opened.settings.private

    @property
    def needs_all_nonces(self) -> bool:
        """Whether a nonce that is withheld voids the start: a game between users at a public table, without help."""
        settings = self.opened.settings
        return settings.rated and not settings.commentary and not settings.coach and self.counts_for_careers

    @property
    def may_be_rated(self) -> bool:
        """Whether a game without bots counts for ratings here: at a public table with a clock, without help."""
        settings = self.opened.settings
        helped = settings.commentary or settings.coach
        return settings.rated and not helped and not settings.private and self.opened.clock.fits_rating

    @property
    def rated(self) -> bool:
        """Whether the game counts for ratings.

        Nothing that happens in the game changes this: otherwise those who are losing would make it happen.
        """
        return self.may_be_rated and self.counts_for_careers

    @property
    def pause_ends_ms(self) -> int | None:
        """When a pause ends by itself (milliseconds since 1970); None if none does, as in games without ratings."""
        if not (self.running and self.paused and self.rated):
            return None
        return self.paused_since_ms + max(0, m.MOST_PAUSED_MS - self.paused_ms)

    @property
    def locked(self) -> bool:
        return bool(self.opened.password)

    @property
    def running(self) -> bool:
        return self.status == "playing" and self.closed is None

    @property
    def has_timers(self) -> bool:
        """Whether time alone changes this table: a thinking time, a countdown or a ballot ends."""
        return any(each is not None for each in (self.clocks, self.countdown, self.revealing, self.ballot))

    @property
    def latest_ms(self) -> int:
        """The time of the latest change that the table knows of (milliseconds since 1970)."""
        # `changed_ms` does not count moves, so that a move makes no further copy of the table.
        return max(self.opened.at_ms, self.changed_ms, *(made.at_ms for made in self.moves[-1:]))

    @property
    def next_start_ms(self) -> int | None:
        """The time of the automatic start (milliseconds since 1970), if nothing else happens before."""
        if self.revealing is not None:
            return self.revealing.until_ms
        return None if self.countdown is None else self.countdown.until_ms

    @property
    def pending(self) -> list[Seat]:
        """The seats that owe a move; empty before the start and after the end."""
        return [*self.to_move] if self.running else []

    @property
    def bots_due(self) -> list[Seat]:
        """The pending seats that bots play; empty while the table is paused."""
        return [] if self.paused else [seat for seat in self.pending if not self.seats[seat].human]

    @property
    def deserted(self) -> bool:
        """Whether the game is paused because all players have left it and may return."""
        return self.running and self.paused and not self.human_seats

    @property
    def is_over(self) -> bool:
        """Whether the table can be removed: closed, or without players before the game or after its end was seen."""
        left = self.status != "playing" and self.seq > 0 and not self.human_seats and not self.unseen
        return (left and not is_sealed(self)) or self.closed is not None

    @property
    def all_ready(self) -> bool:
        return bool(self.human_seats) and self.human_seats <= self.ready

    def seat_of(self, user: UserId) -> Seat | None:
        for n, seat_state in enumerate(self.seats):
            if seat_state.user == user and seat_state.human:
                return Seat(n)
        return None

    def kept_for(self, user: UserId) -> Seat | None:
        """Return the seat that a bot keeps for a user who left a running game."""
        seat = self.owned_seat(user)
        return seat if seat is not None and self.seats[seat].away and not self.is_forfeited(seat) else None

    @property
    def resting_seats(self) -> tuple[int, ...]:
        """Until when the player of each seat is on vacation; empty if nobody ever was."""
        if not self.resting:
            return ()
        return tuple(0 if seat.user is None else self.resting.get(seat.user, 0) for seat in self.seats)

    def is_forfeited(self, seat: Seat) -> bool:
        """Whether a player has let the time run out too often to return; never by correspondence, where all waited."""
        return self.stalls.get(seat, 0) >= MOST_STALLS and not self.opened.clock.by_days

    def owned_seat(self, user: UserId) -> Seat | None:
        """Return a user's seat, whether they play or a bot keeps it for them."""
        if user in self.kicked:
            return None
        # A generator would take twice as long, many times per move.
        for n, seat_state in enumerate(self.seats):
            if seat_state.user == user:
                return Seat(n)
        return None

    def admits_user(self, user: UserId) -> bool:
        """Whether a user may enter. A user with a seat always may."""
        if user in self.kicked:
            return False
        if user in self.former_members:
            return self.owned_seat(user) is not None
        known = user == self.opened.user or user in self.admitted or self.owned_seat(user) is not None
        return known or not (self.opened.settings.private or self.locked)

    def hidden_from(self, user: UserId) -> bool:
        """Whether the table must seem not to exist for a user."""
        # Kicked users know the table, so their refusal may say why.
        return self.opened.settings.private and user not in self.kicked and not self.admits_user(user)


def find_seats_to_move(table: Table, state: Any) -> tuple[Seat, ...]:
    """Find the seats that owe a move in a state of the table's game. Raises GameFailed."""
    seats = tuple(sorted(table.game.pending(state)))
    if seats and seats[-1] >= len(table.seats):  # no client could read a table with such a seat
        raise GameFailed(table.opened.game, "pending", f"seat {seats[-1]} of {len(table.seats)} seats")
    return seats


def is_sealed(table: Table) -> bool:
    """Whether a table waits until others have played the deal that it shares with those of its tournament."""
    return bool(table.opened.deal) and table.opened.reserved is not msgspec.UNSET and not table.unsealed


def has_known_result(table: Table) -> bool:
    """Whether the game has ended, and others may see its result."""
    return table.status == "finished" and not is_sealed(table)


def has_plan(table: Table, seat: Seat) -> bool:
    """Whether a seat has a plan for its next move; one ends when its player, or the clock, has moved otherwise."""
    plan, occupant = table.plans.get(seat), table.seats[seat]
    if plan is None or not plan.lines or not occupant.human or occupant.user != plan.user:
        return False
    return plan.nth == table.played[seat]


def list_due_plans(table: Table) -> list[Seat]:
    """List the pending seats whose next move is planned; none while the table is paused."""
    if not table.plans or table.paused:
        return []
    return [seat for seat in table.pending if has_plan(table, seat)]


def bot_level(table: Table, seat: Seat) -> str:
    """Return the level of the bot at a seat of a game: its own, or that which replaces an absent player.

    In a rated game that is the usual one: the host could otherwise choose one that loses.
    """
    if table.seats[seat].user is not None:
        return USUAL if table.rated else table.opened.settings.absent_level or table.strength
    return table.levels.get(seat, table.strength)


def describe_seat(table: Table, seat: Seat) -> SeatInfo:
    """Return a seat as the table shows it, a bot with its level. It does not know whether the user is connected."""
    info = table.seats[seat].info
    return msgspec.structs.replace(info, level=bot_level(table, seat)) if info.kind == "bot" else info


def remember_round(before: Table, after: Table) -> Table:
    """Keep `after` if a round has just ended, beside as many earlier ones as will be shown."""
    settings = after.opened.settings
    if settings.spectating != "rounds" or not after.running:
        return replace(after, rounds=()) if after.rounds else after
    if before.status == "waiting":
        ended: tuple[Table, ...] = (before, replace(after, rounds=()))
    elif after.game.round(after.state) > after.game.round(before.state):
        ended = (*after.rounds, replace(after, rounds=()))
    else:
        return after
    # Whole tables of the past instead of the present one with fields removed: no filter can forget a field, and a
    # restart finds the same.
    return replace(after, rounds=ended[-1 - settings.rounds_behind :])


def table_for_spectators(table: Table) -> Table:
    """Return the table as spectators see it."""
    return table.rounds[0] if table.rounds else table


def table_for_lobby(table: Table) -> Table:
    """Return the table as the lobby shows it to users without a seat: as spectators see it, but never before its start.

    That a game has started is no secret; a pause and a seat that changes hands are, until spectators see them.
    """
    if not table.rounds:
        return table
    return next((ended for ended in table.rounds if ended.status != "waiting"), table)


def tables_between(before: Table, after: Table) -> list[Table]:
    """List the tables that spectators see one after another when `before` becomes `after`, one per end of a round."""
    first, last = table_for_spectators(before), table_for_spectators(after)
    ends = {table.seq: table for table in (first, *before.rounds, *after.rounds, last)}
    return [ends[seq] for seq in sorted(ends) if first.seq <= seq <= last.seq]


def replay_states(before: Table, after: Table) -> Iterator[Any]:
    """Replay the moves from one end of a round to the next; yields the game's state after each event."""
    state, moves = before.state, iter(after.moves[len(before.moves) :])
    for recorded in after.events_after(before.seq):
        if isinstance(recorded.event, m.Started):
            state = after.state
        elif isinstance(recorded.event, m.Played):
            made = next(moves)
            step = play_move(after.game, state, made.seat, after.game.codec.decode_move(made.move))
            assert not isinstance(step, Refusal), f"a move that was made is legal; this one was refused: {step}"
            state = step.state
        yield state
