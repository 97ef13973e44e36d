"""The layout of a data folder: generations of the journal, and the pointer to the one in use.

    DATA/CURRENT                            names the generation in use, with a checksum
    DATA/journal.sqlite3                    generation 0, with which a folder begins
    DATA/generations/0/journal.sqlite3      where generation 0 goes when another one is in use, so that nobody copies it
    DATA/generations/N/journal.sqlite3      generation N, which a restore has brought
    DATA/generations/N/games/, audit.jsonl, server.key
                                            what a restore has brought and still has to move to the next three
    DATA/VERSION                            the version of Scoville that has last opened it
    DATA/before-schema-N/                   the journal and the key from before the migration to schema N
    DATA/server.key                         the server's private key, shared by all generations
    DATA/audit.jsonl                        what admins did, shared by all generations
    DATA/games/                             finished games, shared by all generations
    DATA/outside/                           games of other packages that have ended the server

A generation is complete before the pointer names it, and the pointer is replaced in one step. So whenever a restore is
killed, the pointer names either the former generation, which nobody has touched, or the new one. Nothing outside of
the folder is used, and the folder itself is never renamed: it may be a mount point.
"""

import logging
import shutil
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from scoville_runtime.atomic_files import PART, replace_file, sync_folder
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import disk, key_file
from scoville_server.journal.files.alive import ALIVE
from scoville_server.journal.files.version_file import VERSION

_log = logging.getLogger(__name__)

JOURNAL = "journal.sqlite3"
AUDIT = "audit.jsonl"
"""The log of admins' acts, shared by all generations: a restore must not undo it."""
GAMES = "games"
"""Where a data folder has its finished games."""

CURRENT, GENERATIONS = "CURRENT", "generations"
UNFINISHED = "UNFINISHED"
"""Marks a backup that is being written."""
LAST_BACKUP = "LAST_BACKUP"
"""The file that names the last backup, for the server and the host: no part of the data."""
MANIFEST = "MANIFEST"
"""The checksums of all files of a backup; a server that starts on it removes them."""

_RESTORE = "restore a backup with 'scoville-server restore --force FOLDER'"


class Missing(JournalError):
    """The journal of a folder is not where it was."""


def journal_of(data: Path, number: int) -> Path:
    """Return the path of a generation's journal."""
    return folder_of(data, number) / JOURNAL


def folder_of(data: Path, number: int) -> Path:
    """Return the folder of a generation."""
    return data / GENERATIONS / str(number) if number else data


def make_folder_of(data: Path, number: int) -> Path:
    """Make the folder of a generation, and that of all of them; others can look into neither. Raises OSError."""
    disk.make_folder(data / GENERATIONS)  # by itself: parents are made for others to read
    disk.make_folder(folder := folder_of(data, number))
    return folder


def data_folder_of(journal: Path) -> Path:
    """Return the data folder of a generation's journal."""
    folder = journal.parent
    return folder.parent.parent if folder.parent.name == GENERATIONS else folder


def current_generation(data: Path) -> int | None:
    """Find the generation in use, None in a new folder.

    Raises Missing when its journal is gone but its traces are there, JournalError for an unfinished backup and for a
    folder that cannot be read.
    """
    try:
        return _find_generation(data)
    except OSError as error:
        raise JournalError(f"The folder {data} cannot be read: {error.strerror}.") from error


def _find_generation(data: Path) -> int | None:
    if (data / UNFINISHED).exists():
        raise JournalError(f"The backup {data} is not finished and cannot be used; run 'scoville-server backup' again.")
    number = _read_pointer(data)
    if number is not None:
        if not _is_there(journal_of(data, number)):
            raise Missing(f"The journal {journal_of(data, number)} is missing or empty; {_describe_remedy(data)}")
        return number
    if _is_there(data / JOURNAL):
        # Restores were made here: without the pointer either journal could be the one in use, and a guess loses games.
        if list_generations(data):
            raise Missing(
                f"The file {data / CURRENT}, which names the journal in use, is missing; {_describe_remedy(data)}"
            )
        return 0
    traces = _list_traces(data)
    if GENERATIONS in traces and len(traces) == 1:
        raise Missing(f"A restore into {data} was not finished; run 'scoville-server restore' again.")
    if GENERATIONS in traces:
        raise Missing(
            f"The file {data / CURRENT}, which names the journal in use, is missing; {_describe_remedy(data)}"
        )
    if traces:
        found = ", ".join(traces)
        raise Missing(
            f"The journal of {data} is missing, but other files of the server exist ({found}); {_describe_remedy(data)}"
        )
    return None


def _describe_remedy(data: Path) -> str:
    if (data / MANIFEST).exists():
        return "use another backup."
    return (
        f"put it back, or {_RESTORE}. To start with no data, move everything out of {data}; to keep the server's key, "
        f"leave {key_file.KEY} there, and start once with --leave-out-damaged."
    )


def _list_traces(data: Path) -> list[str]:
    """List the files that a journal leaves behind, by name in the folder."""
    found = [CURRENT] if (data / CURRENT).exists() else []
    found += [GENERATIONS] if list_generations(data) else []
    # Empty ones too: SQLite makes them after the journal, and a log is empty when it was written into the journal.
    found += [JOURNAL + suffix for suffix in ("-wal", "-shm", "-journal") if (data / (JOURNAL + suffix)).exists()]
    found += [GAMES] if any((data / GAMES).glob("*.jsonl")) else []
    if _is_there(data / (JOURNAL + PART)):  # a first start that was killed made the key before it named the journal
        return found
    return found + [name for name in (ALIVE, AUDIT, VERSION, key_file.KEY) if (data / name).exists()]


