"""A whole server as text: its journal, finished games and audit log as JSON Lines, and a summary for people.

EXPORT/export.json        what made it and when, and the checksum of each file
EXPORT/summary.txt        users, finished games and open tables, to be read
EXPORT/users.jsonl        one user a line
EXPORT/books/NAME.jsonl   one row of the book NAME a line: accounts, boards, clubs, tournaments, bans, messages …
EXPORT/tables.jsonl       one record of an open table a line, each table's oldest first
EXPORT/games/*.jsonl      finished games, signed, as `table.export` returns them
EXPORT/audit.jsonl        one act of an admin a line
EXPORT/server.key         the server's private key
"""

import base64
import binascii
import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from scoville_runtime.atomic_files import PART, replace_file, sync_folder, write_all
from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.events import ReportDamage
from scoville_server.exports.summary import describe_server
from scoville_server.journal.backups.copying import (
    back_up,
    check_outside,
    restore_backup,
    show_nothing,
    usable_generation,
)
from scoville_server.journal.backups.manifest import Progress
from scoville_server.journal.base import JournalError, StoredUser
from scoville_server.journal.files import disk, key_file
from scoville_server.journal.files.generations import AUDIT, GAMES
from scoville_server.journal.files.scratch import scratch_folder
from scoville_server.journal.opening import make_folder
from scoville_server.journal.snapshots import Snapshot, new_copy_of, read_folder, write_folder
from scoville_shared import __version__
from scoville_shared.ids import TableId

FORMAT: Final = 1
"""Version of the format."""
_ABOUT: Final = "export.json"
_SUMMARY: Final = "summary.txt"
_USERS: Final = "users.jsonl"
_TABLES: Final = "tables.jsonl"
_BOOKS: Final = "books"
_LINES: Final = ".jsonl"
_NAME: Final = re.compile(r"[a-z0-9_.-]{1,64}", re.ASCII)
"""Names of books: they become names of files, and an export is read that others may have changed."""

T = TypeVar("T")


class ExportedFile(Struct, frozen=True):
    """A file of an export: its length in bytes, and the SHA-256 of it."""

    size: int
    sha256: str


class About(Struct, frozen=True, kw_only=True):
    """An export's description of itself, in `export.json`.

    `at` is when it was made, `pin` that of the server's key. `files` has all others, by their paths within the export.
    """

    scoville_export: Literal[1] = FORMAT
    version: str
    at: datetime
    pin: str
    files: dict[str, ExportedFile]


class _BookRow(Struct, frozen=True):
    key: str
    value: Any


class _TableRecord(Struct, frozen=True):
    table: TableId
    record: Any


class Exported(NamedTuple):
    """How much an export has."""

    users: int
    rows: int
    tables: int
    games: int


# --- writing ------------------------------------------------------------------------------------------------


def export_server(
    source: Path,
    target: Path,
    report_damage: ReportDamage,
    progress: Progress = show_nothing,
    clock: Clock = SYSTEM,
) -> Exported:
    """Export a data folder, in use or not, or a backup, into a new or empty folder. Raises JournalError.

    The folder gets its name when all of it is on the disk.
    """
    # First: a folder of anything else is refused as such, wherever the target is.
    usable_generation(source)
    check_outside(source, target)
    try:
        with new_copy_of(target) as part:
            # A backup is one instant of a server that goes on; its own files are removed afterwards.
            copy = part / "backup"
            back_up(source, copy, progress=progress, report_damage=report_damage)
            snapshot, key = read_folder(copy, report_damage, clock), key_file.load_key(copy)
            for name in (GAMES, AUDIT, key_file.KEY):
                if (copy / name).exists():
                    (copy / name).rename(part / name)
            shutil.rmtree(copy)
            games = sorted((part / GAMES).glob(f"*{_LINES}"))
            _write_snapshot(part, snapshot)
            _describe_export(part, snapshot, games, key.pin, datetime.fromtimestamp(clock.date_ms() / 1000, UTC))
        return _count_exported(snapshot, len(games))
    except OSError as error:
        raise JournalError(f"The export {target} cannot be written: {error.strerror}.") from error


def _describe_export(folder: Path, snapshot: Snapshot, games: Sequence[Path], pin: str, now: datetime) -> None:
    """Write the export's description of itself, last of all: for people, and with the checksums of all its files."""
    _write_file(folder / _SUMMARY, [describe_server(snapshot, games, folder / AUDIT, pin, now).encode()])
    files = {_path_within(folder, path): _look_at(path) for path in _list_files(folder)}
    about = About(version=__version__, at=now, pin=pin, files=files)
    replace_file(folder / _ABOUT, msgspec.json.format(msgspec.json.encode(about), indent=1) + b"\n", locked=True)
    sync_folder(folder)


