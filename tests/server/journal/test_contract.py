"""The contract of every implementation of `Journal`."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from scoville_server.journal.base import START, Entry, Fenced, Journal, StoredUser
from scoville_server.journal.memory import MemoryJournal
from scoville_server.journal.sqlite import SqliteJournal
from scoville_shared.ids import TableId, UserId

T1, T2 = TableId("t1"), TableId("t2")
Again = Callable[[], Journal]


@pytest.fixture(params=["memory", "sqlite"])
async def again(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Again]:
    """Returns the journal of the next run, over what the earlier ones have kept."""
    memory, made = MemoryJournal(), []

    def journal() -> Journal:
        made.append(memory if request.param == "memory" else SqliteJournal(tmp_path, 100))
        return made[-1]

    yield journal
    for each in made:
        await each.close()


@pytest.fixture
async def journal(again: Again) -> Journal:
    opened = again()
    await opened.open()
    return opened


async def test_records_come_back_in_their_order_with_the_newest_ones_mark(journal: Journal) -> None:
    first = await journal.append(T1, [b"1", b"2"], START)
    second = await journal.append(T1, [b"3"], first)
    assert await journal.read(T1) == ([b"1", b"2", b"3"], second)
    assert len({START, first, second}) == 3


async def test_an_unknown_table_has_no_records(journal: Journal) -> None:
    assert await journal.read(T1) == ([], START)


@pytest.mark.parametrize("afresh", [False, True])
async def test_an_append_after_an_older_record_is_refused_and_keeps_nothing(journal: Journal, afresh: bool) -> None:
    stale = await journal.append(T1, [b"1"], START)
    mark = await journal.append(T1, [b"2"], stale)
    for after in (START, stale):
        with pytest.raises(Fenced):
            await journal.append(T1, [b"x"], after, afresh=afresh)
    assert await journal.read(T1) == ([b"1", b"2"], mark)
    assert (await journal.read(T2)) == ([], START)


async def test_the_same_table_cannot_be_opened_twice(journal: Journal) -> None:
    await journal.append(T1, [b"opened"], START)
    with pytest.raises(Fenced):
        await journal.append(T1, [b"opened"], START)


async def test_the_marks_of_one_table_are_not_those_of_another(journal: Journal) -> None:
    mark = await journal.append(T1, [b"1"], START)
    await journal.append(T2, [b"1"], START)
    with pytest.raises(Fenced):
        await journal.append(T2, [b"2"], mark)


async def test_records_that_replace_the_earlier_ones_fence_off_writers_who_knew_only_those(journal: Journal) -> None:
    before = await journal.append(T1, [b"1"], START)
    middle = await journal.append(T1, [b"2", b"3"], before)
    mark = await journal.append(T1, [b"all"], middle, afresh=True)
    assert await journal.read(T1) == ([b"all"], mark)
    for after in (before, middle):
        with pytest.raises(Fenced):
            await journal.append(T1, [b"x"], after)
    assert await journal.read(T1) == ([b"all"], mark)


async def test_a_retired_table_has_no_records_and_may_be_retired_again(journal: Journal) -> None:
    mark = await journal.append(T1, [b"1"], START)
    await journal.retire(T1, mark)
    await journal.retire(T1, mark)
    assert await journal.read(T1) == ([], START)


async def test_a_table_that_was_changed_elsewhere_is_not_retired(journal: Journal) -> None:
    stale = await journal.append(T1, [b"1"], START)
    mark = await journal.append(T1, [b"2"], stale)
    with pytest.raises(Fenced):
        await journal.retire(T1, stale)
    assert await journal.read(T1) == ([b"1", b"2"], mark)


async def test_the_next_run_continues_after_the_marks_that_it_is_given(again: Again) -> None:
    journal = again()
    await journal.open()
    await journal.append(T1, [b"1", b"2"], START)
    mark = await journal.append(T2, [b"1"], START)
    await journal.remember(StoredUser(user=UserId("anna"), name="Anna"))
    await journal.note([Entry("book", "key", b"value")])
    await journal.close()
    journal = again()
    kept = await journal.open()
    assert {table: [*records] for table, records in kept.tables.items()} == {T1: [b"1", b"2"], T2: [b"1"]}
    assert kept.marks[T2] == mark
    assert [known.name for known in kept.users] == ["Anna"]
    assert {book: [*rows] for book, rows in kept.books.items()} == {"book": [("key", b"value")]}
    last = await journal.append(T1, [b"3"], kept.marks[T1])
    assert await journal.read(T1) == ([b"1", b"2", b"3"], last)
