"""The audit log as a file: one line of JSON per action, written to the disk before the action happens."""

import asyncio
import logging
import os
from bisect import bisect_right
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import asdict, replace

from scoville_runtime.atomic_files import replace_file, sync_folder, write_all
from scoville_runtime.events import write_event
from scoville_server.background.eventual import finish_anyway
from scoville_server.events import Damage, ReportDamage
from scoville_server.journal.base import CommitFailed, JournalError
from scoville_server.journal.files import disk
from scoville_server.journal.seals import checksum_of
from scoville_shared.protocol.messages import AuditEntry

_log = logging.getLogger(__name__)

_EVERY: Final = 64
"""Every how many lines an offset is kept in memory, so that a page is found without reading the whole file."""
_OWNER_ONLY: Final = 0o600

_NAMED: Final = 10
"""Damaged lines that a warning names by their place in the file; of more it gives the number alone."""
_BEGINS: Final = b'{"number":'


class _Row(AuditEntry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line as it is in the file.

    `sum` is its checksum in hexadecimal digits; lines of older versions have none. No other field is known, so that a
    damaged name of `sum` does not make a line an old one.
    """

    sum: str = ""


_REMEDY: Final = (
    "Unless you have moved them away yourself, look for them in a backup; new ones are numbered after them."
)

_read = msgspec.json.Decoder(_Row).decode


# A file and no book of the journal: it only grows, no restore undoes it, and it is read without the server.
class AuditFile:
    """Lines in a file that only its owner can read. It is opened for each line, so it may be moved away at any time.

    Each line carries a checksum. A line that a crash has cut off, or that was damaged, is skipped; all others stay.
    """

    def __init__(self, path: Path, report_damage: ReportDamage = write_event) -> None:
        self._report_damage = report_damage
        self.latest_number = 0
        self._path = path
        self._torn = False
        """Whether the last line lacks its end."""
        self._places: list[tuple[int, int]] = []
        """The number of some lines, and the offset of each."""
        self._lines = 0
        self._adding = asyncio.Lock()

    async def load_entries(self) -> None:
        """Find the newest number and the offsets. Raises JournalError."""
        try:
            if self._path.exists():
                self._index_lines()
        except OSError as error:
            raise JournalError(f"The audit log {self._path} cannot be used: {error.strerror}.") from error

    def continue_after(self, number: int) -> None:
        """Take no number up to this one, which the journal has noted; entries that are missing are logged.

        A host may have moved the file away on purpose, so the server starts all the same.
        """
        missing = number - self.latest_number
        if missing > 0 and not self._path.exists():
            _log.warning("%s", f"The audit log {self._path} is missing, with {number} entries. {_REMEDY}")
        elif missing > 0:
            _log.warning("%s", f"The newest {missing} of {number} entries of {self._path} are missing. {_REMEDY}")
        self.latest_number = max(self.latest_number, number)

    def protect_entries(self) -> None:
        """Make the file readable for its owner only. Raises JournalError."""
        try:
            if self._path.exists():
                self._path.chmod(_OWNER_ONLY)
        except OSError as error:
            raise JournalError(f"The audit log {self._path} cannot be used: {error.strerror}.") from error

    def _index_lines(self) -> None:
        offset = 0
        damaged: list[int] = []
        with self._path.open("rb") as file:
            for place, row in enumerate(file, 1):
                line = _read_row(row)
                if line is None:
                    damaged.append(place)
                    # A damaged line has used up its number all the same: no later line may get it again.
                    self.latest_number += _had_number(row)
                else:
                    self._note_place(line.number, offset)
                    self.latest_number = max(self.latest_number, line.number)
                self._torn = not row.endswith(b"\n")
                offset += len(row)
        if damaged:
            self._report_damage(Damage(path=str(self._path), reason=_describe_damage(self._path, damaged)))

    async def add_entry(self, line: AuditEntry) -> AuditEntry:
        """Write a line under the next number. Raises JournalError, and then nothing of it stays.

        A write continues if its connection is lost meanwhile: the next line needs to know the number.
        """
        return await finish_anyway(self._add_locked(line))

    async def _add_locked(self, line: AuditEntry) -> AuditEntry:
        async with self._adding:
            numbered = replace(line, number=self.latest_number + 1)
            # A line that a crash has cut off is ended first, or the new one would be a part of it.
            row = b"\n" * self._torn + _write_row(numbered) + b"\n"
            try:
                offset = await asyncio.to_thread(self._append_row, row)
            except OSError as error:
                sentence = "The server cannot write to its audit log, so nothing was changed; try again later."
                raise CommitFailed(sentence) from error
            if offset == 0:  # a new file, perhaps in place of one that was moved away
                self._places.clear()
                self._lines = 0
            self._note_place(numbered.number, offset + self._torn)
            self.latest_number, self._torn = numbered.number, False
            return numbered

    async def entries_since(self, number: int, most: int) -> list[AuditEntry]:
        """Return the first entries after a number, oldest first; reads little more than these."""
        # Whatever the offset of that number is: it is smaller than this one.
        at = bisect_right(self._places, (number + 1, 1 << 62)) - 1
        found: list[AuditEntry] = []
        if not self._places or not self._path.exists():
            return found
        with self._path.open("rb") as file:
            file.seek(self._places[max(0, at)][1])
            for row in file:
                line = _read_row(row)
                if line is not None and line.number > number:
                    found.append(line)
                if len(found) == most:
                    break
        return found

    async def delete_older(self, at_ms: int) -> None:
        """Delete the lines before a time, but never the newest one, by which a start knows that none is missing.

        Raises JournalError. Damaged lines behind the first one that stays are kept.
        """
        await finish_anyway(self._delete_locked(at_ms))

    async def _delete_locked(self, at_ms: int) -> None:
        async with self._adding:
            try:
                if await asyncio.to_thread(self._rewrite_rows, at_ms):
                    self._places.clear()
                    self._lines = 0
                    self._index_lines()
            except OSError as error:
                raise CommitFailed("The server cannot write to its audit log, so old entries stay.") from error

    def _rewrite_rows(self, at_ms: int) -> bool:
        """Replace the file by one without old lines; returns whether there were any."""
        if not self._path.exists():
            return False
        with self._path.open("rb") as file:
            rows = file.readlines()
        first = next((place for place, row in enumerate(rows) if self._is_kept(row, at_ms)), len(rows))
        if not first:
            return False
        replace_file(self._path, b"".join(rows[first:]))
        return True

    def _is_kept(self, row: bytes, at_ms: int) -> bool:
        line = _read_row(row)
        return line is not None and (line.at_ms >= at_ms or line.number == self.latest_number)

    def _note_place(self, number: int, offset: int) -> None:
        if self._lines % _EVERY == 0:
            self._places.append((number, offset))
        self._lines += 1

    def _append_row(self, row: bytes) -> int:
        """Append bytes and wait for the disk; returns their offset. An error removes them again."""
        new = not self._path.exists()
        file = disk.make_file(self._path, os.O_WRONLY | os.O_APPEND)
        try:
            offset = os.fstat(file).st_size
            try:
                write_all(file, row)
                os.fsync(file)
            except OSError:
                # Half a line would be joined to the next one.
                os.ftruncate(file, offset)
                raise
        finally:
            os.close(file)
        if new:
            sync_folder(self._path.parent)
        return offset


def find_damaged_lines(path: Path) -> str:
    """Return a sentence about the damaged lines of an audit log, empty for none. Raises OSError."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        damaged = [place for place, row in enumerate(file, 1) if _read_row(row) is None]
    return _describe_damage(path, damaged) if damaged else ""


def _write_row(line: AuditEntry) -> bytes:
    return msgspec.json.encode(_Row(**asdict(line), sum=_sum_of(line)))


def _read_row(row: bytes) -> AuditEntry | None:
    """Read a line; None for a damaged one."""
    try:
        found = _read(row)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    line = AuditEntry(**{field: getattr(found, field) for field in AuditEntry.__struct_fields__})
    return line if found.sum in ("", _sum_of(line)) else None


def _sum_of(line: AuditEntry) -> str:
    return checksum_of(
        "audit", str(line.number), line.at_ms, line.by, line.action, line.target or "", line.reason or ""
    ).hex()


def _had_number(row: bytes) -> bool:
    """Return whether a damaged line was written completely: admins may have read it, so its number is not reused."""
    return row.startswith(_BEGINS) and row.endswith(b"}\n")


def _describe_damage(path: Path, places: list[int]) -> str:
    """Return a sentence about the damaged lines of the file, which are ignored."""
    named = ", ".join(map(str, places[:_NAMED])) + (", …" if len(places) > _NAMED else "")
    if len(places) == 1:
        found, end = f"a damaged line (line {named} of the file)", "It is ignored; a backup may have it."
    else:
        found = f"{len(places)} damaged lines (lines {named} of the file)"
        end = "They are ignored; a backup may have them."
    return f"The audit log {path} has {found}. {end}"
