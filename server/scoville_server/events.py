"""Events of the server: what it reports to its log and its metrics. docs/events.md is generated from this module."""

from collections.abc import Callable
from typing import Annotated, Final

from msgspec import Meta

from scoville_runtime.events import Address, Code, Event, Priority, Seconds
from scoville_shared.errors import Code as ErrorCode

Connection = Annotated[int, Meta(description="number of the connection, unique until the server ends")]
UserName = Annotated[str, Meta(description="name of the user")]
Client = Annotated[str, Meta(description="how the client names itself")]
Door = Annotated[str, Meta(description="`ssh` or `web`, if the user came through a door")]
TableCode = Annotated[str, Meta(description="identifier of the table")]
GameName = Annotated[str, Meta(description="name of the game")]
Reason = Annotated[str, Meta(description="the reason that was given")]
SENTENCE: Final = 1_000
"""Characters of a sentence of the server's own that are written."""

MachineUser = Annotated[str, Meta(description="login of the user of the machine who made it, with its number")]
Path = Annotated[str, Meta(description="path of the file or folder")]

# --- the server itself ------------------------------------------------------------------------------------------


class Start(Event, frozen=True, kw_only=True, tag="start"):
    """The server starts; nobody can connect yet."""

    priority = Priority.NOTICE
    version: Annotated[str, Meta(description="version of Scoville")]
    data: Annotated[str, Meta(description="data folder; empty if nothing is saved")] = ""


class Ready(Event, frozen=True, kw_only=True, tag="ready"):
    """Everything that was saved is there again, and users can connect."""

    priority = Priority.NOTICE
    listens: Annotated[str, Meta(description="address and port; `*` is every address of the machine")] = ""
    pin: Annotated[str, Meta(description="the pin by which clients recognize the server")]
    tables: Annotated[int, Meta(description="tables that were reopened")]
    seconds: Seconds


class Drain(Event, frozen=True, kw_only=True, tag="drain"):
    """The server ends soon: it takes no new connections and games."""

    priority = Priority.NOTICE
    seconds: Annotated[float, Meta(description="seconds for which games may continue")]
    connections: Annotated[int, Meta(description="connections at that time")]
    reason: Reason = ""


class Stop(Event, frozen=True, kw_only=True, tag="stop"):
    """The server has ended, or did not start."""

    priority = Priority.NOTICE
    longest = SENTENCE
    reason: Annotated[str, Meta(description="why it could not start; empty for an ordinary end")] = ""
    seconds: Annotated[float, Meta(description="seconds since the start")]


class ConfigReload(Event, frozen=True, kw_only=True, tag="config_reload"):
    """The settings were read again, and are in use but for those that need a restart."""

    priority = Priority.NOTICE
    changed: Annotated[int, Meta(description="settings that have changed at once")]
    restart: Annotated[int, Meta(description="changed settings that need a restart")]


class ConfigReloadRefused(Event, frozen=True, kw_only=True, tag="config_reload_refused"):
    """The settings were read again and refused: all old ones stay, and a start would fail until they are corrected."""

    priority = Priority.ERROR
    longest = SENTENCE
    faults: Annotated[int, Meta(description="faults that were found")]
    reason: Annotated[str, Meta(description="the faults, each with its place")]


class SlowCommit(Event, frozen=True, kw_only=True, tag="slow_commit"):
    """The disk took long for a commit; all users whose moves were in it have waited."""

    priority = Priority.WARNING
    seconds: Seconds
    writes: Annotated[int, Meta(description="changes that the commit included")]


class CommitFailed(Event, frozen=True, kw_only=True, tag="commit_failed"):
    """Nothing can be saved, so every change is refused; reported once until it is over."""

    priority = Priority.ERROR
    longest = SENTENCE
    code: Code
    path: Path
    reason: Annotated[str, Meta(description="what the system or the database says")]


class CommitRecovered(Event, frozen=True, kw_only=True, tag="commit_recovered"):
    """Changes can be saved again."""

    priority = Priority.WARNING
    path: Path


