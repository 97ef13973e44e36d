"""Passwords, hashed and compared by workers, so that nobody's move waits for them."""

import asyncio
import functools
import secrets
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from scoville_server.accounts.limits import Hashing
from scoville_server.throttle import WIDER, Source
from scoville_shared.errors import Code, ScovilleError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

T = TypeVar("T")


class Passwords:
    """Hashes with argon2id, a few at a time; `source` is where a wish comes from. Raises ScovilleError `busy`."""

    def __init__(self, costs: Hashing) -> None:
        self._costs = costs
        self._waiting: Counter[str] = Counter()
        self._total = 0

    async def hash(self, password: str, source: Source) -> str:
        """Hash a password, salted."""
        return await self._worked(source, lambda: self._argon2.hash(_typed(password)))

    async def match(self, hashed: str, password: str, source: Source) -> bool:
        """Tell whether a password is the hashed one. With an empty hash it is not, and that takes as long."""
        return await self._worked(source, lambda: self._matches(hashed, password))

    def close(self) -> None:
        """Give up what waits."""
        if "_workers" in self.__dict__:
            self._workers.shutdown(wait=False, cancel_futures=True)

    async def _worked(self, source: Source, work: Callable[[], T]) -> T:
        with self._queued(source):
            return await asyncio.get_running_loop().run_in_executor(self._workers, work)

    @contextmanager
    def _queued(self, source: Source) -> Iterator[None]:
        if self._full(source):
            raise ScovilleError(Code.BUSY, "Too many passwords are being looked at just now; try again in a moment.")
        keys = source.networks or ("",)
        self._total += 1
        self._waiting.update(keys)
        try:
            yield
        finally:
            self._total -= 1
            self._waiting.subtract(keys)
            self._waiting += Counter()  # forgets who waits no longer

    def _full(self, source: Source) -> bool:
        """Tell whether the queue is full, or an address's part of it; a wider network has a few addresses' parts."""
        most = self._costs.waiting_of_one
        parts = ((most, most * WIDER), source.networks or ("",))
        return self._total >= self._costs.waiting or any(
            self._waiting[key] >= part for part, key in zip(*parts, strict=False)
        )

    # --- on a worker's thread ----------------------------------------------------------------------------

    def _matches(self, hashed: str, password: str) -> bool:
        from argon2.exceptions import InvalidHashError, VerificationError

        nobodys = self._nobodys
        try:
            return self._verify(hashed or nobodys, _typed(password)) and bool(hashed)
        except (VerificationError, InvalidHashError):
            return False

    def _verify(self, hashed: str, password: str) -> bool:
        return self._argon2.verify(hashed, password)

    @functools.cached_property
    def _workers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._costs.workers, thread_name_prefix="passwords")

    @functools.cached_property
    def _argon2(self) -> "PasswordHasher":
        from argon2 import PasswordHasher

        return PasswordHasher(
            time_cost=self._costs.passes, memory_cost=self._costs.memory_kib, parallelism=self._costs.lanes
        )

    @functools.cached_property
    def _nobodys(self) -> str:
        """The hash of a password that nobody knows."""
        return self._argon2.hash(secrets.token_urlsafe())


def _typed(password: str) -> str:
    """Write a password in one way, however the keyboard composes its accents."""
    return unicodedata.normalize("NFKC", password)
