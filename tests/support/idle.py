"""Event loop that knows when it is idle: tests wait for what happens, never for time to pass.

A loop is idle when no callback is ready, nothing can be read, no timer is due within a frame, and no screen wants to
paint. `idle` waits for that moment; `eventually` looks at a condition in each such moment, and asks no clock in
between. Work in threads and in other processes makes no loop busy: wait for its result with `eventually`.
"""

import asyncio
import selectors
from asyncio import Future
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Any, NamedTuple

FRAME = 0.002
"""Seconds within which a timer counts as work under way."""

TIMEOUT = 120.0
"""Real seconds after which a condition counts as never met, however busy the machine is."""


FRAMES = 20
"""So many frames one after the other are no work that ends: a screen whose App has ended asks for frames for ever."""


class Wait(NamedTuple):
    """A condition, the context it is looked at in, and who waits for it."""

    met: Callable[[], object]
    context: Context
    future: "Future[None]"

    def look(self) -> bool:
        """Look at the condition; returns whether the wait is over, also because looking has failed."""
        if self.future.done():
            return True
        try:
            if self.context.run(self.met):
                self.future.set_result(None)
        except Exception as error:  # noqa: BLE001 - it belongs to the test that waits
            self.future.set_exception(error)
        return self.future.done()


class IdleSelector(selectors.DefaultSelector):
    """Looks at the conditions that are waited for before it blocks; `frames` in a row have been waited for.

    Screens that want to paint are `due`: they do so before, when nothing else is under way.

    A condition may start work itself, as one that moves a clock on: the loop does that before it blocks.
    """

    def __init__(self, loop: "IdleLoop") -> None:
        super().__init__()
        self.loop = loop
        self.waits: list[Wait] = []
        self.due: dict[object, Callable[[], object]] = {}
        self.frames = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for what can be read, as selectors do."""
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if (self._idle(timeout) and (self._over() or self.loop.has_work)) or self._paint():
            return []
        return super().select(timeout)

    def _idle(self, timeout: float | None) -> bool:
        """Whether nothing is under way when the next timer is due after `timeout` seconds."""
        busy = bool(self.due) or (timeout is not None and timeout <= FRAME)
        self.frames = (self.frames + 1) % FRAMES if busy else 0
        return self.frames == 0

    def _paint(self) -> bool:
        """Let each screen paint that wants to; returns whether any does."""
        due, self.due = self.due, {}
        for paint in due.values():
            self.loop.call_soon(paint)
        return bool(due)

    def _over(self) -> bool:
        """Look at each condition; returns whether any wait is over."""
        over = [wait for wait in self.waits if wait.look()]
        self.waits = [wait for wait in self.waits if wait not in over]
        return bool(over)


class IdleLoop(asyncio.SelectorEventLoop):
    """The loop that tests run on."""

    def __init__(self) -> None:
        self.selector = IdleSelector(self)
        super().__init__(self.selector)

    @property
    def has_work(self) -> bool:
        """Whether a callback is ready."""
        return bool(self._ready)  # type: ignore[attr-defined]


class IdlePolicy(asyncio.DefaultEventLoopPolicy):
    """Makes such loops, also for `asyncio.run`."""

    def new_event_loop(self) -> IdleLoop:
        """Make a loop."""
        return IdleLoop()


async def wait_until_idle(*_: Any) -> None:
    """Wait until the loop is idle. It replaces Textual's own wait, which estimates that by CPU time."""
    await eventually(lambda: True)


async def eventually(met: Callable[[], object], state: Callable[[], object] = lambda: "") -> None:
    """Wait until a condition is met in an idle moment; where it never is, the failure shows `state`."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, IdleLoop), "tests run on loops that know when they are idle"
    future: Future[None] = loop.create_future()
    loop.selector.waits.append(Wait(met, copy_context(), future))
    loop.selector.frames = 0
    try:
        async with asyncio.timeout(TIMEOUT):
            await future
    except TimeoutError:
        raise AssertionError(f"it never happened: {state()}") from None
