"""Processes that work on reviews and advice, with progress; where none can be started this process does the work."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from contextlib import contextmanager
from math import inf
from typing import Any

from scoville_client.reviews.coaches import OUTSIDE_SECONDS, work_here
from scoville_outside.guard import GuardedGame
from scoville_shared.engine.contract import AnyGame
from scoville_thinking.messages import Work
from scoville_thinking.pool import Pool, PoolLimits

MOST_WORKERS = 4
WAITING = 20_000
"""Work of a review that waits: more than any game has moves."""

Progress = Callable[[int, int], object]
"""Receives how much work is done, and how much there is."""


@contextmanager
def thinking_pool(game: AnyGame) -> Iterator[Pool]:
    """Open a pool with a process for each processor; its processes end with the block, even in the middle of work."""
    most = OUTSIDE_SECONDS if isinstance(game, GuardedGame) else inf
    workers = max(1, min(os.cpu_count() or 1, MOST_WORKERS))
    pool = Pool(PoolLimits(workers=workers, waiting=WAITING, most_seconds=most))
    try:
        yield pool
    finally:
        pool.close()


def do_all(pool: Pool, works: Sequence[Work], progress: Progress, game: AnyGame) -> list[Any]:
    """Do all work and return the results in its order; what no process could do is done here, more slowly.

    Raises GameFailed for work of a package.
    """
    futures: list[Future[Any]] = [pool.run_work(work) for work in works]
    for done, _ in enumerate(as_completed(futures), 1):
        progress(done, len(works))
    return [
        work_here(work, game) if future.result() is None else future.result()
        for work, future in zip(works, futures, strict=True)
    ]
