"""A start that is refused leaves every byte of its folder as it was, for the version that wrote it as well."""

import os
import shutil
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from scoville_server.journal import schema
from scoville_server.journal.backups.copying import restore_backup
from scoville_server.journal.base import Change, StoredUser
from scoville_server.journal.files.alive import ALIVE
from scoville_server.journal.files.generations import CURRENT, JOURNAL, UNFINISHED
from scoville_server.journal.files.key_file import KEY
from scoville_server.journal.seals import register_functions, seal_record, seal_row
from scoville_server.journal.store import Store
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import TableId, UserId
from tests.support.process import run_server

T1 = TableId("t1")
WAL = f"{JOURNAL}-wal"


def contents(folder: Path) -> dict[str, bytes | None]:
    """Return every file and folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def killed_folder(folder: Path) -> Path:
    """Make the folder of a killed server, with records in its log."""
    running = folder.with_name("running")
    store = Store(running)
    store.commit_writes(
        [
            lambda s: s.appends.add_records(T1, [b"1", b"2"]),
            lambda s: s.put_user(StoredUser(user=UserId("u"), name="U")),
        ]
    )
    store.commit_writes([lambda s: s.write_changes([Change("later", "one", b"value"), Change("chat", "two", b"line")])])
    shutil.copytree(running, folder, ignore=shutil.ignore_patterns("*-shm", "server.lock"))
    store.close()
    return folder


def old_folder(folder: Path) -> Path:
    """Make the folder of a version before the journal had a tally."""
    shutil.copytree(killed_folder(folder.with_name("newer")), folder)
    for name in (JOURNAL, WAL, ALIVE):
        (folder / name).unlink()
    with closing(sqlite3.connect(folder / JOURNAL, isolation_level=None)) as db:
        register_functions(db)
        steps = "".join(step.sql for step in schema.migration_steps() if step.number <= 2)
        db.executescript(f"{steps} PRAGMA application_id = {schema.APPLICATION}; PRAGMA user_version = 2")
        db.execute("INSERT INTO records VALUES (?, 1, ?, ?)", ("t1", b"1", seal_record("t1", 1, b"1")))
        mark = seal_record("t1", 1, b"1")[:8]
        db.execute("INSERT INTO heads VALUES ('t1', 1, ?, ?)", (mark, seal_row("heads", "t1", 1, mark)))
        db.execute(
            "INSERT INTO books VALUES ('later', 'one', 1, ?, ?)", (b"v", seal_row("books", "later", "one", 1, b"v"))
        )
    return folder


def change(folder: Path, *statements: str) -> None:
    """Change a journal behind its server's back, with its log."""
    with closing(sqlite3.connect(folder / JOURNAL, isolation_level=None)) as db:
        register_functions(db)
        for statement in statements:
            assert db.execute(statement).rowcount != 0, statement


def cut(path: Path, size: int) -> None:
    os.truncate(path, path.stat().st_size + size if size < 0 else size)


def be_a_strangers(folder: Path) -> None:
    (folder / WAL).unlink()
    (folder / JOURNAL).unlink()
    with closing(sqlite3.connect(folder / JOURNAL)) as db:
        db.execute("CREATE TABLE recipes (chilies INTEGER)")


def scribble(path: Path, place: int) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(b"\xff" * 4096)


REFUSALS: dict[str, Callable[[Path], object]] = {
    "a newer schema": lambda folder: change(folder, "PRAGMA user_version = 99"),
    "a schema of an earlier series": lambda folder: change(folder, "PRAGMA user_version = 4"),
    "a database of another program": be_a_strangers,
    "no database": lambda folder: scribble(folder / JOURNAL, 0),
    "a damaged page": lambda folder: scribble(folder / JOURNAL, 4096),
    "a damaged row that protects players": lambda folder: change(
        folder, "UPDATE books SET value = x'00' WHERE book = 'later'"
    ),
    "a missing row": lambda folder: change(folder, "DELETE FROM books WHERE book = 'chat'"),
    "a log that was cut": lambda folder: cut(folder / WAL, -5000),
    "a log without its head": lambda folder: scribble(folder / WAL, 0),
    "a log that was cut at a commit, and no note": lambda folder: (folder / ALIVE).unlink(),
    "a damaged note": lambda folder: scribble(folder / ALIVE, 12),
    "a missing log": lambda folder: ((folder / WAL).unlink(), (folder / ALIVE).unlink()),
    "an older journal than noted": lambda folder: (folder / WAL).unlink(),
    "an empty journal": lambda folder: cut(folder / JOURNAL, 0),
    "a missing journal": lambda folder: (folder / JOURNAL).unlink(),
    "a damaged pointer": lambda folder: (folder / CURRENT).write_bytes(b"generations/7\n"),
    "a missing key": lambda folder: (folder / KEY).unlink(),
    "a damaged key": lambda folder: (folder / KEY).write_bytes(b"{"),
    "a key alone": lambda folder: [path.unlink() for path in folder.iterdir() if path.name != KEY],
    "an unfinished backup": lambda folder: (folder / UNFINISHED).touch(),
    "a damaged door credential": lambda folder: (folder / "door.credential").write_text("short"),
    "a file in the place of the socket": lambda folder: (folder / "door.sock").write_text("in the way"),
    "a damaged key that a restore has brought": lambda folder: (
        restore_backup(folder.with_name("backup"), folder, force=True),
        (folder / "generations" / "1" / KEY).write_bytes(b"{"),
    ),
}


