"""Settings of a server: typed data, each with its default, bounds and reason."""

from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from scoville_server.accounts.model.limits import AccountLimits
from scoville_server.background.retry import RetryLimits
from scoville_server.chat.model.limits import ChatLimits
from scoville_server.limits.bounds import Number, Positive, Seconds
from scoville_server.limits.table_limits import GuessLimits, InvitationLimits
from scoville_server.limits.thinking_limits import ThinkingLimits
from scoville_server.moderation.model.limits import ModerationLimits
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.net.limits import ConnectionLimits
from scoville_server.tables.archive.index import GameLimits
from scoville_server.trusted_time import ClockLimits
from scoville_shared.errors import ScovilleError
from scoville_shared.networks import Proxies, parse_network
from scoville_shared.replay import Opening

DEFAULT_PORT = 5757
HIGHEST_PORT = 65535
HIGHEST_CLOCK_SECONDS = 604_800
HIGHEST_FILL_SECONDS = 3_600
"""The longest times that a table of the protocol can have: clients refuse one with longer ones."""


class FileSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings that a file may hold, with the names that they have there.

    Each annotation is the only source of its bounds and its reason: `settings_file` reads, checks and prints from it,
    and docs/settings.md is generated from it. Where events are counted over a period, 0 of either is no limit.
    """

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
        Meta(description="Folder for tables, accounts and finished games; without one nothing is kept."),
    ] = None
    webhook: Annotated[
        str,
        Meta(
            description="HTTP or HTTPS address that receives as JSON, that a public table waits "
            "for players; empty for none."
        ),
    ] = ""
    admins: Annotated[tuple[str, ...], Meta(description="Claimed names of the server's admins.")] = ()
    moderation: Annotated[ModerationLimits, Meta(description="Bounds of moderation.")] = ModerationLimits()
    connections: Annotated[
        ConnectionLimits, Meta(description="What one connection, and all of them together, may cost.")
    ] = ConnectionLimits()
    doors: Annotated[DoorSettings, Meta(description="Programs that host clients for others.")] = DoorSettings()
    chat: Annotated[ChatLimits, Meta(description="Bounds of chat. A rate is [times, seconds].")] = ChatLimits()
    guests: Annotated[
        Positive,
        Meta(
            description="Guests that the server remembers, connected or not. When there are more, the address "
            "with the most loses some, first those who only looked in. Users with a claimed name do "
            "not count."
        ),
    ] = 10_000
    accounts: Annotated[AccountLimits, Meta(description="Bounds of tokens, claimed names and log-ins.")] = (
        AccountLimits()
    )
    clock: Annotated[
        ClockLimits, Meta(description="How far the machine's clock may be wrong before it is no longer trusted.")
    ] = ClockLimits()
    retries: Annotated[
        RetryLimits, Meta(description="How long the server waits before it repeats a write that the disk has refused.")
    ] = RetryLimits()
    thinking: Annotated[
        ThinkingLimits, Meta(description="Processes of searching bots, and who gets how much of them.")
    ] = ThinkingLimits()
    games: Annotated[GameLimits, Meta(description="How many finished games are kept as files.")] = GameLimits()
    tables: Annotated[Number, Meta(description="Tables at a time; each costs about as much as its game has moves.")] = (
        1_000
    )
    tables_hosted: Annotated[
        Number,
        Meta(description="Tables that one user has opened: nobody hosts more, and a program's mistake stays small."),
    ] = 8
    table_creations: Annotated[
        Number,
        Meta(description="Tables that one user opens in `table_creations_seconds`: nobody chooses a game faster."),
    ] = 12
    table_creations_per_address: Annotated[
        Number, Meta(description="The same for one address, which may belong to a school or a proxy.")
    ] = 60
    table_creations_seconds: Annotated[Seconds, Meta(description="The period over which opened tables count.")] = 60.0
    table_actions: Annotated[
        Number,
        Meta(
            description="How often one user joins, leaves, is ready, asks for a pause … in "
            "`table_actions_seconds`, at all tables together: each action is sent to everybody there, "
            "and kept as long as the table."
        ),
    ] = 60
    table_actions_per_address: Annotated[
        Number, Meta(description="The same for one address, at all tables together.")
    ] = 300
    table_actions_at_table: Annotated[
        Number, Meta(description="The same for all users together at one table: nobody follows more.")
    ] = 300
    table_actions_at_table_per_address: Annotated[
        Number, Meta(description="The same for one address at one table.")
    ] = 120
    table_actions_seconds: Annotated[Seconds, Meta(description="The period over which these actions count.")] = 60.0
    guesses: Annotated[GuessLimits, Meta(description="How many wrong codes and passwords of tables are free.")] = (
        GuessLimits()
    )
    invitations: Annotated[InvitationLimits, Meta(description="How many invitations users send and receive.")] = (
        InvitationLimits()
    )
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
    lobby_seconds: Annotated[
        Seconds, Meta(description="How long changes are gathered for users who watch the lobby: nobody reads faster.")
    ] = 0.4
    tables_seated: Annotated[Number, Meta(description="Tables at which one user sits: more than anybody can play.")] = (
        16
    )
    tables_watched: Annotated[
        Number,
        Meta(description="Tables that one connection watches; each event is sent to every connection that watches."),
    ] = 64
    spectators: Annotated[
        Number, Meta(description="Connections that watch one table without a seat: each event is sent to all of them.")
    ] = 500
    polls: Annotated[
        Number, Meta(description="Requests that wait for an event, for programs that take no notices.")
    ] = 8_192
    pending_writes: Annotated[
        Positive,
        Meta(
            description="Writes that wait for the disk: several for every table, and a disk that is behind by "
            "more will not catch up."
        ),
    ] = 10_000
    inbox: Annotated[
        Positive, Meta(description="Commands that wait at one table: far more than its seats can mean seriously.")
    ] = 256
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
    unseated_seconds: Annotated[
        Seconds, Meta(description="How long a new table waits for its first player before it is removed. 0 is forever.")
    ] = 600.0
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
    opponents_by_network: Annotated[
        bool,
        Meta(
            description="Whether opponents of one network are one opponent for ratings, and those of a player's own "
            "network none. Without it every claimed name is one: for servers whose users all come through one address."
        ),
    ] = True
    rematch_seconds: Annotated[
        Seconds, Meta(description="The same when its players have moved to the table of a rematch. 0 is forever.")
    ] = 60.0


class Settings(FileSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a server: those of a file, and those of one run.

    `seed` is the server seed of the first table, for reproducible games: up to 32 bytes, padded with zeros on the
    right. `opening` is a game that the first table continues. `game_options` are this host's own
    defaults, by game and option. `offered` are the only games that there are, by default all installed ones: practice
    loads no other. `leave_out_damaged` starts without damaged rows of the journal that protect players.
    """

    seed: bytes | None = None
    opening: Opening | None = None
    leave_out_damaged: bool = False
    game_options: dict[str, dict[str, Any]] = {}
    offered: tuple[str, ...] = ()


def proxies_of(settings: FileSettings) -> Proxies | None:
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

    return user_data_path("scoville-server", appauthor=False)


class BadSettings(ScovilleError):
    """A setting that cannot be used; the message names the file, the setting and its bound."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_settings", message)


def read_option_file(option: str, path: Path) -> dict[str, dict[str, Any]]:
    """Read a host's own value of an option from a text file, by game and option, for each game that can read it.

    docs/rules describes the formats. Raises BadSettings, naming the file and the line.
    """
    from scoville_shared.games import registry

    readers = {slug: registry.load(slug).option_files.get(option) for slug in registry.usable()}
    try:
        text = path.read_text(encoding="utf-8")
        return {slug: {option: reader(text)} for slug, reader in readers.items() if reader is not None}
    except OSError as error:
        raise BadSettings(f"The {option} file {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadSettings(f"The {option} file {path} is not a text file.") from error
    except ValueError as error:
        raise BadSettings(f"The {option} file {path} cannot be used: {error}.") from error
