"""A backup or restore killed at any step leaves the old state or the new one, with a warning."""

import logging
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from scoville_server.journal.backups.copying import back_up, restore_backup
from scoville_server.journal.base import JournalError
from scoville_server.journal.files.alive import ALIVE
from scoville_server.journal.files.generations import CURRENT, UNFINISHED
from scoville_server.journal.files.lock import BACKUP_LOCK
from scoville_server.journal.store import Store
from scoville_shared.ids import TableId
from tests.server.journal.crashing import kill_at_each_step

State = tuple[dict[str, list[bytes]], dict[str, str]]
RESTORE = """
from scoville_server.journal.backups.copying import restore_backup
restore_backup(here / "backup", here / "data", force={force})
"""
BACK_UP = """
from scoville_server.journal.backups.copying import back_up
back_up(here / "data", here / "copy")
"""


def fill(data: Path, games: dict[str, str], **tables: bytes) -> None:
    store = Store(data)
    for table, record in tables.items():
        store.commit_writes([lambda s, table=table, record=record: s.appends.add_records(TableId(table), [record])])
    store.close()
    (data / "games").mkdir(exist_ok=True)
    for name, text in games.items():
        (data / "games" / name).write_text(text)


def holds_nothing(target: Path) -> bool:
    """Return whether a killed backup has left no file of the data: its mark and its lock may be there."""
    return not target.exists() or all(path.name == BACKUP_LOCK or path.suffix == ".part" for path in target.iterdir())


def state_of(data: Path) -> State:
    """Start on a folder; returns its tables and its finished games."""
    store = Store(data)
    tables = {str(table): [*records] for table, records in store.load_rows().tables.items()}
    store.close()
    kept = [*(data / "games").glob("*.jsonl"), *data.glob("audit.jsonl")]
    return tables, {path.name: path.read_text() for path in kept}


