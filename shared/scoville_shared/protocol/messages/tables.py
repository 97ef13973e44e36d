"""Tables: how they are listed, opened, joined, started and played at."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from scoville_shared.protocol.messages.base import (
    Index,
    Name,
    Nonce,
    OfTable,
    Params,
    Password,
    Plain,
    Reply,
    Seconds,
    ShortText,
    TableStatus,
)


class SeatInfo(Struct, frozen=True, kw_only=True):
    """Who sits where. `kind` is open, human or bot; a human whose line is cut is not `connected`."""

    name: str = ""
    kind: Literal["open", "human", "bot"] = "open"
    connected: bool = False


class TableClock(Struct, frozen=True, kw_only=True):
    """How long a table waits for people, in seconds; 0 is for ever.

    A move has `move`, then what is left of the seat's `bank`, to which each move adds `increment`; then a bot makes it.
    `absence` is how long a seat whose line is down waits before a bot plays on; None is as the server does.
    """

    move: Seconds = 0
    bank: Seconds = 0
    increment: Seconds = 0
    absence: Seconds | None = None


class ClockWish(TableClock, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A clock as it is asked for."""


class Manners(Struct, frozen=True, kw_only=True):
    """How a table lives, beside its game.

    `private`: it is listed for nobody else, and only its code leads to it. `spectators` may be anybody, nobody, or see
    the game in `rounds`: as it was when the latest round but `behind` ended. `commentary`: there is a key that shows
    hands. `rated`: a game between people alone counts for their ratings, if the table is public.

    The `host` starts the game; or it starts by itself `countdown` seconds after the table is `full`, or after everybody
    who sits there is `ready`. With `fill` above 0, so many seconds after the first person sat down bots take the seats
    that are open, and it starts.
    """

    private: bool = False
    spectators: Literal["anybody", "nobody", "rounds"] = "anybody"
    behind: Annotated[int, Meta(ge=0, le=20)] = 0
    spectators_talk: bool = True
    commentary: bool = False
    rated: bool = True
    start: Literal["host", "full", "ready"] = "host"
    countdown: Annotated[int, Meta(ge=0, le=600)] = 5
    fill: Annotated[int, Meta(ge=0, le=3_600)] = 0


