"""Files of finished games: `TABLE.jsonl`, and `TABLE-2.jsonl` for another game of the same seed."""

import logging
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from scoville_runtime.atomic_files import PART, replace_file

_log = logging.getLogger(__name__)

SUFFIX = ".jsonl"
_OTHERS = 0o077
"""Permission bits of everyone but the owner: a game's file has names and every secret move."""


class Found(NamedTuple):
    """A file: its name and its size in bytes."""

    name: str
    size: int


class Written(NamedTuple):
    """A file that was written, or was there already: its name, its size in bytes and its checksum."""

    name: str
    size: int
    checksum: bytes


def checksum_of(content: bytes) -> bytes:
    """Compute the checksum of a file, as long as those of the journal's rows."""
    return blake2b(content, digest_size=8).digest()


def keep_game(folder: Path, table: str, text: str) -> Written:
    """Write a game, unless the same game is there already; returns its file. Raises OSError."""
    content = text.encode()
    folder.mkdir(mode=0o700, exist_ok=True)  # without parents: a data folder that vanished stays missing
    _make_private(folder, 0o700)
    path, number = folder / f"{table}{SUFFIX}", 1
    while path.exists() and path.read_bytes() != content:
        number += 1
        path = folder / f"{table}-{number}{SUFFIX}"
    if not path.exists():
        replace_file(path, content, locked=True)
    return Written(path.name, len(content), checksum_of(content))


def list_game_files(folder: Path) -> list[Found]:
    """List the games of a folder, oldest first, and change nothing."""
    found = [
        (status.st_mtime_ns, Found(path.name, status.st_size))
        for path, status in _list_files(folder)
        if path.name.endswith(SUFFIX)
    ]
    return [file for _, file in sorted(found)]


def tidy_folder(folder: Path) -> None:
    """Make the games of a folder private, and remove unfinished files of a killed run."""
    for path, status in _list_files(folder):
        if path.name.endswith(PART):
            path.unlink(missing_ok=True)
        elif status.st_mode & _OTHERS:
            _make_private(path, 0o600)
    with suppress(FileNotFoundError):
        _make_private(folder, 0o700)


def _list_files(folder: Path) -> list[tuple[Path, os.stat_result]]:
    try:
        with os.scandir(folder) as entries:
            looked = [(Path(entry.path), entry.stat(follow_symlinks=False)) for entry in entries]
    except FileNotFoundError:
        return []
    except OSError as error:
        _log.error("The folder %s cannot be read: %s.", folder, error.strerror)
        return []
    return [(path, status) for path, status in looked if stat.S_ISREG(status.st_mode)]


def remove_games(folder: Path, names: Iterable[str]) -> None:
    """Remove games; missing ones are fine."""
    for name in names:
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError as error:
            _log.error("The file %s cannot be removed: %s.", folder / name, error.strerror)


def _make_private(path: Path, mode: int) -> None:
    """Remove everyone else's permissions; a failure is logged."""
    if os.name != "nt" and path.stat().st_mode & _OTHERS:
        try:
            path.chmod(mode)
        except OSError as error:
            _log.warning(
                "Other users of this computer can read %s, and the permissions cannot be changed: %s.",
                path,
                error.strerror,
            )
