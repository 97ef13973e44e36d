"""Nights of a table: no time passes in them, also when local clocks are changed."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_server.tables.factory import check_night, list_offsets
from scoville_server.tables.model import clock
from scoville_server.tables.model.nights import Nights
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import DAY_MS, Night, TableClock

HOUR = 3_600_000
BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> int:
    """A local time in Berlin, in milliseconds since 1970."""
    return round(datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp() * 1000)


def nights(begins: int = 22, ends: int = 7, zone: str = "Europe/Berlin", since: str = "2026-01-01 00:00") -> Nights:
    return Nights(begins, ends, list_offsets(zone, at(since)))


@pytest.mark.parametrize(
    ("since", "until", "hours"),
    [
        ("2026-05-01 08:00", "2026-05-01 20:00", 12),
        ("2026-05-01 21:00", "2026-05-01 23:00", 1),
        ("2026-05-01 23:00", "2026-05-02 06:00", 0),
        ("2026-05-01 03:00", "2026-05-01 08:00", 1),
        ("2026-05-01 12:00", "2026-05-04 12:00", 45),
        ("2026-03-28 12:00", "2026-03-29 12:00", 15),  # the night of an hour less
        ("2026-10-24 12:00", "2026-10-25 12:00", 15),  # and that of an hour more
        ("2026-05-01 12:00", "2026-05-01 11:00", 0),
    ],
)
def test_no_time_passes_at_night(since: str, until: str, hours: int) -> None:
    assert nights().count_awake_ms(at(since), at(until)) == hours * HOUR


@pytest.mark.parametrize(
    ("begins", "ends", "since", "until", "hours"),
    [
        # At 2 the clocks are set to 3: the night begins or ends in that moment.
        (2, 7, "2026-03-29 00:00", "2026-03-29 01:59", 2),
        (2, 7, "2026-03-29 00:00", "2026-03-29 12:00", 7),
        (22, 2, "2026-03-28 22:00", "2026-03-29 01:59", 0),
        (22, 2, "2026-03-28 12:00", "2026-03-29 12:00", 19),
        # At 3 they are set to 2, so 2 comes twice: the first one counts.
        (2, 7, "2026-10-25 00:00", "2026-10-25 12:00", 7),
        (22, 2, "2026-10-24 12:00", "2026-10-25 12:00", 21),
    ],
)
def test_nights_with_a_limit_at_which_clocks_are_changed(
    begins: int, ends: int, since: str, until: str, hours: int
) -> None:
    assert round(nights(begins, ends).count_awake_ms(at(since), at(until)) / HOUR) == hours


def test_a_night_by_day_passes_no_time_either() -> None:
    """Somebody who works from nine to five."""
    at_work = nights(9, 17)
    assert at_work.count_awake_ms(at("2026-05-01 08:00"), at("2026-05-01 18:00")) == 2 * HOUR


def test_day_of_thinking_ends_by_wall_clock() -> None:
    end = nights().add_awake_ms(at("2026-03-28 12:00"), 15 * HOUR)
    assert end == at("2026-03-29 12:00")


SOME_TIME = st.integers(at("2026-01-02 00:00"), at("2028-01-01 00:00"))
ZONES = st.sampled_from(["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"])


@given(ZONES, st.integers(0, 23), st.integers(1, 12), SOME_TIME, st.integers(0, 7 * DAY_MS), st.integers(0, 7 * DAY_MS))
def test_time_adds_up_and_ends_when_it_is_over(
    zone: str, begins: int, hours: int, since: int, first: int, second: int
) -> None:
    night = nights(begins, (begins + hours) % 24, zone)
    whole = night.count_awake_ms(since, since + first + second)
    parts = night.count_awake_ms(since, since + first) + night.count_awake_ms(since + first, since + first + second)
    assert whole == parts <= first + second
    end = night.add_awake_ms(since, whole)
    assert end <= since + first + second
    assert night.count_awake_ms(since, end) == whole


@given(ZONES, SOME_TIME)
def test_offsets_are_those_of_the_zone(zone: str, at_ms: int) -> None:
    night = nights(zone=zone)
    local = datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(ZoneInfo(zone))
    asleep = local.hour >= 22 or local.hour < 7
    minute = night.count_awake_ms(at_ms, at_ms + 1)
    assert minute == (0 if asleep else 1)


def test_a_clock_stands_still_at_night() -> None:
    terms = TableClock(move_ms=DAY_MS, night=Night(begins=22, ends=7, zone="Europe/Berlin"))
    clocks = clock.start_clocks(terms, 2, at("2026-05-01 12:00"), nights())
    clocks = clock.run_clocks(clocks, frozenset({Seat(0)}))
    assert clock.until_end_ms(clocks, Seat(0)) == at("2026-05-02 21:00") - at("2026-05-01 12:00")
    later = clock.let_time_pass(clocks, at("2026-05-02 03:00"))
    assert clock.time_left_ms(later, Seat(0)) == 14 * HOUR
    assert clock.seats_to_warn(clocks, at("2026-05-02 17:59")) == []
    assert clock.next_due_ms(clocks) == at("2026-05-02 18:00")
    assert clock.seats_to_warn(clocks, at("2026-05-02 18:00")) == [Seat(0)]


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        (TableClock(move_ms=DAY_MS, night=Night(begins=22, ends=22)), "1 to 12 hours"),
        (TableClock(move_ms=DAY_MS, night=Night(begins=7, ends=22)), "1 to 12 hours"),
        (TableClock(move_ms=30_000, night=Night(begins=22, ends=7)), "a day or more"),
        (TableClock(move_ms=DAY_MS, night=Night(begins=22, ends=7, zone="Mars/Base")), "no time zone"),
        (TableClock(move_ms=DAY_MS, night=Night(begins=22, ends=7, zone="../passwd")), "no time zone"),
        (TableClock(move_ms=DAY_MS, night=Night(begins=22, ends=7, zone="Europe")), "no time zone"),
        (TableClock(move_ms=DAY_MS, night=Night(begins=22, ends=7, zone="")), "no time zone"),
    ],
)
def test_impossible_nights_are_refused(terms: TableClock, why: str) -> None:
    with pytest.raises(ScovilleError, match=why):
        check_night(terms)
