"""Messages of tables: list, open, join, start, play, look back."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from scoville_shared.protocol.messages.base import (
    LONGEST_MS,
    Duration,
    Hash,
    Index,
    Name,
    Nonce,
    OfTable,
    Params,
    Password,
    Reply,
    ShortText,
    Signature,
    TableStatus,
)
from scoville_shared.values import Plain

MAX_WAIT_MS = 25_000
"""How long a poll waits at most, in milliseconds: shorter than what networks do to idle connections."""


RATED_MOVE_MS = (5_000, 300_000)
"""Least and most time for a move in a rated game, in milliseconds; the bank may take the place of the least."""

RATED_BANK_MS = (60_000, 3_600_000)
"""Least and most time in the bank of a rated game, in milliseconds; the least may be left to the time for a move."""


class SeatInfo(Struct, frozen=True, kw_only=True):
    """A seat. `kind` is open, human or bot; a disconnected human is not `connected`.

    `claimed` says that the name is claimed, as it was when they sat down: nobody else can have it. `level` is that of
    the bot that plays here, None for others.
    """

    name: str | None = None
    kind: Literal["open", "human", "bot"] = "open"
    connected: bool = False
    claimed: bool = False
    level: str | None = None


DAY_MS = 86_400_000
"""A day in milliseconds: with so much time for a move, a game is played by correspondence."""

LONGEST_NIGHT_HOURS = 12
"""Most hours of a table's night: a longer one would nearly stop its clocks."""


class Night(Struct, frozen=True, kw_only=True):
    """The hours in which no clock of a table runs: from the hour `begins` to the hour `ends` in the time zone `zone`.

    The zone is one of the IANA database, such as `Europe/Berlin`; a night has at most 12 hours.
    """

    begins: Annotated[int, Meta(ge=0, le=23)]
    ends: Annotated[int, Meta(ge=0, le=23)]
    zone: str = "UTC"

    @property
    def hours(self) -> int:
        """How many hours it has by the clock on the wall; 0 for one that ends as it begins."""
        return (self.ends - self.begins) % 24


