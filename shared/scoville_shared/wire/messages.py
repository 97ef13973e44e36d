"""Every request, reply and event of the wire, typed. docs/protocol.md is written against this page.

A request's params are an array with at most one map; `METHODS` says which map each method takes and what it
answers. The wire knows no game: options, moves, facts and Views cross it as plain maps.
"""

from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta, Struct

PROTOCOL = 1
"""Raised when an older client could no longer understand what it is sent."""

Plain = dict[str, Any]
Name = Annotated[str, Meta(max_length=24)]
ShortText = Annotated[str, Meta(max_length=64)]
Nonce = Annotated[str, Meta(max_length=64, pattern=r"^([0-9a-f]{2})*$")]
"""Hex of up to 32 bytes."""
Index = Annotated[int, Meta(ge=0, le=2**53)]

Seconds = Annotated[float, Meta(ge=0, le=604_800)]
"""Up to a week; where it limits something, 0 is no limit."""

TableStatus = Literal["waiting", "playing", "finished"]
Mover = Literal["player", "clock", "bot"]


class Params(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """What a request says. Every method has a type of its own, so the type names the method."""


class Reply(Struct, frozen=True, gc=False, kw_only=True):
    """What a request is answered with."""


class Empty(Reply, frozen=True, kw_only=True):
    """Done; there is nothing to tell."""


# --- who and what is here ---------------------------------------------------------------------------


class Hello(Params, frozen=True, kw_only=True):
    """The first call of every connection. An empty `name` asks for a friendly one; `token` brings a person back."""

    protocol: Index
    client: ShortText = ""
    name: Name = ""
    token: ShortText = ""


class GameInfo(Struct, frozen=True, kw_only=True):
    """A game that can be played here; `options` are all its options with their defaults."""

    slug: str
    title: str
    seats: tuple[int, int]
    official: tuple[int, int]
    rules_version: int
    options: Plain


class Welcome(Reply, frozen=True, kw_only=True):
    """The server's answer to `hello`. `token` proves this person to later connections: keep it secret."""

    protocol: int
    server: str
    name: str
    token: str
    games: list[GameInfo]


class Ping(Params, frozen=True, kw_only=True):
    """Asks for its `payload` back."""

    payload: Annotated[str, Meta(max_length=1024)] = ""


class Pong(Reply, frozen=True, kw_only=True):
    """The payload of the ping."""

    payload: str


# --- tables -----------------------------------------------------------------------------------------


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


class TableInfo(Struct, frozen=True, kw_only=True):
    """A table as the lobby shows it; `commitment` is to the server's seed, hex; `yours`, only in lists, your seat."""

    table: str
    game: str
    options: Plain
    seats: list[SeatInfo]
    host: int | None
    status: TableStatus
    commitment: str
    clock: TableClock = TableClock()
    paused: bool = False
    yours: int | None = None


class ListTables(Params, frozen=True, kw_only=True):
    """Asks which tables there are."""


class Tables(Reply, frozen=True, kw_only=True):
    """The tables, oldest first."""

    tables: list[TableInfo]


class CreateTable(Params, frozen=True, kw_only=True):
    """Opens a table; options that are left out take their defaults. Nobody is seated by it."""

    game: ShortText
    seats: Index
    options: Plain = {}
    clock: ClockWish = ClockWish()


class TableCreated(Reply, frozen=True, kw_only=True):
    """The new table, with the commitment to its seed: given before any nonce is taken."""

    info: TableInfo


class JoinTable(Params, frozen=True, kw_only=True):
    """Takes a seat (any free one without `seat`); `nonce` is this player's share of the chance."""

    table: ShortText
    seat: Index | None = None
    nonce: Nonce = ""


class Seated(Reply, frozen=True, kw_only=True):
    """The seat that was taken."""

    seat: int
    info: TableInfo


class OfTable(Params, frozen=True, kw_only=True):
    """Names the table it is about."""

    table: ShortText


class LeaveTable(OfTable, frozen=True, kw_only=True):
    """Gets up from the table."""


class StartTable(OfTable, frozen=True, kw_only=True):
    """Starts the game; bots of strength `bots` take the seats that are still open. Only the host may."""

    bots: ShortText = "greedy"


class PauseTable(OfTable, frozen=True, kw_only=True):
    """Asks for a pause, or agrees to one: when everybody who sits there has, the table stands still."""


class ResumeTable(OfTable, frozen=True, kw_only=True):
    """Ends a pause; anybody who sits there may."""


class WatchTable(OfTable, frozen=True, kw_only=True):
    """Asks for the events after `since`, and to be told of every later one."""

    since: Index = 0


class UnwatchTable(OfTable, frozen=True, kw_only=True):
    """Asks to be told no more of the table."""


class PollTable(OfTable, frozen=True, kw_only=True):
    """Asks for the events after `since`; with none yet, waits up to `wait_ms` for one."""

    since: Index = 0
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


# --- what happens at a table ------------------------------------------------------------------------


class TableEvent(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """Something that happened; `seq` counts a table's events from 1, without gaps."""

    seq: int


class SeatTaken(TableEvent, frozen=True, kw_only=True, tag="seat_taken"):
    """Somebody sat down."""

    seat: int
    info: SeatInfo
    host: int | None


class SeatLeft(TableEvent, frozen=True, kw_only=True, tag="seat_left"):
    """Somebody got up; `host` is who starts the game from now on."""

    seat: int
    name: str
    host: int | None


class GameStarted(TableEvent, frozen=True, kw_only=True, tag="game_started"):
    """The deal: `nonces` are the players' shares, hex, in seat order."""

    seats: list[SeatInfo]
    nonces: list[str]
    pending: list[int]


class Moved(TableEvent, frozen=True, kw_only=True, tag="moved"):
    """A seat moved. `facts` are what this watcher may know of it; `played` counts the moves of each seat."""

    seat: int
    by: Mover
    facts: list[Plain]
    pending: list[int]
    played: list[int]


class GameFinished(TableEvent, frozen=True, kw_only=True, tag="game_finished"):
    """The end, and the seed that was committed to, hex."""

    scores: list[int]
    places: list[int]
    reason: str
    server_seed: str


class ClockWarning(TableEvent, frozen=True, kw_only=True, tag="clock_warning"):
    """A bot will soon act for a seat: make its move when its `clock` has run out, or play on after its `absence`."""

    seat: int
    reason: Literal["clock", "absence"]
    seconds_left: int


class PauseAsked(TableEvent, frozen=True, kw_only=True, tag="pause_asked"):
    """A seat asks for a pause or agrees to one; with the last of them the table is `paused`."""

    seat: int
    paused: bool


class Resumed(TableEvent, frozen=True, kw_only=True, tag="resumed"):
    """A seat has ended the pause."""

    seat: int


AnyTableEvent = SeatTaken | SeatLeft | GameStarted | Moved | GameFinished | ClockWarning | PauseAsked | Resumed


class TableSnapshot(Reply, frozen=True, kw_only=True):
    """A table as this watcher may see it: the events asked for, and the View after event `seq`.

    `seat` is the watcher's own, None for a spectator. `view` and `pending` are empty until the game starts. `left_ms`
    is each seat's time, empty without clocks: it passes for the people among the pending.
    """

    info: TableInfo
    seq: int
    seat: int | None
    view: Plain | None
    pending: list[int]
    played: list[int]
    events: list[AnyTableEvent]
    left_ms: list[int] = []


# --- notifications ----------------------------------------------------------------------------------


class EventNotice(Struct, frozen=True, kw_only=True):
    """`table.event`: an event of a watched table, and this watcher's View and everybody's time after it."""

    table: str
    event: AnyTableEvent
    view: Plain | None
    left_ms: list[int] = []


class PresenceNotice(Struct, frozen=True, kw_only=True):
    """`table.presence`: a seated person's line came or went. Not an event: it has no number and no history."""

    table: str
    seat: int
    connected: bool


class ByeNotice(Struct, frozen=True, kw_only=True):
    """`bye`: why the server is about to close this connection."""

    code: str
    message: str


Notice = EventNotice | PresenceNotice | ByeNotice

NOTICES: dict[str, type[Notice]] = {
    "table.event": EventNotice,
    "table.presence": PresenceNotice,
    "bye": ByeNotice,
}
NOTICE_OF: dict[type[Notice], str] = {kind: name for name, kind in NOTICES.items()}
"""The name under which each notice is sent."""


class Method(NamedTuple):
    """What a method takes and answers."""

    params: type[Params]
    reply: type[Reply]


METHODS: dict[str, Method] = {
    "hello": Method(Hello, Welcome),
    "ping": Method(Ping, Pong),
    "table.list": Method(ListTables, Tables),
    "table.create": Method(CreateTable, TableCreated),
    "table.join": Method(JoinTable, Seated),
    "table.leave": Method(LeaveTable, Empty),
    "table.start": Method(StartTable, Empty),
    "table.pause": Method(PauseTable, Empty),
    "table.resume": Method(ResumeTable, Empty),
    "table.watch": Method(WatchTable, TableSnapshot),
    "table.unwatch": Method(UnwatchTable, Empty),
    "table.poll": Method(PollTable, TableSnapshot),
    "table.moves": Method(ListMoves, LegalMoves),
    "table.play": Method(PlayMove, Played),
    "table.export": Method(ExportTable, ExportedGame),
}

METHOD_OF: dict[type[Params], str] = {method.params: name for name, method in METHODS.items()}
"""The method that each kind of params calls."""
