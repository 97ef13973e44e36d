"""The event loop of a server process: the fastest that is installed, with rare garbage collections."""

import asyncio
import gc
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

# Decision 010: rare collections, so whatever ends must leave no reference cycle behind.
_SEARCHES: Final = (500, 2, 30_000)
"""Thresholds of the garbage collector: often for young objects, hardly ever for all of them.

Tables are values without cycles, which reference counts free. A collection takes half a millisecond for a thousand
objects, twenty for fifty thousand, and a third of a second for a thousand tables, and no player is served meanwhile.
"""


T = TypeVar("T")


def run_server(server: Coroutine[Any, Any, T]) -> T:
    """Run a server on the fastest event loop available, without long garbage collections."""
    gc.set_threshold(*_SEARCHES)
    gc.enable()  # the command has paused it while it loaded its modules
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(server)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Prefer uvloop, the faster loop, if it is installed."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