class NightParams(Night, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A requested night."""

    zone: ShortText = "UTC"


class TableClock(Struct, frozen=True, kw_only=True):
    """Time limits of a table, in milliseconds; None is no limit.

    A move has `move_ms`, then the rest of the seat's `bank_ms`, to which each move adds `increment_ms`; then a bot
    makes it. `absence_ms` is how long the seat of a disconnected player waits before a bot takes over, None forever;
    left out, it is the server's default, which `hello` names among the limits.

    With a day or more for a move a game is played by correspondence: every seat is kept while its player is away, and
    the clocks stand still at `night`, if it is there.
    """

    move_ms: Duration | None = None
    bank_ms: Duration | None = None
    increment_ms: Annotated[int, Meta(ge=0, le=LONGEST_MS)] = 0
    absence_ms: Duration | UnsetType | None = UNSET
    night: Night | UnsetType = UNSET

    @property
    def by_days(self) -> bool:
        """Whether games are played by correspondence."""
        return (self.move_ms or 0) >= DAY_MS

    @property
    def timed(self) -> bool:
        """Whether thinking time is limited."""
        return self.move_ms is not None or self.bank_ms is not None or self.increment_ms > 0

    @property
    def fits_rating(self) -> bool:
        """Whether games with these limits may be rated.

        Without a limit, or with one of a day, a losing player stops moving; with a tenth of a second only a program
        moves in time.
        """
        most = max(self.move_ms or 0, RATED_MOVE_MS[0]) <= RATED_MOVE_MS[1] and self.increment_ms <= RATED_MOVE_MS[1]
        enough = (self.move_ms or 0) >= RATED_MOVE_MS[0] or (self.bank_ms or 0) >= RATED_BANK_MS[0]
        return most and enough and (self.bank_ms or 0) <= RATED_BANK_MS[1]


class ClockParams(TableClock, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Requested time limits; a `night` needs a day or more for a move."""

    night: NightParams | UnsetType = UNSET


class TableSettings(Struct, frozen=True, kw_only=True):
    """Table settings beside the game's options.

    `private`: it is listed only for admitted users, and only its code leads to it. `spectating` may be anybody,
    nobody, or see the game in `rounds`: as it was when the latest round but `rounds_behind` ended. `commentary`: there
    is a key that shows hands, so the table is not rated. `coach`: players may ask their client's coach during the game,
    so the table is not rated. `rated`: a game without bots counts for ratings, if the table is public and has a clock:
    at most 5 minutes a move and an hour in the bank, at least 5 seconds a move or a minute in the bank.

    The `host` starts the game; or it starts automatically `countdown_ms` after the table is `full`, or after all
    players are `ready`. `fill_ms` after the first player joined, bots take the open seats and it starts; None is never.
    With `hostless` nobody is the host: nobody kicks or starts, and the game also starts when all players are ready.

    `bot_level` is the level of the bots that take open seats and replace absent players; `hello` lists the levels of
    each game. `bot_levels` are those of single seats, from the first one on, where they differ: None, like a missing
    one, means `bot_level`. `absent_level` is that of the bots that replace absent players, None for `bot_level`; in
    rated games it is the usual one.
    Bots that have decided let up to `bot_pace_ms` pass after the move before, so that people can follow; less where
    people at the table play faster.
    """

    private: bool = False
    spectating: Literal["anybody", "nobody", "rounds"] = "anybody"
    rounds_behind: Annotated[int, Meta(ge=0, le=20)] = 0
    spectators_talk: bool = True
    commentary: bool = False
    coach: bool = False
    rated: bool = True
    start: Literal["host", "full", "ready"] = "host"
    countdown_ms: Annotated[int, Meta(ge=0, le=600_000)] = 5_000
    fill_ms: Annotated[int, Meta(ge=1, le=3_600_000)] | None = None
    hostless: bool = False
    bot_level: str = "sensible"
    bot_levels: list[str | None] = []
    absent_level: str | None = None
    bot_pace_ms: Annotated[int, Meta(ge=0, le=5_000)] = 0

    def level_of_seat(self, seat: int) -> str:
        """Return the level of the bot that takes this seat if it is open when the game starts."""
        own = self.bot_levels[seat] if seat < len(self.bot_levels) else None
        return own or self.bot_level


class TableSettingsParams(TableSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Requested table settings."""

    bot_level: ShortText = "sensible"
    bot_levels: Annotated[list[ShortText | None], Meta(max_length=16)] = []
    absent_level: ShortText | None = None


class TableInfo(Struct, frozen=True, kw_only=True):
    """A table as the lobby shows it.

    `commitment` hashes the server's seed with everything else that the deal follows from (docs/fairness.md), hex, and
    `commitment_signature` is the server's signature of it, by the key that it had when the table was opened.
    `code` leads to the table, None for readers who may not know it; a `locked` table has a password. `creator` is the
    name of the user who opened it, None for a default table. `ready_seats` are the seats that are ready, `starts_in_ms`
    is the time until the automatic start, `spectator_count` the number of spectators. `your_seat`, `your_turn`
    and `turn_left_ms`, the thinking time that is left for it, are the reader's own, in lists only. `dealer` is the seat
    that will deal, if the game before has determined that. `rated`: a game without bots counts for ratings here, by the
    settings and the clock. `deal` is the name of a deal that many tables share, such as a daily one: in the commitment
    it takes the place of the table's id. `tournament` is the id of the one that keeps the seats for its entrants.
    """

    table: str
    game: str
    rules_version: int
    options: Plain
    seats: list[SeatInfo]
    host: int | None
    status: TableStatus
    commitment: str
    commitment_signature: Signature | None = None
    clock: TableClock = TableClock()
    paused: bool = False
    settings: TableSettings = TableSettings()
    code: str | None = None
    locked: bool = False
    creator: str | None = None
    ready_seats: list[int] = []
    starts_in_ms: int | None = None
    spectator_count: int = 0
    your_seat: int | None = None
    your_turn: bool = False
    dealer: int | None = None
    rated: bool = True
    deal: str | None = None
    turn_left_ms: int | None = None
    tournament: str | None = None


class ListTablesRequest(Params, frozen=True, kw_only=True):
    """Requests the list of tables."""


class ListTablesReply(Reply, frozen=True, kw_only=True):
    """The tables, oldest first; so many `more` are not shown."""

    tables: list[TableInfo]
    more: int = 0


class CreateRequest(Params, frozen=True, kw_only=True):
    """Opens a table; missing options take their defaults. It does not seat the user."""

    game: ShortText
    seat_count: Index
    options: Plain = {}
    clock: ClockParams = ClockParams()
    settings: TableSettingsParams = TableSettingsParams()
    password: Password | None = None


class CreateReply(Reply, frozen=True, kw_only=True):
    """The new table, with the commitment to its seed, and the key for commentators."""

    info: TableInfo
    commentary_key: str | None = None


class EnterRequest(Params, frozen=True, kw_only=True):
    """Enters a table, found by its `code` or its id, with its `password` if it has one."""

    code: ShortText | None = None
    table: ShortText | None = None
    password: Password | None = None


class EnterReply(Reply, frozen=True, kw_only=True):
    """The table to which the user is admitted from now on."""

    info: TableInfo


class JoinRequest(Params, frozen=True, kw_only=True):
    """Takes a seat (any free one without `seat`). `nonce_hash` commits to the user's share of the randomness, hex.

    It is SHA-256("scoville/nonce/1" + 0x00 + table id + 0x00 + nonce) of a nonce of 32 random bytes, which
    `table.reveal` sends when the server requests it. A seated player may send or replace it until then.
    """

    table: ShortText
    seat: Index | None = None
    nonce_hash: Hash | None = None


class JoinReply(Reply, frozen=True, kw_only=True):
    """The seat that was taken; `nonce_hash` is the hash that now counts for it, None for none."""

    seat: int
    info: TableInfo
    nonce_hash: Hash | None = None


class LeaveRequest(OfTable, frozen=True, kw_only=True):
    """Leaves the table."""


class StartRequest(OfTable, frozen=True, kw_only=True):
    """Starts the game; bots of the level `bots` take the open seats. Only the host may.

    `table` is the level of the settings.
    """

    bots: ShortText = "table"


class RevealRequest(OfTable, frozen=True, kw_only=True):
    """Reveals the nonce of the user's hash, hex, after the event `nonces_requested`."""

    nonce: Nonce


class ReadyRequest(OfTable, frozen=True, kw_only=True):
    """Declares the user ready for the start of the game, or not."""

    ready: bool = True


class KickRequest(OfTable, frozen=True, kw_only=True):
    """Kicks a user from a seat or as a spectator, for good and visible to all. Only the host may.

    In a running game only spectators; there the players vote, see `table.vote`.
    """

    name: Name
    reason: ShortText | None = None


class VoteRequest(OfTable, frozen=True, kw_only=True):
    """Votes on kicking the player at the seat `against` from a running game; the first vote opens the vote.

    More than half of the other players, and at least two, must agree within a minute.
    """

    against: Index
    agree: bool = True


class TransferHostRequest(OfTable, frozen=True, kw_only=True):
    """Makes the player at `seat` the host. Only the host may."""

    seat: Index


class InviteRequest(OfTable, frozen=True, kw_only=True):
    """Invites a user by name and admits them. Players may."""

    name: Name


class RematchRequest(OfTable, frozen=True, kw_only=True):
    """Opens the rematch of a finished game, with the same players in the same seats.

    Players may; a second request is answered with the table of the first. The host may name other `bot_levels`, as in
    the settings of a new table; without them the bots are those of this game.
    """

    bot_levels: Annotated[list[ShortText | None], Meta(max_length=16)] | None = None


class PauseRequest(OfTable, frozen=True, kw_only=True):
    """Requests a pause, or agrees to one: when all players have, the table is paused."""


class ResumeRequest(OfTable, frozen=True, kw_only=True):
    """Ends a pause; players may."""


class WatchRequest(OfTable, frozen=True, kw_only=True):
    """Requests the events after `since`, and notices of every later one.

    A commentator sends the table's `commentary_key`, and sees what the seat `point_of_view` sees. With a
    `sentence_language`, such as `de`, a client without the game is sent all that it needs to show and play it.
    """

    since: Index = 0
    commentary_key: ShortText | None = None
    point_of_view: Index | None = None
    sentence_language: ShortText | None = None


class UnwatchRequest(OfTable, frozen=True, kw_only=True):
    """Ends the notices of a table."""


class PollRequest(OfTable, frozen=True, kw_only=True):
    """Requests the events after `since`; if there are none, waits up to `wait_ms` for one.

    `commentary_key`, `point_of_view` and `sentence_language` as to watch.
    """

    since: Index = 0
    commentary_key: ShortText | None = None
    point_of_view: Index | None = None
    sentence_language: ShortText | None = None
    wait_ms: Annotated[int, Meta(ge=0, le=MAX_WAIT_MS)] = 0


class MovesRequest(OfTable, frozen=True, kw_only=True):
    """Requests the legal moves of the user's seat."""


class MoveSentence(Struct, frozen=True, kw_only=True):
    """A legal move: its name, and the move for `table.play`."""

    text: str
    move: Plain


class TableSentences(Struct, frozen=True, kw_only=True):
    """A game in sentences, written by its text from this watcher's View alone, in the requested language or English.

    Before the start there is only what is known of the table: `tagline`, the game in one sentence, and `option_lines`,
    its options with their names. Then `table_lines` are all that the View shows. `hand_lines`, `turn_lines` (what the
    seat has to decide) and `named_moves` are empty for spectators; `more_moves` are legal beside those listed.
    `has_notation` says that moves may be typed, see `table.read_move`. Long descriptions are cut.
    """

    table_lines: list[str]
    hand_lines: list[str] = []
    turn_lines: list[str] = []
    score_lines: list[str] = []
    named_moves: list[MoveSentence] = []
    more_moves: int = 0
    has_notation: bool = False
    tagline: str | None = None
    option_lines: list[str] = []


class ReadMoveRequest(OfTable, frozen=True, kw_only=True):
    """Requests the move that `typed` means in the game's own notation, for the user's seat.

    The text that a move cannot be read is refused with the game's reason, in the `sentence_language`.
    """

    typed: ShortText
    sentence_language: ShortText = "en"


class ReadMoveReply(Reply, frozen=True, kw_only=True):
    """The move with its name; None if the text is not in the game's notation."""

    named_move: MoveSentence | None


class PlayRequest(OfTable, frozen=True, kw_only=True):
    """Plays a move.

    `nth`, if given, is how many moves the user's seat has made before, so that a repeated request is refused.
    """

    move: Plain
    nth: Index | None = None


PlanWord = Annotated[str, Meta(max_length=24)]
"""A name of a field or of what it may be: short, since all plans of a game are kept as long as the game."""
PlanValue = bool | int | PlanWord
"""A value of a fact that a condition of a plan asks for."""

PlanEnd = Literal["done", "stopped", "unmet", "illegal"]
"""Why a plan ended: all moves are made, a line without a move, no line whose condition holds, or an illegal move."""

MOST_PLAN_LINES = 8
MOST_PLANNED = 30
"""Most moves of one plan."""


class PlanLine(Struct, frozen=True, kw_only=True):
    """A line of a plan: the `move` of the user's seat if one fact since the plan has all the fields in `when`.

    Without fields the line always counts; without a move it ends the plan.
    """

    when: dict[str, bool | int | str] = {}
    move: Plain | None = None


class PlanLineParams(PlanLine, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of a plan, as users set it."""

    when: Annotated[dict[PlanWord, PlanValue], Meta(max_length=4)] = {}


class PlanRequest(OfTable, frozen=True, kw_only=True):
    """Plans the next moves of the user's seat in a game by correspondence, up to `most`.

    When the seat owes a move, the first line that counts is played. No lines forget the plan. Only its user ever hears
    of it.
    """

    plan_lines: Annotated[list[PlanLineParams], Meta(max_length=MOST_PLAN_LINES)]
    most: Annotated[int, Meta(ge=1, le=MOST_PLANNED)] = 1


class ShowPlanRequest(OfTable, frozen=True, kw_only=True):
    """Requests the plan of the user's seat."""


class PlanReply(Reply, frozen=True, kw_only=True):
    """The lines of the user's plan and the moves that it may still make.

    Without lines, why the latest plan has `ended`, until the user's seat moves.
    """

    plan_lines: list[PlanLine] = []
    moves_left: int = 0
    ended: PlanEnd | None = None


class PlayReply(Reply, frozen=True, kw_only=True):
    """The number of the move's event."""

    seq: int


class MovesReply(Reply, frozen=True, kw_only=True):
    """The legal moves of the user's seat."""

    moves: list[Plain]


class ExportRequest(OfTable, frozen=True, kw_only=True):
    """Requests a finished game as a file: the lines after the first `since`."""

    since: Index = 0


class ExportReply(Reply, frozen=True, kw_only=True):
    """A page of a finished game as the lines of its file, described in docs/replay-format.md.

    `line_count` is how many lines the whole file has: request again with `since` for those that are missing.
    """

    lines: list[str]
    line_count: int


class LookBackRequest(OfTable, frozen=True, kw_only=True):
    """Requests the Views that the events after `since` left behind, as this connection watches the table.

    Who watches in rounds gets those of the rounds that they may see. A table that the connection does not watch is
    unknown here.
    """

    since: Index = 0


class PastView(Struct, frozen=True, kw_only=True):
    """A View as it was after the event `seq`, which began the game or was a move."""

    seq: int
    view: Plain | None


class LookBackReply(Reply, frozen=True, kw_only=True):
    """The Views in the order of their events, the first ones if not all fit; then `latest` is the last event of all.

    A game of very many moves has none.
    """

    views: list[PastView]
    latest: int | None = None


MOST_VACATION_DAYS = 14
"""Most days of one vacation."""


class PastVacation(Struct, frozen=True, kw_only=True):
    """A vacation that began at `begun_ms` (milliseconds since 1970), and its days."""

    begun_ms: int
    days: int


class ShowVacationRequest(Params, frozen=True, kw_only=True):
    """Requests the user's vacation from games by correspondence."""


class BeginVacationRequest(Params, frozen=True, kw_only=True):
    """Begins a vacation of so many days: the user's clocks in all games by correspondence rest. For claimed names."""

    days: Annotated[int, Meta(ge=1, le=MOST_VACATION_DAYS)]


class EndVacationRequest(Params, frozen=True, kw_only=True):
    """Ends the user's vacation now; a day that has begun counts whole."""


class VacationReply(Reply, frozen=True, kw_only=True):
    """The user's vacation until `until_ms` (milliseconds since 1970; None without one), and the days that are left.

    A user has 28 days within 365.
    """

    until_ms: int | None = None
    days_left: int = 0