class MannersWish(Manners, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Manners as they are asked for."""


class TableInfo(Struct, frozen=True, kw_only=True):
    """A table as the lobby shows it.

    `commitment` is to the server's seed, hex. `code` leads to the table, empty for whoever may not know it; a table
    that is `locked` has a password. `opener` is who opened it, empty for a table of the house. `ready` are the seats
    that said so, `starts_in` the seconds until it starts by itself, `watching` how many spectators there are. `yours`
    and `your_turn` are the reader's own, in lists only. `dealer` is the seat whose deal it will be, where the game
    before has settled that.
    """

    table: str
    game: str
    options: Plain
    seats: list[SeatInfo]
    host: int | None
    status: TableStatus
    commitment: str
    clock: TableClock = TableClock()
    paused: bool = False
    manners: Manners = Manners()
    code: str = ""
    locked: bool = False
    opener: str = ""
    ready: list[int] = []
    starts_in: int | None = None
    watching: int = 0
    yours: int | None = None
    your_turn: bool = False
    dealer: int | None = None


class ListTables(Params, frozen=True, kw_only=True):
    """Asks which tables there are."""


class Tables(Reply, frozen=True, kw_only=True):
    """The tables, oldest first; so many `more` are not shown."""

    tables: list[TableInfo]
    more: int = 0


class CreateTable(Params, frozen=True, kw_only=True):
    """Opens a table; options that are left out take their defaults. Nobody is seated by it."""

    game: ShortText
    seats: Index
    options: Plain = {}
    clock: ClockWish = ClockWish()
    manners: MannersWish = MannersWish()
    password: Password = ""


class TableCreated(Reply, frozen=True, kw_only=True):
    """The new table, with the commitment to its seed: given before any nonce is taken. `key` is its commentator's."""

    info: TableInfo
    key: str = ""


class EnterTable(Params, frozen=True, kw_only=True):
    """Opens the door of a table, found by its `code` or its id, for me; with its `password` where it has one."""

    code: ShortText = ""
    table: ShortText = ""
    password: Password = ""


class Entered(Reply, frozen=True, kw_only=True):
    """The table whose door is open for me from now on."""

    info: TableInfo


class JoinTable(Params, frozen=True, kw_only=True):
    """Takes a seat (any free one without `seat`); `nonce` is this player's share of the chance.

    Whoever sits there already may give their share later, until the game starts.
    """

    table: ShortText
    seat: Index | None = None
    nonce: Nonce = ""


class Seated(Reply, frozen=True, kw_only=True):
    """The seat that was taken."""

    seat: int
    info: TableInfo


class LeaveTable(OfTable, frozen=True, kw_only=True):
    """Gets up from the table."""


class StartTable(OfTable, frozen=True, kw_only=True):
    """Starts the game; bots of strength `bots` take the seats that are still open. Only the host may."""

    bots: ShortText = "greedy"


class ReadyAt(OfTable, frozen=True, kw_only=True):
    """Says that I am ready for the game to begin, or that I am not."""

    ready: bool = True


class Kick(OfTable, frozen=True, kw_only=True):
    """Sends somebody away from a seat or from looking on, for good and for all to see. Only the host may."""

    name: Name
    reason: ShortText = ""


class MakeHost(OfTable, frozen=True, kw_only=True):
    """Makes the person at `seat` the host. Only the host may."""

    seat: Index


class Invite(OfTable, frozen=True, kw_only=True):
    """Invites somebody by name: the door is open for them. Whoever sits there may."""

    name: Name


class PlayAgain(OfTable, frozen=True, kw_only=True):
    """Opens the next table after a finished game, with the same people in the same seats.

    Whoever sat there may; a second wish answers with the table of the first.
    """


class PauseTable(OfTable, frozen=True, kw_only=True):
    """Asks for a pause, or agrees to one: when everybody who sits there has, the table stands still."""


class ResumeTable(OfTable, frozen=True, kw_only=True):
    """Ends a pause; anybody who sits there may."""


class WatchTable(OfTable, frozen=True, kw_only=True):
    """Asks for the events after `since`, and to be told of every later one.

    A commentator gives the table's `key`, and sees what the seat `eyes` sees.
    """

    since: Index = 0
    key: ShortText = ""
    eyes: Index | None = None


class UnwatchTable(OfTable, frozen=True, kw_only=True):
    """Asks to be told no more of the table."""


class PollTable(OfTable, frozen=True, kw_only=True):
    """Asks for the events after `since`; with none yet, waits up to `wait_ms` for one. `key` and `eyes` as to watch."""

    since: Index = 0
    key: ShortText = ""
    eyes: Index | None = None
    wait_ms: Annotated[int, Meta(ge=0, le=25_000)] = 0


class ListMoves(OfTable, frozen=True, kw_only=True):
    """Asks for the moves that this seat may make now."""


class PlayMove(OfTable, frozen=True, kw_only=True):
    """Plays a move. `nth`, when given, is how many moves this seat has made before: a late double is refused."""

    move: Plain
    nth: Index | None = None


class Played(Reply, frozen=True, kw_only=True):
    """The number of the event that the move became."""

    seq: int


class LegalMoves(Reply, frozen=True, kw_only=True):
    """The moves this seat may make now."""

    moves: list[Plain]


class ExportTable(OfTable, frozen=True, kw_only=True):
    """Asks for the finished game as a file."""


class ExportedGame(Reply, frozen=True, kw_only=True):
    """A finished game as the lines of its file, described in docs/replay-format.md."""

    lines: list[str]
