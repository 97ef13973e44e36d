"""The status of a server as hosts are shown it: what passes from the server to `status`, `top` and programs."""

from typing import Final, Literal

from msgspec import Struct

Reason = Literal[
    "starting", "waiting", "draining", "journal_failing", "journal_lost", "disk_full", "folder_lost", "closed"
]
"""Why a server is not ready; `waiting` is a node of a cluster while another one serves. Of faults only
`journal_failing`, `disk_full` and `folder_lost` can pass by themselves."""

Severity = Literal["critical", "warning"]


class PeopleStatus(Struct, frozen=True, kw_only=True):
    """Connected users: in total, by how they are connected, and those who own their names."""

    total: int
    claimed: int
    by_entrance: dict[str, int]
    remembered_limit: int


class ConnectionStatus(Struct, frozen=True, kw_only=True):
    """Open connections, with those that have not said hello, and the bytes in their buffers."""

    total: int
    limit: int
    buffered_bytes: int
    buffered_bytes_limit: int


class TableStatus(Struct, frozen=True, kw_only=True):
    """Open tables by game and state; `by_state` is their sum."""

    total: int
    limit: int
    by_state: dict[str, int]
    by_game: dict[str, dict[str, int]]


class MoveStatus(Struct, frozen=True, kw_only=True):
    """Moves since the start, and of the last minute; seconds from reading a move to its notices for the others."""

    total: int
    per_second: float
    p50_seconds: float
    p99_seconds: float


class GameStatus(Struct, frozen=True, kw_only=True):
    """Games since the start, and the finished ones that are stored."""

    started: int
    ended: int
    kept: int
    kept_limit: int
    kept_bytes: int
    kept_bytes_limit: int


class CommitStatus(Struct, frozen=True, kw_only=True):
    """Commits of the journal since the start, and seconds of those of the last minute."""

    total: int
    writes: int
    failed: int
    p50_seconds: float
    p99_seconds: float


class LagStatus(Struct, frozen=True, kw_only=True):
    """How late the event loop has run its timers in the last minute."""

    p50_seconds: float
    p99_seconds: float


class ProcessStatus(Struct, frozen=True, kw_only=True):
    """Resources of the process; `cpu_ratio` is its share of one processor in the last minute."""

    pid: int = 0
    cpu_seconds: float
    cpu_ratio: float
    resident_bytes: int
    memory_bytes_limit: int
    open_files: int
    open_files_limit: int


class DiskStatus(Struct, frozen=True, kw_only=True):
    """The disk of the data folder, and its backups.

    `last_backup_ms` (since 1970) is None if no backup is known, `backup_failed_ms` unless a later one has failed.
    """

    folder: str
    free_bytes: int
    total_bytes: int
    log_bytes: int
    last_backup_ms: int | None = None
    backup_failed_ms: int | None = None
    backup_failure: str = ""


class QueueStatus(Struct, frozen=True, kw_only=True):
    """Length of a queue, and its bound."""

    bots: int
    bots_limit: int
    passwords: int
    passwords_limit: int
    writes: int
    writes_limit: int
    polls: int
    polls_limit: int
    readers: int


class DoorStatus(Struct, frozen=True, kw_only=True):
    """The doors of one kind (`ssh` or `web`): processes and sessions now, and counts since the server's start.

    `read_bytes` are what users have typed, `sent_bytes` what was drawn for them.
    """

    processes: int
    sessions: int
    connects: int
    refusals: int
    floods: int
    crashes: int
    crashes_per_minute: int
    read_bytes: int
    sent_bytes: int


class NodeStatus(Struct, frozen=True, kw_only=True):
    """A node of a cluster: where users reach it, whether it serves, how many tables, and how long ago it was heard.

    `heard_seconds` is None for the node that says so. `tables` are with default tables at which nobody sits.
    """

    address: str
    serves: bool
    heard_seconds: float | None
    tables: int = 0


