"""The SQLite journal: everything acknowledged is restored, and failures are reported."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest

from scoville_server.journal.base import START, JournalError, StoredUser
from scoville_server.journal.files.generations import JOURNAL
from scoville_server.journal.sqlite import SqliteJournal
from scoville_server.journal.store import Store
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.start import Start
from scoville_server.tables.model.records import Record
from scoville_server.tables.state_machine import pack_record
from scoville_shared.ids import TableId, UserId
from tests.support.journals import append_records, kept_records
from tests.support.tables import carry_out, join_as, new_table, play_first, records_of, start_table, user_of

Open = Callable[..., Awaitable[SqliteJournal]]
T1, T2 = TableId("t1"), TableId("t2")
ANNA = StoredUser(user=UserId("anna"), name="Anna", lapsed=(T1, T2))
BEN = StoredUser(user=UserId("ben"), name="Ben")


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Open]:
    async with AsyncExitStack() as stack:

        async def opened(most: int = 1000) -> SqliteJournal:
            journal = SqliteJournal(tmp_path, most)
            await journal.open()
            stack.push_async_callback(journal.close)
            return journal

        yield opened


def store_of(journal: SqliteJournal) -> Store:
    return journal._writer._store


def database(journal: SqliteJournal) -> sqlite3.Connection:
    """Return the connection, to damage it; only while nothing is being written."""
    return store_of(journal)._db


def some_records() -> list[Record]:
    table = start_table("Anna", "Ben")
    return [
        table.opened,
        *records_of(new_table(), join_as("Anna", nonce_hash=b"\xff\x00")),
        *records_of(table, play_first("Anna", table)),
        *records_of(table, Leave(user=user_of("Ben"))),
        *records_of(carry_out(new_table(), join_as("Anna")), Start(user=user_of("Anna"), strength="random")),
    ]


def packed() -> list[bytes]:
    """One record as the journal gets it."""
    return [pack_record(some_records()[0])]


def kept_in(path: Path) -> int:
    """Count the records in a journal's file."""
    with closing(sqlite3.connect(path)) as db:
        ordered, recent = (db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("records", "recent"))
        return ordered + recent - 1  # without the row that counts the recent ones


# --- what was kept is there again ------------------------------------------------------------------------


async def test_records_of_every_kind_come_back_in_their_order(opened: Open, tmp_path: Path) -> None:
    journal = await opened()
    records = some_records()
    await append_records(journal, T1, records[:2])
    await append_records(journal, T2, records[:1])
    await append_records(journal, T1, records[2:])
    assert await kept_records(journal, T1) == records
    await journal.close()
    again = SqliteJournal(tmp_path, 10)
    await again.open()
    tables = (await again.tables()).tables
    assert {table: len(kept.records) for table, kept in tables.items()} == {T1: len(records), T2: 1}
    assert await kept_records(again, T1) == records
    await again.close()


async def test_a_table_that_was_cleared_away_does_not_come_back(opened: Open, tmp_path: Path) -> None:
    journal = await opened()
    mark = await append_records(journal, T1, some_records())
    await append_records(journal, T2, some_records())
    await journal.delete_records(T1, mark)
    await journal.close()
    again = SqliteJournal(tmp_path, 10)
    await again.open()
    assert [*(await again.tables()).tables] == [T2]
    await again.close()


async def test_users_return_and_names_go_to_the_latest(opened: Open, tmp_path: Path) -> None:
    journal = await opened()
    cleo = StoredUser(user=UserId("cleo"), name="Cleo")
    for known in (ANNA, BEN, cleo, ANNA):
        await journal.put_user(known)
    await journal.delete_user(cleo.user)
    await journal.close()
    again = SqliteJournal(tmp_path, 10)
    await again.open()
    assert await again.users() == [BEN, ANNA]
    await again.close()


async def test_only_the_owner_can_look_into_the_folder(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "new" / "folder", 10)
    await journal.open()
    await append_records(journal, T1, some_records())
    modes = [path.stat().st_mode & 0o077 for path in (tmp_path / "new/folder", tmp_path / "new/folder" / JOURNAL)]
    assert modes == [0, 0]
    await journal.close()


# --- the commit ------------------------------------------------------------------------------------------


async def test_every_commit_is_synced(opened: Open) -> None:
    journal = await opened()
    asked = {
        name: database(journal).execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")
    }
    assert asked == {"journal_mode": "wal", "synchronous": 2}


