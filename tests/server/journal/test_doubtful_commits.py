"""A commit whose sync fails has an unknown result, which is resolved before the next write."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoville_server.journal.base import START, JournalError, StorageLost, StoredUser
from scoville_server.journal.files.generations import JOURNAL
from scoville_server.journal.sqlite import SqliteJournal
from scoville_server.journal.store import Store
from scoville_shared.errors import Code
from scoville_shared.ids import TableId, UserId
from tests.server.journal.test_sqlite import packed

T1 = TableId("t1")


class Disk:
    """A connection to a disk whose next commits fail, each with an error of SQLite, which rolls back by itself."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.faults: list[str] = []
        self.commits = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.db, name)

    def execute(self, sql: str, *parameters: Any) -> Any:
        if sql == "COMMIT" or (sql.startswith("INSERT") and not self.db.in_transaction):
            self.commits += 1
            if self.faults:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorname = self.faults.pop(0)
                raise error
        return self.db.execute(sql, *parameters)


def on_a_bad_disk(store: Store) -> Disk:
    disk = Disk(store._db)
    store._db = store._appends._db = disk  # type: ignore[assignment]
    return disk


Keep = Callable[[Store, bytes], object]


def keep(store: Store, record: bytes) -> None:
    """Append a record: one statement, which is a transaction by itself."""
    store.commit_writes([lambda store: store.appends.add_records(T1, [record])])


def keep_with_a_user(store: Store, record: bytes) -> None:
    """Append a record in a transaction of several statements."""
    anna = StoredUser(user=UserId("anna"), name="Anna")
    store.commit_writes([lambda store: store.appends.add_records(T1, [record]), lambda store: store.put_user(anna)])


both = pytest.mark.parametrize("keep", [keep, keep_with_a_user])


def refusal(attempt: Callable[[], object]) -> JournalError:
    with pytest.raises(JournalError) as refused:
        attempt()
    return refused.value


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path)
    keep(store, b"1")
    return store


@both
def test_a_failed_sync_has_not_happened(store: Store, keep: Keep) -> None:
    disk = on_a_bad_disk(store)
    disk.faults = ["SQLITE_IOERR_FSYNC"]
    error = refusal(lambda: keep(store, b"2"))
    assert error.code == Code.NOT_SAVED
    assert "nothing was changed" in error.message
    assert disk.commits == 2, "nothing was written over it"
    keep(store, b"3")
    assert store.statements.read_records(T1) == [b"1", b"3"]
    store.close()


@both
def test_repeated_failures_are_never_reported_as_saved(store: Store, keep: Keep) -> None:
    disk = on_a_bad_disk(store)
    disk.faults = ["SQLITE_IOERR_FSYNC"] * 4
    error = refusal(lambda: keep(store, b"2"))
    assert error.code == Code.OUTCOME_UNKNOWN
    assert "may or may not be saved" in error.message
    for _ in range(2):  # these are not even begun, and so it is certain of them
        assert refusal(lambda: keep(store, b"3")).code == Code.NOT_SAVED
    assert disk.faults == []
    keep(store, b"4")
    assert store.statements.read_records(T1) == [b"1", b"4"]
    store.close()


@both
@pytest.mark.parametrize("name", ["SQLITE_FULL", "SQLITE_BUSY", "SQLITE_IOERR_WRITE"])
def test_an_unfinished_commit_has_not_happened(store: Store, keep: Keep, name: str) -> None:
    disk = on_a_bad_disk(store)
    attempts = 2 if name == "SQLITE_FULL" else 1  # once more after the log has been folded in
    disk.faults = [name] * attempts
    assert refusal(lambda: keep(store, b"2")).code == Code.NOT_SAVED
    assert disk.commits == attempts
    keep(store, b"3")
    assert store.statements.read_records(T1) == [b"1", b"3"]
    store.close()


@both
def test_a_forgetful_disk_is_not_trusted_again(store: Store, keep: Keep) -> None:
    disk = on_a_bad_disk(store)
    disk.faults = ["SQLITE_IOERR_FSYNC"] * 2
    assert refusal(lambda: keep(store, b"2")).code == Code.OUTCOME_UNKNOWN
    disk.db.execute("UPDATE recent SET record = x'00' WHERE n = 1")
    for _ in range(2):
        with pytest.raises(StorageLost) as lost:
            keep(store, b"3")
        assert "is damaged since its disk failed" in lost.value.what
    store.close()


async def test_the_journal_says_it_and_logs_it_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    journal = SqliteJournal(tmp_path, 10)
    await journal.open()
    disk = on_a_bad_disk(journal._writer._store)
    disk.faults = ["SQLITE_IOERR_FSYNC"] * 2
    with pytest.raises(JournalError) as refused:
        await journal.append(T1, packed(), START)
    assert refused.value.code == Code.OUTCOME_UNKNOWN
    mark = await journal.append(T1, packed(), START)
    assert await journal.read(T1) == (packed(), mark)
    await journal.close()
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]
    assert "the disk reports an error" in caplog.records[0].message


# --- with a real sync that fails --------------------------------------------------------------------------

FAILING_SYNC = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int fails(int file) {
    char link[64], path[4096];
    ssize_t length;
    if (access(getenv("SYNC_FAILS"), F_OK) != 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    return strstr(path, "journal.sqlite3-wal") != NULL;
}
int fsync(int file) {
    if (fails(file)) { errno = EIO; return -1; }
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}
int fdatasync(int file) {
    if (fails(file)) { errno = EIO; return -1; }
    return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}
"""
SCRIPT = """
import shutil, sys
from pathlib import Path
from scoville_server.journal.store import Store

def attempt(record):
    try:
        store.commit_writes([lambda store: store.appends.add_records("t1", [record])])
        return "saved"
    except Exception as error:
        return error.code

folder, switch = Path(sys.argv[1]), Path(sys.argv[2])
store = Store(folder / "data")
print(attempt(b"1"))
switch.touch()
print(attempt(b"2"), attempt(b"3"))
switch.unlink()
print(attempt(b"4"))
shutil.copytree(folder / "data", folder / "killed")
"""


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("cc") is None, reason="needs a C compiler on Linux")
def test_a_refused_write_does_not_return_after_a_kill(tmp_path: Path) -> None:
    (tmp_path / "sync.c").write_text(FAILING_SYNC)
    library, switch = tmp_path / "sync.so", tmp_path / "fails"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "sync.c", "-ldl"], check=True)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, tmp_path, switch],
        env={"LD_PRELOAD": str(library), "SYNC_FAILS": str(switch)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["saved", "outcome_unknown", "not_saved", "saved"]
    (tmp_path / "killed" / f"{JOURNAL}-shm").unlink()
    again = Store(tmp_path / "killed")
    assert again.load_rows().tables == {T1: [b"1", b"4"]}
    again.close()
