"""The queue of one table's commands: bounded, one command at a time."""

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

J = TypeVar("J")


class Inbox(Generic[J]):
    """Runs jobs one after the other. Each job calls `done` at its end.

    At its own end the inbox drops its callbacks: they refer to its owner, and a cycle would keep that in memory.

    Args:
        limit: Most jobs, the running one included, before the inbox counts as `full`.
        begin: Begins a job; may call `done` before it returns.
        soon: Calls a function in the next turn of the event loop.
        ended: Called once, when the inbox is closed and empty.
    """

    def __init__(
        self,
        limit: int,
        begin: Callable[[J], None],
        soon: Callable[[Callable[[], None]], object],
        ended: Callable[[], None],
    ) -> None:
        self._limit = limit
        self._begin = begin
        self._soon = soon
        self._ended = ended
        self._jobs: deque[J] = deque()
        self._working = False
        self._woken = False
        self._closed = False
        self._wake()

    @property
    def full(self) -> bool:
        """Whether no further job should be put."""
        return len(self._jobs) + self._working >= self._limit

    @property
    def nearly_full(self) -> bool:
        """Whether only players may put jobs: the last eighth is reserved for them."""
        return len(self._jobs) + self._working >= self._limit - self._limit // 8

    def put(self, job: J, *, at_once: bool = False) -> None:
        """Add a job; a closed inbox drops it.

        It begins in a later turn of the loop, so that a table of bots alone lets others run between two moves;
        `at_once` begins it now if no job is running.
        """
        if self._closed:
            return
        # Nothing may overtake: with a wake-up due there are jobs that came first.
        if at_once and not self._working and not self._woken:
            self._start(job)
        else:
            self._jobs.append(job)
            self._wake()

    def done(self) -> None:
        """End the running job; the next one begins in a later turn of the loop."""
        self._working = False
        if self._jobs or self._closed:
            self._wake()

    def close(self) -> None:
        """Accept no more jobs; `ended` is called when the waiting ones are done."""
        self._closed = True
        self._wake()

    def _wake(self) -> None:
        if not self._working and not self._woken:
            self._woken = True
            self._soon(self._next)

    def _next(self) -> None:
        self._woken = False
        if self._jobs:
            self._start(self._jobs.popleft())
        elif self._closed:
            ended = self._ended
            # Both know the actor, and the cycle would keep the closed table in memory.
            del self._begin, self._ended
            ended()

    def _start(self, job: J) -> None:
        self._working = True
        self._begin(job)
