"""Throttles: how often something may happen, with time as a number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_server.limits.throttle import PenaltyThrottle, Throttle


def test_so_many_at_once_and_then_at_their_pace() -> None:
    throttle = Throttle(3, per_seconds=30)
    assert [throttle.take_use("anna", 0) for _ in range(4)] == [None, None, None, 10]
    assert throttle.seconds_to_wait("anna", 9.5) == 0.5
    assert throttle.take_use("anna", 10) is None
    assert throttle.take_use("anna", 10) == 10


def test_nobody_waits_for_somebody_else() -> None:
    throttle = Throttle(1, per_seconds=60)
    throttle.count_use("anna", 0)
    assert throttle.seconds_to_wait("anna", 0) == 60
    assert throttle.seconds_to_wait("ben", 0) is None


def test_asking_while_waiting_adds_no_wait() -> None:
    throttle = Throttle(1, per_seconds=60)
    for second in range(10):
        throttle.take_use("anna", second)
    assert throttle.seconds_to_wait("anna", 10) == 50


def test_each_failure_doubles_the_wait() -> None:
    throttle, now, waits = PenaltyThrottle(2, per_seconds=60, first=1, longest=8), 0.0, []
    for _ in range(7):
        throttle.count_use("anna", now)
        waits.append(throttle.seconds_to_wait("anna", now))
        now += waits[-1] or 0
    assert waits == [None, 1, 2, 4, 8, 8, 8]


def test_after_a_quiet_time_everything_is_forgotten() -> None:
    throttle = PenaltyThrottle(1, per_seconds=60, first=5)
    throttle.count_use("anna", 0)
    assert throttle.seconds_to_wait("anna", 4) == 1
    assert throttle.seconds_to_wait("anna", 65) is None
    assert len(throttle) == 0
    throttle.count_use("anna", 70)
    assert throttle.seconds_to_wait("anna", 70) == 5


def test_forgiven_source_starts_over() -> None:
    throttle = PenaltyThrottle(1, per_seconds=60)
    throttle.count_use("anna", 0)
    throttle.forget_key("anna")
    assert throttle.seconds_to_wait("anna", 0) is None


def test_of_too_many_the_longest_untouched_is_forgotten() -> None:
    throttle = Throttle(1, per_seconds=60, keys=2)
    for name in ("anna", "ben", "anna", "cora"):
        throttle.count_use(name, 0)
    assert len(throttle) == 2
    assert throttle.seconds_to_wait("ben", 0) is None
    assert throttle.seconds_to_wait("anna", 0) is not None


@given(st.lists(st.floats(0, 50), min_size=1, max_size=60), st.integers(1, 5))
def test_no_stretch_exceeds_the_rate(gaps: list[float], allowed: int) -> None:
    throttle, now, happened = Throttle(allowed, per_seconds=10), 0.0, []
    for gap in gaps:
        now += gap
        if throttle.take_use("anna", now) is None:
            happened.append(now)
    for first, begin in enumerate(happened):
        within = [time for time in happened[first:] if time <= begin + 20]
        assert len(within) <= allowed * 3 + 1


@pytest.mark.parametrize("clock_set_back", [-5.0, 0.0])
def test_a_clock_that_goes_back_gives_nothing_away(clock_set_back: float) -> None:
    throttle = Throttle(1, per_seconds=60)
    throttle.count_use("anna", 0)
    assert (throttle.seconds_to_wait("anna", clock_set_back) or 0) >= 60


@pytest.mark.parametrize("throttle", [Throttle(0, 60), Throttle(3, 0), PenaltyThrottle(0, 60), PenaltyThrottle(3, 0)])
def test_switched_off_limit_delays_nothing(throttle: Throttle) -> None:
    assert [throttle.take_use("anna", 0) for _ in range(100)] == [None] * 100
    assert len(throttle) == 0


@pytest.mark.parametrize("throttle", [Throttle(0, 60), Throttle(3, 0), PenaltyThrottle(0, 60), PenaltyThrottle(3, 0)])
def test_a_rate_limit_that_is_off_gives_nothing_back(throttle: Throttle) -> None:
    throttle.take_use("anna", 0)
    throttle.give_back("anna", 0)
    assert len(throttle) == 0
