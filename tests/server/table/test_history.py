"""A history is a value like a tuple, however many others have grown from it."""

from hypothesis import given
from hypothesis import strategies as st

from scoville_server.table.history import History


def test_an_empty_one_is_empty() -> None:
    assert len(History()) == 0
    assert [*History[int]()] == []
    assert History[int]() == ()


def test_two_that_grow_from_one_know_nothing_of_each_other() -> None:
    root = History([1, 2])
    left, right = root.with_item(3), root.with_item(4)
    longer = left.with_item(5)
    assert root == (1, 2)
    assert left == (1, 2, 3)
    assert right == (1, 2, 4)
    assert longer == (1, 2, 3, 5)


def test_histories_are_equal_by_their_items() -> None:
    assert History([1, 2]) == History([1]).with_item(2)
    assert History([1, 2]) != History([1])
    assert History([1, 2]) != (1, 3)
    assert History([1, 2]) != "12"


steps = st.lists(st.tuples(st.integers(0, 30), st.integers()), max_size=30)
indices = st.integers(-12, 12)


@given(steps, indices, st.one_of(st.none(), indices), st.one_of(st.none(), indices))
def test_any_tree_of_histories_behaves_like_tuples(
    steps: list[tuple[int, int]], index: int, start: int | None, stop: int | None
) -> None:
    histories, tuples = [History[int]()], [()]
    for parent, item in steps:
        histories.append(histories[parent % len(histories)].with_item(item))
        tuples.append((*tuples[parent % len(tuples)], item))
    for history, items in zip(histories, tuples, strict=True):
        assert tuple(history) == items
        assert len(history) == len(items)
        assert history[start:stop] == items[start:stop]
        assert history[::-1] == items[::-1]
        if -len(items) <= index < len(items):
            assert history[index] == items[index]
