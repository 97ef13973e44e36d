"""A disk that the journal's own log has filled: the server recovers by itself, and after a restart."""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from scoville_server.journal.files.open_files import RESERVE, START_BYTES, START_RESERVE, WORTH_BYTES, Reserve
from scoville_server.journal.store import Store
from scoville_shared.ids import TableId


def on_small_disk(folder: Path, *scripts: str, size: str = "12m") -> str:
    """Run scripts one after the other on a disk of their own, in a namespace of mounts; each may be killed."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is missing")
    folder.mkdir()
    lines = [f"mount -t tmpfs -o size={size} none {folder} || exit 77"]
    lines += [f'"{sys.executable}" -c "$SCRIPT_{n}" {folder} || [ $? = 137 ] || exit 1' for n in range(len(scripts))]
    environment = {**os.environ, **{f"SCRIPT_{n}": script for n, script in enumerate(scripts)}}
    call = ["unshare", *([] if os.geteuid() == 0 else ["-r"]), "-m", "sh", "-c", "\n".join(lines)]
    # Files, and a group of processes: a server that a failed script leaves running would hold pipes open forever.
    with TemporaryFile("w+") as out, TemporaryFile("w+") as err:
        process = subprocess.Popen(call, env=environment, stdout=out, stderr=err, start_new_session=True)
        try:
            status = process.wait()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        out.seek(0)
        err.seek(0)
        said, complained = out.read(), err.read()
    if status == 77 or "unshare failed" in complained:
        pytest.skip("this system lets nobody mount a disk of their own")
    assert status == 0, said + complained
    return said


FILL = """
import os, signal, sqlite3, sys
from pathlib import Path
from scoville_server.journal.base import JournalError
from scoville_server.journal.store import Store
from scoville_shared.ids import TableId

disk = Path(sys.argv[1])
store, kept, refused = Store(disk / "data"), 0, ""


def append() -> None:
    global kept
    store.commit_writes([lambda s: s.appends.add_records(TableId(f"t{kept % 7}"), [os.urandom(3000)])])
    kept += 1


def fill() -> None:
    global refused
    while not refused:
        try:
            append()
        except JournalError as error:
            refused = error.code


def report(what: str) -> None:
    print(what, kept, sum(len(store.statements.read_records(TableId(f"t{n}"))) for n in range(7)), refused, flush=True)
"""

BY_ITS_LOG = (
    FILL
    + """
append()
reader = sqlite3.connect(disk / "data" / "journal.sqlite3", isolation_level=None)
reader.execute("BEGIN")
reader.execute("SELECT count(*) FROM recent").fetchone()  # what reads keeps the log from being folded in
fill()
report("full")
reader.close()
"""
)

GO_ON = """
for _ in range(40):
    append()
report("recovered")
store.close()
"""

KILL = "os.kill(os.getpid(), signal.SIGKILL)"

RESTART = (
    FILL
    + """
kept = sum(map(len, store.load_rows().tables.values()))
report("restarted")
"""
)

BY_OTHERS = (
    FILL
    + """
for _ in range(200):
    append()
with open(disk / "filler", "wb", buffering=0) as filler:
    try:
        while True:
            filler.write(bytes(4096))
    except OSError:
        pass
fill()
report("full")
(disk / "filler").unlink()
"""
)


def reports(output: str) -> dict[str, tuple[int, int]]:
    """Return what each report says: the acknowledged records, and those that are there."""
    rows = [line.split() for line in output.splitlines()]
    return {what: (int(kept), int(found)) for what, kept, found, *_ in rows}


def test_a_disk_filled_by_the_log_recovers(tmp_path: Path) -> None:
    found = reports(on_small_disk(tmp_path / "disk", BY_ITS_LOG + GO_ON))
    assert found["full"][0] > 300
    assert found["recovered"] == (found["full"][0] + 40,) * 2


def test_a_disk_filled_by_the_log_recovers_after_a_kill(tmp_path: Path) -> None:
    found = reports(on_small_disk(tmp_path / "disk", BY_ITS_LOG + KILL, RESTART + GO_ON))
    assert found["restarted"] == found["full"]
    assert found["recovered"] == (found["full"][0] + 40,) * 2


@pytest.mark.parametrize("size", ["6m", "12m"])
def test_a_server_continues_when_the_disk_has_space(tmp_path: Path, size: str) -> None:
    found = reports(on_small_disk(tmp_path / "disk", BY_OTHERS + GO_ON, size=size))
    assert found["full"][0] == found["full"][1]
    assert found["recovered"] == (found["full"][0] + 40,) * 2


FULL_AND_KILLED = BY_OTHERS.replace('(disk / "filler").unlink()', KILL)

RESTART_ON_FULL_DISK = (
    RESTART
    + """
assert os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize < 65536, "the start leaves space to moves"
fill()
report("refused")
"""
)


def test_a_start_on_a_disk_without_any_space_shows_everything(tmp_path: Path) -> None:
    free = RESTART_ON_FULL_DISK + '\n(disk / "filler").unlink()\n' + GO_ON
    again = RESTART_ON_FULL_DISK.replace('"restarted"', '"again"') + KILL
    found = reports(on_small_disk(tmp_path / "disk", FULL_AND_KILLED, again, free, size="6m"))
    assert found["restarted"] == found["again"] == found["refused"]
    assert found["restarted"] >= found["full"]
    assert found["recovered"] == (found["refused"][0] + 40,) * 2


def test_a_start_without_its_reserve_loses_nothing(tmp_path: Path) -> None:
    full = FULL_AND_KILLED.replace(
        'fill()\nreport("full")', '(disk / "data" / "RESERVE_START").unlink()\nfill()\nreport("full")'
    )
    refused = """
import sys
from pathlib import Path
from scoville_server.journal.base import JournalError
from scoville_server.journal.store import Store
try:
    Store(Path(sys.argv[1]) / "data")
except JournalError as error:
    assert "the disk is full; free some space" in error.message, error.message
    print("refused 0 0")
(Path(sys.argv[1]) / "filler").unlink()
"""
    output = on_small_disk(tmp_path / "disk", full, refused, RESTART, size="6m")
    found = reports(output)
    assert "refused" in found
    assert found["restarted"] == found["full"]


# --- the reserve -----------------------------------------------------------------------------------------


def test_only_a_busy_server_has_a_reserve(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.commit_writes([lambda s: s.appends.add_records(TableId("t"), [b"1"])])
    assert not (tmp_path / RESERVE).exists()
    assert (tmp_path / START_RESERVE).stat().st_blocks * 512 >= START_BYTES
    store.commit_writes([lambda s: s.appends.add_records(TableId("t"), [bytes(2 * WORTH_BYTES)])])
    assert (tmp_path / RESERVE).exists()
    pages = store._db.execute("PRAGMA wal_autocheckpoint").fetchone()[0]
    assert 2 * 4096 * pages <= (tmp_path / RESERVE).stat().st_blocks * 512
    store.close()


def test_a_reserve_takes_a_part_of_the_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for free, size in ((10**9, 8_388_608), (4_000_000, 1_000_000), (500_000, 0)):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: shutil._ntuple_diskusage(0, 0, free))
        reserve = Reserve(tmp_path)
        assert reserve.renew_reserve(WORTH_BYTES)
        there = (tmp_path / RESERVE).stat().st_size if size else 0
        assert there == size
        assert reserve.count_pages() == max(size, WORTH_BYTES) // 8192
        assert reserve.release_reserve() is bool(size)
