"""Penalties for wrong guesses: of codes, passwords and keys, by user, by address and by what is guessed at.

Only failures count. After wrong guesses from an address all new guests from there wait, so that making further guests
gains nothing. Users who were known before its first wrong guess have an allowance of their own: the right answer still
works for them.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple, TypeVar

from scoville_server.limits.fair_shares import PER_FREE
from scoville_server.limits.throttle import KEYS, Source, Throttle

T = TypeVar("T", bound=Hashable)

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
    """Failures under one key, and guesses that are being checked: those count as failures meanwhile.

    Args:
        throttle: Counts the failures.
        shares: Counts those of each network under a key, if networks shall get fair shares of what is allowed: one that
            has failed `PER_FREE` times as often as is still free waits alone, so that some is left for the next.
    """

    def __init__(self, throttle: Throttle, shares: Throttle | None = None) -> None:
        self._throttle = throttle
        self._shares = shares
        self._pending: Counter[Hashable] = Counter()
        self._pending_of: Counter[_Share] = Counter()

    def seconds_to_wait(self, key: Hashable, networks: Sequence[str], now: float) -> float | None:
        """Return how many seconds guesses from some networks have to wait, None when they need not."""
        wait = self._throttle.seconds_to_wait(key, now)
        # All guesses that are being checked may be wrong, so no more of them begin than may still fail.
        if wait is None and self._pending[key] >= self._throttle.count_left(key, now):
            wait = _MOMENT
        waits = [wait, *(self._wait_of(share, now) for share in self._shares_of(key, networks))]
        return max((wait for wait in waits if wait is not None), default=None)

    def _wait_of(self, share: "_Share", now: float) -> float | None:
        """Return how many seconds one network has to wait because it has its share."""
        assert self._shares is not None
        wait, pending = self._shares.seconds_to_wait(share, now), self._pending_of[share]
        if (
            wait is None
            and pending
            and self._shares.count_used(share, now) + pending >= self._most_failures(share.key, now)
        ):
            return _MOMENT
        return wait

    def _most_failures(self, key: Hashable, now: float) -> float:
        """Return how many failures one network may have before it waits alone."""
        if self._throttle.is_off:
            return math.inf
        free = self._throttle.allowed - self._throttle.count_used(key, now) - self._pending[key]
        return PER_FREE * max(0.0, free)

    def _shares_of(self, key: Hashable, networks: Sequence[str]) -> "list[_Share]":
        return [] if self._shares is None else [_Share(key, network) for network in networks]

    def is_idle(self, key: Hashable) -> bool:
        """Return whether nothing is being checked."""
        return not self._pending[key]

    def has_failures(self, key: Hashable, now: float) -> bool:
        """Return whether there are failures, or a network still waits for those that it had."""
        waits = self._shares is not None and self._shares.has_uses(_Share(key, _ANY), now)
        return waits or self._throttle.has_uses(key, now)

    def begin_guess(self, key: Hashable, networks: Sequence[str]) -> None:
        """Note that a guess is being checked."""
        self._pending[key] += 1
        self._pending_of.update(self._shares_of(key, networks))

    def end_guess(self, key: Hashable, networks: Sequence[str]) -> None:
        """Note that it has been checked."""
        _count_one_less(self._pending, key)
        for share in self._shares_of(key, networks):
            _count_one_less(self._pending_of, share)

    def count_failure(self, key: Hashable, networks: Sequence[str], now: float) -> None:
        """Count a failure; one beyond the share of its network takes nothing from the others."""
        shares = self._shares
        if shares is None:
            self._throttle.count_use(key, now)
            return
        own = self._shares_of(key, networks)
        if all(shares.seconds_to_wait(share, now) is None for share in own):
            self._throttle.count_use(key, now)
        for share in (*own, _Share(key, _ANY)):
            shares.count_use(share, now, self._most_failures(key, now))


_ANY: Final = ""
"""In the place of a network: all together, whose failures last at least as long as those of each."""


class _Share(NamedTuple):
    """One network's share of the failures under a key."""

    key: Hashable
    network: str


