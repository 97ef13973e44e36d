"""The status for hosts: figures of the server, its planned end, and alerts that need attention."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import fields

from scoville_runtime.host_status import (
    LOST_LINKS,
    AlertInfo,
    ClusterStatus,
    HostStatus,
    LinkStatus,
    MaintenanceStatus,
    PlannedStatus,
    ServerStatus,
    is_heard,
)
from scoville_server.observation.process import SLOW_SYNC_SECONDS, is_nearly_full

_SLOW_LOOP: Final = 0.1
"""Seconds of the slowest hundredth from which on users notice: every move waits for the loop."""
_FULL: Final = 0.9
"""Share of a bound from which on it is about to be reached."""
_GUESSES: Final = 10
"""Wrong log-ins in a minute that no forgetful user makes."""
_GUESS_CODES: Final = ("wrong_login", "wrong_code")
_SLOW_MOVES: Final = 0.25
_FULL_MEMORY: Final = 0.95
_WAITING_BOTS: Final = 0.5
_NODES: Final = 2
"""Nodes of a cluster that one of them can lose."""
_OLD_BACKUP_MS: Final = 2 * 86_400_000
"""Age of the last backup from which on two nights have passed without one."""

RULES: Final = {
    "journal_failing": "ScovilleNotReady",
    "journal_lost": "ScovilleNotReady",
    "disk_full": "ScovilleNotReady",
    "folder_lost": "ScovilleNotReady",
    "failed_writes": "ScovilleWritesFail",
    "disk_low": "ScovilleDiskFillsUp",
    "slow_commits": "ScovilleDiskSlow",
    "slow_moves": "ScovilleMovesSlow",
    "slow_loop": "ScovilleLoopSlow",
    "memory_high": "ScovilleMemoryHigh",
    "connections_high": "ScovilleNearlyFull",
    "tables_high": "ScovilleTablesNearlyFull",
    "bots_waiting": "ScovilleBotsWait",
    "guessing": "ScovilleGuessing",
    "internal_errors": "ScovilleInternalErrors",
    "door_crashes": "ScovilleDoorCrashes",
    "reload_failed": "ScovilleReloadFailed",
    "clock": "ScovilleClockWrong",
    "games_stopped": "ScovilleGamesStopped",
    "backup_failed": "ScovilleBackupFailed",
    "backup_old": "ScovilleBackupOld",
}
"""The shipped rule of Prometheus with the same bound, by alert. Here nothing waits for minutes: a host is looking."""


def host_status(
    status: ServerStatus,
    *,
    host: str,
    port: int,
    pin: str,
    open_reports: int,
    bans: int,
    shutdown: PlannedStatus | None,
    maintenance: MaintenanceStatus | None,
) -> HostStatus:
    """Return the figures of the server with its address, plans and alerts."""
    values = {field.name: getattr(status, field.name) for field in fields(ServerStatus)}
    return HostStatus(
        **values,
        host=host,
        port=port,
        pin=pin,
        open_reports=open_reports,
        bans=bans,
        shutdown=shutdown,
        maintenance=maintenance,
        alerts=list_alerts(status),
    )


def list_alerts(status: ServerStatus) -> list[AlertInfo]:
    """List things that need attention, critical ones first."""
    found = [*_critical_alerts(status), *_list_warnings(status)]
    # In the order of the alphabet, which has critical before warning.
    return sorted(found, key=lambda alert: alert.severity)


def _critical_alerts(status: ServerStatus) -> list[AlertInfo]:
    texts = {
        "journal_failing": "The journal cannot write; nothing is saved, and every act is refused.",
        "journal_lost": "The journal is lost; restart the server.",
        "disk_full": "The disk of the data folder is full.",
        "folder_lost": "The data folder cannot be reached.",
    }
    return [
        AlertInfo(name=reason, rule=RULES[reason], severity="critical", text=texts[reason])
        for reason in status.reasons
        if reason in texts
    ]


def _list_warnings(status: ServerStatus) -> list[AlertInfo]:
    process, disk, commits = status.process, status.disk, status.commits
    guesses = sum(status.refusals_per_minute.get(code, 0) for code in _GUESS_CODES)
    checks = {
        "disk_low": (_is_disk_low(status), "The disk of the data folder is nearly full."),
        "slow_commits": (
            commits is not None and commits.p99_seconds > SLOW_SYNC_SECONDS,
            "The disk is slow: one commit in a hundred takes more than 250 ms.",
        ),
        "failed_writes": (
            commits is not None and commits.failed > 0,
            "Writes have failed since the start; look for space on the disk.",
        ),
        "slow_moves": (
            status.moves.p99_seconds > _SLOW_MOVES,
            "One move in a hundred takes more than 250 ms.",
        ),
        "bots_waiting": (
            _is_near(status.queues.bots, status.queues.bots_limit, _WAITING_BOTS),
            "Bots wait for a processor.",
        ),
        "reload_failed": (
            not status.reload_ok,
            "The server runs with older settings than its file has; run scoville-server check-config.",
        ),
        "slow_loop": (
            status.loop_lag.p99_seconds > _SLOW_LOOP,
            "The server is overloaded: its event loop is more than 100 ms late.",
        ),
        "memory_high": (
            _is_near(process.resident_bytes, process.memory_bytes_limit, _FULL_MEMORY),
            "The process uses nearly all of the memory that limits.memory_mib grants.",
        ),
        "open_files_high": (
            _is_near(process.open_files, process.open_files_limit),
            "The process has nearly as many open files as the system allows; raise its limit.",
        ),
        "connections_high": (
            _is_near(status.connections.total, status.connections.limit),
            "Nearly all connections are taken.",
        ),
        "tables_high": (_is_near(status.tables.total, status.tables.limit), "Nearly all tables are taken."),
        "passwords_waiting": (
            _is_near(status.queues.passwords, status.queues.passwords_limit),
            "Passwords wait to be checked; log-ins are slow.",
        ),
        "guessing": (guesses >= _GUESSES, f"{guesses} wrong log-ins in the last minute: somebody is guessing."),
        "internal_errors": (
            status.refusals_per_minute.get("internal", 0) > 0,
            "Requests have failed because of a bug; the log has more.",
        ),
        "door_crashes": (
            any(door.crashes_per_minute for door in status.doors.values()),
            "Sessions at the doors crash because of a bug; the log of the door has more.",
        ),
        "clock": (bool(status.clock_warning), status.clock_warning),
        **_cluster_warnings(status.cluster),
        **_link_warnings(status.links),
        "games_stopped": (bool(status.stopped_games), _describe_stopped_games(status.stopped_games)),
        "backup_failed": (
            disk is not None and disk.backup_failed_ms is not None,
            f"The latest backup has failed: {'' if disk is None else disk.backup_failure}",
        ),
        "backup_old": (
            # One node makes the backups of a cluster: the others know of none.
            disk is not None
            and (status.cluster is None or disk.last_backup_ms is not None)
            and status.now_ms - (disk.last_backup_ms or status.started_ms) > _OLD_BACKUP_MS,
            "The last backup is more than two days old; scoville-server backup FOLDER makes one while it runs.",
        ),
    }
    return [
        AlertInfo(name=name, rule=RULES.get(name, ""), severity="warning", text=text)
        for name, (fires, text) in checks.items()
        if fires
    ]


def _is_disk_low(status: ServerStatus) -> bool:
    disk = status.disk
    if disk is None or "disk_full" in status.reasons:  # a full one is critical
        return False
    return is_nearly_full(disk.free_bytes, disk.total_bytes)


def _cluster_warnings(cluster: ClusterStatus | None) -> dict[str, tuple[bool, str]]:
    if cluster is None:
        return {}
    return {
        "cluster_engine": (not cluster.connected, "The servers of NATS are not reached, so nothing can be saved."),
        "cluster_alone": (
            sum(map(is_heard, cluster.nodes)) < _NODES,
            "This node hears no other node of the cluster: none could take over from it.",
        ),
        "cluster_doubts": (
            bool(cluster.doubts),
            f"The engine of the cluster may lose moves: {' '.join(cluster.doubts)}",
        ),
    }


def _link_warnings(links: LinkStatus | None) -> dict[str, tuple[bool, str]]:
    lost = links is not None and links.lost_recently >= LOST_LINKS
    return {
        "links_lost": (
            lost,
            "Links with other nodes are lost again and again; users of one node wait at tables of others.",
        ),
    }


def _describe_stopped_games(games: Mapping[str, str]) -> str:
    why = "; ".join(f"{game} ({reason})" for game, reason in games.items())
    return f"Games of other packages are stopped: {why}. Update or remove them, and restart."


def _is_near(used: float, limit: float, share: float = _FULL) -> bool:
    """Whether a share of a bound is reached; 0 is no bound."""
    return 0 < limit * share <= used
