"""The commands of the control socket: their arguments, and what each does.

The one table of them: the server reads requests by it, and the command line has its subcommands and their help from it.
"""

from typing import Annotated, Final, Literal, NamedTuple

from msgspec import Meta

from scoville_server.events import Backup, BackupFailed, Damage
from scoville_shared.protocol.messages import BanKind, Duration, Index, Params, Reason, Scope, ShortText

ROWS: Final = 1_000
"""Rows of a list, unless fewer are wanted."""

Rows = Annotated[int, Meta(ge=1, le=20_000, description="Most rows of the list.")]
Match = Annotated[str, Meta(max_length=64, description="Only rows with this text in them; case does not matter.")]
UserName = Annotated[str, Meta(min_length=1, max_length=24, description="Name of the user.")]

ReasonUse = Literal["needed", "optional", "none"]


class NoArguments(Params, frozen=True, kw_only=True):
    """Nothing."""


class ListUsers(Params, frozen=True, kw_only=True):
    """Which users are listed."""

    match: Match = ""
    most: Rows = ROWS


class ListTables(Params, frozen=True, kw_only=True):
    """Which tables are listed, and in which order."""

    match: Match = ""
    sort: Annotated[
        Literal["age", "seats", "spectators", "moves", "idle"],
        Meta(description="What the list is sorted by: the largest first; idle are the seconds since the last act."),
    ] = "age"
    most: Rows = ROWS


class ListNetworks(Params, frozen=True, kw_only=True):
    """Which networks are listed."""

    match: Match = ""
    most: Rows = ROWS


class ListSince(Params, frozen=True, kw_only=True):
    """Which entries are listed."""

    since: Annotated[Index, Meta(description="Only entries after the one with this number; 0 for the latest ones.")] = 0
    most: Rows = 200


class PlanShutdown(Params, frozen=True, kw_only=True):
    """When the server ends."""

    in_ms: Annotated[
        Duration | None, Meta(description="How long until the server ends, such as 30s, 10m or 2h; 10m if not given.")
    ] = None
    cancel: Annotated[bool, Meta(description="Call a planned end off.")] = False


class SwitchMaintenance(Params, frozen=True, kw_only=True):
    """Whether the mode is on."""

    mode: Annotated[Literal["on", "off"], Meta(description="on or off.")]


class Announce(Params, frozen=True, kw_only=True):
    """An announcement."""

    text: Annotated[str, Meta(min_length=1, max_length=500, description="Text of the announcement.")]


class Kick(Params, frozen=True, kw_only=True):
    """Which user is meant."""

    name: UserName


class SwitchModerator(Params, frozen=True, kw_only=True):
    """Who is a moderator from now on, or is none."""

    name: UserName
    mode: Annotated[Literal["on", "off"], Meta(description="on or off.")] = "on"


class AddBan(Params, frozen=True, kw_only=True):
    """A ban."""

    target: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=128,
            description="Name of a user, an address or network such as 192.0.2.0/24, or the fingerprint of an SSH key.",
        ),
    ]
    kind: Annotated[
        BanKind | None, Meta(description="Kind of the target, where the target itself does not show it.")
    ] = None
    scope: Annotated[Scope, Meta(description="What is forbidden: to connect, to chat, or to open and join tables.")] = (
        "server"
    )
    for_ms: Annotated[
        Duration | None, Meta(description="How long the ban lasts, such as 30m, 12h or 7d; without it for good.")
    ] = None


class LiftBan(Params, frozen=True, kw_only=True):
    """Which ban ends."""

    id: Annotated[Index, Meta(description="Number of the ban, as the command bans lists it.")]


class CloseTable(Params, frozen=True, kw_only=True):
    """Which table is closed."""

    table: Annotated[ShortText, Meta(min_length=1, description="Id of the table, as the command tables lists it.")]


class MoveTable(Params, frozen=True, kw_only=True):
    """Which table moves, and to which node."""

    table: Annotated[ShortText, Meta(min_length=1, description="Id of the table, as the command tables lists it.")]
    to: Annotated[
        str,
        Meta(
            max_length=256,
            description="Address of the node, as status shows it; without it the one with the least load.",
        ),
    ] = ""


