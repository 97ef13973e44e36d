"""Fair queue: groups of askers take turns, and bounds hold at every level."""

from hypothesis import given
from hypothesis import strategies as st

from scoville_thinking.pool import FairQueue

MANY = 1_000


def taken(queue: FairQueue[str]) -> list[str]:
    return [item for _ in range(len(queue)) if (item := queue.take_item()) is not None]


def test_networks_take_turns_and_so_do_the_users_of_one() -> None:
    queue: FairQueue[str] = FairQueue(MANY)
    for number in range(4):
        queue.put_item(("heavy", "guest"), f"guest {number}")
    queue.put_item(("heavy", "neighbour"), "neighbour")
    queue.put_item(("light", "anna"), "anna")
    assert taken(queue) == ["guest 0", "anna", "neighbour", "guest 1", "guest 2", "guest 3"]


def test_a_group_with_its_quota_gets_no_more() -> None:
    queue: FairQueue[str] = FairQueue(MANY, (3, 2))
    assert [queue.put_item(("a", "x"), item) for item in "123"] == [[], [], ["3"]]
    assert [queue.put_item(("a", "y"), item) for item in "45"] == [[], ["5"]]
    assert queue.put_item(("b", "x"), "6") == []


def test_a_full_queue_drops_the_busiest_networks_latest() -> None:
    queue: FairQueue[str] = FairQueue(3)
    for item in "123":
        queue.put_item(("heavy",), item)
    assert queue.put_item(("heavy",), "4") == ["4"]
    assert queue.put_item(("light",), "5") == ["3"]
    assert queue.put_item(("lighter",), "6") == ["2"]
    assert queue.put_item(("last",), "7") == ["7"]
    assert taken(queue) == ["1", "5", "6"]


def test_an_item_that_is_removed_gives_way() -> None:
    queue: FairQueue[str] = FairQueue(MANY, (1,))
    queue.put_item(("a",), "1")
    queue.remove_item(("a",), "1")
    queue.remove_item(("a",), "1")
    assert queue.put_item(("a",), "2") == []
    assert taken(queue) == ["2"]


PUTS = st.lists(st.tuples(st.tuples(st.sampled_from("abc"), st.sampled_from("xy")), st.integers(0, 2)), max_size=40)


@given(puts=PUTS, most=st.integers(1, 9))
def test_every_item_is_taken_removed_or_dropped_once(puts: list[tuple[tuple[str, str], int]], most: int) -> None:
    queue: FairQueue[int] = FairQueue(most, (most, 4))
    gone: list[int] = []
    for number, (asker, kind) in enumerate(puts):
        gone += queue.put_item(asker, number)
        assert len(queue) <= most
        if kind == 1 and (item := queue.take_item()) is not None:
            gone.append(item)
        if kind == 2 and number not in gone:
            queue.remove_item(asker, number)
            gone.append(number)
    while (item := queue.take_item()) is not None:
        gone.append(item)
    assert sorted(gone) == list(range(len(puts)))
    assert not len(queue)
