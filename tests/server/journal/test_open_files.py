"""A store whose files were replaced refuses to save: nothing is acknowledged on a lost file."""

import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scoville_server.journal.base import START, FolderUnreachable, JournalError, StorageLost
from scoville_server.journal.files import lock as lock_module
from scoville_server.journal.files.generations import JOURNAL
from scoville_server.journal.files.lock import LOCK, FolderLock
from scoville_server.journal.files.open_files import QUIET_NS
from scoville_server.journal.sqlite import SqliteJournal
from scoville_server.journal.statements import Statements
from scoville_server.journal.store import Store
from scoville_shared.errors import Code
from scoville_shared.ids import TableId

T1 = TableId("t1")
WAL, SHM = f"{JOURNAL}-wal", f"{JOURNAL}-shm"


def keep(store: Store, record: bytes) -> None:
    store.commit_writes([lambda store: store.appends.add_records(T1, [record])])


def remove(folder: Path) -> None:
    shutil.rmtree(folder)


def move(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def move_and_recreate(folder: Path) -> None:
    move(folder)
    Store(folder).close()


def replace_by_a_copy(folder: Path) -> None:
    move(folder)
    shutil.copytree(folder.with_name("elsewhere"), folder)


def replace_by_a_link_to_a_copy(folder: Path) -> None:
    move(folder)
    copy = folder.with_name("copy")
    shutil.copytree(folder.with_name("elsewhere"), copy)
    folder.symlink_to(copy)


def put_a_file_in_its_place(folder: Path) -> None:
    move(folder)
    folder.write_text("in the way")


def delete(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def replace(name: str) -> Callable[[Path], None]:
    def do(folder: Path) -> None:
        shutil.copy(folder / name, folder / "copy")
        (folder / "copy").replace(folder / name)

    return do


def cut_off(name: str) -> Callable[[Path], None]:
    return lambda folder: os.truncate(folder / name, 0)


SABOTAGE = {
    "folder removed": remove,
    "folder moved and made anew": move_and_recreate,
    "folder replaced by a copy": replace_by_a_copy,
    "folder replaced by a link to a copy": replace_by_a_link_to_a_copy,
    "a file in the place of the folder": put_a_file_in_its_place,
    **{f"{name} deleted": delete(name) for name in (JOURNAL, WAL, SHM, LOCK)},
    **{f"{name} replaced": replace(name) for name in (JOURNAL, WAL, SHM, LOCK)},
    **{f"{name} cut off": cut_off(name) for name in (JOURNAL, WAL)},
}


def wait_for_a_tick(folder: Path) -> None:
    """Wait until the file system's clock, which may stand for some milliseconds, has passed the folder's time."""
    probe = folder.with_name("probe")
    for _ in range(10_000_000):
        probe.touch()
        if probe.stat().st_mtime_ns > folder.stat().st_ctime_ns:
            return
    raise AssertionError("the clock of the file system stands still")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.mark.parametrize("quiet", [True, False], ids=["quiet for long", "just changed"])
@pytest.mark.parametrize("sabotage", SABOTAGE.values(), ids=SABOTAGE)
def test_lost_paths_stop_saving(folder: Path, sabotage: Callable[[Path], None], quiet: bool) -> None:
    store = Store(folder)
    if quiet:  # the folder's time alone tells from now on whether anything has changed in it
        store._files._date_ms = lambda: (time.time_ns() + 2 * QUIET_NS) // 1_000_000
    keep(store, b"1")
    assert (None not in store._files._folders.values()) == quiet
    wait_for_a_tick(folder)
    sabotage(folder)
    for _ in range(3):
        with pytest.raises(StorageLost, match="until it is started again") as lost:
            keep(store, b"2")
        assert lost.value.code == Code.STORAGE_LOST
        assert str(folder) in lost.value.what
    store.close()


@pytest.mark.parametrize("sabotage", [remove, move, delete(JOURNAL), delete(WAL), replace(LOCK)])
def test_a_commit_with_lost_files_is_not_acknowledged(folder: Path, sabotage: Callable[[Path], None]) -> None:
    store = Store(folder)

    def write(statements: Statements) -> None:
        statements.appends.add_records(T1, [b"1"])
        sabotage(folder)

    with pytest.raises(StorageLost):
        store.commit_writes([write])
    store.close()


@pytest.mark.parametrize("quiet", [True, False], ids=["quiet for long", "just changed"])
def test_a_folder_that_comes_back_is_used_again(folder: Path, quiet: bool) -> None:
    store = Store(folder)
    if quiet:
        store._files._date_ms = lambda: (time.time_ns() + 2 * QUIET_NS) // 1_000_000
    keep(store, b"1")
    for n in range(3):
        move(folder)
        with pytest.raises(FolderUnreachable) as away:
            keep(store, b"nothing")
        assert away.value.code == Code.NOT_SAVED
        assert str(folder) in away.value.what
        store.fold_log()
        folder.with_name("elsewhere").rename(folder)
        keep(store, b"%d" % (n + 2))
    store.close()
    again = Store(folder)
    assert again.load_rows().tables == {T1: [b"1", b"2", b"3", b"4"]}
    again.close()


def test_log_emptied_while_its_folder_is_away_is_trusted(folder: Path) -> None:
    store = Store(folder)
    keep(store, b"1")
    move(folder)
    store.statements.has_deleted_user = True  # what is folded in leaves nothing of it in the log
    store.fold_log()
    folder.with_name("elsewhere").rename(folder)
    keep(store, b"2")
    store.close()


@pytest.mark.parametrize("instead", [move_and_recreate, replace_by_a_copy, replace_by_a_link_to_a_copy])
def test_another_folder_in_its_place_is_no_return(folder: Path, instead: Callable[[Path], None]) -> None:
    store = Store(folder)
    keep(store, b"1")
    instead(folder)
    with pytest.raises(StorageLost):
        keep(store, b"2")
    folder.rename(folder.with_name("other"))
    folder.with_name("elsewhere").rename(folder)
    with pytest.raises(StorageLost):
        keep(store, b"3")
    store.close()


def test_a_folder_that_has_taken_a_commit_along_is_lost(folder: Path) -> None:
    store = Store(folder)

    def write(statements: Statements) -> None:
        statements.appends.add_records(T1, [b"1"])
        move(folder)

    with pytest.raises(StorageLost):
        store.commit_writes([write])
    folder.with_name("elsewhere").rename(folder)
    with pytest.raises(StorageLost):
        keep(store, b"2")
    store.close()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs a list of open files")
def test_a_closed_store_has_no_file_open(folder: Path) -> None:
    before = len([*Path("/proc/self/fd").iterdir()])
    Store(folder).close()
    store = Store(folder, look_only=True)
    store.close()
    assert len([*Path("/proc/self/fd").iterdir()]) == before


async def test_lost_files_on_a_failing_disk_are_reported(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    journal, lost = SqliteJournal(folder, 10), []
    journal.on_lost = lost.append
    await journal.open()
    journal._writer._store._db.execute("PRAGMA query_only = ON")
    for sabotage in (None, remove, None):
        if sabotage is not None:
            sabotage(folder)
        with pytest.raises(JournalError):
            await journal.append(T1, [b"1"], START)
    await journal.close()
    assert [str(folder) in record.message for record in caplog.records] == [True, True]
    assert [error.code for error in lost] == [Code.STORAGE_LOST]


def test_a_link_to_the_same_folder_is_the_same_folder(folder: Path) -> None:
    store = Store(folder)
    move(folder)
    folder.symlink_to(folder.with_name("elsewhere"))
    keep(store, b"1")
    assert store.statements.read_records(T1) == [b"1"]
    store.close()


def test_without_the_lock_nothing_is_saved(folder: Path) -> None:
    first = Store(folder)
    keep(first, b"1")
    (folder / LOCK).unlink()
    second = Store(folder)
    with pytest.raises(StorageLost, match="started again"):
        keep(first, b"lost")
    keep(second, b"2")
    assert second.load_rows().tables == {T1: [b"1", b"2"]}
    first.close()
    second.close()


def deleting(monkeypatch: pytest.MonkeyPatch, times: int) -> list[Path]:
    """Let another program delete the lock file right after it was locked; returns the deleted files."""
    deleted: list[Path] = []
    real = lock_module._connect_to

    def connected(path: Path) -> sqlite3.Connection:
        db = real(path)
        if len(deleted) < times:
            path.unlink()
            deleted.append(path)
        return db

    monkeypatch.setattr(lock_module, "_connect_to", connected)
    return deleted


def test_a_lock_is_on_the_file_that_the_path_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deleted = deleting(monkeypatch, times=3)
    lock = FolderLock(tmp_path)
    assert len(deleted) == 3
    with pytest.raises(JournalError, match="Another scoville-server"):
        FolderLock(tmp_path)
    lock.release_folder()


def test_a_lock_file_that_never_stays_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deleting(monkeypatch, times=10_000)
    with pytest.raises(JournalError, match="being replaced repeatedly"):
        FolderLock(tmp_path)
