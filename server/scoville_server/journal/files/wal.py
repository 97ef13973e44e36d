"""A look at the write-ahead log of a server that was killed, before SQLite opens it.

SQLite replays a log up to the first frame whose checksum is wrong and drops the rest in silence: after a crash of the
machine that is a write that was torn and never acknowledged. But damage anywhere in the log would drop every move after
it as well. This module tells the two apart.

The formats are those of https://www.sqlite.org/fileformat2.html#the_write_ahead_log and, for the index beside the log,
https://www.sqlite.org/walformat.html#the_wal_index_file_format.
"""

import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scoville_server.journal.base import JournalError

_HEADER, _FRAME, _INDEX = 32, 24, 48
_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}
"""The first word of a log, and the byte order of its checksums."""
_VERSION = 3_007_000


class _Frame(NamedTuple):
    """A frame of a log: whether its checksum fits, whether its salts are the log's, and whether a commit ends here."""

    whole: bool
    ours: bool
    commits: bool


class WriteAheadLog:
    """The log of a journal that no process has open, as SQLite will replay it; nothing is changed.

    `lost` says why acknowledged writes would be lost, empty when none would be. `torn` is whether the last write in it
    is incomplete, `commits` how many it holds. Raises JournalError when it cannot be read.
    """

    def __init__(self, journal: Path) -> None:
        self.path = journal.with_name(journal.name + "-wal")
        try:
            self._data = self.path.read_bytes() if self.path.exists() else b""
            index = journal.with_name(journal.name + "-shm")
            promised = _count_promised(index.read_bytes() if index.exists() else b"", self._data)
        except OSError as error:
            raise JournalError(f"The journal's log {self.path} cannot be read: {error.strerror}.") from error
        frames = [*_read_frames(self._data)]
        self._kept = _count_committed(frames)
        self.lost = _describe_lost(self._data, frames, promised)
        self.torn = any(frame.ours and not frame.whole for frame in frames)
        self.commits = sum(frame.commits for frame in frames[: self._kept])

    def replay_into(self, main: bytes) -> bytearray:
        """Return the journal's file with the committed pages of the log in their places."""
        (page,) = struct.unpack_from(">I", self._data, 8)
        page = 65536 if page == 1 else page
        image, pages = bytearray(main), 0
        for n in range(self._kept):
            start = _HEADER + n * (_FRAME + page)
            number, size = struct.unpack_from(">II", self._data, start)
            end = number * page
            if len(image) < end:
                image.extend(bytes(end - len(image)))
            image[end - page : end] = self._data[start + _FRAME : start + _FRAME + page]
            # Only the frame that ends a commit has a size: that of the whole file after it.
            pages = size or pages
        del image[pages * page :]
        return image


def _describe_lost(data: bytes, frames: list[_Frame], promised: int) -> str:
    """Return why acknowledged writes would be lost; empty when none would be."""
    if not data:
        return f"it is missing, and with it {promised} pages" if promised else ""
    if len(data) >= _HEADER + _FRAME and not _header_fits(data):
        return "its header cannot be read"
    kept = _count_committed(frames)
    if kept < promised:
        return f"only {kept} of its {promised} pages can be read"
    rest = frames[next((n for n, frame in enumerate(frames) if not frame.whole), len(frames)) :]
    # The last commit may be one that a crash has cut off, and which nobody has acknowledged; one before it was.
    if sum(frame.commits and frame.ours for frame in rest) > 1:
        return f"page {len(frames) - len(rest) + 1} of {len(frames)} cannot be read"
    return ""


def _count_committed(frames: list[_Frame]) -> int:
    """Count the frames that SQLite will replay: up to the last commit before the first one that is not whole."""
    whole = next((n for n, frame in enumerate(frames) if not frame.whole), len(frames))
    return max((n for n, frame in enumerate(frames[:whole], 1) if frame.commits), default=0)


def _header_fits(data: bytes) -> bool:
    magic, version = struct.unpack_from(">II", data)
    if magic not in _MAGIC or version != _VERSION:
        return False
    return _checksum_of(data[: _HEADER - 8], _MAGIC[magic]) == struct.unpack_from(">II", data, _HEADER - 8)


def _read_frames(data: bytes) -> Iterator[_Frame]:
    """Read all frames, also those behind one that is not whole."""
    if len(data) < _HEADER or not _header_fits(data):
        return
    order = _MAGIC[struct.unpack_from(">I", data)[0]]
    (page,) = struct.unpack_from(">I", data, 8)
    page = 65536 if page == 1 else page
    salts, running, whole = struct.unpack_from(">II", data, 16), struct.unpack_from(">II", data, 24), True
    for start in range(_HEADER, len(data), _FRAME + page):
        frame = data[start : start + _FRAME + page]
        if len(frame) < _FRAME + page:
            yield _Frame(whole=False, ours=True, commits=False)
            return
        _, size, *rest = struct.unpack_from(">IIIIII", frame)
        found, expected = tuple(rest[:2]), tuple(rest[2:])
        if whole:
            running = _checksum_of(frame[:8] + frame[_FRAME:], order, running)
            whole = found == salts and running == expected
        # A frame of an earlier round of the log differs in both salts, one whose salts are damaged hardly ever.
        yield _Frame(whole, found[0] == salts[0] or found[1] == salts[1], bool(size))


def _checksum_of(data: bytes, order: str, start: tuple[int, ...] = (0, 0)) -> tuple[int, int]:
    """Compute SQLite's checksum of a log, going on from `start`."""
    first, second = start
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def _count_promised(index: bytes, log: bytes) -> int:
    """Return how many frames were committed by the index that a killed server leaves; 0 when it cannot be trusted."""
    # Two copies, which differ while one is being written.
    if len(index) < 2 * _INDEX or index[:_INDEX] != index[_INDEX : 2 * _INDEX]:
        return 0
    order = "<" if sys.byteorder == "little" else ">"
    if _checksum_of(index[: _INDEX - 8], order) != struct.unpack_from("=II", index, _INDEX - 8):
        return 0
    of_this_log = len(log) < _HEADER or index[32:40] == log[16:24]
    (frames,) = struct.unpack_from("=I", index, 16)
    return int(frames) if of_this_log else 0