class Damage(Event, frozen=True, kw_only=True, tag="damage"):
    """Something that was saved is damaged or missing, and was left out."""

    priority = Priority.ERROR
    longest = SENTENCE
    path: Path = ""
    reason: Annotated[str, Meta(description="what is damaged, and what follows")]


ReportDamage = Callable[[Damage], None]
"""Receives what is damaged or missing."""


class Backup(Event, frozen=True, kw_only=True, tag="backup"):
    """A backup is complete: the command `scoville-server backup` writes it, and the server of the folder as well."""

    priority = Priority.NOTICE
    longest = SENTENCE
    path: Annotated[str, Meta(description="its folder; empty if it went through a pipe")] = ""
    tables: Annotated[int, Meta(description="tables that it has")]
    games: Annotated[int, Meta(description="finished games that it has")]
    seconds: Seconds
    by: MachineUser = ""


class BackupFailed(Event, frozen=True, kw_only=True, tag="backup_failed"):
    """A backup could not be made; written where `backup` is."""

    priority = Priority.ERROR
    longest = SENTENCE
    reason: Annotated[str, Meta(description="why, and what to do")]
    by: MachineUser = ""


HostEvent = Backup | BackupFailed | Damage
"""Events without an actor that the audit log has too: a host who looks back needs them when the log is long gone."""


# --- connections and users --------------------------------------------------------------------------------------


class OfConnection(Event, frozen=True, kw_only=True):
    """Base of events of one connection."""

    address: Address = ""
    connection: Connection


class Connect(OfConnection, frozen=True, kw_only=True, tag="connect"):
    """A connection has begun; behind a door its user's address follows with `hello`."""


class Disconnect(OfConnection, frozen=True, kw_only=True, tag="disconnect"):
    """A connection has ended."""

    reason: Annotated[
        str,
        Meta(
            description="`left` or `lost` by the client, `stopped_reading`, `tls_failed`, or the code of the goodbye, "
            "such as `shutting_down` or `taken_over`; with `restarting` its successor may go on with it"
        ),
    ]
    seconds: Annotated[float, Meta(description="how long it lasted")]
    detail: Annotated[str, Meta(description="more about the reason")] = ""
    user: UserName = ""


class FloodEnded(OfConnection, frozen=True, kw_only=True, tag="flood_ended"):
    """A connection was closed because it sent too much of something."""

    priority = Priority.WARNING
    security = True
    detail: Annotated[str, Meta(description="of what")]
    user: UserName = ""


class Hello(OfConnection, frozen=True, kw_only=True, tag="hello"):
    """A user has connected."""

    user: UserName
    claimed: Annotated[bool, Meta(description="whether somebody owns the name")]
    door: Door = ""
    client: Client = ""


class Takeover(OfConnection, frozen=True, kw_only=True, tag="takeover"):
    """A new connection has replaced an older one of the same user."""

    user: UserName


class LogIn(OfConnection, frozen=True, kw_only=True, tag="log_in"):
    """A user has logged in."""

    priority = Priority.NOTICE
    security = True
    by: Annotated[str, Meta(description="`password`, `ssh_key`, `recovery` or what else proved who they are")]
    user: UserName


class Claim(OfConnection, frozen=True, kw_only=True, tag="claim"):
    """A user has claimed their name."""

    priority = Priority.NOTICE
    user: UserName


class AccountChange(OfConnection, frozen=True, kw_only=True, tag="account_change"):
    """A user has changed a credential of their account."""

    priority = Priority.NOTICE
    security = True
    change: Annotated[
        str,
        Meta(description="`password`, `add_key`, `remove_key`, `recover`, `release_name` or `delete`"),
    ]
    user: UserName


class TokenReused(OfConnection, frozen=True, kw_only=True, tag="token_reused"):
    """A token came back that had been replaced: it may have been copied."""

    priority = Priority.WARNING
    security = True
    user: UserName
    client: Client = ""