LOST_SECONDS: Final = 10.0
"""A node that was not heard for so long does not take over, whatever is wrong with it."""


SILENT_SECONDS: Final = 2.0
"""A node that was not heard for so long may be dead, so hosts are not told that it waits; beats come four a second."""


def is_heard(node: NodeStatus) -> bool:
    """Whether a node was heard lately by the one that reports it."""
    return node.heard_seconds is None or node.heard_seconds < LOST_SECONDS


def is_silent(node: NodeStatus) -> bool:
    """Whether nobody knows at the moment what a node does."""
    return node.heard_seconds is not None and node.heard_seconds >= SILENT_SECONDS


class ClusterStatus(Struct, frozen=True, kw_only=True):
    """A cluster as one of its nodes sees it, the one that says so first among `nodes`.

    `epoch` is that in which this node serves, 0 while it waits; `serving` is the address of a node that serves, this
    one if it does, empty for unknown. `connected` is set while the engine is reached. `doubts` say why the engine may
    lose what it has acknowledged, in a sentence each.
    """

    name: str
    epoch: int
    serving: str
    connected: bool
    nodes: list[NodeStatus]
    doubts: list[str]


LOST_LINKS = 5
"""Links lost in ten minutes that are more than the start of another node."""


class LinkStatus(Struct, frozen=True, kw_only=True):
    """The links of a node to others that serve beside it, in both directions.

    `open` is how many there are. `lost` counts those that have ended or could not be opened since the start, and
    `lost_recently` those of the last ten minutes.
    """

    open: int
    sent_bytes: int
    received_bytes: int
    lost: int
    lost_recently: int


class ServerStatus(Struct, frozen=True, kw_only=True):
    """A server at `now_ms` (milliseconds since 1970).

    `ready` is set when it takes users; otherwise `reasons` say why not. `reload_ok` is set unless the latest reload of
    the settings has failed. `refusals_per_minute` are by code, without codes that did not occur. `doors` are by kind,
    without kinds that have never reported. `disk` and `commits` are None for a server that stores nothing.
    `clock_warning` is a sentence while the system's clock is not trusted. `cluster` is None for a server that is alone,
    and `links` for one beside which no other node serves. `stopped_games` are games of other packages
    that the server calls no more, each with the reason.
    """

    version: str
    now_ms: int
    started_ms: int
    uptime_seconds: float
    ready: bool
    reload_ok: bool
    reasons: list[Reason]
    people: PeopleStatus
    connections: ConnectionStatus
    tables: TableStatus
    moves: MoveStatus
    games: GameStatus
    commits: CommitStatus | None
    loop_lag: LagStatus
    process: ProcessStatus
    disk: DiskStatus | None
    refusals_per_minute: dict[str, int]
    refusals: int
    hellos: int
    queues: QueueStatus
    doors: dict[str, DoorStatus]
    clock_warning: str = ""
    cluster: ClusterStatus | None = None
    stopped_games: dict[str, str] = {}
    links: LinkStatus | None = None


class AlertInfo(Struct, frozen=True, kw_only=True):
    """Something that needs the host's attention; `name` is stable, `text` says in English what it is about.

    `rule` is the shipped rule of Prometheus that watches the same; empty for none.
    """

    name: str
    rule: str = ""
    severity: Severity
    text: str


class PlannedStatus(Struct, frozen=True, kw_only=True):
    """The planned end of the server."""

    left_seconds: float
    reason: str


class MaintenanceStatus(Struct, frozen=True, kw_only=True):
    """The maintenance mode that is on."""

    by: str
    reason: str
    since_ms: int


class HostStatus(ServerStatus, frozen=True, kw_only=True):
    """The status of a server with its address, what is planned, and what needs attention.

    `pin` is how clients recognize it; `open_reports` counts reports that nobody has resolved.
    """

    host: str
    port: int
    pin: str
    open_reports: int
    bans: int
    shutdown: PlannedStatus | None
    maintenance: MaintenanceStatus | None
    alerts: list[AlertInfo]
