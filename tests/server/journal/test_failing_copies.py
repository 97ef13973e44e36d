"""A backup that its target cannot store blames the target, and leaves nothing there."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scoville_server.journal import reading
from scoville_server.journal.backups import copying
from scoville_server.journal.backups.copying import GameCopies, back_up, restore_backup
from scoville_server.journal.backups.manifest import Entry
from scoville_server.journal.base import JournalError
from scoville_server.journal.files.generations import JOURNAL
from scoville_server.journal.store import Store
from scoville_shared.ids import TableId

T1 = TableId("t1")

LIMITED = """
import resource, sys
from pathlib import Path
from scoville_server.journal.backups.copying import back_up, restore_backup
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    {command}
except Exception as error:
    print(type(error).__name__, error.message)
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with a game and a journal larger than the tests' limit."""
    store = Store(tmp_path / "data")
    store.commit_writes([lambda store: store.appends.add_records(T1, [bytes(1000)] * 200)])
    store.close()
    (tmp_path / "data" / "games").mkdir()
    (tmp_path / "data" / "games" / "old.jsonl").write_text("x" * 50_000)
    return tmp_path / "data"


def limited(command: str, limit: int) -> str:
    """Run a command in a process with a file size limit; returns its output."""
    script = LIMITED.format(limit=limit, command=command)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("limit", [10, 20_000, 100_000], ids=["the mark", "a game", "the journal"])
def test_a_target_without_room_is_named_and_left_empty(data: Path, tmp_path: Path, limit: int) -> None:
    if limit == 20_000:
        shutil.rmtree(data)
        Store(data).close()
        (data / "games").mkdir()
        (data / "games" / "old.jsonl").write_text("x" * 2_000_000)
        limit = 1_000_000
    said = limited(f"back_up(Path({str(data)!r}), Path({str(tmp_path / 'copy')!r}))", limit)
    assert said.startswith(f"JournalError The copy to {tmp_path / 'copy'} failed: ")
    assert not (tmp_path / "copy").exists()
    (tmp_path / "there").mkdir()
    said = limited(f"back_up(Path({str(data)!r}), Path({str(tmp_path / 'there')!r}))", limit)
    assert said.startswith(f"JournalError The copy to {tmp_path / 'there'} failed: ")
    assert [*(tmp_path / "there").iterdir()] == []


def test_a_restore_without_room_leaves_what_was_there(data: Path, tmp_path: Path) -> None:
    back_up(data, tmp_path / "copy")
    Store(tmp_path / "other").close()
    said = limited(
        f"restore_backup(Path({str(tmp_path / 'copy')!r}), Path({str(tmp_path / 'other')!r}), force=True)", 100_000
    )
    assert said.startswith(f"JournalError The copy to {tmp_path / 'other' / 'generations' / '1'} failed: ")
    assert not (tmp_path / "other" / "generations").exists()
    store = Store(tmp_path / "other")
    assert store.load_rows().tables == {}
    store.close()


class Full(sqlite3.Connection):
    """A journal whose copy does not fit."""

    def backup(self, *_: object, **__: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorname, error.sqlite_errorcode = "SQLITE_FULL", sqlite3.SQLITE_FULL
        raise error


def test_a_full_target_disk_is_named_as_such(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "_connect_read_only", lambda path: sqlite3.connect(path, factory=Full))
    with pytest.raises(JournalError) as error:
        back_up(data, tmp_path / "copy")
    assert error.value.message.startswith(
        f"The copy to {tmp_path / 'copy'} failed: the disk is full; free some space there."
    )
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("gone", ["moved", "replaced"])
def test_a_journal_moved_during_copying_is_no_backup(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:

    def check_database(db: sqlite3.Connection, path: Path) -> None:
        reading.check_database(db, path)
        if not data.with_name("elsewhere").exists():
            data.rename(data.with_name("elsewhere"))
            if gone == "replaced":
                shutil.copytree(data.with_name("elsewhere"), data)

    monkeypatch.setattr(copying, "check_database", check_database)
    with pytest.raises(JournalError, match="can no longer be reached" if gone == "moved" else "was replaced while"):
        back_up(data, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_game_removed_during_copying_is_skipped(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data / "games" / "zzz.jsonl").write_text("stays")
    real = GameCopies._copy_game

    def copy(self: GameCopies, game: str, former: Entry | None) -> None:
        if game == "old.jsonl":
            (data / "games" / game).unlink()
        real(self, game, former)

    monkeypatch.setattr(GameCopies, "_copy_game", copy)
    assert back_up(data, tmp_path / "copy") == (1, 1)
    assert [path.name for path in (tmp_path / "copy" / "games").iterdir()] == ["zzz.jsonl"]
    assert (tmp_path / "copy" / JOURNAL).exists()


def test_the_next_start_moves_what_a_restore_could_not(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(data, tmp_path / "copy")
    Store(tmp_path / "other").close()

    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if self.suffix == ".jsonl":
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(JournalError, match=r"The tables were restored to .*, but not yet all finished games: No space"):
        restore_backup(tmp_path / "copy", tmp_path / "other", force=True)
    with pytest.raises(JournalError, match=r"A restore into .* is not finished"):
        back_up(tmp_path / "other", tmp_path / "new")
    monkeypatch.undo()
    store = Store(tmp_path / "other")
    assert len(store.statements.read_records(T1)) == 200
    store.close()
    assert back_up(tmp_path / "other", tmp_path / "new") == (1, 1)


def test_folders_that_may_not_be_read_are_one_sentence(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "copy").mkdir()

    def forbidden(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "iterdir", forbidden)
        with pytest.raises(JournalError, match=r"The copy to .*copy failed: Permission denied"):
            back_up(data, tmp_path / "copy")
    monkeypatch.setattr(Path, "exists", forbidden)
    attempts: list[Callable[[], object]] = [lambda: Store(data), lambda: back_up(data, tmp_path / "copy")]
    for attempt in attempts:
        with pytest.raises(JournalError, match=r"The folder .*data cannot be read: Permission denied"):
            attempt()
