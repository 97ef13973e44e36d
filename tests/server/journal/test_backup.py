"""A backup is a consistent data folder made while the server writes; a restored one continues from there."""

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event, Thread

import pytest

from scoville_server.events import Damage
from scoville_server.exports.server_export import export_server
from scoville_server.journal import schema
from scoville_server.journal.backups.copying import back_up, restore_backup
from scoville_server.journal.backups.series import back_up_series
from scoville_server.journal.base import JournalError
from scoville_server.journal.files.generations import AUDIT, JOURNAL, MANIFEST
from scoville_server.journal.files.key_file import KEY
from scoville_server.journal.files.version_file import VERSION
from scoville_server.journal.store import Store
from scoville_shared.ids import TableId
from tests.server.journal.test_sqlite import kept_in
from tests.support.process import Run, first_line


def keep(store: Store, table: str, *records: bytes) -> None:
    store.commit_writes([lambda store: store.appends.add_records(TableId(table), records)])


def ignore_damage(damage: Damage) -> None:
    del damage


def data_folder(folder: Path, **tables: bytes) -> Path:
    """Make a data folder with a record for each table, and a finished game."""
    store = Store(folder)
    for table, record in tables.items():
        keep(store, table, record)
    store.close()
    (folder / "games").mkdir()
    (folder / "games" / "old.jsonl").write_text("a finished game\n")
    return folder


def tables_in(folder: Path) -> dict[str, list[bytes]]:
    store = Store(folder)
    tables = store.load_rows().tables
    store.close()
    return tables


def test_a_back_up_is_a_data_folder(tmp_path: Path) -> None:
    data, copy = data_folder(tmp_path / "data", t1=b"1", t2=b"2"), tmp_path / "copy"
    assert back_up(data, copy) == (2, 1)
    assert {path.name for path in copy.iterdir()} == {JOURNAL, KEY, MANIFEST, VERSION, "games"}
    assert (copy / KEY).read_bytes() == (data / KEY).read_bytes()
    assert tables_in(copy) == tables_in(data) == {"t1": [b"1"], "t2": [b"2"]}
    assert not (copy / MANIFEST).exists(), "a folder of a server has none"
    assert (copy / "games" / "old.jsonl").read_text() == "a finished game\n"
    assert (copy / JOURNAL).stat().st_mode & 0o077 == 0


def test_a_live_backup_is_of_one_instant(tmp_path: Path) -> None:
    store, stop = Store(tmp_path / "data"), Event()

    def write() -> None:
        """Append one record to each of two tables, always in one commit."""
        while not stop.is_set():
            store.commit_writes(
                [
                    lambda s: s.appends.add_records(TableId("t1"), [b"1"]),
                    lambda s: s.appends.add_records(TableId("t2"), [b"2"]),
                ]
            )

    keep(store, "t1", b"1")
    keep(store, "t2", b"2")
    writer = Thread(target=write)
    writer.start()
    for number in range(5):
        back_up(tmp_path / "data", tmp_path / f"copy {number}")
    stop.set()
    writer.join()
    counts = [[len(kept) for kept in tables_in(tmp_path / f"copy {number}").values()] for number in range(5)]
    assert all(one == other for one, other in counts)
    kept = len(store.statements.read_records(TableId("t1")))
    assert counts == sorted(counts)
    assert counts[-1][0] <= kept
    store.close()


def test_a_back_up_overwrites_nothing(tmp_path: Path) -> None:
    data, copy = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "copy"
    back_up(data, copy)
    for there in (copy, copy / JOURNAL):
        with pytest.raises(JournalError, match="already exists; a backup needs a new or empty folder"):
            back_up(data, there)


def test_a_game_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    data = data_folder(tmp_path / "data")
    (data / "games" / "new.jsonl").mkdir()  # as good as a file on a damaged disk
    with pytest.raises(JournalError, match=r"games/new\.jsonl cannot be read: Is a directory\. Move it away"):
        back_up(data, tmp_path / "copy")


def test_no_copy_is_made_in_the_data_folder(tmp_path: Path) -> None:
    data, link = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "link"
    link.symlink_to(data)
    before = {*data.rglob("*")}
    for inside in (data, data / "copy", data / "games" / "copy", link / "copy"):
        for attempt in (
            partial(back_up, data, inside),
            partial(back_up_series, data, inside, 7, 0),
            partial(export_server, data, inside, ignore_damage),
        ):
            with pytest.raises(JournalError, match=r"is in the data folder .*; name a folder elsewhere"):
                attempt()
    assert {*data.rglob("*")} == before
    back_up(data, tmp_path / "data of today")  # beside it, though the name begins alike


def test_without_a_journal_there_is_nothing_to_back_up(tmp_path: Path) -> None:
    for attempt in (
        lambda: back_up(tmp_path, tmp_path / "copy"),
        lambda: restore_backup(tmp_path, tmp_path, force=False),
    ):
        with pytest.raises(JournalError, match="There is no Scoville journal in"):
            attempt()
    assert [*tmp_path.iterdir()] == []


