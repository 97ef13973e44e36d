"""Finished games as files of one folder, which only its owner can read."""

import asyncio
import logging
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from scoville_runtime.atomic_files import PART, give_to_owner, replace_file
from scoville_server.journal.stores import GameFile

_log = logging.getLogger(__name__)
SUFFIX: Final = ".jsonl"
_OTHERS: Final = 0o077
"""Permission bits of everyone but the owner: a game's file has names and every secret move."""


class GameFolder:
    """A `GameStore` in a folder, which is made for the first game."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def place(self) -> str:
        return str(self._folder)

    async def find_games(self, noted: Mapping[str, int]) -> list[GameFile]:  # noqa: ARG002 - the files are what counts
        """Return the games of the folder, oldest first."""
        return await asyncio.to_thread(_list_game_files, self._folder)

    def is_missing(self) -> bool:
        """Whether there is no folder."""
        return not self._folder.exists()

    def clear_unfinished(self) -> None:
        """Remove unfinished files of a killed run, and make the others private."""
        for path, status in _list_files(self._folder):
            if path.name.endswith(PART):
                path.unlink(missing_ok=True)
            elif status.st_mode & _OTHERS:
                _make_private(path, 0o600)
        # There is no folder before the first finished game.
        with suppress(FileNotFoundError):
            _make_private(self._folder, 0o700)

    async def write_game(self, name: str, content: bytes) -> bool:
        """Write a game, unless a file of that name is there; returns whether that is the same game. Raises OSError."""
        return await asyncio.to_thread(self._write_game, name, content)

    def _write_game(self, name: str, content: bytes) -> bool:
        # Without parents: a data folder that vanished stays missing.
        with suppress(FileExistsError):
            self._folder.mkdir(mode=0o700)
            give_to_owner(self._folder, self._folder.parent)
        _make_private(self._folder, 0o700)
        path = self._folder / name
        if path.exists():
            return path.read_bytes() == content
        replace_file(path, content, locked=True)
        return True

    async def read_game(self, name: str) -> bytes:
        return await asyncio.to_thread((self._folder / name).read_bytes)

    async def remove_games(self, names: Iterable[str]) -> None:
        await asyncio.to_thread(self._remove_games, [*names])

    def _remove_games(self, names: Iterable[str]) -> None:
        for name in names:
            try:
                (self._folder / name).unlink(missing_ok=True)
            except OSError as error:
                _log.error("The file %s cannot be removed: %s.", self._folder / name, error.strerror)


def _list_game_files(folder: Path) -> list[GameFile]:
    found = [
        (status.st_mtime_ns, GameFile(path.name, status.st_size))
        for path, status in _list_files(folder)
        if path.name.endswith(SUFFIX)
    ]
    return [file for _, file in sorted(found)]


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
