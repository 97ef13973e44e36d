"""Rates by user, by address and by recipient, in which new guests use up nothing of what others have."""

from collections.abc import Hashable, Iterable, Iterator
from typing import Final, NamedTuple

from scoville_server.limits.live import Adjustable, Live, as_live
from scoville_server.limits.throttle import KEYS, WIDER, Rate, Source, Throttle

_EARLY: Final = "early"
"""The pool of new guests who were here before an address became busy."""


class Counter(NamedTuple):
    """A throttle that counts a use; a `shadow` only counts, and never makes a user wait."""

    throttle: Throttle
    key: Hashable
    shadow: bool = False


def take_all(counters: Iterable[Counter], now: float) -> float | None:
    """Count something once everywhere; otherwise count it nowhere and return the longest wait in seconds."""
    counters = tuple(counters)
    wait = longest_wait(counters, now)
    if wait is None:
        for counter in counters:
            counter.throttle.count_use(counter.key, now)
    return wait


def longest_wait(counters: Iterable[Counter], now: float) -> float | None:
    """Return the longest wait among several throttles in seconds, None when there is none."""
    waits = (counter.throttle.seconds_to_wait(counter.key, now) for counter in counters if not counter.shadow)
    return max((wait for wait in waits if wait is not None), default=None)


class Pools:
    """One rate under each key, for users of each standing apart.

    Owners of names and known guests have the whole rate for themselves. New guests who were here before the key became
    busy have it as well, but use up what those have who came later: a swarm that comes to use it up gets no
    more than the rate, and who was there before goes on.
    """

    def __init__(self, rate: Adjustable[Rate]) -> None:
        self._throttle = follow_rate(as_live(rate))
        self._busy_since: dict[Hashable, int] = {}

    def list_counters(self, key: Hashable, source: Source, now: float) -> Iterator[Counter]:
        """List where something counts that a source does."""
        if source.standing:
            yield Counter(self._throttle, (key, source.standing))
        elif source.arrival <= self._busy_number(key, source, now):
            yield Counter(self._throttle, (key, _EARLY))
            yield Counter(self._throttle, (key, 0), shadow=True)
        else:
            yield Counter(self._throttle, (key, 0))

    def _busy_number(self, key: Hashable, source: Source, now: float) -> int:
        """Return the number of the latest guest when the key became busy."""
        if not self._throttle.has_uses((key, 0), now):
            self._busy_since.pop(key, None)
            # The key that has been busy for longest goes: its throttle may have forgotten it as well.
            if len(self._busy_since) >= KEYS:
                del self._busy_since[next(iter(self._busy_since))]
        return self._busy_since.setdefault(key, source.latest)


class Budget:
    """A rate for each user and one for each network of their address. Something is counted in all of them or in none.

    A hundred users behind one address have together what the address has; a wider network has `WIDER` times as much.
    """

    def __init__(self, user: Adjustable[Rate], address: Adjustable[Rate]) -> None:
        self._user = follow_rate(as_live(user))
        self._networks = _by_network(address)

    def list_counters(self, source: Source, now: float) -> list[Counter]:
        """List the buckets that count for a source."""
        wider = zip(self._networks, source.networks, strict=False)
        networks = [counter for pools, network in wider for counter in pools.list_counters(network, source, now)]
        return [Counter(self._user, source.user), *networks]

    def take_use(self, source: Source, now: float) -> float | None:
        """Count something if it may happen; otherwise return how many seconds the source has to wait."""
        return take_all(self.list_counters(source, now), now)


class Inbox:
    """Rates of messages to one recipient: from each network, and in total.

    Requests from inside the process are not counted.
    """

    def __init__(self, address: Adjustable[Rate], total: Adjustable[Rate]) -> None:
        self._networks = _by_network(address)
        self._total = Pools(total)

    def list_counters(self, recipient: Hashable, source: Source, now: float) -> list[Counter]:
        """List the buckets that count for a recipient and a source."""
        if not source.networks:
            return []
        wider = zip(self._networks, source.networks, strict=False)
        found = [counter for pools, net in wider for counter in pools.list_counters((recipient, net), source, now)]
        return [*found, *self._total.list_counters(recipient, source, now)]


def follow_rate(rate: Live[Rate]) -> Throttle:
    """Return a throttle at a rate that may change."""
    throttle = Throttle(rate.value.allowed, rate.value.seconds)
    rate.follow(throttle.change_rate)
    return throttle


def widen_rate(rate: Rate) -> Rate:
    """Return the rate of the second, wider network of an address."""
    return Rate(rate.allowed * WIDER, rate.seconds)


def _by_network(rate: Adjustable[Rate]) -> list[Pools]:
    narrow = as_live(rate)
    return [Pools(narrow), Pools(narrow.select(widen_rate))]
