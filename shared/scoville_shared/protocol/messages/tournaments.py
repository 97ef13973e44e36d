"""Messages of tournaments: call one, enter, take the seat, compare, and export."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from scoville_shared.protocol.messages.base import Hash, Index, Name, Params, Reply, ShortText
from scoville_shared.protocol.messages.tables import ClockParams, TableClock
from scoville_shared.values import Plain

TournamentFormat = Literal["arena", "swiss", "knockout", "duplicate"]

ARENA_MS = (300_000, 14_400_000)
"""Least and most length of an arena, in milliseconds: five minutes to four hours."""

TOURNAMENT_ROUNDS = (1, 15)
"""Least and most rounds of Swiss rounds, and deals of a duplicate evening."""

MOST_TEAM: Final = 6
"""Most members of a team."""

LONGEST_NOTICE_MS = 60 * 86_400_000
"""How long before its start a tournament can be called at most, in milliseconds."""


class TournamentInfo(Struct, frozen=True, kw_only=True):
    """A tournament. Times are milliseconds.

    `format` is an arena, which pairs free players until its end, Swiss rounds, in which those with like points meet,
    a knock-out, in which the better half of each table goes on, or a duplicate evening: all tables play the same
    `round_count` deals, and results are compared in the same seat. Every table has `seat_count` seats; bots of `level`
    take those that are left. `stage` is announced, running, finished or cancelled, that for a `reason`. Where the
    server itself has ended it, `fault` says why: `too_few` entrants at its start, `rules_changed` since it was called,
    `game_gone`, or `club_closed` with its club.

    `starts_ms` is when it starts, milliseconds since 1970; `starts_in_ms` is the time until then, `ends_in_ms` that
    until an arena pairs nobody any more. `round_number` counts the rounds so far. `admits` says whether users may still
    enter. `entered`, `your_table` and `may_direct` are of the reader: whether they take part, the table at which they
    are awaited or play, and whether they may cancel it and remove entrants.

    Between two rounds the next one begins `next_in_ms` from now. Where fewer than two entrants were there, it or
    its start waits for them, `grace_left_ms` at most, and then it ends. Of a duplicate evening `scored_count` deals
    were played at all tables, each worth `half_points_per_deal` at most, once it has begun; it is for teams of up
    to `team_size`, if any. One of a `club`, called `club_name`, is for the members of that club alone, and its
    leaders direct it.
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
    next_in_ms: int | None = None
    grace_left_ms: int | None = None
    scored_count: int = 0
    half_points_per_deal: int | None = None
    team_size: int | None = None
    fault: str | None = None
    club: str | None = None
    club_name: str | None = None


class TournamentStanding(Struct, frozen=True, kw_only=True):
    """How an entrant stands. `name` is None for one whose account is deleted.

    `half_points` are two for each opponent beaten at a table and one for each level one. Entrants with equal points are
    ordered by `opposition`, the mean of their opponents' points in thousandths. `byes` counts half byes, for a round
    before they entered. `entry` is `in`, `out` of a knock-out, `withdrawn` or `removed`; `here`: they are connected.

    In a duplicate evening the opponents are those in the same seat at the other tables, and `half_points_by_deal` are
    those of each deal that all have played, None for one that the entrant did not sit in.
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
    half_points_by_deal: list[int | None] = []


class TournamentTeam(Struct, frozen=True, kw_only=True):
    """How a team of a duplicate evening stands: the sum of its members' half points.

    None stands for a member whose account is deleted.
    """

    place: int
    member_names: list[str | None]
    half_points: int


class TournamentDeal(Struct, frozen=True, kw_only=True):
    """A deal of a duplicate evening, to which the server committed when it was called.

    `commitment` is that of each of its tables, where `name` takes the place of the table's id. `server_seed` is None
    until all tables have played the deal.
    """

    name: str
    rules_version: int
    commitment: str
    server_seed: str | None = None


class TournamentTable(Struct, frozen=True, kw_only=True):
    """A table of a round: names by seat, None for bots and deleted accounts, and places and half points by seat.

    Both are empty while it runs; a table that was closed before its end has no places. Those of a duplicate evening
    have them, and `scores_by_seat`, once all tables have played the deal.
    """

    table: str
    round_number: int
    players: list[str | None]
    places: list[int] = []
    half_points_by_seat: list[int] = []
    scores_by_seat: list[int] = []


class OfTournament(Params, frozen=True, kw_only=True):
    """Params that name a tournament."""

    tournament: ShortText


class ListTournamentsRequest(Params, frozen=True, kw_only=True):
    """Requests all tournaments: first those that run, then those to come, then the latest ones that have ended."""


class ListTournamentsReply(Reply, frozen=True, kw_only=True):
    """All tournaments, each as the reader sees it."""

    tournaments: list[TournamentInfo]


class ShowTournamentRequest(OfTournament, frozen=True, kw_only=True):
    """Requests a tournament with its standings and its latest tables."""


class ShowTournamentReply(Reply, frozen=True, kw_only=True):
    """A tournament, its standings, and its tables, those that run first, then the latest.

    `evening_deals` and `teams` are those of a duplicate evening; before it begins those who have named each other are
    its teams.
    """

    tournament_info: TournamentInfo
    standings: list[TournamentStanding]
    pairings: list[TournamentTable]
    evening_deals: list[TournamentDeal] = []
    teams: list[TournamentTeam] = []


class CallTournamentRequest(Params, frozen=True, kw_only=True):
    """Calls a tournament, which the user directs. It starts `starts_in_ms` from now.

    An arena `lasts_ms`, Swiss rounds have `round_count`, and a duplicate evening has as many deals, for teams of up to
    `team_size` if that is not 0. Without a clock the tables have that of quick matches; one without a limit is refused,
    since all entrants wait for the slowest table. With a `club`, which the user leads, it is for its members alone.
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
    team_size: Annotated[int, Meta(ge=0, le=MOST_TEAM)] = 0
    club: ShortText | None = None


class EnterTournamentRequest(OfTournament, frozen=True, kw_only=True):
    """Enters a tournament, or comes back to it.

    Entrants who name each other among their `partners` before it begins are a team.
    """

    partners: Annotated[list[Name], Meta(max_length=MOST_TEAM - 1)] = []


class WithdrawFromTournamentRequest(OfTournament, frozen=True, kw_only=True):
    """Takes part no longer; a game that is being played counts."""


class TakeSeatRequest(OfTournament, frozen=True, kw_only=True):
    """Takes the user's seat at their present table of a tournament, with the hash of a nonce for the deal."""

    nonce_hash: Hash | None = None


class BeginTournamentRequest(OfTournament, frozen=True, kw_only=True):
    """Begins a tournament before its time. Its director, admins and moderators may."""


class CancelTournamentRequest(OfTournament, frozen=True, kw_only=True):
    """Cancels a tournament, for a reason that all users can read. Its director, admins and moderators may."""

    reason: ShortText | None = None


class RemoveEntrantRequest(OfTournament, frozen=True, kw_only=True):
    """Excludes an entrant: its director before the start, later only admins and moderators, who gain nothing by it."""

    name: Name


class TournamentReply(Reply, frozen=True, kw_only=True):
    """The tournament after a change."""

    tournament_info: TournamentInfo


class ExportTournamentRequest(OfTournament, frozen=True, kw_only=True):
    """Requests everything that decides a tournament as lines of JSON, from line `since` on."""

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
