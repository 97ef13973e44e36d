"""The status of a server: one typed snapshot of everything that hosts are shown.

`status --json`, `top` and the metrics read the same figures, so they never disagree.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from scoville_runtime.clock import Clock
from scoville_runtime.figures import Durations
from scoville_runtime.host_status import (
    ClusterStatus,
    CommitStatus,
    ConnectionStatus,
    DiskStatus,
    GameStatus,
    LagStatus,
    LinkStatus,
    MoveStatus,
    PeopleStatus,
    ProcessStatus,
    QueueStatus,
    Reason,
    ServerStatus,
    TableStatus,
)
from scoville_server.journal.backups.note import BackupNoteReader
from scoville_server.journal.figures import JournalFigures
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.observation.door_census import DoorCensus
from scoville_server.observation.figures import (
    ENTRANCES,
    TABLE_STATES,
    EventFigures,
    LoopLag,
    RequestFigures,
    TableCensus,
    UserCensus,
)
from scoville_server.observation.process import (
    DiskSpace,
    ProcessorUse,
    count_open_files,
    read_disk_space,
    read_open_files_limit,
    read_processor_seconds,
    read_resident_bytes,
)
from scoville_shared import __version__

FULL_BYTES: Final = 1_048_576
"""Free bytes of the disk below which it counts as full: the next commit may fail."""


class ServerFigures:
    """Figures that a server counts while it runs.

    Args:
        clock: The time of the server.
        tables: The census of tables and games.
        users: The census of connected users.
    """

    def __init__(self, clock: Clock, tables: TableCensus, users: UserCensus) -> None:
        self.doors = DoorCensus(clock.seconds)
        self.clock = clock
        self.started_ms, self._started = clock.date_ms(), clock.seconds()
        self.requests = RequestFigures(clock.seconds)
        self.events = EventFigures(clock.seconds)
        self.tables = tables
        self.users = users
        self.processor = ProcessorUse()
        self.lag = LoopLag(clock, self.processor.note_time)

    @property
    def uptime_seconds(self) -> float:
        return self.clock.seconds() - self._started


class Gauges(NamedTuple):
    """Figures that are measured by asking the parts of the server, each in constant time.

    Attributes:
        connections: Open connections.
        buffered_bytes: Bytes in their buffers.
        kept_games: Stored games.
        kept_bytes: Bytes of their files.
        bots: Questions of bots that wait.
        passwords: Passwords that wait or are being hashed.
        polls: Requests that wait for an event.
        readers: Networks that wait for a turn to be read.
        draining: Whether the server is about to stop.
        clock_warning: Why the system's clock is not trusted; empty if it is.
        reload_ok: Whether the latest reload of the settings, or the start, could use them.
        reloaded_ms: When that was the case last, in milliseconds since 1970.
        cluster: The cluster of this node; None for a server that is alone.
        stopped_games: Games that the server calls no more, each with the reason.
        links: The links of this node; None where no other node serves beside it.
    """

    connections: Callable[[], int]
    buffered_bytes: Callable[[], int]
    kept_games: Callable[[], int]
    kept_bytes: Callable[[], int]
    bots: Callable[[], int]
    passwords: Callable[[], int]
    polls: Callable[[], int]
    readers: Callable[[], int]
    draining: Callable[[], bool]
    clock_warning: Callable[[], str]
    reload_ok: Callable[[], bool]
    reloaded_ms: Callable[[], int]
    cluster: Callable[[], ClusterStatus | None] = lambda: None
    stopped_games: Callable[[], Mapping[str, str]] = dict
    links: Callable[[], LinkStatus | None] = lambda: None


class Bounds(NamedTuple):
    """The limits beside which the figures stand."""

    remembered: int
    connections: int
    buffered_bytes: int
    tables: int
    kept_games: int
    kept_bytes: int
    memory_bytes: int
    bots: int
    passwords: int
    polls: int


class StatusReader:
    """Reads the status of a server. It may be read at any time between start and end.

    Args:
        figures: The figures that the server counts.
        gauges: The figures that are asked when the status is read.
        bounds: The limits.
        journal: The figures of the journal; None for one in memory.
        folder: The data folder; None for none.
    """

    def __init__(
        self,
        figures: ServerFigures,
        gauges: Gauges,
        bounds: Adjustable[Bounds],
        journal: JournalFigures | None,
        folder: Path | None,
    ) -> None:
        self.figures = figures
        self.gauges = gauges
        self._bounds = as_live(bounds)
        self.journal = journal
        self.folder = folder
        self.backups = BackupNoteReader(folder, figures.clock)
        self.started = False
        """Whether everything is restored, so that users can come."""

    @property
    def bounds(self) -> Bounds:
        """The limits that hold now."""
        return self._bounds.value

    def list_reasons(self, space: DiskSpace | None) -> list[Reason]:
        """List why the server is not ready; `space` is that of the disk now, None if the folder cannot be reached."""
        reasons: list[Reason] = []
        if not self.started:
            reasons.append("starting")
        cluster = self.gauges.cluster()
        if self.started and cluster is not None and not cluster.epoch:
            reasons.append("waiting")
        if self.gauges.draining():
            reasons.append("draining")
        if self.journal is not None:
            states: dict[str, Reason] = {"failing": "journal_failing", "lost": "journal_lost", "closed": "closed"}
            if self.journal.state in states:
                reasons.append(states[self.journal.state])
        if self.folder is not None:
            if space is None:
                reasons.append("folder_lost")
            # A node of a cluster saves nothing there: its engine has disks of its own, and says when they are full.
            elif space.free_bytes < FULL_BYTES and cluster is None:
                reasons.append("disk_full")
        return reasons

    def read_status(self) -> ServerStatus:
        """Read the status of the server now."""
        figures, gauges, bounds, now = self.figures, self.gauges, self.bounds, self.figures.clock.seconds()
        space = None if self.folder is None else self.read_disk_space()
        reasons = self.list_reasons(space)
        return ServerStatus(
            version=__version__,
            now_ms=figures.clock.date_ms(),
            started_ms=figures.started_ms,
            uptime_seconds=figures.uptime_seconds,
            ready=not reasons,
            reload_ok=gauges.reload_ok(),
            reasons=reasons,
            people=_describe_people(figures.users, bounds.remembered),
            connections=ConnectionStatus(
                total=gauges.connections(),
                limit=bounds.connections,
                buffered_bytes=gauges.buffered_bytes(),
                buffered_bytes_limit=bounds.buffered_bytes,
            ),
            tables=_describe_tables(figures.tables, bounds.tables),
            moves=_describe_moves(figures.tables, figures.requests.durations["move"], now),
            games=GameStatus(
                started=figures.tables.started.total(),
                ended=figures.tables.ended.total(),
                kept=gauges.kept_games(),
                kept_limit=bounds.kept_games,
                kept_bytes=gauges.kept_bytes(),
                kept_bytes_limit=bounds.kept_bytes,
            ),
            commits=None if self.journal is None else _describe_commits(self.journal, now),
            loop_lag=_describe_lag(figures.lag, now),
            process=self._describe_process(now),
            disk=None if self.folder is None or space is None else self._describe_disk(self.folder, space),
            refusals_per_minute=dict(figures.events.refusals.count_recent()),
            refusals=figures.events.refusals.totals.total(),
            hellos=figures.events.hellos,
            queues=self._describe_queues(),
            doors=figures.doors.describe_doors(),
            clock_warning=gauges.clock_warning(),
            cluster=gauges.cluster(),
            stopped_games=dict(gauges.stopped_games()),
            links=gauges.links(),
        )

    def read_disk_space(self) -> DiskSpace | None:
        """Read the space of the data folder; None if there is none, or it cannot be reached."""
        if self.folder is None:
            return None
        return read_disk_space(self.folder, None if self.journal is None else self.journal.path)

    def read_queues(self) -> list[tuple[str, int, int]]:
        """List each queue's name, its length, and how many may wait; 0 for a queue without a bound."""
        gauges, bounds, journal = self.gauges, self.bounds, self.journal
        return [
            ("bots", gauges.bots(), bounds.bots),
            ("passwords", gauges.passwords(), bounds.passwords),
            ("writes", 0 if journal is None else journal.waiting, 0 if journal is None else journal.most),
            ("polls", gauges.polls(), bounds.polls),
            ("readers", gauges.readers(), 0),
        ]

    def _describe_process(self, now: float) -> ProcessStatus:
        return ProcessStatus(
            pid=os.getpid(),
            cpu_seconds=read_processor_seconds(),
            cpu_ratio=self.figures.processor.read_ratio(now),
            resident_bytes=read_resident_bytes(),
            memory_bytes_limit=self.bounds.memory_bytes,
            open_files=count_open_files(),
            open_files_limit=read_open_files_limit(),
        )

    def _describe_disk(self, folder: Path, space: DiskSpace) -> DiskStatus:
        note = self.backups.read_note()
        return DiskStatus(
            folder=str(folder),
            free_bytes=space.free_bytes,
            total_bytes=space.total_bytes,
            log_bytes=space.log_bytes,
            last_backup_ms=note.at_ms or None,
            backup_failed_ms=note.failed_ms or None,
            backup_failure=note.failure,
        )

    def _describe_queues(self) -> QueueStatus:
        queues = {name: (length, limit) for name, length, limit in self.read_queues()}
        return QueueStatus(
            bots=queues["bots"][0],
            bots_limit=queues["bots"][1],
            passwords=queues["passwords"][0],
            passwords_limit=queues["passwords"][1],
            writes=queues["writes"][0],
            writes_limit=queues["writes"][1],
            polls=queues["polls"][0],
            polls_limit=queues["polls"][1],
            readers=queues["readers"][0],
        )


