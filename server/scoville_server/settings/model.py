"""Settings of a server: typed data, each with its default and reason."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

from msgspec import Meta, Struct

from scoville_runtime.log_setup import Format, Level
from scoville_server.accounts.model.account_limits import AccountLimits
from scoville_server.background.tasks import RetryLimits
from scoville_server.chat.model.chat_limits import ChatLimits
from scoville_server.daily.model.calendar import DailySettings
from scoville_server.limits.bounds import LARGEST, Number, Positive, Seconds
from scoville_server.limits.budgets import GuessLimits, InvitationLimits
from scoville_server.limits.thinking_limits import ThinkingLimits
from scoville_server.moderation.model.community import CommunitySettings
from scoville_server.moderation.model.moderation_limits import ModerationLimits, RetentionSettings
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.nodes.settings import ClusterSettings
from scoville_server.observation.metrics_settings import MetricsSettings
from scoville_server.tables.archive.index import GameLimits
from scoville_server.tables.digests import DigestReach
from scoville_server.trusted_time import ClockLimits
from scoville_shared import HIGHEST_PORT
from scoville_shared.errors import ScovilleError
from scoville_shared.networks import Proxies, parse_network
from scoville_shared.protocol.messages import LONGEST_MS
from scoville_shared.replay import Opening

USUAL_MIB: Final = 512
"""Memory for which the bounds are made."""

HIGHEST_CLOCK_SECONDS = LONGEST_MS // 1000
HIGHEST_FILL_SECONDS = 3_600
"""The longest times that a table of the protocol can have: clients refuse one with longer ones."""


class ScaleSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Scales by which a host changes many bounds at once; `derive_bounds` applies them."""

    memory_mib: Annotated[
        int,
        Meta(
            ge=192,
            le=LARGEST,
            description="Memory of the server in MiB when all its bounds are reached. Users, tables and connections, "
            "where they are not set, and everything that is kept of them derive from it: docs/host/capacity.md lists "
            "the parts.",
        ),
    ] = USUAL_MIB
    per_user: Annotated[
        float,
        Meta(
            ge=0,
            le=1_000,
            description="How much one user may do, as a multiple of what is usual: opening tables, acting at them, "
            "inviting, chatting, reporting, changing credentials. 0 is no limit. Wrong passwords are counted as ever.",
        ),
    ] = 1.0
    per_address: Annotated[
        float,
        Meta(
            ge=0,
            le=1_000,
            description="How much one address may do and hold, as a multiple of what is usual. 0 is no limit, for a "
            "server all of whose users come through one address, such as a proxy without PROXY headers; opponents of "
            "one network then count one by one for ratings.",
        ),
    ] = 1.0


class LogSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the log goes, from which level, in which format."""

    level: Annotated[
        Level,
        Meta(
            description="Lowest level that is logged: `warning` is for what needs attention, `notice` adds what a host "
            "wants to look up later, `info` each user and game, `debug` each connection."
        ),
    ] = "info"
    format: Annotated[
        Format, Meta(description="Format of the log: `text`, or `json` with one object on each line.")
    ] = "text"
    file: Annotated[
        Path | None,
        Meta(description='File of the log; "" is standard error. SIGUSR1 opens it again, after it was moved away.'),
    ] = None


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a server, and its bounds.

    A field with a description is a setting, which a file may hold under this name: its annotation is the only source
    of its bounds and its reason, from which this package reads, checks and prints, and from which docs/settings.md is
    generated. All other fields are bounds for which the reason stands below, so that a host need not know them;
    some derive from settings, and tests make them small. Where events are counted over a period, 0 of either is no
    limit.

    `seed` is the server seed of the first table, for reproducible games: up to 32 bytes, padded with zeros on the
    right. `opening` is a game that the first table continues. `game_options` are this host's own
    defaults, by game and option. `offered` are the only games that there are, by default all installed ones: practice
    loads no other. `unfinished` is the folder in which practice keeps its running games. `leave_out_damaged` starts
    without damaged rows of the journal that protect players.
    """

    seed: bytes | None = None
    opening: Opening | None = None
    leave_out_damaged: bool = False
    game_options: dict[str, dict[str, Any]] = {}
    offered: tuple[str, ...] = ()
    unfinished: Path | None = None

    host: Annotated[str, Meta(description="Address to listen on; empty for every address of this machine.")] = ""
    port: (
        Annotated[
            int,
            Meta(
                ge=0,
                le=HIGHEST_PORT,
                description="Port to listen on; 0 takes any free one. Without a port the server serves its own process "
                "only.",
            ),
        ]
        | None
    ) = None
    plain_text: Annotated[
        bool,
        Meta(
            description="Whether programs on other machines may connect without TLS. Everybody between them and the "
            "server can then read what they send, tokens included."
        ),
    ] = False
    local_plain_text: Annotated[
        bool,
        Meta(
            description="Whether programs on the server's own machine may connect without TLS. Turn it off where a "
            "program relays connections of others to the port, such as a proxy without PROXY headers, an ssh tunnel or "
            "a container's network: they all seem to come from this machine."
        ),
    ] = True
    proxies: Annotated[
        tuple[str, ...],
        Meta(
            description="Addresses or networks of proxies in TCP mode in front of the port. Each of their connections "
            "begins with a PROXY header of version 1 or 2, whose address counts for limits and bans; without one it is "
            "closed. Nobody else's header is read."
        ),
    ] = ()
    announce: Annotated[bool, Meta(description="Whether it is announced on the local network (extra `lan`).")] = False
    data: Annotated[
        Path | None,
        Meta(
            description='Folder for tables, accounts and finished games. "" stores nothing: all of it, and the key by '
            "which clients recognize the server, are lost when the server stops."
        ),
    ] = None
    peppers: Annotated[
        Path | None,
        Meta(
            description='Text file with the peppers of the cards 1 to 100: a hundred digits 1, 2 or 3; "" for those of '
            "the rules."
        ),
    ] = None
    webhook: Annotated[
        str,
        Meta(
            description="HTTP or HTTPS address that receives as JSON, that a public table waits "
            "for players; empty for none."
        ),
    ] = ""
    digests: Annotated[
        DigestReach,
        Meta(
            description="Where the server sends digests of games by correspondence, to addresses that users give: "
            "`off` is nowhere; `internet` only by HTTPS to public addresses; `everywhere` also by HTTP and into "
            "private networks, for servers whose users may reach those anyway."
        ),
    ] = "off"
    admins: Annotated[tuple[str, ...], Meta(description="Claimed names of the server's admins.")] = ()
    limits: Annotated[ScaleSettings, Meta(description="Scales of all limits.")] = ScaleSettings()
    community: Annotated[CommunitySettings, Meta(description="How the server introduces itself.")] = CommunitySettings()
    daily: Annotated[DailySettings, Meta(description="The daily deal.")] = DailySettings()
    retention: Annotated[RetentionSettings, Meta(description="How long data are kept.")] = RetentionSettings()
    moderation: ModerationLimits = ModerationLimits()
    connections: Annotated[ConnectionLimits, Meta(description="Connections of clients.")] = ConnectionLimits()
    cluster: Annotated[ClusterSettings, Meta(description="A cluster of several nodes.")] = ClusterSettings()
    metrics: Annotated[MetricsSettings, Meta(description="The port for monitoring.")] = MetricsSettings()
    doors: Annotated[DoorSettings, Meta(description="Programs that host clients for others.")] = DoorSettings()
    chat: Annotated[ChatLimits, Meta(description="Messages that are kept.")] = ChatLimits()
    log: Annotated[LogSettings, Meta(description="The log.")] = LogSettings()
    guests: Annotated[
        Positive,
        Meta(
            description="Guests that the server remembers, connected or not. When there are more, the address "
            "with the most loses some, first those who only looked in. Users with a claimed name do "
            "not count."
        ),
    ] = 10_000
    accounts: Annotated[AccountLimits, Meta(description="Sessions, claimed names and log-ins.")] = AccountLimits()
    clock: ClockLimits = ClockLimits()
    """How far the machine's clock may be wrong before it is no longer trusted."""
    retries: RetryLimits = RetryLimits()
    """How long the server waits before it repeats a write that the disk has refused."""
    thinking: Annotated[ThinkingLimits, Meta(description="Processes of searching bots.")] = ThinkingLimits()
    games: Annotated[GameLimits, Meta(description="How many finished games are kept as files.")] = GameLimits()
    tables: Annotated[Number, Meta(description="Tables at a time; each costs about as much as its game has moves.")] = (
        1_000
    )
    tables_hosted: int = 8
    """Tables that one user has opened: nobody hosts more, and a program's mistake stays small."""
    table_creations: int = 12
    """Tables that one user opens in `table_creations_seconds`: nobody chooses a game faster."""
    table_creations_per_address: int = 60
    """The same for one address, which may belong to a school or a proxy."""
    table_creations_seconds: float = 60.0
    """The period over which opened tables count."""
    table_actions: int = 60
    """How often one user joins, leaves, is ready, asks for a pause … in `table_actions_seconds`, at all tables
    together: each action is sent to everybody there, and kept as long as the table."""
    table_actions_per_address: int = 300
    """The same for one address, at all tables together."""
    table_actions_at_table: int = 300
    """The same for all users together at one table: nobody follows more."""
    table_actions_at_table_per_address: int = 120
    """The same for one address at one table."""
    table_actions_seconds: float = 60.0
    """The period over which these actions count."""
    guesses: GuessLimits = GuessLimits()
    """How many wrong codes and passwords of tables are free."""
    invitations: InvitationLimits = InvitationLimits()
    """How many invitations users send and receive."""
    allowed_games: Annotated[
        tuple[str, ...],
        Meta(
            description="The games that this server offers, by their slugs; none for all that are installed. A game "
            "of another package is code that runs in this server: one that is not allowed is not even imported."
        ),
    ] = ()
    default_tables: Annotated[
        tuple[str, ...], Meta(description="Games for which the server keeps a public table open.")
    ] = ()
    bot_fill_seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=HIGHEST_FILL_SECONDS,
            description="Seconds after which bots fill a default table or a quick match: nobody wants to wait longer.",
        ),
    ] = 30
    quick_move_seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=HIGHEST_CLOCK_SECONDS,
            description="Thinking time for each move at default tables and in quick matches; with 0 here and in "
            "`quick_bank_seconds` they have no clock. They are rated with 5 to 300 seconds a move, or less and a "
            "minute to an hour in the bank. A minute is enough for a beginner.",
        ),
    ] = 60
    quick_bank_seconds: Annotated[
        int,
        Meta(
            ge=0,
            le=HIGHEST_CLOCK_SECONDS,
            description="Thinking time beyond `quick_move_seconds` there, for the whole game: a telephone call. "
            "Nobody waits longer than this and two moves for a player who has stopped. With more than an hour they "
            "are not rated.",
        ),
    ] = 120
    lobby_seconds: float = 0.4
    """How long changes are gathered for users who watch the lobby: nobody reads faster."""
    tables_seated: int = 16
    """Tables at which one user sits: more than anybody can play."""
    tables_watched: int = 64
    """Tables that one connection watches; each event is sent to every connection that watches."""
    spectators: int = 500
    """Connections that watch one table without a seat: each event is sent to all of them."""
    polls: int = 8_192
    """Requests that wait for an event, for programs that take no notices."""
    pending_writes: int = 10_000
    """Writes that wait for the disk: several for every table, and a disk that is behind by more will not catch up."""
    inbox: int = 256
    """Commands that wait at one table: far more than its seats can mean seriously."""
    drain_seconds: Annotated[
        Seconds,
        Meta(
            description="How long games continue after a signal to stop (SIGTERM, Ctrl+C), so that a move that is "
            "being thought about still counts; within as many more seconds all clients must have read "
            "the goodbye. Below what systemd and Docker wait."
        ),
    ] = 5.0
    grace_seconds: Annotated[
        Seconds,
        Meta(
            description="How long a seat waits for a disconnected player before a bot takes over, where the table "
            "does not say: long enough to change from Wi-Fi to a telephone. 0 is forever."
        ),
    ] = 60.0
    deserted_seconds: Annotated[
        Seconds,
        Meta(
            description="How long a running game is kept to which nobody is connected, also where its table says "
            "that seats wait forever: a week, so that a game can be continued on the same evening of "
            "the next one. 0 is forever."
        ),
    ] = 604_800.0
    unseated_seconds: float = 600.0
    """How long a new table waits for its first player before it is removed: who opens one and does not sit down has
    closed the client. 0 is forever."""
    host_idle_seconds: Annotated[
        Seconds,
        Meta(
            description="How long a host may do nothing while others wait for the game, before another player "
            "becomes the host. 0 is forever."
        ),
    ] = 300.0
    idle_seconds: Annotated[
        Seconds,
        Meta(description="How long players may sit at a table without any action before it is closed. 0 is forever."),
    ] = 1800.0
    finished_seconds: Annotated[
        Seconds,
        Meta(description="How long a table stays after its game, for players who look at the result. 0 is forever."),
    ] = 900.0
    opponents_by_network: bool = True
    """Whether opponents of one network are one opponent for ratings, and those of a player's own network none. Without
    it, where `limits.per_address` is 0, every claimed name is one: all users seem to come from one network then."""
    rematch_seconds: float = 60.0
    """How long it stays when its players have moved to the table of a rematch, if `finished_seconds` is not shorter:
    nobody looks at it. 0 is forever."""