async def test_simultaneous_writes_share_one_commit(opened: Open) -> None:
    journal = await opened()
    commits: list[str] = []
    database(journal).set_trace_callback(lambda sql: commits.append(sql) if sql == "COMMIT" else None)
    record = packed()
    tables = [TableId(f"t{number}") for number in range(100)]
    await asyncio.gather(*(journal.append(table, record, START) for table in tables))
    database(journal).set_trace_callback(None)
    assert 1 <= len(commits) <= 10
    assert [len(await kept_records(journal, table)) for table in tables] == [1] * 100


async def test_writes_waiting_at_a_stop_are_written(opened: Open, tmp_path: Path) -> None:
    journal = await opened()
    writing = [asyncio.ensure_future(journal.append(TableId(f"t{n}"), packed(), START)) for n in range(20)]
    await asyncio.sleep(0)
    await journal.close()
    await asyncio.gather(*writing)
    assert kept_in(tmp_path / JOURNAL) == 20


async def test_an_asker_who_has_gone_disturbs_nobody(opened: Open) -> None:
    journal = await opened()
    gone, stays = (asyncio.ensure_future(journal.append(table, packed(), START)) for table in (T1, T2))
    await asyncio.sleep(0)
    gone.cancel()
    await stays
    assert len(await kept_records(journal, T1)) == 1


async def test_a_faulty_write_does_not_fail_the_others(opened: Open) -> None:
    journal = await opened()
    twin = StoredUser(user=UserId("\ud800"), name="no text at all")
    results = await asyncio.gather(
        journal.append(T1, packed(), START), journal.put_user(twin), journal.put_user(BEN), return_exceptions=True
    )
    assert [type(result) for result in results] == [bytes, UnicodeEncodeError, type(None)]
    assert len(await kept_records(journal, T1)) == 1


async def test_more_than_the_disk_can_follow_is_refused(opened: Open) -> None:
    journal = await opened(most=2)
    tables = [TableId(f"t{n}") for n in range(3)]
    writes = [journal.append(table, packed(), START) for table in tables]
    results = await asyncio.gather(*writes, return_exceptions=True)
    assert [type(result) for result in results] == [bytes, bytes, JournalError]
    assert "overloaded" in str(results[2])
    await journal.append(tables[2], packed(), START)
    assert [len(await kept_records(journal, table)) for table in tables] == [1, 1, 1]


# --- a disk that refuses ---------------------------------------------------------------------------------


def fill_up(db: sqlite3.Connection) -> None:
    """Let the database grow no further, as on a full disk."""
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {pages}")


def make_room(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA max_page_count = 1000000")


def forbid_writing(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA query_only = ON")


def allow_writing(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA query_only = OFF")


@pytest.mark.parametrize(
    ("spoil", "mend", "reason"),
    [
        pytest.param(fill_up, make_room, "the disk is full; free some space", id="full"),
        pytest.param(forbid_writing, allow_writing, "it is read-only", id="read-only"),
    ],
)
async def test_a_refusing_disk_keeps_all_or_nothing(
    opened: Open, caplog: pytest.LogCaptureFixture, spoil: Callable, mend: Callable, reason: str
) -> None:
    caplog.set_level(logging.WARNING)
    journal = await opened()
    few, many = some_records()[:1], some_records() * 200
    mark = await append_records(journal, T1, few)
    spoil(database(journal))
    for _ in range(2):
        with pytest.raises(JournalError, match="nothing was changed"):
            await journal.append(T1, [*map(pack_record, many)], mark)
    assert kept_in(store_of(journal).path) == len(few)
    assert [record.levelname for record in caplog.records if reason in record.message] == ["ERROR"]
    mend(database(journal))
    await journal.append(T1, [*map(pack_record, many)], mark)
    assert await kept_records(journal, T1) == [*few, *many]
    assert caplog.records[-1].message.startswith("commit_recovered path=")


async def test_a_locked_file_is_awaited_and_reported(
    opened: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal = await opened()
    database(journal).execute("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(tmp_path / JOURNAL, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalError):
            await journal.append(T1, packed(), START)
        assert "another program has locked it" in caplog.text
    await journal.append(T1, packed(), START)
    assert len(await kept_records(journal, T1)) == 1