def leave_a_log(data: Path) -> None:
    """Make it a folder of a server that was killed: its last record is in the write-ahead log alone."""
    store = Store(data)
    store.commit_writes([lambda s: s.appends.add_records(TableId("late"), [b"late"])])
    for path in [*data.rglob("journal.sqlite3*"), data / ALIVE]:
        path.with_name(f"saved {path.name}").write_bytes(path.read_bytes())
    store.close()
    for path in [*data.rglob("saved *")]:
        path.replace(path.with_name(path.name.removeprefix("saved ")))
    for shm in data.rglob("*-shm"):
        shm.unlink()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with data, and a backup of other data."""
    place = tmp_path / "template"
    fill(tmp_path / "other", {"b.jsonl": "b", "both.jsonl": "other"}, new=b"new", newer=b"newer")
    (tmp_path / "other" / "audit.jsonl").write_text("what admins did\n")
    back_up(tmp_path / "other", place / "backup")
    fill(place / "data", {"a.jsonl": "a", "both.jsonl": "one"}, old=b"old")
    leave_a_log(place / "data")
    return place


OLD: State = ({"old": [b"old"], "late": [b"late"]}, {"a.jsonl": "a", "both.jsonl": "one"})
NEW: State = (
    {"new": [b"new"], "newer": [b"newer"]},
    {
        "a.jsonl": "a",
        "b.jsonl": "b",
        "both.jsonl": "one",
        "both-2.jsonl": "other",
        "audit.jsonl": "what admins did\n",
    },
)


def check_restored(copies: list[Path], old: State, new: State, caplog: pytest.LogCaptureFixture) -> None:
    """Start after each kill: first the old state, from some step on the new one; a later restore always works."""
    states, begun = [], len([*copies[0].glob("data/generations/*")])
    for copy in copies:
        caplog.clear()
        states.append(state_of(copy / "data"))
        if states[-1] == old:
            unfinished = len([*copy.glob("data/generations/*")]) - begun
            assert ["A restore or repair was killed" in record.message for record in caplog.records] == [True] * bool(
                unfinished
            )
    turn = states.index(new)
    assert 0 < turn < len(states) - 1
    assert states == [old] * turn + [new] * (len(states) - turn)
    for copy in copies:
        restore_backup(copy / "backup", copy / "data", force=True)
        tables, games = state_of(copy / "data")
        assert (tables, games) == new


def test_a_killed_restore_leaves_a_whole_state(place: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    copies = kill_at_each_step(RESTORE.format(force=True), place, tmp_path / "killed")
    for copy in copies[::3]:
        again = shutil.copytree(copy, tmp_path / "repeated" / copy.name)
        restore_backup(again / "backup", again / "data", force=True)
        assert state_of(again / "data") == NEW
    check_restored(copies, OLD, NEW, caplog)


def test_a_killed_second_restore_leaves_a_whole_state(
    place: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    restore_backup(place / "backup", place / "data", force=True)
    fill(place / "data", {}, more=b"more")
    leave_a_log(place / "data")
    first = ({**NEW[0], "more": [b"more"], "late": [b"late"]}, NEW[1])
    check_restored(kill_at_each_step(RESTORE.format(force=True), place, tmp_path / "killed"), first, NEW, caplog)


def test_a_killed_first_restore_is_never_silently_empty(place: Path, tmp_path: Path) -> None:
    for path in [*(place / "data").rglob("*")]:
        if path.is_file():
            path.unlink()
    (place / "data" / "games").rmdir()
    new = (NEW[0], {"b.jsonl": "b", "both.jsonl": "other", "audit.jsonl": "what admins did\n"})
    refused = 0
    for copy in kill_at_each_step(RESTORE.format(force=False), place, tmp_path / "killed"):
        begun = (copy / "data" / "generations" / "1").exists()
        if begun and not (copy / "data" / CURRENT).exists():
            with pytest.raises(JournalError, match="was not finished; run 'scoville-server restore' again"):
                state_of(copy / "data")
            refused += 1
            restore_backup(copy / "backup", copy / "data", force=False)
        assert state_of(copy / "data") == (new if begun else ({}, {}))
    assert refused > 3


def test_the_former_journal_stays_as_it_is(place: Path, tmp_path: Path) -> None:
    """Its write-ahead log too, which never meets another journal."""
    files = {path.name: path.read_bytes() for path in (place / "data").glob("journal.sqlite3*")}
    assert len(files) == 2
    for _ in range(3):
        restore_backup(place / "backup", place / "data", force=True)
        assert state_of(place / "data")[0] == NEW[0]
    former = place / "data" / "generations" / "0"
    assert {path.name: path.read_bytes() for path in former.iterdir()} == files
    assert [*(place / "data").glob("journal.sqlite3*")] == []
    with closing(sqlite3.connect(place / "data" / "generations" / "2" / "journal.sqlite3")) as db:
        assert db.execute("SELECT count(*) FROM records").fetchone() == (2,)


def test_a_back_up_killed_anywhere_is_whole_or_refused(place: Path, tmp_path: Path) -> None:
    whole = 0
    for copy in kill_at_each_step(BACK_UP, place, tmp_path / "killed"):
        target, marked = copy / "copy", (copy / "copy" / UNFINISHED).exists()
        if marked or holds_nothing(target):
            with pytest.raises(JournalError, match=r"is not finished|There is no Scoville journal"):
                restore_backup(target, copy / "new", force=False)
            if marked:
                with pytest.raises(JournalError, match="is not finished and cannot be used"):
                    Store(target)
            assert back_up(copy / "data", target) == (2, 2)
        else:
            whole += 1
        restore_backup(target, copy / "new", force=False)
        assert state_of(copy / "new") == state_of(copy / "data") == OLD
    assert whole >= 1


def test_a_marked_backup_killed_during_replacement_recovers(place: Path, tmp_path: Path) -> None:
    back_up(place / "data", place / "copy")
    (place / "copy" / UNFINISHED).write_text("killed")
    for copy in kill_at_each_step(BACK_UP, place, tmp_path / "killed"):
        if (copy / "copy" / UNFINISHED).exists() or holds_nothing(copy / "copy"):
            back_up(copy / "data", copy / "copy")
        assert state_of(copy / "copy") == OLD
