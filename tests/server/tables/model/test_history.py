"""A history is a value like a tuple, however many others have been derived from it."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_server.tables.model.history import CHUNK, RECENT, History, _Store


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


def test_a_packed_history_equals_a_tuple() -> None:
    items = [(number, {"fact": "laid", "cards": (number,)}) for number in range(RECENT + 5 * CHUNK + 3)]
    history: History[object] = History()
    shorter: list[History[object]] = []
    for item in items:
        shorter.append(history)
        history = history.with_item(item)
    assert history == tuple(items)
    assert [*history] == items
    for start in (0, 1, CHUNK - 1, CHUNK, 3 * CHUNK + 5, len(items) - RECENT - 1, len(items) - 2, len(items)):
        assert history[start:] == tuple(items[start:])
        assert history[: start or None] == tuple(items[: start or None])
        assert history[start : start + CHUNK] == tuple(items[start : start + CHUNK])
        assert history[start:0:-3] == tuple(items[start:0:-3])
    assert [history[number] for number in range(-len(items), len(items))] == items * 2
    assert all(before == tuple(items[:number]) for number, before in enumerate(shorter))


def test_unread_history_stays_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    history, unpack = History(range(3_000)), _Store._unpack_chunk
    unpacked: list[int] = []

    def count(store: "_Store[int]", number: int) -> list[int]:
        unpacked.append(number)
        return unpack(store, number)

    monkeypatch.setattr(_Store, "_unpack_chunk", count)
    assert [*islice(history.iterate_from(1_000), 20)] == [*range(1_000, 1_020)]
    assert unpacked == [62, 63]
    for start in (0, 15, 16, 2_950, 2_999, 3_000):
        assert [*history.iterate_from(start)] == [*range(start, 3_000)]


def test_a_branched_history_changes_no_other() -> None:
    history: History[int] = History(range(200))
    older: History[int] = History(range(20))
    for number in range(20, 200):
        older = older if number > 30 else older.with_item(number)
    branch = older.with_item(-1)
    assert [*branch] == [*range(31), -1]
    assert [*older] == [*range(31)]
    assert [*history.with_item(7).with_item(8)] == [*range(200), 7, 8]
    assert [*history] == [*range(200)]