def _describe_people(users: UserCensus, limit: int) -> PeopleStatus:
    counts = users.users
    return PeopleStatus(
        total=counts.total(),
        claimed=sum(count for (_, claimed), count in counts.items() if claimed),
        by_entrance={entrance: counts[entrance, False] + counts[entrance, True] for entrance in ENTRANCES},
        remembered_limit=limit,
    )


def _describe_tables(tables: TableCensus, limit: int) -> TableStatus:
    by_game: dict[str, dict[str, int]] = {
        game: {state: tables.tables[game, state] for state in TABLE_STATES}
        for game in tables.counted_games
        if any(tables.tables[game, state] for state in TABLE_STATES)
    }
    by_state: dict[str, int] = {state: sum(counts[state] for counts in by_game.values()) for state in TABLE_STATES}
    return TableStatus(total=sum(by_state.values()), limit=limit, by_state=by_state, by_game=by_game)


def _describe_moves(tables: TableCensus, durations: Durations, now: float) -> MoveStatus:
    p50, p99 = durations.list_quantiles(now, 0.5, 0.99)
    recent = sum(tables.recent_moves.count_recent().values())
    return MoveStatus(total=tables.moves.total(), per_second=recent / 60, p50_seconds=p50, p99_seconds=p99)


def _describe_commits(journal: JournalFigures, now: float) -> CommitStatus:
    p50, p99 = journal.commits.list_quantiles(now, 0.5, 0.99)
    return CommitStatus(
        total=journal.commits.count,
        writes=journal.writes,
        failed=journal.failed,
        p50_seconds=p50,
        p99_seconds=p99,
    )


def _describe_lag(lag: LoopLag, now: float) -> LagStatus:
    p50, p99 = lag.durations.list_quantiles(now, 0.5, 0.99)
    return LagStatus(p50_seconds=p50, p99_seconds=p99)


def summarize_status(status: ServerStatus) -> str:
    """Summarize a status in a line, with what is amiss first, since a service manager cuts long lines."""
    tables, users = status.tables.total, status.people.total
    parts = [
        *status.reasons,
        f"{tables} table{'' if tables == 1 else 's'}",
        f"{users} user{'' if users == 1 else 's'}",
        f"moves p99 {1000 * status.moves.p99_seconds:.0f} ms",
    ]
    if status.disk is not None and status.disk.last_backup_ms is not None:
        parts.append(f"backup {(status.now_ms - status.disk.last_backup_ms) / 3_600_000:.0f} h ago")
    return ", ".join(parts)