def _write_snapshot(folder: Path, snapshot: Snapshot) -> None:
    _write_lines(folder / _USERS, snapshot.users)
    records = ((table, record) for table, packed in snapshot.tables.items() for record in packed)
    _write_lines(folder / _TABLES, (_TableRecord(table, read_packed(record)) for table, record in records))
    disk.make_folder(folder / _BOOKS)
    for book, rows in snapshot.books.items():
        if _NAME.fullmatch(book) is None:
            raise JournalError(f"The book {book!r} cannot be exported: its name is no name of a file.")
        _write_lines(folder / _BOOKS / (book + _LINES), (_BookRow(key, read_packed(value)) for key, value in rows))
    sync_folder(folder / _BOOKS)


def _write_lines(path: Path, values: Iterable[Struct]) -> None:
    _write_file(path, (msgspec.json.encode(value) + b"\n" for value in values))


def _write_file(path: Path, parts: Iterable[bytes]) -> None:
    handle = disk.make_file(path, os.O_WRONLY | os.O_EXCL)
    try:
        for part in parts:
            write_all(handle, part)
        os.fsync(handle)
    finally:
        os.close(handle)


def _list_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != _ABOUT)


def _path_within(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _look_at(path: Path) -> ExportedFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return ExportedFile(path.stat().st_size, digest)


# --- reading ------------------------------------------------------------------------------------------------


async def import_server(
    source: Path,
    data: Path,
    report_damage: ReportDamage,
    progress: Progress = show_nothing,
    clock: Clock = SYSTEM,
    *,
    changed: bool = False,
    force: bool = False,
) -> Exported:
    """Restore an export as a data folder that no server is using, after a comparison. Raises JournalError.

    Args:
        source: The export.
        data: The data folder, which may exist.
        report_damage: Is called for everything that cannot be read.
        progress: Is called with the number of finished games that are copied, and of all.
        clock: The clock.
        changed: Whether files of the export may have been changed since it was made.
        force: Whether the export takes the place of what the folder has, as a restored backup does.
    """
    _compare_files(source, _read_about(source), changed=changed)
    snapshot = _read_snapshot(source)
    games = _list_games(source)
    with _scratch_in(data) as part:
        key_file.copy_key(source, part)
        await write_folder(part, snapshot, clock, lambda: None)
        if (source / AUDIT).exists():
            disk.copy_file(source / AUDIT, part / AUDIT)
        _copy_games(games, part / GAMES, progress)
        differences = snapshot.find_differences(read_folder(part, report_damage, clock))
        if differences:
            raise JournalError(f"What was written is not like the export in {', '.join(differences[:10])}; try again.")
        restore_backup(part, data, force=force)
    return _count_exported(snapshot, len(games))


@contextmanager
def _scratch_in(data: Path) -> Iterator[Path]:
    """Provide a folder for a data folder that is being made. Raises JournalError also for the body's OSError.

    It is within the one whose contents it will become: the parent may be for others to write, or on another disk.
    """
    new = not data.exists()
    try:
        make_folder(data)
        with scratch_folder(data / f"import{PART}", data) as part:
            yield part
    except OSError as error:
        raise JournalError(f"The folder {data} cannot be written: {error.strerror}.") from error
    finally:
        if new:
            with suppress(OSError):
                data.rmdir()  # unless a server is in it


def _read_about(source: Path) -> About:
    path = source / _ABOUT
    try:
        found = msgspec.json.decode(path.read_bytes())
        if isinstance(found, dict) and isinstance(number := found.get("scoville_export"), int) and number > FORMAT:
            raise JournalError(f"{source} was exported by a newer version of Scoville: install it, or one after it.")
        return msgspec.convert(found, About)
    except FileNotFoundError as error:
        raise JournalError(f"There is no export in {source}: the file {_ABOUT} is missing.") from error
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}.") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise JournalError(f"{path} is damaged: {error}.") from error


def _compare_files(source: Path, about: About, *, changed: bool) -> None:
    """Raise JournalError for an export that lacks files, or has changed although nobody says so."""
    try:
        there = {_path_within(source, path): _look_at(path) for path in _list_files(source)}
    except OSError as error:
        raise JournalError(f"The export {source} cannot be read: {error.strerror}.") from error
    missing = sorted(about.files.keys() - there.keys() - {_SUMMARY})
    if missing and not changed:
        raise JournalError(f"The export {source} lacks {_name_some(missing)}: copy it again. {_ON_PURPOSE}")
    other = sorted(name for name, file in there.items() if about.files.get(name) != file and name != _SUMMARY)
    if other and not changed:
        raise JournalError(f"The export {source} has changed since it was made: {_name_some(other)}. {_ON_PURPOSE}")


_ON_PURPOSE: Final = "If you have done that on purpose, use --changed."


