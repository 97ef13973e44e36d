"""Penalties for wrong guesses: of codes, passwords and keys, by user, by address and by what is guessed at.

Only failures count. An address that guesses wrong makes new guests from there wait, so that fresh guests gain nothing;
users who were known before it began to guess have failures of their own to spend, and so come in with the right answer.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from scoville_server.limits.throttle import KEYS, Source, Throttle

_OWNERS: Final = 4
"""How many times as much the owners of claimed names may fail, all of one address together."""

_CLEAN: Final = 2
"""How many times as much known users may fail beyond that who have not failed themselves, one after the other."""

_MOMENT: Final = 1.0
"""Seconds to wait while others' guesses are being checked."""


class Attempt:
    """A guess that is being checked; the code that checks it sets `failed`."""

    def __init__(self) -> None:
        self.failed = False


class Pool:
    """Failures under one key, and guesses that are being checked: those count as failures meanwhile."""

    def __init__(self, throttle: Throttle) -> None:
        self._throttle = throttle
        self._pending: Counter[Hashable] = Counter()

    def wait(self, key: Hashable, now: float) -> float | None:
        """Return how many seconds a key has to wait, None when it need not."""
        wait = self._throttle.check(key, now)
        if wait is None and self._pending[key] >= self._throttle.left(key, now):
            return _MOMENT
        return wait

    def idle(self, key: Hashable) -> bool:
        """Return whether nothing is being checked."""
        return not self._pending[key]

    def counts(self, key: Hashable, now: float) -> bool:
        """Return whether there are failures."""
        return self._throttle.counts(key, now)

    def begin(self, key: Hashable) -> None:
        """Note that a guess is being checked."""
        self._pending[key] += 1

    def end(self, key: Hashable) -> None:
        """Note that it has been checked."""
        self._pending[key] -= 1
        if not self._pending[key]:
            del self._pending[key]

    def fail(self, key: Hashable, now: float) -> None:
        """Count a failure."""
        self._throttle.fail(key, now)


class Guarded:
    """Failures at one kind of thing: an address, a name, a table.

    Args:
        allowed: Failures of new guests until the first wait.
        throttle: Makes a throttle for so many failures.
        arrivals: Counts the guests who have come so far; see `Source.arrival`.
    """

    def __init__(self, allowed: int, throttle: Callable[[int], Throttle], arrivals: Callable[[], int]) -> None:
        self._pools = [Pool(throttle(allowed * factor)) for factor in (1, 1, _OWNERS)]
        self._extra = Pool(throttle(allowed * _CLEAN))
        self._arrivals = arrivals
        self._began: dict[Hashable, int] = {}

    def pools(self, key: Hashable, source: Source, *, clean: bool, now: float) -> tuple[float | None, list[Pool]]:
        """Return how long a source has to wait, and where a failure of it counts."""
        rank = self._rank(key, source, now)
        own = self._pools[rank]
        wait = own.wait(key, now)
        if wait is not None and rank and clean and own.idle(key) and self._extra.idle(key):
            return self._extra.wait(key, now), [self._pools[0], self._extra]
        return wait, self._pools[: rank + 1]

    def begun(self, key: Hashable) -> None:
        """Note a failure: guests who come from now on are new as long as failures count."""
        if key not in self._began and len(self._began) >= KEYS:
            del self._began[next(iter(self._began))]
        self._began.setdefault(key, self._arrivals())

    def _rank(self, key: Hashable, source: Source, now: float) -> int:
        """Rank a user: 0 came after the guessing began, 1 was here before, 2 has a name of their own as well."""
        if not self._pools[0].counts(key, now):
            self._began.pop(key, None)
        if source.arrival > self._began.get(key, source.arrival):
            return 0
        return 2 if source.standing == 2 else 1


class Guesses:
    """Who may guess, and who has to wait. `now` is in seconds."""

    def __init__(self, user: Throttle, now: Callable[[], float]) -> None:
        self.now = now
        self._users = Pool(user)

    @contextmanager
    def attempt(
        self, source: Source, guarded: Sequence[tuple[Guarded, Hashable]], refuse: Callable[[float], Exception]
    ) -> Iterator[Attempt]:
        """Check one guess. Raises the error that `refuse` makes of the seconds to wait."""
        now = self.now()
        clean = not self._users.counts(source.user, now)
        found = [(each, key, each.pools(key, source, clean=clean, now=now)) for each, key in guarded]
        waits = [self._users.wait(source.user, now), *(wait for _, _, (wait, _) in found)]
        longest = max((wait for wait in waits if wait is not None), default=None)
        if longest is not None:
            raise refuse(longest)
        places = [(self._users, source.user), *((pool, key) for _, key, (_, pools) in found for pool in pools)]
        for pool, key in places:
            pool.begin(key)
        attempt = Attempt()
        try:
            yield attempt
        finally:
            for pool, key in places:
                pool.end(key)
            if attempt.failed:
                for each, key, _ in found:
                    each.begun(key)
                for pool, key in places:
                    pool.fail(key, self.now())
