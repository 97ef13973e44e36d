"""A tournament as a value, and its changes.

Entrants are named by their number, which no other one gets once it has begun. Before that no result has a number, so
the one of an entry that is gone may be given again.

Nothing here is random, and nothing that a director does decides a result: pairings, advances and places follow from the
games, and where these are equal from the ratings at entry and then from the order of entry.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import TableClock
from scoville_shared.values import Plain

Format = Literal["arena", "swiss", "knockout", "duplicate"]
Stage = Literal["announced", "running", "finished", "cancelled"]
Fault = Literal["", "too_few", "rules_changed", "game_gone", "club_closed"]
"""Why a tournament ended that no director has ended: fewer than two entrants at its start, a game that cannot be played
any more as it was announced, or the end of its club."""

MOST_ENTRANTS: Final = 128
"""Most entrants of a tournament: a round of them is paired in a tenth of a second."""

MOST_TABLES: Final = 1_024
"""Most games of an arena, which ends early with the last of them: its row is written whole at each change."""

REMIND_MS: Final = 600_000
"""How long before the start entrants are reminded, in milliseconds."""

BREAK_MS: Final = 30_000
"""Milliseconds between two rounds: enough to read the standings, and to fetch something to drink."""

GRACE_MS: Final = 120_000
"""How long a round waits where fewer than two entrants are there, in milliseconds: connections come back by then."""

WAIT_MS: Final = 20_000
"""How long a present player waits for a table or for the others at it, in milliseconds; then bots take the seats."""

MOST_MISSED: Final = 2
"""Rounds in a row that an entrant misses before they are taken as gone; they may come back as long as others enter."""

NOBODY: Final = -1
"""Stands for a bot in the seats of a table."""


class Entrant(Struct, frozen=True, kw_only=True):
    """A user who takes part, with an empty id once their account is deleted.

    `strength` is the rating when they entered, `byes` counts half byes, `missed` the latest rounds in a row that they
    were not there for. `stage` is `in` while they are paired; who is `out` was beaten in a knock-out, who has
    `withdrawn` may come back, who was `removed` may not.

    In a duplicate evening they keep a `seat` at the same `table` all evening, NOBODY before they have one. `partners`
    are the names with whom they want to be a team, and `team` the lowest number in theirs once it has begun, 0 for
    none. `origin` stands for the network from which they entered.
    """

    number: int
    user: UserId
    name: str
    claimed: bool = False
    strength: float = 0.0
    byes: int = 0
    missed: int = 0
    stage: Literal["in", "out", "withdrawn", "removed"] = "in"
    table: int = NOBODY
    seat: int = NOBODY
    partners: tuple[str, ...] = ()
    team: int = 0
    origin: int | None = None


class Pairing(Struct, frozen=True, kw_only=True):
    """A table of a round: the numbers of its entrants by seat, NOBODY for bots, and how they have fared.

    It is opened with the secret `seed` at `at_ms`. `points` are the halves of opponents beaten, by seat: two for each
    one behind, one for each one level; for those who did not stay there are none. `places` are those of the game. Both
    are empty until it is finished, and places stay empty where it was closed before its end.

    In a duplicate evening the opponents are the results in the same seat at the other tables. So a table is `over`
    first, with its `scores` and the seats that are `counted`, and has points once all tables of the deal are.
    """

    round: int
    table: TableId
    seed: bytes
    seats: tuple[int, ...]
    at_ms: int
    places: tuple[int, ...] = ()
    points: tuple[int, ...] = ()
    over: bool = False
    scores: tuple[int, ...] = ()
    counted: tuple[int, ...] = ()

    @property
    def is_running(self) -> bool:
        return not self.points and not self.over

    @property
    def players(self) -> tuple[int, ...]:
        """The numbers of its entrants."""
        return tuple(number for number in self.seats if number != NOBODY)


class Deal(Struct, frozen=True, array_like=True):
    """A deal of a duplicate evening, drawn when it was called, with the version of the rules that it was drawn for."""

    name: str
    seed: bytes
    rules_version: int


# Defaults are left out, so that the row of a tournament of no club has nothing that an earlier version does not know.
class Tournament(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tournament. Times are milliseconds since 1970.

    The `director` has called it. It starts at `starts_ms`; an arena pairs until `ends_ms`, Swiss rounds are
    `round_count`, and a knock-out goes on until one entrant has won. The next round begins at `next_ms`; where too few
    were there it waits until `grace_ms`, 0 if it does not.

    A duplicate evening has a round for each of its `deals`, at the same `table_count` tables all evening, for teams of
    up to `team_size`.

    One of a `club`, by its id, is for the members of that club alone.
    """

    id: str
    name: str
    format: Format
    game: str
    options: Plain
    seat_count: int
    bot_level: str
    clock: TableClock
    director: UserId
    director_name: str
    round_count: int = 0
    lasts_ms: int = 0
    starts_ms: int
    created_ms: int
    stage: Stage = "announced"
    reason: str = ""
    fault: Fault = ""
    reminded: bool = False
    round: int = 0
    next_ms: int = 0
    grace_ms: int = 0
    ends_ms: int = 0
    ended_ms: int = 0
    entrants: tuple[Entrant, ...] = ()
    pairings: tuple[Pairing, ...] = ()
    deals: tuple[Deal, ...] = ()
    table_count: int = 0
    team_size: int = 0
    club: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it has neither finished nor been cancelled."""
        return self.stage in ("announced", "running")

    @property
    def admits_entrants(self) -> bool:
        """Whether users may still enter: until the bell of an arena, half of the rounds, the start of a knock-out."""
        if self.stage != "running":
            return self.stage == "announced"
        in_rounds = self.format in ("swiss", "duplicate")
        return self.format == "arena" or (in_rounds and self.round <= self.round_count // 2)

    @property
    def running(self) -> list[Pairing]:
        """The tables that are being played."""
        return [pairing for pairing in self.pairings if pairing.is_running]

    def find_entrant(self, user: UserId) -> Entrant | None:
        """Return the entry of a user; nobody's, for an empty id."""
        return next((entrant for entrant in self.entrants if user and entrant.user == user), None)

    def find_number(self, number: int) -> Entrant:
        return next(entrant for entrant in self.entrants if entrant.number == number)

    def find_table(self, user: UserId) -> Pairing | None:
        """Return the running table of a user."""
        entrant = self.find_entrant(user)
        if entrant is None:
            return None
        return next((pairing for pairing in self.running if entrant.number in pairing.seats), None)

    def list_free(self, present: Iterable[UserId]) -> list[Entrant]:
        """List the entrants who are there and play at no table of the tournament."""
        here = {*present}
        busy = {number for pairing in self.running for number in pairing.players}
        return [
            entrant
            for entrant in self.entrants
            if entrant.stage == "in" and entrant.user in here and entrant.number not in busy
        ]


