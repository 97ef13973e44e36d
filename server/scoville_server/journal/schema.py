"""The journal's file: its identification as ours, and the migrations of its schema."""

import re
import sqlite3
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from scoville_server.journal.base import JournalError
from scoville_server.journal.faults import damage_error, empty_error
from scoville_server.journal.files.generations import JOURNAL, data_folder_of
from scoville_server.journal.files.version_file import read_version
from scoville_server.journal.seals import register_functions
from scoville_shared import __version__

APPLICATION = 0x5C0711E5
"""Marks a database as a journal of Scoville (SQLite's application_id)."""
_HEAD, _USER_VERSION = 100, slice(60, 64)
"""The head of a database (https://www.sqlite.org/fileformat2.html#the_database_header)."""
_COPY = "before-schema-"


class Step(NamedTuple):
    """One migration: the schema's number after it, and its SQL."""

    number: int
    sql: str


@cache
def migration_steps() -> tuple[Step, ...]:
    """Read the migrations, first to last; a number that was ever used for another one is not used again."""
    folder = Path(__file__).with_name("migrations")  # not by `importlib.resources`, which is slow to load for a start
    files = sorted((file.name, file) for file in folder.iterdir() if re.fullmatch(r"\d{4}_\w+\.sql", file.name))
    return tuple(Step(int(name[:4]), file.read_text(encoding="utf-8")) for name, file in files)


def newest_version() -> int:
    """Return the number of the newest schema, which this version writes."""
    return migration_steps()[-1].number


def migrate_schema(db: sqlite3.Connection, path: Path) -> None:
    """Bring a journal up to date, in one transaction. Raises JournalError for a newer one and for a stranger's file."""
    known = newest_version()
    number = check_schema(db, path, known)
    missing = [step.sql for step in migration_steps() if step.number > number]
    if missing:
        db.executescript(
            f"BEGIN IMMEDIATE; {''.join(missing)}"
            f"PRAGMA application_id = {_as_signed(APPLICATION)}; PRAGMA user_version = {known}; COMMIT;"
        )


def mark_again(db: sqlite3.Connection) -> None:
    """Commit something that changes nothing: the mark of a journal, as it is."""
    db.execute("BEGIN IMMEDIATE")
    db.execute(f"PRAGMA application_id = {_as_signed(APPLICATION)}")
    db.execute("COMMIT")


def check_structure(db: sqlite3.Connection, path: Path, number: int) -> None:
    """Compare the tables with those of a schema. Raises JournalError when the schema itself is damaged or unknown."""
    taken = tuple(step for step in migration_steps() if step.number <= number)
    if number == 0:
        raise (
            damage_error(path, "it has tables, but the number of its schema is 0")
            if _read_structure(db)
            else empty_error(path)
        )
    if taken[-1].number == number and _read_structure(db) == _expected_structure(taken):
        return
    if number == newest_version():
        raise damage_error(path, "its tables do not match its schema")
    raise JournalError(
        f"The journal {path} cannot be used: its tables are not those of schema {number} as this version knows it. "
        "Either it is damaged: restore a backup with 'scoville-server restore --force FOLDER'. Or an earlier Scoville "
        "wrote it whose data this version cannot read: start it with that version, or choose another folder with "
        "--data."
    )


@cache
def _expected_structure(taken: tuple[Step, ...]) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        register_functions(db)
        db.executescript("".join(step.sql for step in taken))
        return _read_structure(db)


def _read_structure(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    """List every table with its columns, and whatever else there is; not how it was written, which SQLite decides."""
    things = db.execute("SELECT type, name, tbl_name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2")
    found: list[tuple[object, ...]] = things.fetchall()
    for _, name, _ in [thing for thing in found if thing[0] == "table"]:
        found += [(name, *column) for column in db.execute("SELECT * FROM pragma_table_xinfo(?)", (name,))]
        found += db.execute("SELECT name, type, wr, strict FROM pragma_table_list(?)", (name,)).fetchall()
    return found


def check_schema(db: sqlite3.Connection, path: Path, known: int) -> int:
    """Find which schema a journal has (0: a new file). Raises JournalError when it is not for this version to open."""
    number = _read_pragma(db, "user_version")
    new = number == 0 and _read_pragma(db, "schema_version") == 0
    if not new and _read_pragma(db, "application_id") != _as_signed(APPLICATION):
        raise JournalError(f"{path} is a database, but not a Scoville journal; choose another folder with --data.")
    if number > known:
        raise _newer_error(path, number, known)
    return number


def _newer_error(path: Path, number: int, known: int) -> JournalError:
    """Return the error for a journal of a newer version: it names both, and what there is of before the upgrade."""
    data = data_folder_of(path)
    newer = read_version(data)
    copy = find_readable_copy(data, known)
    if copy is None:
        way_back = (
            "or restore a backup from before the upgrade with 'scoville-server restore --force FOLDER', or choose "
            "another folder with --data."
        )
    else:
        way_back = (
            f"or return to the data from before the upgrade, without what has happened since: they are in {copy}, and "
            f"'scoville-server rollback --data {data}' restores them."
        )
    return JournalError(
        f"The journal {path} was written by a newer Scoville{f', {newer}' if newer else ''} (its schema is {number}); "
        f"this is {__version__}, which knows schemas up to {known}. Install the newer version again, {way_back}"
    )


def copy_place(data: Path) -> Path:
    """Return the folder for the copy that this version makes before it migrates a journal."""
    return data / f"{_COPY}{newest_version()}"


def list_copies(data: Path) -> list[Path]:
    """List the copies that versions have made before they migrated the journal of a folder, by their schemas."""
    found = [path for path in data.glob(f"{_COPY}*") if path.name.removeprefix(_COPY).isdecimal()]
    return sorted(found, key=lambda path: int(path.name.removeprefix(_COPY)))


def find_readable_copy(data: Path, known: int) -> Path | None:
    """Find the newest of these copies that a version can read; None if there is none."""
    fitting = [path for path in list_copies(data) if _can_be_read(path / JOURNAL, known)]
    return fitting[-1] if fitting else None


def schema_in(path: Path) -> int:
    """Return the schema of a journal's file from its head. Raises OSError."""
    with path.open("rb") as file:
        return schema_of(file.read(_HEAD))


def schema_of(head: bytes) -> int:
    """Return the schema of a journal's file by its first bytes."""
    return int.from_bytes(head[_USER_VERSION])


def _can_be_read(path: Path, known: int) -> bool:
    with suppress(OSError):
        return 0 < schema_in(path) <= known
    return False


def _read_pragma(db: sqlite3.Connection, name: str) -> int:
    value: int = db.execute(f"PRAGMA {name}").fetchone()[0]
    return value


# SQLite takes the application's id as a signed number of 32 bits.
def _as_signed(number: int) -> int:
    return int.from_bytes(number.to_bytes(4), signed=True)
