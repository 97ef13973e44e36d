"""The contract of every implementation of `Journal`."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from scoville_server.journal.base import (
    ABSENT,
    START,
    Change,
    Conflict,
    Fenced,
    Journal,
    JournalError,
    Revision,
    Row,
    Shared,
    StoredUser,
)
from scoville_server.journal.memory import MemoryJournal
from scoville_server.journal.sqlite import SqliteJournal
from scoville_shared.ids import TableId, UserId
from tests.support.nats_server import jetstream_journal

T1, T2 = TableId("t1"), TableId("t2")
Again = Callable[[], Journal]


@pytest.fixture(params=["memory", "sqlite", "jetstream"])
async def again(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Again]:
    """Returns the journal of the next run, over what the earlier ones have kept."""
    made: list[Journal] = []
    memory = MemoryJournal()
    makers: dict[str, Again] = {"memory": lambda: memory, "sqlite": lambda: SqliteJournal(tmp_path, 100)}
    if request.param == "jetstream":
        place = request.getfixturevalue("nats_place")
        makers["jetstream"] = lambda: jetstream_journal(place)

    def journal() -> Journal:
        made.append(makers[request.param]())
        return made[-1]

    yield journal
    for each in made:
        await each.close()


async def begin(journal: Journal) -> Journal:
    """Open a journal, and serve if several nodes share it."""
    await journal.open()
    if isinstance(journal, Shared):
        await journal.take_epoch()
    return journal


@pytest.fixture
async def journal(again: Again) -> Journal:
    return await begin(again())


async def test_records_return_in_order_with_the_newest_mark(journal: Journal) -> None:
    first = await journal.append(T1, [b"1", b"2"], START)
    second = await journal.append(T1, [b"3"], first)
    assert await journal.read(T1) == ([b"1", b"2", b"3"], second)
    assert len({START, first, second}) == 3


async def test_an_unknown_table_has_no_records(journal: Journal) -> None:
    assert await journal.read(T1) == ([], START)


@pytest.mark.parametrize("afresh", [False, True])
async def test_an_append_after_an_older_record_is_refused(journal: Journal, afresh: bool) -> None:
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


async def test_replacing_records_fences_former_writers(journal: Journal) -> None:
    before = await journal.append(T1, [b"1"], START)
    middle = await journal.append(T1, [b"2", b"3"], before)
    mark = await journal.append(T1, [b"all"], middle, afresh=True)
    assert await journal.read(T1) == ([b"all"], mark)
    for after in (before, middle):
        with pytest.raises(Fenced):
            await journal.append(T1, [b"x"], after)
    assert await journal.read(T1) == ([b"all"], mark)


async def test_a_retired_table_may_be_retired_again(journal: Journal) -> None:
    mark = await journal.append(T1, [b"1"], START)
    await journal.delete_records(T1, mark)
    await journal.delete_records(T1, mark)
    assert await journal.read(T1) == ([], START)


async def test_a_table_that_was_changed_elsewhere_is_not_retired(journal: Journal) -> None:
    stale = await journal.append(T1, [b"1"], START)
    mark = await journal.append(T1, [b"2"], stale)
    with pytest.raises(Fenced):
        await journal.delete_records(T1, stale)
    assert await journal.read(T1) == ([b"1", b"2"], mark)


async def test_followers_hear_of_users(journal: Journal) -> None:
    heard: list[tuple[UserId, StoredUser | None]] = []
    anna = StoredUser(user=UserId("anna"), name="Anna")
    await journal.put_user(anna)
    journal.follow_users(lambda user, known: heard.append((user, known)))
    assert heard == []
    named = StoredUser(user=anna.user, name="Anne", lapsed=(T1,))
    await journal.put_user(named)
    await journal.delete_user(anna.user)
    assert heard == [(anna.user, named), (anna.user, None)]


async def test_the_next_run_continues_after_given_marks(again: Again) -> None:
    journal = again()
    await begin(journal)
    await journal.append(T1, [b"1", b"2"], START)
    mark = await journal.append(T2, [b"1"], START)
    await journal.put_user(StoredUser(user=UserId("anna"), name="Anna"))
    await journal.write([Change("book", "key", b"value")])
    await journal.close()
    journal = again()
    rows: dict[str, Row | None] = {}
    journal.follow("book", rows.__setitem__)
    await begin(journal)
    tables = (await journal.tables()).tables
    assert {table: [*kept.records] for table, kept in tables.items()} == {T1: [b"1", b"2"], T2: [b"1"]}
    assert tables[T2].mark == mark
    assert [known.name for known in await journal.users()] == ["Anna"]
    assert rows == {"key": await journal.get("book", "key")}
    last = await journal.append(T1, [b"3"], tables[T1].mark)
    assert await journal.read(T1) == ([b"1", b"2", b"3"], last)


# --- rows of books ---------------------------------------------------------------------------------------


async def revision(journal: Journal, key: str) -> Revision:
    row = await journal.get("book", key)
    return ABSENT if row is None else row.revision


async def test_a_row_returns_with_its_revision(journal: Journal) -> None:
    assert await journal.get("book", "key") is None
    revisions = {ABSENT}
    for value in (b"1", b"2"):
        await journal.write([Change("book", "key", value), Change("other", "key", b"x")])
        row = await journal.get("book", "key")
        assert row is not None
        assert row.value == value
        revisions.add(row.revision)
    assert len(revisions) == 3
    await journal.write([Change("book", "key", None)])
    assert await journal.get("book", "key") is None


async def test_a_change_after_an_older_revision_is_refused(journal: Journal) -> None:
    await journal.write([Change("book", "key", b"1")])
    stale = await revision(journal, "key")
    await journal.write([Change("book", "key", b"2", stale)])
    for after in (ABSENT, stale):
        for value in (b"x", None):
            with pytest.raises(Conflict) as refused:
                await journal.write([Change("book", "new", b"x"), Change("book", "key", value, after)])
            assert (refused.value.book, refused.value.key) == ("book", "key")
    assert (await journal.get("book", "new"), await journal.get("other", "key")) == (None, None)
    await journal.write([Change("book", "key", None, await revision(journal, "key"))])
    with pytest.raises(Conflict):
        await journal.write([Change("book", "key", b"x", stale)])
    assert await journal.get("book", "key") is None


async def test_a_key_is_created_once(journal: Journal) -> None:
    async def create(value: bytes) -> bool:
        try:
            await journal.write([Change("names", "anna", value, ABSENT)])
        except Conflict:
            return False
        return True

    assert await asyncio.gather(*map(create, (b"1", b"2", b"3"))) == [True, False, False]
    row = await journal.get("names", "anna")
    assert row is not None
    assert row.value == b"1"


async def test_changes_are_announced_in_order(journal: Journal) -> None:
    heard: list[tuple[str, bytes | None]] = []
    journal.follow("book", lambda key, row: heard.append((key, row and row.value)))
    await journal.write([Change("book", "a", b"1"), Change("other", "a", b"x"), Change("book", "b", b"2")])
    assert heard == [("a", b"1"), ("b", b"2")]
    with pytest.raises(Conflict):
        await journal.write([Change("book", "a", b"3"), Change("book", "b", None, ABSENT)])
    await asyncio.gather(*(journal.write([Change("book", "a", b"%d" % n)]) for n in range(4, 8)))
    await journal.write([Change("book", "a", None)])
    assert heard[2:] == [("a", b"4"), ("a", b"5"), ("a", b"6"), ("a", b"7"), ("a", None)]


async def test_a_follower_knows_the_revisions_of_the_rows(journal: Journal) -> None:
    rows: dict[str, Row | None] = {}
    journal.follow("book", rows.__setitem__)
    for value in (b"1", b"2"):
        await journal.write([Change("book", "key", value)])
    last = rows["key"]
    assert last == await journal.get("book", "key")
    assert last is not None
    await journal.write([Change("book", "key", b"3", last.revision)])


async def test_a_late_follower_hears_the_rows_before_any_change(journal: Journal) -> None:
    heard: list[tuple[str, bytes | None]] = []
    await journal.write([Change("book", "b", b"1"), Change("book", "a", b"2"), Change("other", "a", b"x")])
    journal.follow("book", lambda key, row: heard.append((key, row and row.value)))
    await journal.write([Change("book", "b", b"3")])
    assert heard == [("b", b"1"), ("a", b"2"), ("b", b"3")]


async def test_a_follower_that_refuses_a_row_refuses_the_start(again: Again) -> None:
    journal = again()
    await begin(journal)
    await journal.write([Change("book", "key", b"1")])
    await journal.close()
    journal = again()

    def refuse(key: str, row: Row | None) -> None:
        raise JournalError(f"{key} cannot be read.")

    async def start() -> None:
        journal.follow("book", refuse)
        await journal.open()

    with pytest.raises(JournalError, match="key cannot be read"):
        await start()


async def test_a_change_is_announced_without_its_writer(journal: Journal) -> None:
    heard = asyncio.Event()
    journal.follow("book", lambda *_: heard.set())
    writing = asyncio.ensure_future(journal.write([Change("book", "key", b"1")]))
    await asyncio.sleep(0)
    writing.cancel()
    await heard.wait()
    assert await revision(journal, "key") != ABSENT


async def test_the_next_run_continues_after_given_revisions(again: Again) -> None:
    journal = again()
    await begin(journal)
    await journal.write([Change("book", "key", b"1"), Change("book", "other", b"2")])
    await journal.close()
    journal = again()
    rows: dict[str, Row | None] = {}
    journal.follow("book", rows.__setitem__)
    await begin(journal)
    known = rows["key"]
    assert known is not None
    await journal.write([Change("book", "key", b"3", known.revision)])
    with pytest.raises(Conflict):
        await journal.write([Change("book", "key", b"4", known.revision)])