def enter_user(
    tournament: Tournament,
    user: UserId,
    name: str,
    *,
    claimed: bool,
    strength: float,
    gone: Iterable[UserId] = (),
    partners: Iterable[str] = (),
    origin: int | None = None,
) -> Tournament | None:
    """Enter a user, or let one come back who has withdrawn.

    Args:
        tournament: The tournament, which must still admit entrants.
        user: The user.
        name: Their name.
        claimed: Whether they own it.
        strength: Their rating.
        gone: Users who are not connected. When it is full, the first guest among them gives up the place: a hundred
            guests who enter and vanish must not keep anybody out.
        partners: The names of those with whom they want to be a team.
        origin: A name for the network from which they come.

    Returns:
        The tournament after it; None if it is full.
    """
    mine = tournament.find_entrant(user)
    if mine is not None:
        back = replace(mine, stage="in", missed=0) if mine.stage == "withdrawn" else mine
        wanted = tuple(partners) if tournament.stage == "announced" else mine.partners
        return _with_entrant(tournament, replace(back, name=name, claimed=claimed, partners=wanted))
    entrants = tournament.entrants
    if len(entrants) >= MOST_ENTRANTS:
        vanished = _find_vanished(tournament, {*gone})
        if vanished is None:
            return None
        entrants = tuple(entrant for entrant in entrants if entrant is not vanished)
    # Half a bye, once: for a round that was missed before entering, never by leaving and coming back.
    late = tournament.format in ("swiss", "duplicate") and tournament.round > 0
    number = 1 + max((entrant.number for entrant in tournament.entrants), default=0)
    entrant = Entrant(
        number=number,
        user=user,
        name=name,
        claimed=claimed,
        strength=round(strength, 3),
        byes=1 if late else 0,
        partners=tuple(partners) if tournament.stage == "announced" else (),
        origin=origin,
    )
    return replace(tournament, entrants=(*entrants, entrant))