def _count_one_less(counter: "Counter[T]", key: T) -> None:
    """Count one less, and forget a key at 0."""
    counter[key] -= 1
    if not counter[key]:
        del counter[key]


class Guarded:
    """Failures at one kind of thing: an address, a name, a table.

    Args:
        allowed: Failures of new guests until the first wait.
        throttle: Makes a throttle for so many failures.
        arrivals: Counts the guests who have come so far; see `Source.arrival`.
        shares: Makes a throttle for each network's failures, if users of many networks may guess at the same thing.
    """

    def __init__(
        self,
        allowed: int,
        throttle: Callable[[int], Throttle],
        arrivals: Callable[[], int],
        *,
        shares: Callable[[int], Throttle] | None = None,
    ) -> None:
        def pool(factor: int) -> Pool:
            return Pool(throttle(allowed * factor), shares and shares(allowed * factor))

        self._pools = [pool(factor) for factor in (1, 1, _OWNERS)]
        self._extra = pool(_CLEAN)
        self._arrivals = arrivals
        self._began: dict[Hashable, int] = {}

    def choose_pools(
        self, key: Hashable, source: Source, *, clean: bool, now: float
    ) -> tuple[float | None, list[Pool]]:
        """Return how long a source has to wait, and where a failure of it counts."""
        rank = self._rank_source(key, source, now)
        own = self._pools[rank]
        wait = own.seconds_to_wait(key, source.networks, now)
        # One guess at a time: if many ran at once, none of them would have a failure before it.
        if wait is not None and rank and clean and own.is_idle(key) and self._extra.is_idle(key):
            return self._extra.seconds_to_wait(key, source.networks, now), [self._pools[0], self._extra]
        return wait, self._pools[: rank + 1]

    def note_failure(self, key: Hashable) -> None:
        """Note a failure: guests who connect later count as new until all failures are forgotten."""
        if key not in self._began and len(self._began) >= KEYS:
            del self._began[next(iter(self._began))]
        self._began.setdefault(key, self._arrivals())

    def _rank_source(self, key: Hashable, source: Source, now: float) -> int:
        """Rank a user: 0 came after the guessing began, 1 was here before, 2 has a name of their own as well."""
        if not self._pools[0].has_failures(key, now):
            self._began.pop(key, None)
        if source.arrival > self._began.get(key, source.arrival):
            return 0
        return 2 if source.standing == 2 else 1


class Guesses:
    """Failed guesses by network and key, and how long each must wait. `now` is in seconds."""

    def __init__(self, user: Throttle, now: Callable[[], float]) -> None:
        self.now = now
        self._users = Pool(user)

    @contextmanager
    def check_guess(
        self, source: Source, guarded: Sequence[tuple[Guarded, Hashable]], refuse: Callable[[float], Exception]
    ) -> Iterator[Attempt]:
        """Check one guess. Raises the error that `refuse` makes of the seconds to wait."""
        now = self.now()
        clean = not self._users.has_failures(source.user, now)
        found = [(each, key, each.choose_pools(key, source, clean=clean, now=now)) for each, key in guarded]
        waits = [self._users.seconds_to_wait(source.user, (), now), *(wait for _, _, (wait, _) in found)]
        longest = max((wait for wait in waits if wait is not None), default=None)
        if longest is not None:
            raise refuse(longest)
        places = [(self._users, source.user), *((pool, key) for _, key, (_, pools) in found for pool in pools)]
        for pool, key in places:
            pool.begin_guess(key, source.networks)
        attempt = Attempt()
        try:
            yield attempt
        finally:
            for pool, key in places:
                pool.end_guess(key, source.networks)
            if attempt.failed:
                for each, key, _ in found:
                    each.note_failure(key)
                for pool, key in places:
                    # By the present time: checking a password takes a while, and the wait begins after it.
                    pool.count_failure(key, source.networks, self.now())
