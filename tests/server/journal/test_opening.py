"""Opening a data folder: a wrong file causes one clear error and is not changed."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from scoville_server.journal import schema
from scoville_server.journal.base import JournalError
from scoville_server.journal.files.alive import ALIVE
from scoville_server.journal.files.generations import JOURNAL
from scoville_server.journal.files.key_file import KEY
from scoville_server.journal.store import Store
from scoville_shared.ids import TableId

T1 = TableId("t1")


def written(folder: Path, records: int = 500) -> Path:
    """Append some records, and close; returns the journal's file."""
    store = Store(folder)
    store.commit_writes([lambda store: store.appends.add_records(T1, [bytes([n % 256]) * 60 for n in range(records)])])
    store.close()
    return folder / JOURNAL


def overwrite(path: Path, start: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(data)


def tear_the_last_page(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(size - 2048)


def spoil_the_head(path: Path) -> None:
    overwrite(path, 0, b"this was a journal once")


def spoil_a_page(path: Path) -> None:
    overwrite(path, 4096 * 3, b"\xff" * 4096)


def raise_the_schema(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")


def be_a_strangers(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE recipes (chilies INTEGER)")


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (
            tear_the_last_page,
            "the file is damaged .*; restore a backup with 'scoville-server restore --force FOLDER'",
        ),
        (spoil_the_head, "the file is damaged"),
        (spoil_a_page, "the file is damaged"),
        (
            raise_the_schema,
            r"written by a newer Scoville, .* \(its schema is 99\); this is .*, or restore a backup",
        ),
        (be_a_strangers, "is a database, but not a Scoville journal"),
    ],
)
def test_an_unusable_journal_says_why_and_stays(tmp_path: Path, spoil: Callable[[Path], None], expected: str) -> None:
    path = written(tmp_path)
    spoil(path)
    for _ in range(2):
        with pytest.raises(JournalError, match=expected) as error:
            Store(tmp_path)
        assert str(path) in error.value.message


def test_a_torn_write_is_dropped(tmp_path: Path) -> None:
    store = Store(tmp_path)
    log = tmp_path / (JOURNAL + "-wal")
    sizes, notes = [], []
    for n in range(3):
        store.commit_writes([lambda store, n=n: store.appends.add_records(T1, [b"%d" % n])])
        sizes.append(log.stat().st_size)
        notes.append((tmp_path / ALIVE).read_bytes())
    (crashed := tmp_path / "crashed").mkdir()
    (crashed / KEY).write_bytes((tmp_path / KEY).read_bytes())
    (crashed / ALIVE).write_bytes(notes[1])
    (crashed / JOURNAL).write_bytes((tmp_path / JOURNAL).read_bytes())
    (crashed / (JOURNAL + "-wal")).write_bytes(log.read_bytes()[: sizes[1] + (sizes[2] - sizes[1]) // 2])
    store.close()
    again = Store(crashed)
    assert again.load_rows().tables == {T1: [b"0", b"1"]}
    again.close()


def test_a_folder_serves_one_store_at_a_time(tmp_path: Path) -> None:
    first = Store(tmp_path)
    with pytest.raises(JournalError, match="Another scoville-server uses"):
        Store(tmp_path)
    first.close()
    Store(tmp_path).close()


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(JournalError, match="file is a file; the data of a server needs a folder"):
        Store(tmp_path / "file")
    with pytest.raises(JournalError, match="cannot be created: Not a directory"):
        Store(tmp_path / "file" / "folder")


def test_a_folder_named_like_the_journal_is_reported(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).mkdir()
    with pytest.raises(JournalError, match="cannot be opened: Is a directory"):
        Store(tmp_path)
    assert not (tmp_path / "server.lock").exists()
    (tmp_path / "server.lock").mkdir()
    with pytest.raises(JournalError, match="cannot be used: the file cannot be opened"):
        Store(tmp_path)


# --- the schema ------------------------------------------------------------------------------------------


def test_no_number_of_a_former_schema_is_used_again() -> None:
    """Journals of the numbers 3 and 4 exist that are older than ours of number 2."""
    assert [step.number for step in schema.migration_steps()][:3] == [1, 2, 5]
    assert [step.number for step in schema.migration_steps()] == sorted(
        {step.number for step in schema.migration_steps()}
    )


def test_an_old_journal_takes_the_steps_that_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, records=3)
    later = (
        *schema.migration_steps(),
        schema.Step(schema.newest_version() + 1, "ALTER TABLE users ADD COLUMN heat INTEGER;"),
    )
    monkeypatch.setattr(schema, "migration_steps", lambda: later)
    store = Store(tmp_path)
    assert len(store.load_rows().tables[T1]) == 3
    store.close()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (later[-1].number,)
        assert "heat" in [row[1] for row in db.execute("PRAGMA table_info(users)")]


def test_a_step_that_fails_leaves_the_journal_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, records=3)
    number = schema.newest_version() + 1
    bad = schema.Step(number, "CREATE TABLE heat (n INTEGER); INSERT INTO nowhere VALUES (1);")
    monkeypatch.setattr(schema, "migration_steps", lambda: (*_STEPS, bad))
    with pytest.raises(JournalError, match="no such table: nowhere"):
        Store(tmp_path)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (number - 1,)
        assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'heat'").fetchone() == (0,)


_STEPS = schema.migration_steps()
