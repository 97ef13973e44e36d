"""Wrong log-ins, counted by user, by address, by name at an address, and by name from everywhere."""

from collections.abc import Callable, Container, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager

from scoville_server.accounts.model.account_limits import AccountLimits
from scoville_server.errors import slow_down
from scoville_server.limits.guessing import Attempt, Guarded, Guesses
from scoville_server.limits.throttle import KEYS_OF_NETWORKS, WIDER, PenaltyThrottle, Source, Throttle
from scoville_shared.errors import ScovilleError

_HOUR = 3600.0
_DAY = 24 * _HOUR


class LogInGuesses:
    """Counts log-in attempts. Each raises ScovilleError `slow_down` if the user has to wait."""

    def __init__(self, limits: AccountLimits, now: Callable[[], float], arrivals: Callable[[], int]) -> None:
        def penalties_for(allowed: int) -> PenaltyThrottle:
            return PenaltyThrottle(allowed, _DAY, first=limits.first_wait, longest=limits.longest_wait)

        def failures_per_name(allowed: int) -> PenaltyThrottle:
            return PenaltyThrottle(allowed, _DAY, first=limits.first_wait, longest=limits.longest_wait_per_name)

        def failures_of_network(allowed: int) -> PenaltyThrottle:
            first, longest = limits.first_wait, limits.longest_wait_per_name
            return PenaltyThrottle(allowed, _DAY, first=first, longest=longest, keys=KEYS_OF_NETWORKS, lasting=True)

        def an_hour(allowed: int) -> Throttle:
            return Throttle(allowed, _HOUR)

        self._guesses = Guesses(penalties_for(limits.failures), now)
        self._addresses = [Guarded(limits.failures_per_hour * factor, an_hour, arrivals) for factor in (1, WIDER)]
        self._names_there = Guarded(limits.failures, penalties_for, arrivals)
        self._names = Guarded(limits.failures_per_name, failures_per_name, arrivals, shares=failures_of_network)

    @contextmanager
    def of_name(self, source: Source, name: str, homes: Container[str]) -> Iterator[Attempt]:
        """Count an attempt to log in to a name; on the owner's `homes`, guesses from elsewhere do not count."""
        here = source.networks[:1]
        guarded: list[tuple[Guarded, Hashable]] = [*zip(self._addresses, source.networks, strict=False)]
        guarded += [(self._names_there, (name, network)) for network in here]
        # The owner of a name, at home, does not wait for guesses from elsewhere.
        if not any(network in homes for network in here):
            guarded.append((self._names, name))
        with self._guesses.check_guess(source, guarded, _too_often) as attempt:
            yield attempt

    @contextmanager
    def of_key(self, source: Source) -> Iterator[Attempt]:
        """Count an attempt to log in by a key."""
        guarded: list[tuple[Guarded, Hashable]] = [*zip(self._addresses, source.networks, strict=False)]
        with self._guesses.check_guess(source, guarded, _too_often) as attempt:
            yield attempt

    def of_user(self, source: Source) -> AbstractContextManager[Attempt]:
        """Count an attempt at the user's own password; failures of others do not count."""
        return self._guesses.check_guess(source, (), _too_often)


def _too_often(seconds: float) -> ScovilleError:
    return slow_down("Too many wrong attempts", seconds)