@pytest.mark.parametrize("spoil", REFUSALS.values(), ids=REFUSALS)
async def test_a_refused_start_changes_no_byte(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    closed = Store(tmp_path / "backup")
    closed.close()
    folder = killed_folder(tmp_path / "data")
    spoil(folder)
    await refused(Settings(host="127.0.0.1", port=0, data=folder, doors=DoorSettings(enabled=True)))


NOT_OLD = {
    "a missing log",
    "an older journal than noted",
    "a log that was cut",
    "a log that was cut at a commit, and no note",
    "a damaged note",
    "a log without its head",
    "a missing row",
}
"""Refusals that an older folder cannot have: it had no tally and no note, and this one was closed."""


@pytest.mark.parametrize("kind", [kind for kind in REFUSALS if kind not in NOT_OLD])
async def test_a_refused_start_of_an_older_folder_changes_no_byte(tmp_path: Path, kind: str) -> None:
    Store(tmp_path / "backup").close()
    folder = old_folder(tmp_path / "data")
    (folder / WAL).touch()
    (folder / "server.lock").touch()
    (folder / "server.lock-journal").write_bytes(b"left by a kill")
    REFUSALS[kind](folder)
    await refused(Settings(host="127.0.0.1", port=0, data=folder, doors=DoorSettings(enabled=True)))


@pytest.fixture
def busy() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


@pytest.mark.parametrize("make", [killed_folder, old_folder])
async def test_a_start_on_a_busy_port_changes_no_byte(tmp_path: Path, busy: int, make: Callable[[Path], Path]) -> None:
    folder = make(tmp_path / "data")
    await refused(Settings(host="127.0.0.1", port=busy, data=folder, doors=DoorSettings(enabled=True)), OSError)
    process = await run_server("--host", "127.0.0.1", "--port", str(busy), "--data", str(folder), "--admin", "Anna")
    before = contents(folder)
    _, err = await process.communicate()
    assert process.returncode == 1
    assert f"Port {busy} is in use by another program" in err.decode()
    assert contents(folder) == before


async def test_a_first_start_on_a_busy_port_leaves_no_folder(tmp_path: Path, busy: int) -> None:
    await refused(Settings(host="127.0.0.1", port=busy, data=tmp_path / "data"), OSError)
    assert not (tmp_path / "data").exists()


async def test_a_start_beside_a_running_server_changes_no_byte(tmp_path: Path) -> None:
    store = Store(tmp_path)
    await refused(Settings(data=tmp_path))
    store.commit_writes([lambda s: s.appends.add_records(T1, [b"1"])])
    store.close()


async def test_a_row_that_this_version_cannot_read_changes_no_byte(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.commit_writes(
        [lambda s: s.write_changes([Change("bans", "1", msgspec.msgpack.encode("of a later version"))])]
    )
    store.close()
    await refused(Settings(data=tmp_path))


async def refused(settings: Settings, error: type[Exception] = ScovilleError) -> None:
    assert settings.data is not None
    before = contents(settings.data)
    for _ in range(2):
        server = Server(settings)
        with pytest.raises(error):
            await server.start()
        await server.close()
        assert contents(settings.data) == before


# --- an older journal ------------------------------------------------------------------------------------


async def test_an_older_journal_is_copied_before_migrating(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = old_folder(tmp_path / "data")
    before = (folder / JOURNAL).read_bytes()
    store = Store(folder)
    assert store.load_rows().tables == {"t1": [b"1"]}
    store.close()
    copy = schema.copy_place(folder)
    assert (copy / JOURNAL).read_bytes() == before
    assert (copy / KEY).read_bytes() == (folder / KEY).read_bytes()
    assert str(copy) in caplog.text
    Store(folder).close()
    assert (copy / JOURNAL).read_bytes() == before


async def test_a_schema_of_an_earlier_series_is_not_called_newer(tmp_path: Path) -> None:
    for number in (1, 3, 4):
        folder = killed_folder(tmp_path / str(number) / "data")
        change(folder, f"PRAGMA user_version = {number}")
        with pytest.raises(ScovilleError) as error:
            Store(folder)
        assert "newer" not in error.value.message
        assert f"not those of schema {number}" in error.value.message


def test_an_interrupted_copy_is_made_again(tmp_path: Path) -> None:
    folder = old_folder(tmp_path / "data")
    copy = schema.copy_place(folder)
    copy.mkdir()
    (copy / JOURNAL).write_bytes(b"half")
    before = (folder / JOURNAL).read_bytes()
    Store(folder).close()
    assert (copy / JOURNAL).read_bytes() == before