def test_a_back_up_is_brought_back_to_a_new_folder(tmp_path: Path) -> None:
    back_up(data_folder(tmp_path / "data", t1=b"1"), tmp_path / "copy")
    assert restore_backup(tmp_path / "copy", tmp_path / "new", force=False) == (1, 1)
    assert tables_in(tmp_path / "new") == {"t1": [b"1"]}
    assert (tmp_path / "new" / "games" / "old.jsonl").exists()


def test_the_audit_log_is_copied_and_survives_a_restore(tmp_path: Path) -> None:
    data, copy = data_folder(tmp_path / "data", t1=b"1"), tmp_path / "copy"
    (data / AUDIT).write_text("an act\n")
    back_up(data, copy)
    assert (copy / AUDIT).read_text() == "an act\n"

    (data / AUDIT).write_text("an act\na later one\n")
    restore_backup(copy, data, force=True)
    restore_backup(copy, tmp_path / "new", force=False)

    assert (data / AUDIT).read_text() == "an act\na later one\n"
    assert (tmp_path / "new" / AUDIT).read_text() == "an act\n"
    assert (tmp_path / "new" / AUDIT).stat().st_mode & 0o777 == 0o600


def test_existing_data_is_replaced_only_by_force(tmp_path: Path) -> None:
    data = data_folder(tmp_path / "data", t1=b"1")
    back_up(data, tmp_path / "copy")
    store = Store(data)
    keep(store, "t2", b"2")
    store.close()
    with pytest.raises(JournalError, match="use --force to replace them"):
        restore_backup(tmp_path / "copy", data, force=False)
    assert len(tables_in(data)) == 2
    restore_backup(tmp_path / "copy", data, force=True)
    assert tables_in(data) == {"t1": [b"1"]}
    with closing(sqlite3.connect(data / "generations" / "0" / JOURNAL)) as db:
        assert db.execute("SELECT count(*) FROM records").fetchone() == (2,)


def test_leftovers_of_a_crash_never_meet_a_restored_journal(tmp_path: Path) -> None:
    data = data_folder(tmp_path / "data", t1=b"1")
    back_up(data, tmp_path / "copy")
    running = Store(data)
    keep(running, "t2", b"2")
    (crashed := tmp_path / "crashed").mkdir()
    for name in (JOURNAL, f"{JOURNAL}-wal"):
        (crashed / name).write_bytes((data / name).read_bytes())
    running.close()
    restore_backup(tmp_path / "copy", crashed, force=True)
    assert tables_in(crashed) == {"t1": [b"1"]}
    assert kept_in(crashed / "generations" / "0" / JOURNAL) == 2


def test_a_damaged_journal_gives_way_to_a_back_up(tmp_path: Path) -> None:
    data = data_folder(tmp_path / "data", t1=b"1")
    back_up(data, tmp_path / "copy")
    (data / JOURNAL).write_bytes(b"this was a journal once")
    restore_backup(tmp_path / "copy", data, force=True)
    assert tables_in(data) == {"t1": [b"1"]}


def test_a_damaged_or_newer_back_up_is_not_brought_back(tmp_path: Path) -> None:
    back_up(data_folder(tmp_path / "data", t1=b"1"), tmp_path / "copy")
    journal = tmp_path / "copy" / JOURNAL
    (tmp_path / "copy" / MANIFEST).unlink()  # as backups of older versions have none
    with closing(sqlite3.connect(journal)) as db:
        db.execute(f"PRAGMA user_version = {schema.newest_version() + 1}")
    with pytest.raises(JournalError, match="written by a newer Scoville"):
        restore_backup(tmp_path / "copy", tmp_path / "new", force=False)
    journal.write_bytes(journal.read_bytes()[:6000])
    with pytest.raises(JournalError, match="the file is damaged"):
        restore_backup(tmp_path / "copy", tmp_path / "new", force=False)
    assert not (tmp_path / "new" / JOURNAL).exists()


async def test_the_commands_while_a_server_runs(run: Run, tmp_path: Path) -> None:
    data, copy = str(tmp_path / "data"), str(tmp_path / "copy")
    await first_line(await run("--host", "127.0.0.1", "--port", "0", "--no-default-tables", "--data", data))
    out, err = await (await run("backup", copy, "--data", data)).communicate()
    assert out.decode() == f"Backed up to {copy}: 0 tables, 0 finished games.\n"
    assert "notice backup[" in err.decode()
    assert f": backup path={copy} tables=0 games=0 seconds=" in err.decode()
    busy = await run("restore", copy, "--data", data, "--force")
    _, err = await busy.communicate()
    assert busy.returncode == 1
    assert err.decode().startswith("Another scoville-server uses")
    out, _ = await (await run("restore", copy, "--data", str(tmp_path / "new"))).communicate()
    assert out.decode() == f"Restored to {tmp_path / 'new'}: 0 tables, 0 finished games.\n"
