"""Time zones of tables' nights: when local clocks are changed, from the database of the system."""

from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Final

from msgspec import UNSET

from scoville_runtime.local_time import find_zone
from scoville_server.tables.model.nights import ZoneOffsets
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import DAY_MS, LONGEST_NIGHT_HOURS, TableClock

_DAYS: Final = 3_660
"""For how many days ahead changes of local time are listed: ten years, longer than any game."""

_SECOND_MS: Final = 1_000


def check_night(clock: TableClock) -> None:
    """Check the night of a requested clock. Raises ScovilleError `bad_params`."""
    night = clock.night
    if night is UNSET:
        return
    if not clock.by_days:
        raise ScovilleError(Code.BAD_PARAMS, "Only tables with a day or more for a move have a night.")
    if not 1 <= night.hours <= LONGEST_NIGHT_HOURS:
        raise ScovilleError(Code.BAD_PARAMS, f"A night has 1 to {LONGEST_NIGHT_HOURS} hours (got {night.hours}).")
    if find_zone(night.zone) is None:
        sentence = f"There is no time zone {night.zone!r}; write one such as Europe/Berlin, or UTC."
        raise ScovilleError(Code.BAD_PARAMS, sentence)


def list_offsets(zone: str, now_ms: int) -> ZoneOffsets:
    """List how local time in a zone follows from UTC from now on, for ten years."""
    # From the beginning of the day, so that tables of one day share one list.
    return _list_offsets(zone, now_ms // DAY_MS)


@lru_cache(maxsize=64)
def _list_offsets(zone: str, day: int) -> ZoneOffsets:
    info = find_zone(zone)
    assert info is not None, "the zone was checked"
    listed = [(day * DAY_MS, _offset_ms(info, day * DAY_MS))]
    for start in range(day * DAY_MS, (day + _DAYS) * DAY_MS, DAY_MS):
        before, after = listed[-1][1], _offset_ms(info, start + DAY_MS)
        if before != after:
            listed.append((_find_change(info, start, before), after))
    return tuple(listed)


def _find_change(zone: tzinfo, start_ms: int, before: int) -> int:
    """Find the second of a day at which local time is no longer so far ahead."""
    least, most = start_ms // _SECOND_MS, (start_ms + DAY_MS) // _SECOND_MS
    while most - least > 1:
        middle = (least + most) // 2
        if _offset_ms(zone, middle * _SECOND_MS) == before:
            least = middle
        else:
            most = middle
    return most * _SECOND_MS


def _offset_ms(zone: tzinfo, at_ms: int) -> int:
    ahead = datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(zone).utcoffset()
    assert ahead is not None, "a zone has an offset at every time"
    return round(ahead.total_seconds() * 1000)
