"""The status of a server as the screen reads it, and its latest figures for small graphs."""

from collections import deque
from typing import Any, Final

import msgspec

from scoville_runtime.host_status import HostStatus

_KEPT: Final = 32
"""Samples of a small graph."""


def read_status(result: Any) -> HostStatus:
    """Check the result of the command `status`. Raises msgspec.ValidationError for that of another version."""
    return msgspec.convert(result, HostStatus)


class History:
    """The latest moves a second and commit times, for small graphs."""

    def __init__(self) -> None:
        self.moves: deque[float] = deque(maxlen=_KEPT)
        self.commits: deque[float] = deque(maxlen=_KEPT)
        self._before: HostStatus | None = None

    def add_status(self, status: HostStatus) -> None:
        """Add a sample; a server that has started anew begins at 0."""
        before, self._before = self._before, status
        if before is not None and status.now_ms > before.now_ms:
            made = max(0, status.moves.total - before.moves.total)
            self.moves.append(1000 * made / (status.now_ms - before.now_ms))
        self.commits.append(0.0 if status.commits is None else status.commits.p99_seconds)