def _find_vanished(tournament: Tournament, gone: set[UserId]) -> Entrant | None:
    """Find the earliest guest who is gone and has played no game here."""
    played = {number for pairing in tournament.pairings for number in pairing.players}
    return next(
        (
            entrant
            for entrant in tournament.entrants
            if not entrant.claimed and entrant.user in gone and entrant.number not in played
        ),
        None,
    )


def withdraw_user(tournament: Tournament, user: UserId) -> Tournament:
    """Withdraw a user; their running game still counts. Before the start the entry is deleted."""
    mine = tournament.find_entrant(user)
    if mine is None or mine.stage != "in":
        return tournament
    if tournament.stage == "announced":
        return _without_entrant(tournament, mine)
    return _with_entrant(tournament, replace(mine, stage="withdrawn"))


def remove_entrant(tournament: Tournament, entrant: Entrant) -> Tournament:
    """Exclude an entrant for good; a game that they play counts for the others."""
    return _with_entrant(tournament, replace(entrant, stage="removed"))


def take_out(tournament: Tournament, entrant: Entrant) -> Tournament:
    """Remove an entrant who has left the tournament's club, as if a director had excluded them.

    Before the start there is no result and the entry is gone: a member who is back may enter again.
    """
    if tournament.stage == "announced":
        return _without_entrant(tournament, entrant)
    return remove_entrant(tournament, entrant)


def erase_user(tournament: Tournament, user: UserId) -> Tournament:
    """Erase a deleted account: its results stay as those of a ghost, its name as a director is removed.

    Before the start there are none, and the entry is gone.
    """
    mine = tournament.find_entrant(user)
    if mine is not None and tournament.stage == "announced":
        tournament = _without_entrant(tournament, mine)
    elif mine is not None:
        ghost = replace(mine, user=UserId(""), name="", claimed=False, partners=(), origin=None)
        tournament = _with_entrant(tournament, replace(ghost, stage="withdrawn" if mine.stage == "in" else mine.stage))
    if tournament.director == user:
        tournament = replace(tournament, director=UserId(""), director_name="")
    return tournament


def erase_name(tournament: Tournament, name: str, ghost: str) -> Tournament:
    """Remove the name of a deleted account as a partner, and as that of the user who cancelled."""
    entrants = tuple(
        replace(each, partners=tuple(partner for partner in each.partners if partner.casefold() != name.casefold()))
        for each in tournament.entrants
    )
    reason = tournament.reason
    # Without a reason the name is all there is.
    if reason == name or reason.startswith(f"{name}: "):
        reason = ghost + reason[len(name) :]
    return replace(tournament, entrants=entrants, reason=reason)


def list_mentioned(tournament: Tournament) -> set[str]:
    """List the names that `erase_name` would find."""
    by = tournament.reason.partition(": ")[0] if tournament.stage == "cancelled" and not tournament.fault else ""
    return {*(partner for each in tournament.entrants for partner in each.partners), by} - {""}


def begin_tournament(tournament: Tournament, now_ms: int) -> Tournament:
    """Begin to play: the first round is due at once."""
    ends_ms = now_ms + tournament.lasts_ms if tournament.format == "arena" else 0
    return replace(tournament, stage="running", reminded=True, next_ms=now_ms, ends_ms=ends_ms, grace_ms=0)


def end_tournament(
    tournament: Tournament,
    stage: Literal["finished", "cancelled"],
    now_ms: int,
    reason: str = "",
    fault: Fault = "",
) -> Tournament:
    """End a tournament without the seeds of its tables; those of shared deals stay, so that they can be checked."""
    pairings = tuple(replace(pairing, seed=b"") for pairing in tournament.pairings)
    return replace(tournament, stage=stage, ended_ms=now_ms, reason=reason, fault=fault, pairings=pairings)


def add_round(
    tournament: Tournament, tables: Sequence[tuple[TableId, bytes, tuple[int, ...]]], absent: Iterable[int], now_ms: int
) -> Tournament:
    """Add the tables of the next round, or of the next turn of an arena: id, secret seed, and entrants by seat.

    In Swiss rounds the `absent` have missed one; who misses several in a row has withdrawn. In a
    knock-out they are out.
    """
    number = tournament.round + 1
    added = (Pairing(round=number, table=table, seed=seed, seats=seats, at_ms=now_ms) for table, seed, seats in tables)
    gone = {*absent}
    entrants = [
        entrant if entrant.stage != "in" else _note_missed(tournament.format, entrant, is_absent=entrant.number in gone)
        for entrant in tournament.entrants
    ]
    return replace(
        tournament,
        round=number,
        pairings=(*tournament.pairings, *added),
        entrants=tuple(entrants),
        next_ms=0,
        grace_ms=0,
    )


