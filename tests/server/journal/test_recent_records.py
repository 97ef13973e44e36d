"""New records are written one behind the other, and ordered by table later; neither loses any."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scoville_server.journal import appends, schema
from scoville_server.journal.backups.copying import back_up
from scoville_server.journal.base import JournalError
from scoville_server.journal.files.generations import JOURNAL
from scoville_server.journal.seals import register_functions
from scoville_server.journal.store import Store
from scoville_shared.ids import TableId

T1, T2 = TableId("t1"), TableId("t2")


def keep(store: Store, table: TableId, *records: bytes) -> None:
    store.commit_writes([lambda store: store.appends.add_records(table, records)])


def tables_in(folder: Path, *, leave_out_damaged: bool = False) -> dict[str, list[bytes]]:
    store = Store(folder, leave_out_damaged=leave_out_damaged)
    try:
        return {str(table): [*records] for table, records in store.load_rows().tables.items()}
    finally:
        store.close()


def counts(store: Store) -> tuple[int, int]:
    """Count the records that are ordered by table, and the recent ones."""
    ordered = store._db.execute("SELECT count(*) FROM records").fetchone()[0]
    recent = store._db.execute("SELECT count(*) FROM recent").fetchone()[0]
    return ordered, recent - 1


def killed(folder: Path, target: Path) -> Path:
    """Copy a folder as a killed server would leave it."""
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns("*.lock", "*-shm"))
    return target


@pytest.fixture
def store(tmp_path: Path) -> Any:
    store = Store(tmp_path / "data")
    keep(store, T1, b"1", b"2")
    keep(store, T2, b"1")
    keep(store, T1, b"3")
    yield store
    store.close()


KEPT = {"t1": [b"1", b"2", b"3"], "t2": [b"1"]}


def test_new_records_are_recent_until_the_store_is_closed(store: Store, tmp_path: Path) -> None:
    assert counts(store) == (0, 4)
    assert store.statements.read_records(T1) == KEPT["t1"]
    store.close()
    store = Store(tmp_path / "data")
    assert counts(store) == (4, 0)
    assert store.statements.read_records(T1) == KEPT["t1"]
    store.close()


def test_a_start_after_a_kill_orders_what_was_recent(store: Store, tmp_path: Path) -> None:
    folder = killed(tmp_path / "data", tmp_path / "killed")
    again = Store(folder)
    assert counts(again) == (0, 4)
    assert again.load_rows().tables == KEPT
    assert counts(again) == (4, 0)
    keep(again, T2, b"2")
    again.close()
    assert tables_in(folder) == {**KEPT, "t2": [b"1", b"2"]}


def test_an_unloaded_store_continues_behind_recent_records(store: Store, tmp_path: Path) -> None:
    folder = killed(tmp_path / "data", tmp_path / "killed")
    again = Store(folder)
    keep(again, T2, b"2")
    assert counts(again) == (0, 5)
    again.close()
    assert tables_in(folder) == {**KEPT, "t2": [b"1", b"2"]}


def test_many_recent_records_are_ordered_while_the_store_is_used(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appends, "MOST_RECENT", 5)
    seen = set()
    for number in range(20):
        keep(store, T2, b"%d" % number)
        seen.add(counts(store)[1])
    assert sum(counts(store)) == 24
    assert seen == {1, 2, 3, 4, 5}
    folder = killed(tmp_path / "data", tmp_path / "killed")
    assert tables_in(folder) == {**KEPT, "t2": [b"1", *(b"%d" % number for number in range(20))]}


def test_the_tables_of_the_oldest_records_are_ordered_first(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appends, "MOST_RECENT", 5)
    monkeypatch.setattr(appends, "_OLDEST", 1)
    keep(store, T2, b"2")
    keep(store, T2, b"3")
    assert counts(store) == (3, 3), "the three of table t1 are ordered"
    keep(store, T1, b"4")
    folder = killed(tmp_path / "data", tmp_path / "killed")
    assert tables_in(folder) == {"t1": [b"1", b"2", b"3", b"4"], "t2": [b"1", b"2", b"3"]}


def test_more_records_than_a_statement_holds_are_kept_together(store: Store) -> None:
    many = [b"%d" % number for number in range(3 * appends._ROWS + 1)]
    keep(store, T2, *many)
    assert store.statements.read_records(T2) == [b"1", *many]


def test_a_closed_table_takes_its_recent_records_along(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store.commit_writes([lambda store: store.delete_records(T1)])
    assert (store.statements.read_records(T1), counts(store)) == ([], (0, 1))
    assert tables_in(killed(tmp_path / "data", tmp_path / "killed")) == {"t2": [b"1"]}
    keep(store, T1, b"anew")
    assert store.statements.read_records(T1) == [b"anew"]
    store.commit_writes([lambda store: store.delete_records(T2), lambda store: store.delete_records(T1)])
    assert tables_in(killed(tmp_path / "data", tmp_path / "killed again")) == {}
    assert caplog.records == []


def test_records_of_a_commit_that_fails_leave_no_gap(store: Store, tmp_path: Path) -> None:
    def fail(_: Store) -> None:
        raise ValueError("its own fault")

    with pytest.raises(ValueError, match="its own fault"):
        store.commit_writes(
            [lambda store: store.appends.add_records(T1, [b"never"]), lambda store: store.read_records(T1), fail]
        )
    keep(store, T1, b"4")
    folder = killed(tmp_path / "data", tmp_path / "killed")
    assert tables_in(folder) == {**KEPT, "t1": [b"1", b"2", b"3", b"4"]}


def test_a_failed_commit_makes_recent_records_looked_up(store: Store) -> None:
    def fail(store: Store) -> None:
        raise RuntimeError

    for n in range(20):
        keep(store, TableId(f"many {n}"), b"1")
    with pytest.raises(RuntimeError):
        store.commit_writes([fail])
    statements: list[str] = []
    store._db.set_trace_callback(statements.append)
    for n in range(20):
        keep(store, TableId(f"many {n}"), b"2")
        keep(store, TableId(f"more {n}"), b"1")
    store._db.set_trace_callback(None)

    assert len([each for each in statements if "FROM recent" in each and "GROUP BY" in each]) == 1
    assert store.statements.read_records(TableId("many 7")) == [b"1", b"2"]
    assert store.statements.read_records(TableId("more 7")) == [b"1"]
    assert store.statements.read_records(T1) == KEPT["t1"]


def test_a_live_backup_has_recent_records(store: Store, tmp_path: Path) -> None:
    assert back_up(tmp_path / "data", tmp_path / "copy").tables == 2
    with closing(sqlite3.connect(tmp_path / "copy" / JOURNAL)) as db:
        assert db.execute("SELECT count(*) FROM recent").fetchone() == (5,)


def test_a_journal_without_recent_records_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *later = schema.migration_steps()
    with closing(sqlite3.connect(tmp_path / "old", isolation_level=None)) as db:
        register_functions(db)
        monkeypatch.setattr(schema, "migration_steps", lambda: (first,))
        schema.migrate_schema(db, tmp_path / "old")
        monkeypatch.setattr(schema, "migration_steps", lambda: (first, *later))
        schema.migrate_schema(db, tmp_path / "old")
        assert [n for (n,) in db.execute("SELECT n FROM recent")] == [0]


# --- damage ----------------------------------------------------------------------------------------------

UNKNOWN = ": some tables may lack their latest moves."


@pytest.mark.parametrize(
    ("statement", "expected", "sentence"),
    [
        (
            "UPDATE recent SET record = x'39' WHERE number = 3",
            {"t1": KEPT["t1"]},
            "t2 cannot be reopened: its record 1 is",
        ),
        ("UPDATE recent SET seal = x'39' WHERE number = 1", {"t2": [b"1"]}, "t1 cannot be reopened: its record 1 is"),
        (
            "UPDATE recent SET table_id = 't3' WHERE number = 3",
            {"t1": KEPT["t1"]},
            "t2 cannot be reopened: its record 1",
        ),
        ("UPDATE recent SET n = 7 WHERE number = 2", {"t2": [b"1"]}, "t1 cannot be reopened: its record 7 is damaged"),
        ("DELETE FROM recent WHERE number = 2", {"t2": [b"1"]}, "t1 cannot be reopened: its record 2 is missing"),
        ("DELETE FROM recent WHERE number = 2", {"t2": [b"1"]}, f"3 of the latest 4 records are there{UNKNOWN}"),
        ("DELETE FROM recent WHERE number = 4", {"t1": [b"1", b"2"], "t2": [b"1"]}, UNKNOWN),
        ("DELETE FROM recent WHERE number < 5", {}, f"0 of the latest 4 records are there{UNKNOWN}"),
        ("DELETE FROM recent WHERE number > 4", KEPT, f"The number of the latest records is missing{UNKNOWN}"),
        ("UPDATE recent SET number = 9 WHERE number > 4", KEPT, f"number of the latest records is missing{UNKNOWN}"),
        ("UPDATE recent SET n = 3 WHERE number > 4", KEPT, f"The number of the latest records is damaged{UNKNOWN}"),
        (
            "UPDATE recent SET record = x'39' WHERE number > 4",
            KEPT,
            f"number of the latest records is damaged{UNKNOWN}",
        ),
    ],
)
def test_damage_among_recent_records_is_reported_and_left_out(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture, statement: str, expected: object, sentence: str
) -> None:
    folder = killed(tmp_path / "data", tmp_path / "killed")
    with closing(sqlite3.connect(folder / JOURNAL, isolation_level=None)) as db:
        assert db.execute(statement).rowcount, statement
    if "DELETE" in statement or "number > 4" in statement:  # nobody can tell what else is missing
        with pytest.raises(JournalError, match="is incomplete"):
            tables_in(folder)
        assert tables_in(folder, leave_out_damaged=True) == expected
        assert "is incomplete" in caplog.text
    else:
        assert tables_in(folder) == expected
    assert sentence in caplog.text
    caplog.clear()
    assert tables_in(folder) == expected
    assert caplog.records == []


def test_recent_records_that_changed_places_are_no_damage(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = killed(tmp_path / "data", tmp_path / "killed")
    with closing(sqlite3.connect(folder / JOURNAL, isolation_level=None)) as db:
        db.execute("UPDATE recent SET number = 9 WHERE number = 2")
    assert tables_in(folder) == KEPT
    assert caplog.records == []


def test_a_damaged_recent_record_is_not_read_back(store: Store) -> None:
    store._db.execute("UPDATE recent SET record = x'39' WHERE table_id = 't1' AND n = 2")
    with pytest.raises(JournalError, match="record 2 of table t1"):
        store.statements.read_records(T1)
