"""Messages of tournaments: call one, enter, take the seat, compare, and export."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from scoville_shared.protocol.messages.base import Hash, Index, Name, Params, Reply, ShortText
from scoville_shared.protocol.messages.tables import ClockParams, TableClock
from scoville_shared.values import Plain

TournamentFormat = Literal["arena", "swiss", "knockout"]

ARENA_MS = (300_000, 14_400_000)
"""Least and most length of an arena, in milliseconds: five minutes to four hours."""

TOURNAMENT_ROUNDS = (1, 15)
"""Least and most rounds of Swiss rounds."""

LONGEST_NOTICE_MS = 60 * 86_400_000
"""How long before its start a tournament can be called at most, in milliseconds."""


class TournamentInfo(Struct, frozen=True, kw_only=True):
    """A tournament. Times are milliseconds.

    `format` is an arena, which pairs whoever is free until its end, Swiss rounds, in which those with like points meet,
    or a knock-out, in which the better half of each table goes on. Every table has `seat_count` seats; bots of `level`
    take those that are left. `stage` is announced, running, finished or cancelled, that for a `reason`.

    `starts_ms` is when it starts, milliseconds since 1970; `starts_in_ms` is the time until then, `ends_in_ms` that
    until an arena pairs nobody any more. `round_number` counts the rounds so far. `admits` says whether users may still
    enter. `entered`, `your_table` and `may_direct` are of the reader: whether they take part, the table at which they
    are awaited or play, and whether they may cancel it and remove entrants.
    """

    id: str
    name: str
    format: TournamentFormat
    game: str
    options: Plain
    seat_count: int
    level: str
    clock: TableClock
    stage: Literal["announced", "running", "finished", "cancelled"]
    director: str | None
    starts_ms: int
    starts_in_ms: int | None = None
    ends_in_ms: int | None = None
    round_count: int | None = None
    lasts_ms: int | None = None
    round_number: int = 0
    entrant_count: int = 0
    admits: bool = False
    entered: bool = False
    your_table: str | None = None
    may_direct: bool = False
    reason: str | None = None


class TournamentStanding(Struct, frozen=True, kw_only=True):
    """How an entrant stands. `name` is None for one whose account is deleted.

    `half_points` are two for each opponent beaten at a table and one for each level one. Entrants with equal points are
    ordered by `opposition`, the mean of their opponents' points in thousandths. `byes` counts half byes, for a round
    before they entered. `entry` is `in`, `out` of a knock-out, `withdrawn` or `removed`; `here`: they are connected.
    """

    place: int
    name: str | None
    half_points: int
    opposition: int
    game_count: int
    byes: int = 0
    entry: Literal["in", "out", "withdrawn", "removed"] = "in"
    claimed: bool = False
    you: bool = False
    here: bool = False


class TournamentTable(Struct, frozen=True, kw_only=True):
    """A table of a round: names by seat, None for bots and deleted accounts, and places and half points by seat.

    Both are empty while it runs; a table that was closed before its end has no places.
    """

    table: str
    round_number: int
    players: list[str | None]
    places: list[int] = []
    half_points_by_seat: list[int] = []


class ListTournamentsRequest(Params, frozen=True, kw_only=True):
    """Requests all tournaments: first those that run, then those to come, then the latest ones that have ended."""


class ListTournamentsReply(Reply, frozen=True, kw_only=True):
    """All tournaments, each as the reader sees it."""

    tournaments: list[TournamentInfo]


class ShowTournamentRequest(Params, frozen=True, kw_only=True):
    """Requests a tournament with its standings and its latest tables."""

    tournament: ShortText


class ShowTournamentReply(Reply, frozen=True, kw_only=True):
    """A tournament, its standings, and its tables, those that run first, then the latest."""

    tournament_info: TournamentInfo
    standings: list[TournamentStanding]
    pairings: list[TournamentTable]


class CallTournamentRequest(Params, frozen=True, kw_only=True):
    """Calls a tournament, which the user directs. It starts `starts_in_ms` from now.

    An arena `lasts_ms`, Swiss rounds have `round_count`. Without a clock the tables have that of quick matches; one
    without a limit is refused, since everybody waits for the slowest table.
    """

    name: ShortText
    format: TournamentFormat
    game: ShortText
    options: Plain = {}
    seat_count: Annotated[int, Meta(ge=2, le=10)]
    starts_in_ms: Annotated[int, Meta(ge=0, le=LONGEST_NOTICE_MS)]
    lasts_ms: Annotated[int, Meta(ge=ARENA_MS[0], le=ARENA_MS[1])] = 2_700_000
    round_count: Annotated[int, Meta(ge=TOURNAMENT_ROUNDS[0], le=TOURNAMENT_ROUNDS[1])] = 4
    level: ShortText = "sensible"
    clock: ClockParams | None = None


class EnterTournamentRequest(Params, frozen=True, kw_only=True):
    """Enters a tournament, or comes back to it."""

    tournament: ShortText


class WithdrawFromTournamentRequest(Params, frozen=True, kw_only=True):
    """Takes part no longer; a game that is being played counts."""

    tournament: ShortText


class TakeSeatRequest(Params, frozen=True, kw_only=True):
    """Takes the user's seat at their present table of a tournament, with the hash of a nonce for the deal."""

    tournament: ShortText
    nonce_hash: Hash | None = None


class BeginTournamentRequest(Params, frozen=True, kw_only=True):
    """Begins a tournament before its time. Its director, admins and moderators may."""

    tournament: ShortText


class CancelTournamentRequest(Params, frozen=True, kw_only=True):
    """Cancels a tournament, for a reason that everybody is told. Its director, admins and moderators may."""

    tournament: ShortText
    reason: ShortText | None = None


class RemoveEntrantRequest(Params, frozen=True, kw_only=True):
    """Excludes an entrant: its director before the start, later only admins and moderators, who profit from nothing."""

    tournament: ShortText
    name: Name


class TournamentReply(Reply, frozen=True, kw_only=True):
    """The tournament after a change."""

    tournament_info: TournamentInfo


class ExportTournamentRequest(Params, frozen=True, kw_only=True):
    """Requests everything that decides a tournament as lines of JSON, from line `since` on."""

    tournament: ShortText
    since: Index = 0


class TournamentChangedNotice(Struct, frozen=True, kw_only=True):
    """`tournament.changed`: a tournament that the user has entered has begun, ended or gone on to another round."""

    tournament_info: TournamentInfo


class TournamentSeatedNotice(Struct, frozen=True, kw_only=True):
    """`tournament.seated`: a table waits for the user, `waits_ms` at most before a bot takes the seat."""

    tournament_info: TournamentInfo
    table: str
    waits_ms: int


class TournamentDueNotice(Struct, frozen=True, kw_only=True):
    """`tournament.due`: a tournament that the user has entered starts in ten minutes or less."""

    tournament_info: TournamentInfo