def has_key_alone(data: Path) -> bool:
    """Return whether a folder without a journal has a server's key, and nothing else of a server."""
    return _list_traces(data) == [key_file.KEY]


def is_occupied(data: Path) -> bool:
    """Return whether a folder holds anything that a restore would replace."""
    try:
        return current_generation(data) is not None or any((data / GAMES).glob("*.jsonl"))
    except Missing:
        return _list_traces(data) != [GENERATIONS]
    except JournalError:
        return True


def list_generations(data: Path) -> list[int]:
    """List the generations that have a folder, finished or not."""
    return sorted(int(path.name) for path in (data / GENERATIONS).glob("*") if path.name.isdecimal())


def publish_generation(data: Path, number: int) -> None:
    """Make a generation the current one, atomically. Raises OSError."""
    text = f"{GENERATIONS}/{number}\n".encode()
    replace_file(data / CURRENT, text + _sum_of(text), locked=True)


def adopt_folder(data: Path) -> None:
    """Make a folder that of a server: a backup loses its manifest, generation 0 gets a pointer. Raises OSError."""
    (data / MANIFEST).unlink(missing_ok=True)
    if not (data / CURRENT).exists() and _is_there(data / JOURNAL):
        publish_generation(data, 0)


def _read_pointer(data: Path) -> int | None:
    path = data / CURRENT
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalError(f"The file {path} cannot be read: {error.strerror}.") from error
    first, _, check = text.partition(b"\n")
    name = first.decode(errors="replace").removeprefix(f"{GENERATIONS}/")
    if check != _sum_of(first + b"\n") or not name.isdecimal():
        raise Missing(f"The file {path}, which names the journal in use, is damaged; {_describe_remedy(data)}")
    return int(name)


def _sum_of(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).hexdigest().encode() + b"\n"


def _is_there(path: Path) -> bool:
    with suppress(OSError):
        return path.stat().st_size > 0
    return False


# --- what a killed restore has left ---------------------------------------------------------------------


def unfinished_files(data: Path, number: int | None) -> list[Path]:
    """List the folders of restores that were killed before they had replaced anything."""
    return [folder_of(data, found) for found in list_generations(data) if found > (number or 0)]


def clear_unfinished(data: Path, number: int | None) -> None:
    """Remove leavings of killed restores. Raises OSError."""
    for folder in unfinished_files(data, number):
        shutil.rmtree(folder)


def next_number(data: Path) -> int:
    """Clear away leavings of killed restores; returns the number of a new generation. Raises OSError."""
    try:
        number = current_generation(data)
    except JournalError:  # damaged or missing: nothing is known to be superfluous, so everything stays
        return max(list_generations(data), default=0) + 1
    if number is not None:
        adopt_folder(data)
        move_generation(data, number)
    clear_unfinished(data, number)
    return (number or 0) + 1


def report_unfinished(data: Path, number: int | None) -> None:
    """Warn the host of restores that have not taken place."""
    for folder in unfinished_files(data, number):
        _log.warning(
            "A restore or repair was killed before it was finished; the previous tables are in use. Delete %s, or "
            "run the restore again.",
            folder,
        )


def to_move(data: Path, number: int) -> list[Path]:
    """List the files of a restore that are not yet where all generations share them."""
    if not number:
        return []
    brought = (folder_of(data, number) / name for name in (AUDIT, key_file.KEY))
    return [*_brought_games(data, number), *(path for path in brought if path.exists())]


def move_generation(data: Path, number: int) -> None:
    """Move the files of a restore to where all generations share them: the last step, repeated until it is done.

    A game stands beside one of the same name, an audit log that is there already stays, and so does a key that has
    replaced the restored one. Raises OSError, and JournalError for a key that cannot be read.
    """
    if not number:
        return
    _move_former(data)
    key_file.bring_key(folder_of(data, number), data, number)
    _move_games(data, _brought_games(data, number))
    audit = folder_of(data, number) / AUDIT
    if audit.exists():
        if not (data / AUDIT).exists():
            disk.copy_file(audit, data / AUDIT)
            sync_folder(data)
        audit.unlink()


def former_place(data: Path, journal: Path) -> Path:
    """Return where a journal is once another one is in use."""
    return data / GENERATIONS / "0" / JOURNAL if journal == data / JOURNAL else journal


def _move_former(data: Path) -> None:
    """Move the journal of generation 0 to the other former ones: there it is not taken for the journal in use."""
    # The journal comes last: if the server is killed in between, the next start finds it and moves the rest.
    former = [data / (JOURNAL + suffix) for suffix in ("-wal", "-shm", "-journal", "")]
    if any(path.exists() for path in former):
        disk.make_folder(data / GENERATIONS)
        disk.make_folder(data / GENERATIONS / "0")
        for path in former:
            if path.exists():
                path.replace(data / GENERATIONS / "0" / path.name)
        sync_folder(data / GENERATIONS / "0")
        sync_folder(data)


def _brought_games(data: Path, number: int) -> list[Path]:
    return sorted((folder_of(data, number) / GAMES).glob("*.jsonl"))


def _move_games(data: Path, brought: list[Path]) -> None:
    if not brought:
        return
    target = data / GAMES
    disk.make_folder(target)
    for game in brought:
        place = free_place(target / game.name, game.read_bytes())
        if place.exists():
            game.unlink()
        else:
            game.replace(place)
    sync_folder(target)


def free_place(path: Path, content: bytes) -> Path:
    """Find the name under which a game is kept beside others: `-2`, `-3` … unless it is there already."""
    place, number = path, 1
    while place.exists() and place.read_bytes() != content:
        number += 1
        place = path.with_stem(f"{path.stem}-{number}")
    return place
