"""Passwords, hashed and compared by worker threads, so that no move waits for them."""

import functools
import secrets
import unicodedata
from typing import TYPE_CHECKING

from scoville_server.accounts.model.account_limits import Hashing
from scoville_server.background.workers import Workers
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.limits.throttle import Source

if TYPE_CHECKING:
    import argon2


class PasswordHasher:
    """Hashes with argon2id, a few at a time; `source` is where a request comes from. Raises ScovilleError `busy`."""

    def __init__(self, costs: Adjustable[Hashing]) -> None:
        self._costs = costs = as_live(costs)
        costs.follow(self._forget_hasher)
        self._workers = Workers(
            "passwords",
            workers=costs.select(lambda costs: costs.workers),
            waiting=costs.value.waiting,
            waiting_per_address=costs.select(lambda costs: costs.waiting_per_address),
            busy="Too many passwords are being checked right now; try again in a moment.",
        )

    @property
    def waiting(self) -> int:
        """How many passwords wait for a worker, or are being hashed."""
        return self._workers.waiting

    async def hash_password(self, password: str, source: Source) -> str:
        """Hash a password, salted."""
        return await self._workers.run_work(source, lambda: self._argon2.hash(_normalize_password(password)))

    async def match_password(self, hashed: str, password: str, source: Source) -> bool:
        """Compare a password with a hash. An empty hash never matches, and takes as long."""
        return await self._workers.run_work(source, lambda: self._match_hash(hashed, password))

    def is_outdated(self, hashed: str) -> bool:
        """Whether a valid hash was made with other costs than the present ones."""
        return self._argon2.check_needs_rehash(hashed)

    def close(self) -> None:
        """Cancel waiting hashes."""
        self._workers.close()

    def _forget_hasher(self, _: Hashing) -> None:
        """Forget hashers made at former costs; the decoy hash too, so that unknown names still take as long."""
        for made in ("_argon2", "_decoy_hash"):
            self.__dict__.pop(made, None)

    # --- on a worker's thread ----------------------------------------------------------------------------

    def _match_hash(self, hashed: str, password: str) -> bool:
        from argon2.exceptions import InvalidHashError, VerificationError

        decoy = self._decoy_hash
        try:
            return self._verify_hash(hashed or decoy, _normalize_password(password)) and bool(hashed)
        except (VerificationError, InvalidHashError):
            return False

    def _verify_hash(self, hashed: str, password: str) -> bool:
        return self._argon2.verify(hashed, password)

    @functools.cached_property
    def _argon2(self) -> "argon2.PasswordHasher":
        import argon2

        costs = self._costs.value
        return argon2.PasswordHasher(time_cost=costs.passes, memory_cost=costs.memory_kib, parallelism=costs.lanes)

    @functools.cached_property
    def _decoy_hash(self) -> str:
        """Hash of a random password, so that log-ins to unknown names take as long."""
        return self._argon2.hash(secrets.token_urlsafe())


def _normalize_password(password: str) -> str:
    """Normalize a password, however the keyboard composes its accents."""
    return unicodedata.normalize("NFKC", password)
