"""Figures of a journal on the disk: how long its commits take, how many writes wait, and whether it can save."""

from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from scoville_runtime.figures import Durations
from scoville_server.limits.live import Adjustable, as_live

State = Literal["opening", "ready", "failing", "lost", "closed"]
"""A journal that is failing may recover, with the next write that can be saved; one that is lost needs a restart."""


class JournalFigures:
    """Counts of one journal. Written and read on the event loop.

    Attributes:
        commits: Seconds of each commit, with its sync, whether it has succeeded or not.
        writes: Writes that were committed.
        failed: Writes that could not be saved.
        waiting: Writes that wait for the disk, of at most `most`.
        state: Whether it can save.
        path: The journal, once it is open.
    """

    def __init__(self, most: Adjustable[int]) -> None:
        self.commits = Durations()
        self.writes = self.failed = self.waiting = 0
        self._most = as_live(most)
        self.state: State = "opening"
        self.path: Path | None = None

    @property
    def most(self) -> int:
        """How many writes may wait."""
        return self._most.value


@runtime_checkable
class Measured(Protocol):
    """A journal with figures."""

    figures: JournalFigures
