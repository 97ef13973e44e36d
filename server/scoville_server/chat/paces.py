"""How fast people may talk, over a time that is given in."""

from collections.abc import Hashable, Iterable, Iterator
from math import ceil

from scoville_server.chat.limits import ChatLimits, Pace
from scoville_server.chat.lines import Place
from scoville_server.throttle import Throttle
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import PersonId


class _Throttles:
    """Several throttles for each person, and several for each address: all of them must agree."""

    def __init__(self, person: Iterable[Pace], address: Iterable[Pace]) -> None:
        self._person = [Throttle(pace.allowed, pace.seconds) for pace in person]
        self._address = [Throttle(pace.allowed, pace.seconds) for pace in address]

    def of(self, person: PersonId, address: str) -> Iterator[tuple[Throttle, Hashable]]:
        """List them with the keys under which somebody is counted; inside one process there are no addresses."""
        yield from ((throttle, person) for throttle in self._person)
        if address:
            yield from ((throttle, address) for throttle in self._address)


class Paces:
    """Who talks too fast. Times are seconds of any clock that runs forward."""

    def __init__(self, limits: ChatLimits) -> None:
        self._lines = _Throttles(limits.lines, limits.lines_of_address)
        self._reactions = _Throttles(limits.reactions, limits.reactions_of_address)
        self._same = Throttle(limits.same.allowed, limits.same.seconds)

    def say(self, person: PersonId, address: str, place: Place, text: str, now: float) -> None:
        """Count a line. Raises ScovilleError `slow_down`, and counts nothing then."""
        same = (person, place, hash(text.casefold()))
        wait = self._same.check(same, now)
        if wait is not None:
            raise _slow_down("You have said that just now", wait)
        _take([*self._lines.of(person, address), (self._same, same)], now, "You talk too fast")

    def react(self, person: PersonId, address: str, now: float) -> None:
        """Count a reaction. Raises ScovilleError `slow_down`."""
        _take([*self._reactions.of(person, address)], now, "That is a lot of reactions")


def _take(counted: list[tuple[Throttle, Hashable]], now: float, why: str) -> None:
    waits = [throttle.check(key, now) for throttle, key in counted]
    longest = max((wait for wait in waits if wait is not None), default=None)
    if longest is not None:
        raise _slow_down(why, longest)
    for throttle, key in counted:
        throttle.fail(key, now)


def _slow_down(why: str, wait: float) -> ScovilleError:
    seconds = ceil(wait)
    unit = "second" if seconds == 1 else "seconds"
    return ScovilleError(Code.SLOW_DOWN, f"{why}; wait {seconds} {unit}.", {"retry_after": round(wait, 3)})