class RefusalEvent(Event, frozen=True, kw_only=True):
    """Base of refusals; `code` tells them apart."""

    code: Code
    method: Annotated[
        str,
        Meta(
            description="the refused request; `connect` for a connection before its hello, `malformed` for a "
            "message that is no valid request"
        ),
    ]
    address: Address = ""
    connection: Connection
    user: UserName = ""


class Refusal(RefusalEvent, frozen=True, kw_only=True, tag="refusal"):
    """A request or a connection was refused; refusals that concern security have kinds of their own."""


class WrongLogin(RefusalEvent, frozen=True, kw_only=True, tag="wrong_login"):
    """A wrong name, password, SSH key, resume code, recovery code or admin code, or a wrong password of the server."""

    priority = Priority.WARNING
    security = True


class BannedRefused(RefusalEvent, frozen=True, kw_only=True, tag="banned"):
    """A banned user has tried to connect."""

    priority = Priority.NOTICE
    security = True


class DoorRefused(RefusalEvent, frozen=True, kw_only=True, tag="door_refused"):
    """A program that is no door of this server has spoken like one."""

    priority = Priority.WARNING
    security = True


_REFUSALS: Final[dict[str, type[RefusalEvent]]] = {
    ErrorCode.WRONG_LOGIN: WrongLogin,
    ErrorCode.WRONG_CODE: WrongLogin,
    ErrorCode.WRONG_SERVER_PASSWORD: WrongLogin,
    ErrorCode.BANNED: BannedRefused,
    ErrorCode.DOOR_REFUSED: DoorRefused,
}


def refusal_kind(code: str) -> type[RefusalEvent]:
    return _REFUSALS.get(code, Refusal)


# --- moderation and tables --------------------------------------------------------------------------------------


class AdminAct(Event, frozen=True, kw_only=True, tag="admin_act"):
    """An admin has acted; the audit log has the same entry."""

    priority = Priority.NOTICE
    security = True
    number: Annotated[int, Meta(description="number of the entry in the audit log")]
    action: Annotated[
        str,
        Meta(
            description="what was done: `announce`, `kick`, `ban KIND from SCOPE`, `unban`, `close`, `appoint`, "
            "`dismiss`, `become_admin`, `recovery code`, `recovered`, `resolve` and others"
        ),
    ]
    by: Annotated[str, Meta(description="name of the admin")]
    target: Annotated[str, Meta(description="whom or what it concerns")] = ""
    reason: Reason = ""


class Report(Event, frozen=True, kw_only=True, tag="report"):
    """A user has reported another one; what they wrote is for admins alone."""

    priority = Priority.NOTICE
    number: Annotated[int, Meta(description="number of the report")]
    table: TableCode = ""
    by: Annotated[str, Meta(description="name of the user who reports")]
    user: Annotated[str, Meta(description="name of the reported user")]


class GameStopped(Event, frozen=True, kw_only=True, tag="game_stopped"):
    """A game of another package is called no more until the server starts again; its tables are closed."""

    priority = Priority.ERROR
    longest = SENTENCE
    game: GameName
    package: Annotated[str, Meta(description="the package that brings it, with its version")]
    reason: Annotated[str, Meta(description="what it did")]


class TableOpen(Event, frozen=True, kw_only=True, tag="table_open"):
    """A table was opened."""

    priority = Priority.DEBUG  # with its end it would double what a game writes
    table: TableCode
    game: GameName


class TableClose(Event, frozen=True, kw_only=True, tag="table_close"):
    """A table is gone."""

    priority = Priority.DEBUG
    table: TableCode


class GameStart(Event, frozen=True, kw_only=True, tag="game_start"):
    """A game has started."""

    table: TableCode
    game: GameName
    humans: Annotated[int, Meta(description="seats of users")]
    bots: Annotated[int, Meta(description="seats of bots")]


class GameEnd(Event, frozen=True, kw_only=True, tag="game_end"):
    """A game has ended."""

    table: TableCode
    game: GameName
    result: Annotated[str, Meta(description="`finished` or `closed`")]
    moves: Annotated[int, Meta(description="moves that were played")]
