"""Back-off: waits that double, end at the longest, and begin again after a success."""

from scoville_runtime.back_off import BackOff


def test_waits_double_up_to_the_longest() -> None:
    waits = BackOff(0.5, 15)
    assert [waits.next_wait() for _ in range(7)] == [0.5, 1, 2, 4, 8, 15, 15]


def test_the_first_wait_follows_a_success() -> None:
    waits = BackOff(1, 60)
    assert [waits.next_wait() for _ in range(3)] == [1, 2, 4]
    waits.start_over()
    assert waits.next_wait() == 1


def test_chance_shortens_a_wait_and_not_the_next_one() -> None:
    waits = BackOff(1, 60, iter([1.0, 0.0, 0.5]).__next__, 0.25)
    assert [waits.next_wait() for _ in range(3)] == [0.75, 2, 3.5]
