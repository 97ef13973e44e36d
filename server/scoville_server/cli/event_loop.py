"""The event loop of a server: the fastest there is, with few garbage collections, and with an end in any case."""

import asyncio
import contextlib
import gc
import logging
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Final, TypeVar

from scoville_runtime.clock import SYSTEM

_log = logging.getLogger(__name__)

# Decision 010: rare collections, so whatever ends must leave no reference cycle behind.
_SEARCHES: Final = (500, 2, 30_000)
"""Thresholds of the garbage collector: often for young objects, hardly ever for all of them.

Tables are values without cycles, which reference counts free. A collection takes half a millisecond for a thousand
objects, twenty for fifty thousand, and a third of a second for a thousand tables, and no player is served meanwhile.
"""
_REQUESTS: Final = 5
_REQUEST_SECONDS: Final = 0.4
"""How often a task is asked to end, and how long it may take each time."""
_THREADS_SECONDS: Final = 2.0
"""How long threads may take to end: one that waits for a disk that hangs never does."""

T = TypeVar("T")


def run_server(server: Coroutine[Any, Any, T]) -> T:
    """Run a server on the fastest event loop available, without long garbage collections."""
    gc.set_threshold(*_SEARCHES)
    gc.freeze()  # first: the next search would look through everything that was imported, and users wait for the start
    gc.enable()  # the command has paused it while it loaded its modules
    runner = asyncio.Runner(loop_factory=_loop_factory())
    try:
        return runner.run(server)
    finally:
        loop = runner.get_loop()
        left = asyncio.all_tasks(loop)
        if loop.run_until_complete(_end_tasks(left)) and loop.run_until_complete(_end_threads()):
            runner.close()  # it waits for tasks and threads without a limit
        # Else the loop is left as it is: the process ends now.


async def _end_tasks(tasks: set[asyncio.Task[Any]]) -> bool:
    """End what still runs; returns whether all of it has ended.

    Each task is asked more than once. A request may be lost: up to Python 3.11 `wait_for` forgets one that comes
    together with a result, and the client of NATS, which waits like that, then looks for its server for ever.
    """
    for _ in range(_REQUESTS):
        tasks = {task for task in tasks if not task.done()}
        if not tasks:
            return True
        for task in tasks:
            task.cancel()
        await SYSTEM.wait(asyncio.gather(*tasks, return_exceptions=True), seconds=_REQUEST_SECONDS)
        for task in tasks:
            if task.done() and not task.cancelled() and (error := task.exception()) is not None:
                _log.error("%s has failed instead of ending.", task.get_coro(), exc_info=error)
    for task in tasks:
        if not task.done():
            _log.warning("The server ends without waiting for %s, which does not end.", task.get_coro())
    return all(task.done() for task in tasks)


async def _end_threads() -> bool:
    """End the threads of the event loop; returns whether they have ended."""
    ending = asyncio.ensure_future(asyncio.get_running_loop().shutdown_default_executor())
    # Bounded: a thread that hangs must not keep the process.
    await SYSTEM.wait(ending, seconds=_THREADS_SECONDS)
    return ending.done()


@contextlib.contextmanager
def exempt_tables() -> Iterator[None]:
    """Pause the garbage collector while a server starts, and exempt from it what was restored.

    Else it would stop a server of a thousand tables for half a second now and then.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def free_former_server() -> None:
    """Free the former server of this process, which was exempt from the garbage collector and would stay."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Prefer uvloop, the faster loop, if it is installed."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
