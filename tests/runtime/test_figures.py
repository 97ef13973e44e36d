"""Figures of a process: buckets, quantiles and the counts of the last minute."""

from scoville_runtime.figures import BUCKETS, OTHERS, Durations, NetworkCounts, RecentCounts


class Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_duration_counts_in_the_bucket_up_to_it() -> None:
    durations = Durations()

    for seconds in (0.0005, 0.0006, 5.0, 5.1):
        durations.add_duration(seconds, now=0.0)

    assert durations.counts == [1, 1, *[0] * (len(BUCKETS) - 3), 1, 1]
    assert durations.count == 4
    assert durations.total_seconds == 0.0005 + 0.0006 + 5.0 + 5.1


def test_quantiles_are_those_of_the_last_minute() -> None:
    durations = Durations()
    durations.add_duration(9.0, now=0.0)
    for number in range(100):
        durations.add_duration(number / 100, now=60.5)

    assert durations.list_quantiles(61.0, 0.5, 0.99) == [0.5, 0.99]
    assert durations.list_quantiles(200.0, 0.5) == [0.0]


def test_recent_counts_forget_after_a_minute() -> None:
    time = Time()
    counts = RecentCounts(time)
    counts.add_count("slow_down", 3)
    time.now += 50
    counts.add_count("busy")

    assert counts.count_recent() == {"slow_down": 3, "busy": 1}
    time.now += 30
    assert counts.count_recent() == {"busy": 1}
    time.now += 10_000
    assert counts.count_recent() == {}
    assert counts.totals == {"slow_down": 3, "busy": 1}


def test_invented_keys_are_counted_together() -> None:
    counts = RecentCounts(Time(), most=2)

    for number in range(1_000):
        counts.add_count(f"code {number}")

    assert counts.totals == {"code 0": 1, "code 1": 1, OTHERS: 998}


def test_networks_are_remembered_for_two_minutes() -> None:
    time = Time()
    counts = NetworkCounts(time, most=2)
    for network in ("a", "a", "b", "c"):
        counts.add_count(network)

    assert [counts.count_recent(network) for network in "abc"] == [2, 1, 0]
    time.now += 90
    assert counts.count_recent("a") == 1
    time.now += 90
    assert counts.count_recent("a") == 0