OF_ONE_RUN: Final = ("seed", "opening", "leave_out_damaged", "game_options", "offered", "unfinished")
"""Fields of the settings that come from the command line or from the host's client alone."""


def proxies_of(settings: Settings) -> Proxies | None:
    """Return the proxies in front of the port. Raises ValueError, naming the setting."""
    found = []
    for text in settings.proxies:
        try:
            found.append(parse_network(text))
        except ValueError as error:
            raise ValueError(f"proxies: expected an address or a network like 10.0.0.0/8 (got {text!r})") from error
    return Proxies(found) if found else None


def default_data() -> Path:
    """Return the default data folder on this system, for the current user."""
    from platformdirs import user_data_path

    try:
        return user_data_path("scoville-server", appauthor=False)
    except RuntimeError:  # a user without a home folder, as in a container; a start that needs one then says so
        return Path("scoville-server").absolute()


class BadSettings(ScovilleError):
    """Settings that cannot be used; each of the `faults` names the place, the setting and its bound."""

    def __init__(self, *faults: str) -> None:
        super().__init__("bad_settings", "\n".join(faults))
        self.faults = faults


class LoadedSettings(NamedTuple):
    """Settings, and where the value of each comes from, such as `server.toml:12`.

    `notes` name what the sources hold and no version uses any more, a sentence each.
    """

    settings: Settings
    origins: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()


SettingsReader: TypeAlias = Callable[[], LoadedSettings]
"""Reads the settings of a server from all their sources. Raises BadSettings."""
