"""Locks by key: work on the same thing is done one after the other, and nobody waits for work on anything else."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager

from msgspec import Struct


class _SharedLock(Struct):
    """A lock, and how many hold it or wait for it."""

    lock: asyncio.Lock
    users: int = 0


class KeyedLocks:
    """A lock for each key in use, for example a user or a table; keys that nobody uses take no memory."""

    def __init__(self) -> None:
        self._held: dict[str, _SharedLock] = {}

    @asynccontextmanager
    async def hold_keys(self, keys: Iterable[str]) -> AsyncIterator[None]:
        """Hold the locks of some keys, taken in one order everywhere, so that no two holders block each other."""
        async with AsyncExitStack() as stack:
            for key in sorted(set(keys)):
                await stack.enter_async_context(self._hold_key(key))
            yield

    @asynccontextmanager
    async def _hold_key(self, key: str) -> AsyncIterator[None]:
        held = self._held.setdefault(key, _SharedLock(asyncio.Lock()))
        held.users += 1
        try:
            async with held.lock:
                yield
        finally:
            held.users -= 1
            if not held.users:
                del self._held[key]
