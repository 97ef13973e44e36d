"""Changes of one row by many users: all that wait while it is written are written together."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from scoville_server.background.keyed_locks import KeyedLocks

T = TypeVar("T")

WriteChange = Callable[[str, Callable[[T], T]], Awaitable[tuple[T | None, T | None]]]
"""Writes the result of a change to the row with a key, and returns the row before and after; None twice for a row that
is gone. It may call the change again. Raises JournalError, and what the change raises."""


class _Made(NamedTuple, Generic[T]):
    """The row after a change, or the reason why the change was refused."""

    before: T
    after: T
    refusal: Exception | None = None


class _Waiting(Generic[T]):
    """A change that waits, and its future result: the row before and after it, or None for a row that is gone."""

    def __init__(self, change: Callable[[T], T]) -> None:
        self.change = change
        self.made: _Made[T] | None = None
        self.done: asyncio.Future[tuple[T, T] | None] = asyncio.get_running_loop().create_future()

    def make_change(self, row: T) -> T:
        """Return the row after this change, or as it was if the change is refused."""
        try:
            self.made = _Made(row, self.change(row))
        except Exception as refusal:  # noqa: BLE001 - whatever it is, it is no fault of the others' changes
            self.made = _Made(row, row, refusal)
        return self.made.after

    def answer_caller(self, error: Exception | None = None) -> None:
        """Pass the result on; `error` is why nothing was written."""
        refusal = self.made.refusal if self.made is not None and self.made.refusal is not None else error
        if self.done.done():  # the caller has gone meanwhile
            return
        if refusal is not None:
            self.done.set_exception(refusal)
        else:
            self.done.set_result(None if self.made is None else (self.made.before, self.made.after))


class GatheredChanges(Generic[T]):
    """Makes changes of rows one after the other, and writes all together that wait for the same row.

    A hundred users who enter one tournament at the same time wait for two writes: the one that runs, and theirs.

    Args:
        locks: Held by its key while a row is changed; others who change rows hold them, too.
        write: Writes changes.
    """

    def __init__(self, locks: KeyedLocks, write: WriteChange[T]) -> None:
        self._locks = locks
        self._write = write
        self._waiting: dict[str, list[_Waiting[T]]] = {}
        self._writing: set[asyncio.Task[None]] = set()

    async def change_row(self, key: str, change: Callable[[T], T]) -> tuple[T, T] | None:
        """Change the row with a key in its turn, and return it before and after; None if it is gone.

        Raises JournalError, and what the change raises, which may be called again after a change by another node.
        """
        waiting = _Waiting(change)
        queue = self._waiting.setdefault(key, [])
        queue.append(waiting)
        if len(queue) == 1:
            # A task of its own: the others' changes go on when this caller hangs up.
            task = asyncio.get_running_loop().create_task(self._write_waiting(key))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)
        return await waiting.done

    async def _write_waiting(self, key: str) -> None:
        async with self._locks.hold_keys([key]):
            # Changes that arrive from now on are written next.
            waiting = [each for each in self._waiting.pop(key) if not each.done.cancelled()]
            error: Exception | None = None
            try:
                if waiting:
                    await self._write(key, partial(_make_changes, waiting))
            except Exception as found:  # noqa: BLE001 - each of the callers gets it
                error = found
            # Before the lock is free: a caller's acts on its change come before the next holder's look.
            for each in waiting:
                each.answer_caller(error)


def _make_changes(waiting: Sequence[_Waiting[T]], row: T) -> T:
    """Return the row after all changes, each applied to the result of the one before."""
    for each in waiting:
        row = each.make_change(row)
    return row
