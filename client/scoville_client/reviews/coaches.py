"""Coaches of games, guarded where another package brings them, and their work in other processes or here."""

import asyncio
import atexit
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from contextlib import contextmanager, suppress
from functools import cache
from math import inf
from typing import Any, cast

from scoville_client.i18n.language import tr
from scoville_outside.guard import GameFailed, GuardedGame, guard_part
from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.coach.base import Coach
from scoville_shared.coach.registry import find_coach
from scoville_shared.engine.contract import AnyGame
from scoville_shared.errors import ScovilleError
from scoville_thinking.messages import Work
from scoville_thinking.pool import Pool, PoolLimits

CELLS = 30


def show_progress(done: int, total: int) -> None:
    """Redraw the bar; at the end it goes away."""
    with suppress(OSError):  # a terminal that has vanished
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K" if done == total else f"\r{progress_bar(done, total)}")
            sys.stderr.flush()


def progress_bar(done: int, total: int, cells: int = CELLS) -> str:
    """Draw a bar of so many cells, and how much is done."""
    filled = cells * done // max(1, total)
    return tr("thinking [{bar}] {done}/{total}", bar="#" * filled + "." * (cells - filled), done=done, total=total)


WORKERS, WAITING, WAITING_EACH = 2, 5_000, 2_000
"""The processes of all clients of this process, and how much work may wait, in total and for one asker."""


def make_coach(game: AnyGame, levels: Iterable[str | None] = ()) -> Coach:
    """Make a coach for one seat of a game against players of these levels. Raises ScovilleError, GameFailed."""
    kind = find_coach(game.info.slug)
    if kind is None:
        raise ScovilleError("no_coach", tr("There is no coach for {game}.", game=game.info.title))
    coach = cast("Coach", guard_part(Coach, game, "coach", lambda: kind(game)))
    coach.expect_players(levels)
    return coach


OUTSIDE_SECONDS = 20.0
"""Seconds in which work for the coach of another package is done, with the start of the process."""


@cache
def shared_pool(package_game: str = "") -> Pool:
    """Return the pool of this process; askers take turns. Its processes start when they are first needed.

    The game of another package has a pool of its own: one that hangs or fails takes no process from others.
    """
    if package_game:
        limits = PoolLimits(WORKERS, waiting=WAITING, quotas=(WAITING_EACH,), most_seconds=OUTSIDE_SECONDS)
    else:
        workers = max(1, min(os.cpu_count() or 1, WORKERS))
        limits = PoolLimits(workers=workers, waiting=WAITING, quotas=(WAITING_EACH,))
    pool = Pool(limits)
    atexit.register(pool.close)
    return pool


def pool_of(game: AnyGame) -> Pool:
    """Return the pool in which work for a game is done."""
    return shared_pool(game.info.slug) if isinstance(game, GuardedGame) else shared_pool()


async def think_about(work: Work, asker: str, game: AnyGame) -> object:
    """Do work in a process of the pool, or in a thread where there is none; the event loop continues."""
    result = await asyncio.wrap_future(pool_of(game).run_work(work, (asker,)))
    return await asyncio.to_thread(work_here, work, game) if result is None else result


def work_here(work: Work, game: AnyGame) -> object:
    """Do work in this process, since no other one has done it. Raises GameFailed for a package's: it may never end."""
    if isinstance(game, GuardedGame):
        raise GameFailed(game.info.slug, "coach", "a process that works for it has failed, or took too long")
    return work.run(INTERPRETED)


MOST_WORKERS = 4
WAITING_OF_REVIEW = 20_000
"""Work of a review that waits: more than any game has moves."""

Progress = Callable[[int, int], object]
"""Receives how much work is done, and how much there is."""


@contextmanager
def thinking_pool(game: AnyGame) -> Iterator[Pool]:
    """Open a pool with a process for each processor; its processes end with the block, even in the middle of work."""
    most = OUTSIDE_SECONDS if isinstance(game, GuardedGame) else inf
    workers = max(1, min(os.cpu_count() or 1, MOST_WORKERS))
    pool = Pool(PoolLimits(workers=workers, waiting=WAITING_OF_REVIEW, most_seconds=most))
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
