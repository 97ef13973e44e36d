"""Backups through a pipe: a tar archive, for which only the journal is copied beforehand."""

import io
import tarfile
import tempfile
from pathlib import Path
from typing import BinaryIO, Final

from scoville_runtime.events import write_event
from scoville_server.events import ReportDamage
from scoville_server.journal.backups.copying import (
    copy_audit,
    copy_generation,
    show_nothing,
    usable_generation,
)
from scoville_server.journal.backups.manifest import Entry, Progress, digest_of_content, write_manifest
from scoville_server.journal.backups.note import Copied
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import key_file
from scoville_server.journal.files.generations import GAMES, JOURNAL
from scoville_server.journal.files.version_file import copy_version

_TOP: Final = "scoville-backup"
"""The folder in the archive."""


def stream_backup(
    data: Path, stream: BinaryIO, progress: Progress = show_nothing, report_damage: ReportDamage = write_event
) -> Copied:
    """Write a backup to a stream, as a tar archive with one folder. Raises JournalError.

    Games pass from the data folder to the stream one by one. The journal, which must be of one instant, waits in a
    temporary folder meanwhile and comes last: an archive that was cut off has none, so nobody takes it for a backup.
    """
    number = usable_generation(data)
    try:
        with tempfile.TemporaryDirectory() as scratch, tarfile.open(fileobj=stream, mode="w|") as archive:
            folder = Path(scratch)
            games = _GameStream(data / GAMES, archive, progress)
            copied = copy_generation(data, number, folder, games, report_damage)
            copy_audit(data, folder)
            key_file.copy_key(data, folder)
            copy_version(data, folder)
            write_manifest(folder, games.entries)
            for path in sorted(folder.iterdir(), key=lambda path: path.name == JOURNAL):
                archive.add(path, f"{_TOP}/{path.name}")
            return copied
    except OSError as error:
        raise JournalError(f"The backup could not be written: {error.strerror or error}.") from error


class _GameStream:
    """Writes the finished games into an archive."""

    def __init__(self, source: Path, archive: tarfile.TarFile, progress: Progress) -> None:
        self._source, self._archive, self._progress = source, archive, progress
        self.entries: dict[str, Entry] = {}

    def copy_games(self) -> None:
        """Write all games; one that its server removes meanwhile is passed over. Raises OSError."""
        games = sorted(self._source.glob("*.jsonl"))
        for number, game in enumerate(games, 1):
            name = f"{GAMES}/{game.name}"
            try:
                content, about = game.read_bytes(), self._archive.gettarinfo(game, f"{_TOP}/{name}")
            # A running server may have deleted it since the folder was listed.
            except FileNotFoundError:
                continue
            about.size = len(content)
            self._archive.addfile(about, io.BytesIO(content))
            self.entries[name] = Entry(len(content), int(about.mtime) * 1_000_000_000, digest_of_content(content))
            self._progress(number, len(games))
