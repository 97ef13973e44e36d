"""A data folder without its journal is refused as long as anything shows that there was one."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scoville_server.journal.backups.copying import back_up, restore_backup
from scoville_server.journal.base import JournalError
from scoville_server.journal.files.alive import ALIVE
from scoville_server.journal.files.generations import (
    CURRENT,
    JOURNAL,
    UNFINISHED,
    current_generation,
    publish_generation,
)
from scoville_server.journal.files.key_file import KEY
from scoville_server.journal.files.version_file import VERSION
from scoville_server.journal.store import Store
from scoville_shared.ids import TableId
from tests.support.process import Run

T1 = TableId("t1")


def keep(data: Path) -> None:
    store = Store(data)
    store.commit_writes([lambda store: store.appends.add_records(T1, [b"1"])])
    store.close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with a journal and a finished game, and a backup of it beside it."""
    keep(tmp_path / "data")
    (tmp_path / "data" / "games").mkdir()
    (tmp_path / "data" / "games" / "old.jsonl").write_text("a game\n")
    back_up(tmp_path / "data", tmp_path / "backup")
    return tmp_path / "data"


def delete_the_journal(data: Path) -> None:
    (data / JOURNAL).unlink()


def empty_the_journal(data: Path) -> None:
    os.truncate(data / JOURNAL, 0)


def delete_all_but_the_pointer(data: Path) -> None:
    shutil.rmtree(data / "games")
    (data / JOURNAL).unlink()
    (data / "server.lock").unlink()


def delete_all_but_the_games(data: Path) -> None:
    for name in (JOURNAL, CURRENT, ALIVE, VERSION, KEY, "server.lock"):
        (data / name).unlink()


def delete_all_but_the_version(data: Path) -> None:
    delete_all_but_the_games(data)
    shutil.rmtree(data / "games")
    (data / VERSION).write_text("0.1.0\n")


def delete_all_but_the_log(data: Path) -> None:
    shutil.rmtree(data)
    data.mkdir()
    (data / f"{JOURNAL}-wal").write_bytes(b"the latest moves")


def damage_the_pointer(data: Path) -> None:
    (data / CURRENT).write_bytes((data / CURRENT).read_bytes().replace(b"0", b"1", 1))


def empty_the_pointer(data: Path) -> None:
    (data / CURRENT).write_bytes(b"")


def point_to_nothing(data: Path) -> None:
    publish_generation(data, 7)


def lose_the_pointer_of_a_restored_folder(data: Path) -> None:
    restore_backup(data.with_name("backup"), data, force=True)
    (data / CURRENT).unlink()


def lose_a_restored_journal(data: Path) -> None:
    restore_backup(data.with_name("backup"), data, force=True)
    (data / "generations" / "1" / JOURNAL).unlink()


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (delete_the_journal, rf"{JOURNAL} is missing or empty; put it back, or restore a backup"),
        (empty_the_journal, "is missing or empty"),
        (delete_all_but_the_pointer, "is missing or empty"),
        (delete_all_but_the_games, r"other files of the server exist \(games\)"),
        (delete_all_but_the_version, r"other files of the server exist \(VERSION\)"),
        (delete_all_but_the_log, r"other files of the server exist \(journal.sqlite3-wal\)"),
        (damage_the_pointer, "CURRENT, which names the journal in use, is damaged"),
        (empty_the_pointer, "CURRENT, which names the journal in use, is damaged"),
        (point_to_nothing, "is missing or empty"),
        (lose_the_pointer_of_a_restored_folder, "CURRENT, which names the journal in use, is missing"),
        (lose_a_restored_journal, "is missing or empty"),
    ],
)
def test_a_missing_journal_refuses_the_start(data: Path, spoil: Callable[[Path], None], expected: str) -> None:
    spoil(data)
    before = sorted((path, path.stat().st_size) for path in data.rglob("*") if path.name != "server.lock")
    for _ in range(2):
        with pytest.raises(JournalError, match=expected):
            Store(data)
        with pytest.raises(JournalError, match="use --force to replace them"):
            restore_backup(data.with_name("backup"), data, force=False)
    assert sorted((path, path.stat().st_size) for path in data.rglob("*") if path.name != "server.lock") == before
    restore_backup(data.with_name("backup"), data, force=True)
    store = Store(data)
    assert store.load_rows().tables == {T1: [b"1"]}
    store.close()


def test_a_folder_of_before_is_taken_over(data: Path) -> None:
    (data / CURRENT).unlink()
    assert current_generation(data) == 0
    keep(data)
    assert (data / CURRENT).exists()


def test_an_empty_or_locked_folder_is_new(tmp_path: Path) -> None:
    assert current_generation(tmp_path) is None
    (tmp_path / "server.lock").touch()
    keep(tmp_path)
    assert current_generation(tmp_path) == 0


def test_an_unrenamable_folder_is_restored_too(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore into a mount point: the folder itself is kept, and nothing beside it is used."""
    outside = sorted(path.name for path in data.parent.iterdir())
    before = data.stat().st_ino
    restore_backup(data.with_name("backup"), data, force=True)
    assert data.stat().st_ino == before
    assert sorted(path.name for path in data.parent.iterdir()) == outside


def test_an_unfinished_back_up_is_no_data_folder(data: Path) -> None:
    copy = data.with_name("backup")
    (copy / UNFINISHED).touch()
    for attempt in (
        lambda: Store(copy),
        lambda: restore_backup(copy, data, force=True),
        lambda: back_up(copy, data / "new"),
    ):
        with pytest.raises(
            JournalError, match="is not finished and cannot be used; run 'scoville-server backup' again"
        ):
            attempt()


def test_nobody_else_looks_into_what_a_restore_has_made(data: Path) -> None:
    before = os.umask(0o022)
    try:
        restore_backup(data.parent / "backup", data, force=True)
        Store(data).close()
    finally:
        os.umask(before)
    folders = [path for path in (data / "generations").rglob("*") if path.is_dir()]
    assert folders
    assert [path for path in (data / "generations", *folders) if path.stat().st_mode & 0o077] == []


def test_a_bare_mount_point_takes_a_backup(data: Path, tmp_path: Path) -> None:
    (tmp_path / "disk" / "lost+found").mkdir(parents=True)
    assert back_up(data, tmp_path / "disk") == (1, 1)
    assert (tmp_path / "disk" / "lost+found").is_dir()


QUIET = ("--port", "0", "--host", "127.0.0.1", "--log-level", "warning")


async def test_the_commands_say_it_in_one_sentence(run: Run, data: Path) -> None:
    (data / JOURNAL).unlink()
    for command in ([], ["backup", str(data.with_name("new"))]):
        process = await run(*command, "--data", str(data), *(() if command else QUIET))
        _, err = await process.communicate()
        assert process.returncode == 1
        assert "is missing or empty; put it back" in err.decode()
        assert len(err.decode().splitlines()) == 1
