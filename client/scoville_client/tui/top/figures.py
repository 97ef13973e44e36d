"""The status of a server as the screen reads it: the fields of `scoville-server status --json` that it shows."""

from collections import deque
from typing import Any, Final

import msgspec
from msgspec import Struct

_KEPT: Final = 32
"""Samples of a small graph."""


class People(Struct, frozen=True, kw_only=True):
    """Connected users."""

    total: int
    claimed: int
    by_entrance: dict[str, int]


class Bounded(Struct, frozen=True, kw_only=True):
    """A number and its bound."""

    total: int
    limit: int


class Moves(Struct, frozen=True, kw_only=True):
    """Moves since the start, and seconds until others see them."""

    total: int
    per_second: float
    p99_seconds: float


class Games(Struct, frozen=True, kw_only=True):
    """Finished games that are stored."""

    kept: int
    kept_limit: int


class Quantiles(Struct, frozen=True, kw_only=True):
    """Seconds that something took."""

    p50_seconds: float
    p99_seconds: float


class Process(Struct, frozen=True, kw_only=True):
    """What the process uses."""

    cpu_ratio: float
    resident_bytes: int
    memory_bytes_limit: int


class Disk(Struct, frozen=True, kw_only=True):
    """The disk of the data folder."""

    free_bytes: int
    log_bytes: int
    last_backup_ms: int | None = None


class Queues(Struct, frozen=True, kw_only=True):
    """What waits."""

    bots: int
    passwords: int
    writes: int
    polls: int
    readers: int


class Planned(Struct, frozen=True, kw_only=True):
    """The planned end."""

    left_seconds: float
    reason: str


class Maintenance(Struct, frozen=True, kw_only=True):
    """The maintenance mode that is on."""

    by: str
    reason: str


class Alert(Struct, frozen=True, kw_only=True):
    """What needs attention."""

    name: str
    severity: str
    text: str


class Status(Struct, frozen=True, kw_only=True):
    """A server now."""

    version: str
    now_ms: int
    uptime_seconds: float
    ready: bool
    reasons: list[str]
    people: People
    connections: Bounded
    tables: Bounded
    moves: Moves
    games: Games
    commits: Quantiles | None
    loop_lag: Quantiles
    process: Process
    disk: Disk | None
    refusals_per_minute: dict[str, int]
    queues: Queues
    host: str
    port: int
    pin: str
    open_reports: int
    shutdown: Planned | None
    maintenance: Maintenance | None
    alerts: list[Alert]


def read_status(result: Any) -> Status:
    """Check the result of the command `status`. Raises msgspec.ValidationError for that of another version."""
    return msgspec.convert(result, Status)


class History:
    """The latest moves a second and commit times, for small graphs."""

    def __init__(self) -> None:
        self.moves: deque[float] = deque(maxlen=_KEPT)
        self.commits: deque[float] = deque(maxlen=_KEPT)
        self._before: Status | None = None

    def add_status(self, status: Status) -> None:
        """Add a sample; a server that has started anew begins at 0."""
        before, self._before = self._before, status
        if before is not None and status.now_ms > before.now_ms:
            made = max(0, status.moves.total - before.moves.total)
            self.moves.append(1000 * made / (status.now_ms - before.now_ms))
        self.commits.append(0.0 if status.commits is None else status.commits.p99_seconds)
