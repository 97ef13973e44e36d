"""A result that is passed on in the same turn of the event loop in which it arrives.

An `asyncio.Future` runs its callbacks in the next turn, and a coroutine that awaits it takes another Task. A move
passes the table, the journal and the connection: with Futures it needs eight turns of the loop, and in each turn
every connection with something to do comes first. With this it needs three.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Generic, TypeVar, final

_log = logging.getLogger(__name__)

T = TypeVar("T")


@final
class Eventual(Generic[T]):
    """One result for one reader, who either awaits it or adds a callback; for one event loop's thread only.

    The methods are those of an `asyncio.Future`, so that a reader can take either. Unlike there, an error that nobody
    reads is not reported, and `cancel` only keeps the callback from being called.
    """

    __slots__ = ("_callback", "_done", "_error", "_value")

    _value: T

    def __init__(self) -> None:
        self._done = False
        self._error: BaseException | None = None
        self._callback: Callable[[Any], object] | None = None

    def done(self) -> bool:
        """Whether the result is there."""
        return self._done

    def cancelled(self) -> bool:
        """Always False: a cancelled one has no callback that could ask."""
        return False

    def result(self) -> T:
        """Return the value, or raise the error."""
        if self._error is not None:
            raise self._error
        return self._value

    def exception(self) -> BaseException | None:
        """Return the error, None for a value."""
        return self._error

    def set_result(self, value: T) -> None:
        """Set the value and call the callback."""
        self._value = value
        self._set_done()

    def set_exception(self, error: BaseException) -> None:
        """Set the error and call the callback."""
        self._error = error
        self._set_done()

    def add_done_callback(self, callback: "Callable[[Eventual[T]], object]") -> None:
        """Call `callback` with this object once the result is there: now, if it already is."""
        self._callback = callback
        if self._done:
            self._run_callbacks()

    def cancel(self) -> None:
        """Drop the callback; the work that produces the result continues."""
        self._callback = None

    def __await__(self) -> Generator[Any, None, T]:
        if not self._done:
            future = asyncio.get_running_loop().create_future()
            self.add_done_callback(lambda _: pass_on(future, None))
            yield from future
        return self.result()

    def _set_done(self) -> None:
        self._done = True
        if self._callback is not None:
            self._run_callbacks()

    def _run_callbacks(self) -> None:
        callback, self._callback = self._callback, None
        try:
            if callback is not None:
                callback(self)
        except Exception:  # noqa: BLE001 - a reader's fault must not become that of who makes results for others
            _log.exception("a callback failed")


def pass_on(future: asyncio.Future[T], value: T) -> None:
    """Set the result of a future, unless its reader has cancelled it."""
    if not future.done():
        future.set_result(value)


Pending = asyncio.Future[T] | Eventual[T]


def start_awaitable(result: Awaitable[T]) -> Pending[T]:
    """Return an object that takes callbacks: an Eventual as it is, a Task for any other awaitable."""
    return result if isinstance(result, Eventual) else asyncio.ensure_future(result)


def answer_after(ready: Awaitable[None], answer: Callable[[], T | Awaitable[T]]) -> Eventual[T]:
    """Return an answer that is made once something is ready, or the error of either.

    It comes in the turn of the loop in which it is made: no event may overtake the snapshot of a user who begins to
    watch.
    """
    made: Eventual[T] = Eventual()

    def pass_on_answer(found: Pending[T]) -> None:
        try:
            made.set_result(found.result())
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - whatever it is, a user waits
            made.set_exception(error)

    def make_answer(done: Pending[None]) -> None:
        try:
            done.result()
            found = answer()
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - as above
            made.set_exception(error)
            return
        if isinstance(found, Awaitable):
            start_awaitable(found).add_done_callback(pass_on_answer)
        else:
            made.set_result(found)

    start_awaitable(ready).add_done_callback(make_answer)
    return made


async def finish_anyway(work: Awaitable[T]) -> T:
    """Return the result of something that continues when its caller is cancelled; a failure after that is not logged.

    After asyncio's own `shield` a failure that comes when the caller is gone is logged as one of the server.
    """
    task = asyncio.ensure_future(work)
    # Looked at here, or asyncio would log an error that nobody has looked at.
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    await asyncio.wait([task])
    return task.result()