class ResolveReport(Params, frozen=True, kw_only=True):
    """Which report is closed."""

    id: Annotated[Index, Meta(description="Number of the report, as the command reports lists it.")]


class ReportEvent(Params, frozen=True, kw_only=True):
    """The work of a command of the same installation on the server's folder."""

    event: Backup | BackupFailed | Damage


class Command(NamedTuple):
    """A command of the control socket.

    Attributes:
        name: The name, as it is typed.
        arguments: The type of its arguments; fields without a default come first on the command line, the others are
            options. A field that ends in `_ms` is a time, typed such as 10m.
        text: Its effect, in a sentence.
        acts: Whether it changes anything; such a command is in the audit log.
        reason: Whether it needs a reason, which the audit log keeps.
        internal: Whether only programs of Scoville send it: the command line does not have it.
    """

    name: str
    arguments: type[Params]
    text: str
    acts: bool = False
    reason: ReasonUse = "none"
    internal: bool = False


COMMANDS: Final[tuple[Command, ...]] = (
    Command("status", NoArguments, "Show how the server is doing; exits with 1 if it is not ready, 3 if none runs."),
    Command("users", ListUsers, "List the connected users."),
    Command("tables", ListTables, "List the tables, in a cluster those of all nodes; no cards are shown."),
    Command("networks", ListNetworks, "List the networks from which users are connected, the largest first."),
    Command("reports", NoArguments, "List the open reports of users, the oldest first."),
    Command("bans", NoArguments, "List the bans in force."),
    Command("slow", NoArguments, "Show how long requests of each kind took in the last minute."),
    Command("log", ListSince, "List the latest events, the oldest first: up to 64 of each kind since the start."),
    Command("audit", ListSince, "List what admins did, the oldest first."),
    Command("announce", Announce, "Send an announcement to everybody who is connected.", acts=True),
    Command("kick", Kick, "Disconnect a user, who may return.", acts=True, reason="needed"),
    Command("warn", Kick, "Warn a user, who sees the reason at once or when they connect.", acts=True, reason="needed"),
    Command("warnings", Kick, "List the warnings that a user was given."),
    Command(
        "moderator",
        SwitchModerator,
        "Make the owner of a name a moderator, who may warn, mute and kick, or end that.",
        acts=True,
        reason="needed",
    ),
    Command("ban", AddBan, "Ban a user, an address or an SSH key.", acts=True, reason="needed"),
    Command("unban", LiftBan, "Lift a ban.", acts=True, reason="needed"),
    Command("close-table", CloseTable, "Close a table.", acts=True, reason="needed"),
    Command(
        "move-table",
        MoveTable,
        "Move a table to another node, in a cluster whose nodes all serve; its players and spectators stay.",
        acts=True,
        reason="optional",
    ),
    Command(
        "drain",
        PlanShutdown,
        "Announce the end of the server, count down, and stop it as SIGTERM does; or call that off.",
        acts=True,
        reason="needed",
    ),
    Command(
        "restart",
        NoArguments,
        "Let the installed version take over; connections wait for a moment, and nothing changes if it fails.",
        acts=True,
        reason="optional",
    ),
    Command("reload", NoArguments, "Read the settings again, as SIGHUP does.", acts=True, reason="optional"),
    Command(
        "maintenance",
        SwitchMaintenance,
        "Let nobody connect but admins and players of unfinished games, or everybody again; a restart changes nothing.",
        acts=True,
        reason="needed",
    ),
    Command("resolve-report", ResolveReport, "Close a report; the reason says how.", acts=True, reason="needed"),
    Command("report-event", ReportEvent, "Report a backup to log, metrics and audit log.", acts=True, internal=True),
)  # fmt: skip

COMMAND_OF: Final = {command.name: command for command in COMMANDS}

REASON: Final = Reason
"""The type of a reason."""
