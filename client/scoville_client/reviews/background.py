"""Reviews beside a running event loop: work goes to the shared pool, progress comes back."""

import asyncio
from collections.abc import Callable

from scoville_client.replays.reel import Reel
from scoville_client.reviews.coaches import pool_of, work_here
from scoville_client.reviews.decisions import keep_decisions
from scoville_client.reviews.plan import plan_review
from scoville_client.reviews.review import Review, assemble_review

KEPT = 4
"""Reviews that are kept for those who open them again."""

_kept: dict[str, Review] = {}


async def review_of(reel: Reel, asker: str, progress: Callable[[int, int], object]) -> Review:
    """Review a game, or return the review that was made of it before; work that is not needed any more is cancelled.

    Args:
        reel: The game.
        asker: Who asks; askers take turns.
        progress: Receives how much work is done, and how much there is.

    Raises ScovilleError.
    """
    # With the seed, as tables of other servers may have the same name; a game that grew has more moves.
    key = f"{reel.header.table} {reel.header.server_seed} {reel.moves}"
    if key not in _kept:
        made = await _run_review(reel, asker, progress)
        await asyncio.to_thread(keep_decisions, made)
        while len(_kept) >= KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = made
    return _kept[key]


async def _run_review(reel: Reel, asker: str, progress: Callable[[int, int], object]) -> Review:
    planned = await asyncio.to_thread(plan_review, reel)
    works = planned.work
    pool = pool_of(reel.game)
    futures = [asyncio.wrap_future(pool.run_work(work, (asker,))) for work in works]
    results = []
    try:
        for number, (work, future) in enumerate(zip(works, futures, strict=True)):
            progress(number, len(works))
            # None from a process that has failed, or from a full queue: then it is done here, more slowly.
            result = await future
            results.append(await asyncio.to_thread(work_here, work, reel.game) if result is None else result)
    finally:
        for future in futures:
            future.cancel()
    return assemble_review(reel, planned, results)