def _note_missed(played: Format, entrant: Entrant, *, is_absent: bool) -> Entrant:
    if played == "knockout":
        return replace(entrant, stage="out") if is_absent else entrant
    missed = entrant.missed + 1 if is_absent else 0
    return replace(entrant, missed=missed, stage="withdrawn" if missed >= MOST_MISSED else entrant.stage)


def note_result(
    tournament: Tournament, table: TableId, places: Sequence[int], points: Sequence[int], now_ms: int
) -> Tournament:
    """Note the result of a table, once. With the last one of a round the break before the next one begins."""
    pairings = tuple(
        replace(pairing, places=tuple(places), points=tuple(points), seed=b"")
        if pairing.table == table and pairing.is_running
        else pairing
        for pairing in tournament.pairings
    )
    after = replace(tournament, pairings=pairings)
    if after.format == "knockout":
        after = _put_out_beaten(after, table)
    return begin_break(tournament, after, now_ms)


def begin_break(before: Tournament, after: Tournament, now_ms: int) -> Tournament:
    """Begin the break before the next round where the last table of this one has ended."""
    if after.format == "arena" or not before.running or after.running:
        return after
    return replace(after, next_ms=now_ms + BREAK_MS)


def advance_count(player_count: int) -> int:
    """Return how many of the players of a knock-out's table go on: the better half."""
    return (player_count + 1) // 2


def _put_out_beaten(tournament: Tournament, table: TableId) -> Tournament:
    """Put out those who do not go on: by points, and where these are equal by the seeding."""
    pairing = next((each for each in tournament.pairings if each.table == table), None)
    if pairing is None or pairing.is_running:
        return tournament
    points = dict(zip(pairing.seats, pairing.points, strict=True))
    in_round = sum(1 for each in tournament.pairings if each.round == pairing.round)
    ranked = sorted(pairing.players, key=lambda number: (-points[number], *seed_key(tournament.find_number(number))))
    # The only table of a round is the final, which one entrant wins.
    going = 1 if in_round == 1 else advance_count(len(ranked))
    for number in ranked[going:]:
        entrant = tournament.find_number(number)
        if entrant.stage == "in":
            tournament = _with_entrant(tournament, replace(entrant, stage="out"))
    return tournament


def seed_key(entrant: Entrant) -> tuple[float, int]:
    """Return the sort key of entrants before any game, and of level ones: rating, then order of entry."""
    return -entrant.strength, entrant.number


def score_table(places: Sequence[int], stayed: Iterable[int]) -> tuple[int, ...]:
    """Return the points of a finished game by seat: nothing for who did not stay, whatever a bot in the seat reached.

    So nobody gains by leaving, and the game counts for the others as it was played.
    """
    here = {*stayed}
    return tuple(
        sum(2 * (other > place) + (other == place) for other in places) - 1 if seat in here else 0
        for seat, place in enumerate(places)
    )


def score_closed(seat_count: int, seated: Iterable[int]) -> tuple[int, ...]:
    """Return the points of a table that was closed before its end: half of all for those who were still there."""
    here = {*seated}
    return tuple(seat_count - 1 if seat in here else 0 for seat in range(seat_count))


def _with_entrant(tournament: Tournament, changed: Entrant) -> Tournament:
    entrants = tuple(changed if each.number == changed.number else each for each in tournament.entrants)
    return replace(tournament, entrants=entrants)


def _without_entrant(tournament: Tournament, gone: Entrant) -> Tournament:
    return replace(tournament, entrants=tuple(each for each in tournament.entrants if each is not gone))


def count_seats(tournament: Tournament) -> Mapping[int, list[int]]:
    """Count how often each entrant has sat in each seat."""
    counts: dict[int, list[int]] = {}
    for pairing in tournament.pairings:
        for seat, number in enumerate(pairing.seats):
            if number != NOBODY:
                counts.setdefault(number, [0] * tournament.seat_count)[seat] += 1
    return counts
