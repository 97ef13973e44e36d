"""An event loop whose time jumps to the next timer."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from scoville_runtime.clock import Clock

T = TypeVar("T")
P = ParamSpec("P")
NOON_MS = 1_760_000_000_000
LONGEST_REAL_WAIT = 10.0


class _JumpingSelector(selectors.SelectSelector):
    """Waits for nothing but what is there already: where the loop would sleep, its time goes on instead."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(LONGEST_REAL_WAIT if timeout is None else 0)
        if not ready and timeout is not None and timeout > 0:
            self.seconds += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop that starts at second 0."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.seconds

    def run_in_executor(self, _executor: Any, work: Callable[..., Any], *arguments: Any) -> "asyncio.Future[Any]":
        """Do the work of a thread here and now: time must not jump while another thread works."""
        done: asyncio.Future[Any] = self.create_future()
        try:
            done.set_result(work(*arguments))
        except Exception as error:  # noqa: BLE001 - the caller who waits gets it
            done.set_exception(error)
        return done


def make_clock(start_ms: int = NOON_MS) -> Clock:
    """A server's clock on the time of the running virtual loop."""
    loop = asyncio.get_running_loop()
    return Clock(lambda: start_ms + int(loop.time() * 1000), loop.time)


def run_virtually(main: Coroutine[Any, Any, T]) -> T:
    """Run something in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)


def in_virtual_time(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Make a test of an asynchronous one that runs in virtual time."""

    @wraps(test)
    def run_test(*args: P.args, **kwargs: P.kwargs) -> None:
        run_virtually(test(*args, **kwargs))

    return run_test
