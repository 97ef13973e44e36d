"""Worker threads for CPU-heavy work, behind a queue that no address can fill alone."""

import asyncio
import functools
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from scoville_server.errors import shutting_down
from scoville_server.limits.live import Live
from scoville_server.limits.throttle import WIDER, Source
from scoville_shared.errors import Code, ScovilleError

T = TypeVar("T")


class Workers:
    """Runs work on its own threads, `workers` at a time.

    Args:
        name: Name of the threads.
        workers: How many pieces of work run at a time.
        waiting: How many may wait or run.
        waiting_per_address: How many of them may come from one address; a wider network has a few addresses' parts.
        busy: The sentence for one that is too many.
    """

    def __init__(
        self, name: str, *, workers: Live[int], waiting: int, waiting_per_address: Live[int], busy: str
    ) -> None:
        self._name = name
        self._workers = workers
        workers.follow(self._replace_pool)
        self._most = waiting
        self._most_of_one = waiting_per_address
        self._busy = busy
        self._waiting: Counter[str] = Counter()
        self._total = 0
        self._closed = False

    @property
    def waiting(self) -> int:
        """How many pieces of work wait or run."""
        return self._total

    async def run_work(self, source: Source, work: Callable[[], T]) -> T:
        """Do a piece of work for a source and return its result.

        Raises ScovilleError `busy` and `shutting_down`, and any exception of the work.
        """
        if self._has_closed():
            raise shutting_down()
        with self._count_queued(source):
            try:
                return await asyncio.get_running_loop().run_in_executor(self._pool, work)
            except asyncio.CancelledError:
                if self._has_closed() and not _is_cancelled():
                    raise shutting_down() from None
                raise

    def _has_closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Cancel waiting work, and refuse further work with `shutting_down`."""
        self._closed = True
        if "_pool" in self.__dict__:
            self._pool.shutdown(wait=False, cancel_futures=True)

    @functools.cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._workers.value, thread_name_prefix=self._name)

    def _replace_pool(self, _: int) -> None:
        """Replace the threads: new work goes to other ones, and work that was accepted before ends in the old ones."""
        pool = self.__dict__.pop("_pool", None)
        if pool is not None:
            pool.shutdown(wait=False)

    @contextmanager
    def _count_queued(self, source: Source) -> Iterator[None]:
        if self._is_full(source):
            raise ScovilleError(Code.BUSY, self._busy)
        # Users inside the process have no address; together they count as one.
        keys = source.networks or ("",)
        self._total += 1
        self._waiting.update(keys)
        try:
            yield
        finally:
            self._total -= 1
            self._waiting.subtract(keys)
            self._waiting += Counter()  # drops zero counts

    def _is_full(self, source: Source) -> bool:
        """Whether the queue is full, or an address's part of it."""
        most = self._most_of_one.value
        parts = ((most, most * WIDER), source.networks or ("",))
        return self._total >= self._most or any(self._waiting[key] >= part for part, key in zip(*parts, strict=False))


def _is_cancelled() -> bool:
    """Whether the task itself is to end, and not only the work that it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
