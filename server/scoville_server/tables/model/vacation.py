"""Vacations of a user from games by correspondence: days within a year, as pure arithmetic."""

from math import ceil
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from scoville_shared.protocol.messages import DAY_MS

DAYS_A_YEAR: Final = 28
"""Days of vacation within any 365 days: a longer absence keeps the others waiting."""

CLOCK_ERROR_MS: Final = 3_600_000
"""Milliseconds by which two clocks may differ without one of them being wrong."""

_YEAR_MS: Final = 365 * DAY_MS


class TakenVacation(Struct, frozen=True):
    """A vacation from `begun_ms` on (milliseconds since 1970), of so many days."""

    begun_ms: int
    days: int


class Vacations(Struct, frozen=True):
    """The vacations of a user within the latest year, the latest one last; that one ends at `until_ms`."""

    taken: tuple[TakenVacation, ...] = ()
    until_ms: int = 0


def count_days_left(vacations: Vacations, now_ms: int) -> int:
    """Count the days that a user may still take. Days come back a year after the vacation began."""
    return max(0, DAYS_A_YEAR - sum(each.days for each in _list_known(vacations, now_ms)))


def begin_vacation(vacations: Vacations, days: int, now_ms: int) -> Vacations:
    """Take so many days from now on; enough must be left."""
    taken = (*_list_known(vacations, now_ms), TakenVacation(now_ms, days))
    return Vacations(taken, now_ms + days * DAY_MS)


def find_end(vacations: Vacations, now_ms: int) -> int | None:
    """Return when the present vacation ends; None without one."""
    # The latest one is not among the known ones if it was begun under a wrong clock: it would hold until that time.
    holds = vacations.until_ms > now_ms and vacations.taken[-1:] == _list_known(vacations, now_ms)[-1:]
    return vacations.until_ms if holds else None


def end_vacation(vacations: Vacations, now_ms: int) -> Vacations:
    """End the vacation now; a day that has begun counts whole, so that a minute of it cannot be taken every day."""
    if find_end(vacations, now_ms) is None:
        return vacations
    *before, last = vacations.taken
    used = max(1, min(last.days, ceil((now_ms - last.begun_ms) / DAY_MS)))
    return Vacations((*before, replace(last, days=used)), now_ms)


def _list_known(vacations: Vacations, now_ms: int) -> tuple[TakenVacation, ...]:
    """List the vacations of the latest year, without those that a wrong clock has put into the future."""
    return tuple(each for each in vacations.taken if now_ms - _YEAR_MS < each.begun_ms <= now_ms + CLOCK_ERROR_MS)
