"""Finished games on their way into a backup. They never change, so a backup has links to those of an earlier one."""

import contextlib
import os
from pathlib import Path

from scoville_runtime.atomic_files import sync_folder, write_all
from scoville_server.journal.backups.manifest import Entries, Entry, Progress, digest_of_content, read_manifest
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import disk
from scoville_server.journal.files.generations import GAMES, MANIFEST


class GameCopies:
    """Copies of finished games: links to those of a former backup where a game is unchanged, else new files.

    Attributes:
        entries: Those of the manifest, by the path in the backup.
        damaged: Files of the former backup that have changed since it was made; their games are copied anew.
    """

    def __init__(self, source: Path, target: Path, former: Path | None, progress: Progress) -> None:
        self._source, self._target, self._progress = source, target, progress
        self._former = former
        self.entries: dict[str, Entry] = {}
        self.damaged: list[str] = []

    def copy_games(self) -> None:
        """Copy all games onto the disk; one that its server removes meanwhile is passed over. Raises OSError."""
        known: Entries = {}
        # A damaged backup of yesterday must not keep tonight's from being made: then every game is copied.
        try:
            known = {} if self._former is None else read_manifest(self._former) or {}
        except JournalError:
            self.damaged.append(MANIFEST)
        disk.make_folder(self._target)
        games = sorted(self._source.glob("*.jsonl"))
        for number, game in enumerate(games, 1):
            with contextlib.suppress(FileNotFoundError):
                self._copy_game(game, known.get(f"{GAMES}/{game.name}"))
            self._progress(number, len(games))
        disk.sync_files(self._target / Path(name).name for name in self.entries)
        sync_folder(self._target)

    def _copy_game(self, game: Path, former: Entry | None) -> None:
        name, target = f"{GAMES}/{game.name}", self._target / game.name
        found = game.stat()
        if former is not None and former[:2] == (found.st_size, found.st_mtime_ns) and self._link_game(name, former):
            self.entries[name] = former
            return
        # Under its own name at once: the mark UNFINISHED, or the generation that is not named yet, keeps it from use.
        content = game.read_bytes()
        handle = disk.make_file(target, os.O_WRONLY | os.O_EXCL)
        try:
            write_all(handle, content)
        finally:
            os.close(handle)
        os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
        self.entries[name] = Entry(len(content), found.st_mtime_ns, digest_of_content(content))

    def _link_game(self, name: str, former: Entry) -> bool:
        """Link a game to that of the former backup, unless that is damaged or cannot be linked."""
        assert self._former is not None, "only a former backup has entries"
        before = self._former / name
        # Read each time: a link to a damaged file would hand the damage on from backup to backup, until the last
        # sound one is removed.
        try:
            sound = digest_of_content(before.read_bytes()) == former.digest
        except OSError:
            sound = False
        if not sound:
            self.damaged.append(name)
            return False
        # Not where the file system has no links, or a file has as many as it can have: then it is copied.
        with contextlib.suppress(OSError):
            os.link(before, self._target.parent / name)
            return True
        return False
