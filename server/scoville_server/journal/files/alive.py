"""The note of a running server: one small file beside the journal, which the next start compares with it.

It names the newest commit that has been acknowledged, so that a start notices when the journal, a copy of it or its log
is older; the journal's identity and schema, so that files of two servers are not mixed up; and when the server was last
alive, so that a kill gives nobody thinking time back.

It is written in place, after each commit and without a sync, which would cost each move as much as the commit. So a
kill of the process leaves it at most one commit behind the journal, and a crash of the machine a few seconds, but never
ahead: no crash is taken for a loss. It is synced once at each start, so that it exists after a crash. It belongs to one
generation of the journal: a restored journal is older on purpose, and its tables must not be charged with time that
passed after the backup.
"""

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from scoville_server.journal.files import disk

ALIVE = "ALIVE"


class Note(NamedTuple):
    """Note of a server: its journal's identity, schema and newest acknowledged commit, and when it was alive.

    `commits` is None in the note of a version that noted the time alone; `alive_ms` is 0 before the first beat.
    """

    alive_ms: int = 0
    commits: int | None = None
    schema: int = 0
    identity: bytes = b""


class NoteFile:
    """The file, open to be overwritten. A folder that cannot be written is noticed by the next commit, not here."""

    def __init__(self, folder: Path, generation: int, alive_ms: int | None) -> None:
        self._path = folder / ALIVE
        self._generation = generation
        self._note = Note(alive_ms or 0)
        self._file: int | None = None

    def note_commit(self, commits: int, schema: int, identity: bytes) -> None:
        """Note the newest commit."""
        self._note = Note(self._note.alive_ms, commits, schema, identity)
        self._write_note()

    def note_time(self, now_ms: int) -> None:
        """Note that the server is alive; a file that was deleted or replaced meanwhile is written again."""
        self._note = self._note._replace(alive_ms=now_ms)
        if not self._is_in_place():
            self.close()
        self._write_note()

    def sync_note(self) -> None:
        """Wait until the file is on the disk."""
        if self._file is not None:
            with suppress(OSError):
                os.fsync(self._file)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write_note(self) -> None:
        with suppress(OSError):
            if self._file is None:
                # Not truncated: the line has a constant length, and an empty file in between would be no note.
                self._file = disk.make_file(self._path, os.O_WRONLY)
            line = _format_note(self._generation, self._note)
            if hasattr(os, "pwrite"):
                os.pwrite(self._file, line, 0)
            else:
                os.lseek(self._file, 0, os.SEEK_SET)
                os.write(self._file, line)

    def _is_in_place(self) -> bool:
        with suppress(OSError):
            return self._file is not None and os.path.samestat(os.fstat(self._file), self._path.stat())
        return False


def read_note(folder: Path, generation: int) -> Note | None:
    """Return a server's last note of this generation; None if there is nothing, or it is damaged."""
    try:
        line = (folder / ALIVE).read_bytes()
        fields = line.split()
        if len(fields) > _OF_TIME_ALONE:
            note = Note(int(fields[1]), int(fields[2]), int(fields[3]), bytes.fromhex(fields[4].decode()))
        else:
            note = Note(int(fields[1]))
    except (OSError, IndexError, ValueError):
        return None
    return note if line == _format_note(generation, note) else None


_OF_TIME_ALONE = 3


def _format_note(generation: int, note: Note) -> bytes:
    """Return a line of constant length, which overwrites the former one."""
    text = b"%010d %015d " % (generation, note.alive_ms)
    if note.commits is not None:
        text += b"%015d %05d %b " % (note.commits, note.schema, note.identity.hex().encode())
    return text + blake2b(text, digest_size=8).hexdigest().encode() + b"\n"
