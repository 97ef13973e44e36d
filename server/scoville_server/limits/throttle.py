"""Rate limits: pure arithmetic in seconds over a time that is passed in, bounded in memory.

A key names who is counted: a user, an address. `seconds_to_wait` asks without counting, `count_use` counts a use,
`take_use` is both at once. Uses are forgotten by themselves; of too many keys the longest untouched is forgotten
first. A throttle that allows 0, or that forgets in 0 seconds, is off.

A `TokenBucket` is refilled in the same way, for one holder and costs of any size. Here five thousand keys fit into two
megabytes, a key that has decayed takes nothing, and `PenaltyThrottle` adds waits that grow.
"""

import math
from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from scoville_server.limits.bounds import Number, Seconds

KEYS = 5_000
"""How many keys one throttle remembers: 0.4 KB each, and there are as many as 32 full throttles."""

KEYS_OF_NETWORKS: Final = KEYS // 4
"""How many pairs of a thing and a network that guesses at it are remembered; a forgotten one only loses its waits."""

WIDER: Final = 4
"""How many times as much the second, wider network of an address may do: a /48 holds many households."""


class Rate(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """`allowed` times at once, and as often again in every `seconds`. In a settings file: [allowed, seconds]."""

    allowed: Number
    seconds: Seconds


class Source(NamedTuple):
    """Where a request comes from, as limits count it.

    `networks` are those of the user's address, narrowest first; none inside one process, where limits by address do not
    apply. `standing` is 0 for new guests, 1 for guests known for a while, 2 for owners of a claimed name. `arrival`
    numbers the guests in the order of their first connection, 0 for those of an earlier run of the server, and `latest`
    is the number of the latest one.
    """

    user: str
    networks: Sequence[str] = ()
    standing: int = 0
    arrival: int = 0
    latest: int = 0


class Counted(Struct, frozen=True):
    """A key's use of its allowance `at` a time, the time `until` which it waits, and how often its `waits` grew."""

    used: float = 0.0
    at: float = 0.0
    until: float = 0.0
    waits: int = 0


class Throttle:
    """Lets each key do something `allowed` times at once, and as often again in every `per_seconds`."""

    def __init__(self, allowed: int, per_seconds: float, *, keys: int = KEYS) -> None:
        self.allowed = allowed
        self.per_seconds = per_seconds
        self._keys = keys
        self._counted: dict[Hashable, Counted] = {}

    def change_rate(self, rate: Rate) -> None:
        """Allow more or less from now on; what was used stays counted, and a wait that has begun ends as it would."""
        self.allowed, self.per_seconds = rate.allowed, rate.seconds

    def seconds_to_wait(self, key: Hashable, now: float) -> float | None:
        """Return how many seconds a key has to wait, None when it need not."""
        if self.is_off:
            return None
        wait = self._decay_count(key, now).until - now
        return wait if wait > 0 else None

    def count_use(self, key: Hashable, now: float, most: float = math.inf) -> None:
        """Count one use, whether the key had to wait or not; it waits after `most` uses, or after all allowed ones."""
        if not self.is_off:
            self._store_count(key, self._add_use(self._decay_count(key, now), now, min(most, self.allowed)))

    def take_use(self, key: Hashable, now: float) -> float | None:
        """Count one use if it is allowed; otherwise return how many seconds the key has to wait."""
        wait = self.seconds_to_wait(key, now)
        if wait is None:
            self.count_use(key, now)
        return wait

    def give_back(self, key: Hashable, now: float) -> None:
        """Return one use, because the counted action did not happen."""
        if self.is_off:
            return
        counted = self._decay_count(key, now)
        if counted.used > 0:
            used = max(0.0, counted.used - 1)
            until = min(counted.until, self._wait_end(used, now, self.allowed))
            self._counted[key] = Counted(used, counted.at, until, counted.waits)

    def _wait_end(self, used: float, now: float, most: float) -> float:
        return now + max(0.0, used + 1 - most) * self.pace

    def has_uses(self, key: Hashable, now: float) -> bool:
        """Return whether anything of a key still counts."""
        return not self.is_off and (self._decay_count(key, now).used > 0 or self.seconds_to_wait(key, now) is not None)

    def count_left(self, key: Hashable, now: float) -> float:
        """Return how often it may still happen at once, at least once."""
        return math.inf if self.is_off else max(1.0, self.allowed - math.ceil(self._decay_count(key, now).used))

    def count_used(self, key: Hashable, now: float) -> float:
        """Return how many uses still count; a part of one while it is forgotten."""
        return 0.0 if self.is_off else self._decay_count(key, now).used

    def forget_key(self, key: Hashable) -> None:
        """Reset all counts."""
        self._counted.pop(key, None)

    def __len__(self) -> int:
        return len(self._counted)

    @property
    def is_off(self) -> bool:
        """Whether nothing is limited: no key ever has to wait."""
        return not (self.allowed and self.per_seconds)

    @property
    def pace(self) -> float:
        """How many seconds bring back one of the allowed."""
        return self.per_seconds / self.allowed

    def _decay_count(self, key: Hashable, now: float) -> Counted:
        """Return a key's count after its decay; a key at zero is forgotten."""
        counted = self._counted.get(key, Counted())
        passed = max(0.0, now - counted.at)
        used = counted.used - passed / self.pace
        if used > 0:
            return Counted(used, max(now, counted.at), counted.until, counted.waits)
        self.forget_key(key)
        return Counted(at=now)

    def _add_use(self, counted: Counted, now: float, most: float) -> Counted:
        used = counted.used + 1
        return Counted(used, now, self._wait_end(used, now, most))

    def _store_count(self, key: Hashable, counted: Counted) -> None:
        # At the end again, so that the first key is the one that was not touched for longest.
        self._counted.pop(key, None)
        if len(self._counted) >= self._keys:
            del self._counted[next(iter(self._counted))]
        self._counted[key] = counted


class PenaltyThrottle(Throttle):
    """Lets each key fail `allowed` times; from then on each failure doubles the wait, from `first` up to `longest`.

    `per_seconds` without a failure, after the wait, bring the whole allowance back, and a part of them a part of it;
    where waits are `lasting`, only the whole time ends them.
    """

    def __init__(
        self,
        allowed: int,
        per_seconds: float,
        *,
        first: float = 1.0,
        longest: float = 600.0,
        keys: int = KEYS,
        lasting: bool = False,
    ) -> None:
        super().__init__(allowed, per_seconds, keys=keys)
        self._lasting = lasting
        self._first = first
        self._longest = longest

    def _add_use(self, counted: Counted, now: float, most: float) -> Counted:
        used = min(counted.used + 1, self.allowed)
        # Half a failure is left out, since a part of each was forgotten before the next one came.
        if used < most - 0.5 and not (self._lasting and counted.waits):
            return Counted(used, now)
        # Bounded before it is doubled: a float overflows after a thousand failures.
        wait = min(self._longest, self._first * 2.0 ** min(counted.waits, 60))
        # Counted from the end of the wait on: uses forgotten during it would shorten the next one.
        return Counted(max(used, most), now + wait, now + wait, counted.waits + 1)
