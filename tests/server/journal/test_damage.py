"""Damaged rows are detected, and left out with a sentence, or refused where they protect players."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from scoville_server.journal.backups.copying import back_up
from scoville_server.journal.base import Change, JournalError, Revision, Row, StoredUser
from scoville_server.journal.books import LOSABLE, PROTECTING, Book
from scoville_server.journal.contents import JournalContents
from scoville_server.journal.files.generations import JOURNAL, journal_of
from scoville_server.journal.memory import MemoryJournal
from scoville_server.journal.seals import register_functions, seal_record, seal_row
from scoville_server.journal.sqlite import SqliteJournal
from scoville_server.journal.store import Store
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.ids import TableId, UserId
from tests.server.journal.crashing import kill_at_each_step
from tests.server.journal.test_sqlite import some_records
from tests.support.journals import append_records
from tests.support.process import Run, first_line

T1, T2 = TableId("t1"), TableId("t2")
ANNA, BEN = (StoredUser(user=UserId(name), name=name.title()) for name in ("anna", "ben"))
CHANGES = [Change(book, key, b"value of " + key.encode()) for book in ("bans", "chat") for key in ("one", "two")]


def fill(folder: Path) -> None:
    store = Store(folder)
    store.commit_writes(
        [lambda s: s.appends.add_records(T1, [b"1", b"2", b"3"]), lambda s: s.appends.add_records(T2, [b"1"])]
    )
    store.commit_writes([lambda s: s.put_user(ANNA), lambda s: s.put_user(BEN), lambda s: s.write_changes(CHANGES)])
    store.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fill(tmp_path / "data")
    return tmp_path / "data"


def tamper(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / JOURNAL, isolation_level=None)) as db:
        register_functions(db)
        for statement in statements:
            assert db.execute(statement).rowcount, statement


def start(folder: Path, *, leave_out_damaged: bool = False) -> JournalContents:
    store = Store(folder, leave_out_damaged=leave_out_damaged)
    try:
        return store.load_rows()
    finally:
        store.close()


def books_of(kept: JournalContents) -> list[tuple[str, str]]:
    return sorted((book, key) for book, rows in kept.books.items() for key, _ in rows)


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("UPDATE records SET record = x'39' WHERE table_id = 't1' AND n = 2", "its record 2 is damaged"),
        ("UPDATE records SET seal = x'39' WHERE table_id = 't1' AND n = 2", "its record 2 is damaged"),
        ("UPDATE records SET record = '2' WHERE table_id = 't1' AND n = 2", "its record 2 is damaged"),
        ("DELETE FROM records WHERE table_id = 't1' AND n = 2", "its record 2 is missing"),
        ("DELETE FROM records WHERE table_id = 't1' AND n = 1", "its record 1 is missing"),
        ("UPDATE records SET n = 4 WHERE table_id = 't1' AND n = 2", "its record 4 is damaged"),
        ("UPDATE records SET n = 9223372036854775807 WHERE table_id = 't1' AND n = 3", "is damaged"),
        ("UPDATE records SET table_id = 't3' WHERE table_id = 't1' AND n = 3", "its record 3 is damaged"),
        ("UPDATE records SET table_id = x'7431ff' WHERE table_id = 't1' AND n = 3", "its record 3 is damaged"),
        ("DELETE FROM records WHERE table_id = 't1' AND n = 3", "its record 3 is missing"),
        ("DELETE FROM records WHERE table_id = 't1' AND n > 1", "its records 2 to 3 are missing"),
        ("DELETE FROM records WHERE table_id = 't1'", "its records 1 to 3 are missing"),
        ("DELETE FROM heads WHERE table_id = 't1'", "the number of its records is missing"),
        ("UPDATE heads SET n = 2 WHERE table_id = 't1'", "the number of its records is damaged"),
        ("UPDATE heads SET mark = x'39' WHERE table_id = 't1'", "the number of its records is damaged"),
        ("UPDATE heads SET n = 2, seal = seal('heads', 't1', 2, mark) WHERE table_id = 't1'", "were never saved"),
        ("INSERT INTO records SELECT 't1', 4, record, seal FROM records WHERE table_id = 't1' AND n = 1", "is damaged"),
    ],
)
def test_only_a_table_with_damaged_records_is_left_out(
    folder: Path, caplog: pytest.LogCaptureFixture, statement: str, why: str
) -> None:
    tamper(folder, statement)
    assert start(folder).tables == {T2: [b"1"]}
    assert [why in record.message for record in caplog.records if "Table t1 cannot be reopened" in record.message] == [
        True
    ]
    caplog.clear()
    kept = start(folder)
    assert (kept.tables, kept.users, len(books_of(kept))) == ({T2: [b"1"]}, [ANNA, BEN], 4)
    assert caplog.records == []


def test_two_records_that_changed_places_are_noticed(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    swap = "UPDATE records SET record = CASE n WHEN 1 THEN x'32' ELSE x'31' END WHERE table_id = 't1' AND n < 3"
    tamper(folder, swap)
    assert start(folder).tables == {T2: [b"1"]}
    assert "Table t1 cannot be reopened" in caplog.text


def test_a_table_that_is_damaged_meanwhile_is_not_read_back(folder: Path) -> None:
    store = Store(folder)
    store._db.execute("UPDATE records SET record = x'39' WHERE table_id = 't1' AND n = 2")
    with pytest.raises(JournalError, match="record 2 of table t1"):
        store.statements.read_records(T1)
    assert store.statements.read_records(T2) == [b"1"]
    store.close()


async def test_a_table_that_is_damaged_meanwhile_hinders_no_other(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path, 10)
    await journal.open()
    await append_records(journal, T1, some_records())
    journal._writer._store._db.execute("UPDATE recent SET record = x'39' WHERE n = 2")
    results = await asyncio.gather(
        journal.read(T1), journal.put_user(ANNA), journal.put_user(BEN), return_exceptions=True
    )
    assert [type(result) for result in results] == [JournalError, type(None), type(None)]
    await journal.close()


def test_the_damaged_journal_stays_as_it_was(folder: Path) -> None:
    tamper(folder, "UPDATE records SET record = x'39' WHERE table_id = 't1' AND n = 2")
    before = (folder / JOURNAL).read_bytes()
    start(folder)
    assert (folder / "generations" / "0" / JOURNAL).read_bytes() == before
    assert journal_of(folder, 1).exists()


@pytest.mark.parametrize(
    "change", ["name = 'Ann'", "user = 'anni'", "number = 77", "lapsed = '[\"t1\"]'", "name = x'ff'", "seal = x''"]
)
def test_a_user_whose_row_is_damaged_is_left_out(folder: Path, caplog: pytest.LogCaptureFixture, change: str) -> None:
    tamper(folder, f"UPDATE users SET {change} WHERE user = 'anna'")
    assert start(folder).users == [BEN]
    assert "is ignored" in caplog.records[0].message


@pytest.mark.parametrize("change", ["value = x'00'", "key = 'three'", "n = 99", "book = 'cha'", "seal = x''"])
def test_an_unprotective_damaged_row_is_left_out(folder: Path, caplog: pytest.LogCaptureFixture, change: str) -> None:
    tamper(folder, f"UPDATE books SET {change} WHERE book = 'chat' AND key = 'one'")
    assert books_of(start(folder)) == [("bans", "one"), ("bans", "two"), ("chat", "two")]
    assert "of the book chat is ignored" in caplog.records[0].message


@pytest.mark.parametrize(
    "change", ["value = x'00'", "key = 'three'", "n = 99", "book = 'bens'", "book = 'chat', key='1'"]
)
def test_a_protective_damaged_row_needs_the_hosts_consent(
    folder: Path, caplog: pytest.LogCaptureFixture, change: str
) -> None:
    tamper(folder, f"UPDATE books SET {change} WHERE book = 'bans' AND key = 'one'")
    for _ in range(2):
        with pytest.raises(JournalError, match="has damaged rows that protect players") as refused:
            start(folder)
        assert "of the book bans" in refused.value.message
        assert "restore --force FOLDER'" in refused.value.message
        assert "--leave-out-damaged" in refused.value.message
    assert books_of(start(folder, leave_out_damaged=True)) == [("bans", "two"), ("chat", "one"), ("chat", "two")]
    assert "of the book bans is ignored" in caplog.text
    assert books_of(start(folder)) == [("bans", "two"), ("chat", "one"), ("chat", "two")]


def test_rows_of_unknown_books_count_as_protective(folder: Path) -> None:
    tamper(folder, "UPDATE books SET book = 'foo', seal = x'00' WHERE book = 'chat' AND key = 'one'")
    with pytest.raises(JournalError, match="rows that protect players"):
        start(folder)


async def test_every_book_is_known_to_protect_or_not(tmp_path: Path) -> None:
    """A new book has to be put into one of the two sets."""
    server = Server(Settings(data=tmp_path), journal=MemoryJournal())
    await server.start()
    seen = set()
    rest: list[object] = [server._services]
    known: set[int] = set()
    while rest:
        thing = rest.pop()
        if id(thing) not in known and type(thing).__module__.startswith("scoville_server"):
            known.add(id(thing))
            seen |= {thing.name} if isinstance(thing, Book) else set()
            rest += vars(thing).values() if hasattr(thing, "__dict__") else []
    await server.close()
    assert len(seen) > 5
    assert seen <= PROTECTING | LOSABLE
    assert not PROTECTING & LOSABLE


def test_a_repair_killed_anywhere_is_done_by_the_next_start(tmp_path: Path) -> None:
    fill(tmp_path / "template" / "data")
    tamper(tmp_path / "template" / "data", "UPDATE records SET record = x'39' WHERE table_id = 't1' AND n = 2")
    load = "store = Store(here / 'data')\nstore.load_rows()\nstore.close()"
    script = f"from scoville_server.journal.store import Store\n{load}"
    for copy in kill_at_each_step(script, tmp_path / "template", tmp_path / "killed"):
        kept = start(copy / "data")
        assert (kept.tables, kept.users, len(books_of(kept))) == ({T2: [b"1"]}, [ANNA, BEN], 4)


def test_books_go_on_after_a_repair(folder: Path) -> None:
    tamper(folder, "UPDATE books SET n = 9223372036854775807 WHERE book = 'chat' AND key = 'one'")
    store = Store(folder)
    store.load_rows()
    store.commit_writes([lambda s: s.write_changes([Change("chat", "new", b"line")]), lambda s: s.put_user(ANNA)])
    store.close()
    kept = start(folder)
    assert [key for key, _ in kept.books["chat"]] == ["two", "new"]
    assert kept.users == [BEN, ANNA]


async def test_a_row_of_another_version_is_passed_over_or_refused(caplog: pytest.LogCaptureFixture) -> None:
    class Recipe(msgspec.Struct):
        chilis: int

    unreadable = ("one", Row(b"\xff", Revision(b"1")))
    readable = ("two", Row(msgspec.msgpack.encode(Recipe(2)), Revision(b"2")))
    rows = {"chat": [unreadable, readable], "bans": [unreadable]}
    journal = MemoryJournal()
    await journal.write([Change(book, key, row.value) for book, kept in rows.items() for key, row in kept])
    book = Book("chat", Recipe, journal)
    assert [key for key, _ in book.items()] == ["two"]
    assert "The row one of the book chat cannot be read by this version" in caplog.text
    with pytest.raises(JournalError, match="The row one of the book bans cannot be read by this version"):
        Book("bans", Recipe, journal)


def test_a_seal_depends_on_every_column_and_where_it_ends() -> None:
    seals = {
        seal_row("k", "a", "b"),
        seal_row("k", "ab"),
        seal_row("k", "", "ab"),
        seal_row("k", "a", 1),
        seal_row("k", "a", "b", ""),
    }
    assert len(seals | {seal_row("l", "a", "b"), seal_row("k", "a", "b", 1), seal_row("k", "a", "b1")}) == 8
    assert all(value[8:] in (b"a", b"ab", b"") for value in seals)
    assert seal_row("records", "täble", 12, b"\x00record") == seal_record("täble", 12, b"\x00record")


async def test_the_command_names_the_damage_and_continues_on_request(run: Run, folder: Path) -> None:
    tamper(
        folder,
        "UPDATE books SET key = 'three' WHERE book = 'bans' AND key = 'one'",
        "DELETE FROM books WHERE key = 'two'",
    )
    tamper(folder, "DELETE FROM books WHERE book = 'chat'", "DELETE FROM records")
    arguments = (
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-default-tables",
        "--data",
        str(folder),
        "--log-level",
        "warning",
    )
    process = await run(*arguments)
    _, err = await process.communicate()
    assert process.returncode == 1
    assert len(err.decode().splitlines()) == 1
    assert "The row three of the book bans is ignored: it is damaged." in err.decode()
    assert "listens on" in await first_line(await run(*arguments, "--leave-out-damaged"))


def test_a_back_up_of_damaged_rows_warns_of_them(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tamper(folder, "UPDATE records SET record = x'39' WHERE table_id = 't1' AND n = 2")
    assert back_up(folder, tmp_path / "copy") == (2, 0)
    assert ["Table t1 cannot be reopened: its record 2 is damaged." in record.message for record in caplog.records] == [
        True
    ]
    assert start(tmp_path / "copy").tables == {T2: [b"1"]}


def test_a_table_that_was_retired_or_written_afresh_lacks_nothing(folder: Path) -> None:
    store = Store(folder)
    store.commit_writes(
        [lambda s: s.delete_records(T2), lambda s: s.delete_records(T1), lambda s: s.appends.add_records(T1, [b"9"])]
    )
    store.commit_writes([lambda s: s.appends.add_records(T2, [b"2", b"3"])])
    store.close()
    assert start(folder).tables == {T1: [b"9"], T2: [b"2", b"3"]}