def _name_some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _read_snapshot(source: Path) -> Snapshot:
    tables: dict[TableId, list[bytes]] = {}
    for place, line in _read_lines(source / _TABLES, _TableRecord):
        tables.setdefault(line.table, []).append(_pack_line(place, line.record))
    users = [user for _, user in _read_lines(source / _USERS, StoredUser)]
    books: dict[str, list[tuple[str, bytes]]] = {}
    for path in sorted((source / _BOOKS).glob(f"*{_LINES}")):
        rows = [(row.key, _pack_line(place, row.value)) for place, row in _read_lines(path, _BookRow)]
        books[path.name.removesuffix(_LINES)] = rows
        _check_once(path, (key for key, _ in rows))
    _check_once(source / _USERS, (user.user for user in users))
    # As in a backup, nothing says when the server was last alive: players are not charged with the time since then.
    return Snapshot(tables, users, books)


def _read_lines(path: Path, form: type[T]) -> Iterator[tuple[str, T]]:
    """Read the lines of a file, each with its place for a sentence. Raises JournalError."""
    decode = msgspec.json.Decoder(form).decode
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                place = f"{path}, line {number}"
                if line.strip():
                    try:
                        yield place, decode(line)
                    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                        raise JournalError(f"{place} is damaged: {error}.") from error
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}.") from error


def _pack_line(place: str, value: Any) -> bytes:
    try:
        return pack_json(value)
    except NotPacked as error:
        raise JournalError(f"{place} is damaged: {error}.") from error


def _check_once(path: Path, keys: Iterable[str]) -> None:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            raise JournalError(f"{path} has {key!r} twice.")
        seen.add(key)


def _list_games(source: Path) -> list[Path]:
    """List the files of the finished games, oldest first."""
    return sorted((source / GAMES).glob(f"*{_LINES}"), key=lambda path: path.stat().st_mtime_ns)


def _copy_games(games: list[Path], folder: Path, progress: Progress) -> None:
    if not games:
        return
    disk.make_folder(folder)
    for number, game in enumerate(games, 1):
        disk.copy_file(game, folder / game.name)
        status = game.stat()
        os.utime(folder / game.name, ns=(status.st_atime_ns, status.st_mtime_ns))  # they are listed by it
        progress(number, len(games))
    sync_folder(folder)


def _count_exported(snapshot: Snapshot, games: int) -> Exported:
    rows = sum(map(len, snapshot.books.values()))
    return Exported(len(snapshot.users), rows, len(snapshot.tables), games)


# --- MessagePack as JSON ----------------------------------------------------------------------------

_BYTES: Final = "base64"
"""The only key of an object that stands for bytes, in base64."""
_MAP: Final = "map"
"""The only key of an object that stands for a map: a list of keys and values, where JSON's own could not say it."""
_PACKED: Final = "packed"
"""The only key of an object that stands for bytes which are no MessagePack as this server writes it, in base64."""
_MARKS: Final = {_BYTES, _MAP, _PACKED}


class NotPacked(ValueError):
    """JSON that stands for no value of a journal; the sentence says why."""


def read_packed(packed: bytes) -> Any:
    """Return a packed value as built-in types of JSON; `pack_json` makes the same bytes of it."""
    try:
        value = _to_json(msgspec.msgpack.decode(packed))
        # Compared, since MessagePack can write one value in several ways, and JSON cannot say NaN: a row of which a
        # single bit differed would be another row for its seal.
        if pack_json(msgspec.json.decode(msgspec.json.encode(value))) == packed:
            return value
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    return {_PACKED: base64.b64encode(packed).decode()}


def pack_json(value: Any) -> bytes:
    """Pack a value that was read from JSON. Raises NotPacked."""
    try:
        if isinstance(value, dict) and value.keys() == {_PACKED}:
            return _decode_base64(value[_PACKED])
        return msgspec.msgpack.encode(_from_json(value))
    except (msgspec.MsgspecError, OverflowError, RecursionError) as error:
        raise NotPacked(f"it cannot be packed: {error}") from error


def _to_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(value).decode()}
    if isinstance(value, list):
        return [_to_json(item) for item in value]
    if isinstance(value, dict):
        # A map that looks like one of the marks is written as a list as well, so that no object has two meanings.
        plain = all(isinstance(key, str) for key in value) and not (len(value) == 1 and value.keys() <= _MARKS)
        if plain:
            return {key: _to_json(item) for key, item in value.items()}
        return {_MAP: [[_to_json(key), _to_json(item)] for key, item in value.items()]}
    return value


def _from_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {_BYTES}:
        return _decode_base64(value[_BYTES])
    if value.keys() == {_MAP}:
        return _read_pairs(value[_MAP])
    return {key: _from_json(item) for key, item in value.items()}


def _read_pairs(pairs: Any) -> dict[Any, Any]:
    try:
        return {_from_json(key): _from_json(item) for key, item in pairs}
    except (TypeError, ValueError) as error:
        raise NotPacked(f'"{_MAP}" must be a list of keys and values') from error


def _decode_base64(text: Any) -> bytes:
    if not isinstance(text, str):
        raise NotPacked("bytes must be written as text in base64")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise NotPacked(f"base64 cannot be read: {error}") from error
