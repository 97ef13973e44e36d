"""A damaged write-ahead log: acknowledged commits are never dropped silently; an unfinished one may be."""

import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scoville_server.journal.base import JournalError
from scoville_server.journal.files.alive import ALIVE
from scoville_server.journal.files.generations import JOURNAL
from scoville_server.journal.store import Store
from scoville_shared.ids import TableId

T1 = TableId("t1")
WAL, SHM = f"{JOURNAL}-wal", f"{JOURNAL}-shm"
FRAME = 24 + 4096


class Killed:
    """The folder of a server killed after five commits, and the size of its log after each."""

    def __init__(self, place: Path) -> None:
        store = Store(place / "running")
        self.sizes, self.notes = [], []
        for n in range(5):
            store.commit_writes([lambda s, n=n: s.appends.add_records(T1, [b"%d" % n])])
            self.notes.append(shutil.copy(place / "running" / ALIVE, place / f"note {n}"))
            self.sizes.append((place / "running" / WAL).stat().st_size)
        self.folder = place / "killed"
        shutil.copytree(place / "running", self.folder)
        store.close()
        self.log = self.folder / WAL

    def flip(self, place: int) -> None:
        data = bytearray(self.log.read_bytes())
        data[place] ^= 4
        self.log.write_bytes(data)

    def without_index(self) -> None:
        (self.folder / SHM).unlink()

    def start(self, *, leave_out_damaged: bool = False) -> list[bytes]:
        store = Store(self.folder, leave_out_damaged=leave_out_damaged)
        try:
            return store.statements.read_records(T1)
        finally:
            store.close()


@pytest.fixture
def killed(tmp_path: Path) -> Killed:
    return Killed(tmp_path)


ALL = [b"0", b"1", b"2", b"3", b"4"]


@pytest.mark.parametrize("index", [True, False])
def test_a_log_that_is_whole_is_replayed_in_silence(
    killed: Killed, caplog: pytest.LogCaptureFixture, index: bool
) -> None:
    if not index:
        killed.without_index()
    assert killed.start() == ALL
    assert caplog.records == []


DAMAGE: dict[str, Callable[[Killed], None]] = {
    "its head": lambda killed: killed.flip(3),
    "a salt of its head": lambda killed: killed.flip(17),
    "a page of an earlier commit": lambda killed: killed.flip(killed.sizes[1] + 500),
    "a salt of an earlier commit": lambda killed: killed.flip(killed.sizes[1] + 9),
    "a checksum of an earlier commit": lambda killed: killed.flip(killed.sizes[1] + 17),
}


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_before_acknowledged_writes_is_refused(
    killed: Killed, damage: Callable[[Killed], None], index: bool, caplog: pytest.LogCaptureFixture
) -> None:
    if not index:
        killed.without_index()
    damage(killed)
    before = killed.log.read_bytes()
    for _ in range(2):
        with pytest.raises(JournalError, match=r"log .* is damaged .*restore --force FOLDER', or start once with"):
            killed.start()
    assert killed.log.read_bytes() == before
    left = killed.start(leave_out_damaged=True)
    assert left == ALL[: len(left)] != ALL
    assert "Everything after the damage is ignored" in caplog.text


@pytest.mark.parametrize("cut", [0, 20, 3000, -1, -FRAME])
def test_a_log_shorter_than_its_index_is_refused(killed: Killed, cut: int) -> None:
    os.truncate(killed.log, cut if cut >= 0 else killed.sizes[-1] + cut)
    with pytest.raises(JournalError, match="is damaged"):
        killed.start()


def test_a_missing_log_named_by_its_index_is_refused(killed: Killed) -> None:
    killed.log.unlink()
    with pytest.raises(JournalError, match="it is missing, and with it"):
        killed.start()
    assert killed.start(leave_out_damaged=True) == []


@pytest.mark.parametrize("torn", ["cut off", "damaged"])
def test_a_torn_last_write_is_left_out_with_a_warning(
    killed: Killed, caplog: pytest.LogCaptureFixture, torn: str
) -> None:
    """The index is in memory and gone after that."""
    caplog.set_level(logging.WARNING)
    killed.without_index()
    shutil.copy(killed.notes[3], killed.folder / ALIVE)  # the last write was not acknowledged
    if torn == "damaged":
        killed.flip(killed.sizes[3] + 500)
    else:
        os.truncate(killed.log, killed.sizes[4] - 100)
    assert killed.start() == ALL[:4]
    assert ["is incomplete and ignored" in record.message for record in caplog.records] == [True]


def test_an_index_that_is_damaged_promises_nothing(killed: Killed) -> None:
    data = bytearray((killed.folder / SHM).read_bytes())
    data[16] ^= 64
    (killed.folder / SHM).write_bytes(data)
    assert killed.start() == ALL


def test_leftovers_of_an_earlier_round_are_no_damage(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Store(tmp_path / "running")
    for n in range(40):
        store.commit_writes([lambda s, n=n: s.appends.add_records(T1, [bytes([n]) * 3000])])
    store._db.execute("PRAGMA wal_checkpoint(RESTART)")
    store.commit_writes([lambda s: s.appends.add_records(TableId("t2"), [b"2"])])
    shutil.copytree(tmp_path / "running", tmp_path / "killed")
    store.close()
    (tmp_path / "killed" / SHM).unlink()
    again = Store(tmp_path / "killed")
    assert {table: len(rows) for table, rows in again.load_rows().tables.items()} == {T1: 40, "t2": 1}
    assert caplog.records == []
    again.close()
