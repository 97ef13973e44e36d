"""The server's key beside the journal: made once, protected, backed up, restored and rotated."""

import logging
from pathlib import Path

import pytest

from scoville_server.identity import ServerKey
from scoville_server.journal.backups.copying import back_up, restore_backup
from scoville_server.journal.base import FolderTaken, JournalError, StorageLost
from scoville_server.journal.files import key_file
from scoville_server.journal.files.generations import JOURNAL, UNFINISHED
from scoville_server.journal.files.key_file import KEY
from scoville_server.journal.key_rotation import rotate_key
from scoville_server.journal.sqlite import SqliteJournal
from scoville_server.journal.store import Store
from scoville_shared.ids import TableId

T1 = TableId("t1")


def started(folder: Path) -> ServerKey:
    """Start and stop a server's journal; returns its key."""
    store = Store(folder)
    key = store.load_rows().key
    store.close()
    assert key is not None
    return key


def test_the_first_start_makes_a_private_key(tmp_path: Path) -> None:
    key = started(tmp_path / "data")
    assert (tmp_path / "data" / KEY).stat().st_mode & 0o777 == 0o600
    assert started(tmp_path / "data").public == key.public
    assert started(tmp_path / "other").public != key.public


def test_a_first_start_killed_before_the_journal_keeps_its_key(tmp_path: Path) -> None:
    key = ServerKey.new_key()
    key_file.write_key(tmp_path, key)
    (tmp_path / f"{JOURNAL}.part").write_bytes(b"half of an empty journal")
    assert started(tmp_path).public == key.public


def test_a_key_alone_starts_an_empty_server_only_on_demand(tmp_path: Path) -> None:
    key = ServerKey.new_key()
    key_file.write_key(tmp_path, key)
    with pytest.raises(JournalError, match=r"other files of the server exist \(server\.key\).*--leave-out-damaged"):
        Store(tmp_path)
    store = Store(tmp_path, leave_out_damaged=True)
    assert store.key.public == key.public
    store.close()


async def test_a_journal_hands_out_its_key(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path, 10)
    kept = await journal.open()
    await journal.close()
    assert kept.key is not None
    assert kept.key.public == started(tmp_path).public


def test_a_journal_whose_key_is_missing_does_not_start(tmp_path: Path) -> None:
    started(tmp_path)
    (tmp_path / KEY).unlink()
    with pytest.raises(JournalError, match=r"server\.key is missing"):
        Store(tmp_path)
    assert not (tmp_path / KEY).exists()


def test_a_damaged_key_is_not_used(tmp_path: Path) -> None:
    started(tmp_path)
    data = (tmp_path / KEY).read_bytes()
    (tmp_path / KEY).write_bytes(data[:100])
    with pytest.raises(JournalError, match="is damaged"):
        Store(tmp_path)


def test_a_readable_key_is_closed_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    started(tmp_path)
    (tmp_path / KEY).chmod(0o644)
    with caplog.at_level(logging.WARNING):
        started(tmp_path)
    assert (tmp_path / KEY).stat().st_mode & 0o777 == 0o600
    assert "could read" in caplog.text


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_changed_key_file_stops_saving(tmp_path: Path, how: str) -> None:
    store = Store(tmp_path)
    store.commit_writes([lambda s: s.appends.add_records(T1, [b"1"])])
    if how == "replaced":
        (tmp_path / "other").mkdir()
        key_file.write_key(tmp_path / "other", ServerKey.new_key())
        (tmp_path / "other" / KEY).replace(tmp_path / KEY)
    else:
        (tmp_path / KEY).unlink()
    with pytest.raises(StorageLost):
        store.commit_writes([lambda s: s.appends.add_records(T1, [b"2"])])
    store.close()


# --- backups -------------------------------------------------------------------------------------------


def test_a_restored_server_is_the_same_server(tmp_path: Path) -> None:
    key = started(tmp_path / "data")
    back_up(tmp_path / "data", tmp_path / "copy")
    restore_backup(tmp_path / "copy", tmp_path / "new", force=False)
    assert started(tmp_path / "new").public == key.public
    assert (tmp_path / "new" / KEY).stat().st_mode & 0o777 == 0o600
    assert started(tmp_path / "copy").public == key.public


def test_an_old_backup_restores_no_replaced_key(tmp_path: Path) -> None:
    data = tmp_path / "data"
    started(data)
    back_up(data, tmp_path / "copy")
    rotate_key(data, signed=True)
    new = key_file.load_key(data).public
    restore_backup(tmp_path / "copy", data, force=True)
    assert started(data).public == new


def test_a_backup_of_another_server_brings_its_key(tmp_path: Path) -> None:
    wanted, former = started(tmp_path / "wanted"), started(tmp_path / "data")
    back_up(tmp_path / "wanted", tmp_path / "copy")
    restore_backup(tmp_path / "copy", tmp_path / "data", force=True)
    assert started(tmp_path / "data").public == wanted.public
    assert ServerKey.from_file((tmp_path / "data" / f"{KEY}.before-1").read_bytes()).public == former.public


@pytest.mark.parametrize("harm", ["missing", "damaged"])
def test_a_back_up_mends_a_key(tmp_path: Path, harm: str) -> None:
    key = started(tmp_path / "data")
    back_up(tmp_path / "data", tmp_path / "copy")
    (tmp_path / "data" / KEY).unlink()
    if harm == "damaged":
        (tmp_path / "data" / KEY).write_bytes(b"{")
    restore_backup(tmp_path / "copy", tmp_path / "data", force=True)
    assert started(tmp_path / "data").public == key.public


def test_there_is_no_back_up_without_the_key(tmp_path: Path) -> None:
    started(tmp_path / "data")
    (tmp_path / "data" / KEY).unlink()
    with pytest.raises(JournalError, match="missing"):
        back_up(tmp_path / "data", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_an_unfinished_back_up_leaves_no_key_behind(tmp_path: Path) -> None:
    started(tmp_path / "data")
    back_up(tmp_path / "data", tmp_path / "copy")
    (tmp_path / "copy" / UNFINISHED).write_bytes(b"")
    (tmp_path / "data" / KEY).unlink()
    with pytest.raises(JournalError):
        back_up(tmp_path / "data", tmp_path / "copy")
    assert not (tmp_path / "copy" / KEY).exists()


# --- rotation -------------------------------------------------------------------------------------------


def test_the_old_key_signs_its_successor(tmp_path: Path) -> None:
    former = started(tmp_path)
    pins = rotate_key(tmp_path, signed=True)
    new = started(tmp_path)
    assert pins == (former.pin, new.pin, True)
    assert new.public != former.public
    assert new.has_replaced(former)


def test_a_stolen_or_lost_key_signs_nothing(tmp_path: Path) -> None:
    former = started(tmp_path)
    assert rotate_key(tmp_path, signed=False) == (former.pin, started(tmp_path).pin, False)
    assert not started(tmp_path).has_replaced(former)
    (tmp_path / KEY).unlink()
    assert rotate_key(tmp_path, signed=False) == ("", started(tmp_path).pin, False)


def test_a_key_is_not_replaced_under_a_running_server(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(FolderTaken):
        rotate_key(tmp_path, signed=True)
    store.commit_writes([lambda s: s.appends.add_records(T1, [b"1"])])
    store.close()


def test_nothing_is_rotated_where_there_is_no_server(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(JournalError, match="no server"):
            rotate_key(folder, signed=True)
    assert not list(tmp_path.iterdir())
