"""The files that a store has open, compared with what their paths name now.

An open file can still be written after it was deleted, moved away or replaced; everything written to it is lost with
the process. A commit counts only while the paths lead to the files that are open.
"""

import os
from pathlib import Path
from typing import NamedTuple

from scoville_server.journal.base import StorageLost


class _Opened(NamedTuple):
    """A file as it was when it was opened; one that `grows` never gets shorter while it is in use."""

    device: int
    inode: int
    grows: bool


class OpenFiles:
    """Identities of open files by path. One thread uses them at a time."""

    def __init__(self) -> None:
        self._files: dict[str, _Opened] = {}  # a Path would have to be made a string again for each look
        self._sizes: dict[str, int] = {}
        self._lost: StorageLost | None = None

    def add(self, path: Path, *, grows: bool = False) -> None:
        """Take note of a file that has just been opened. Raises StorageLost when the path leads nowhere."""
        found = _look(str(path))
        self._files[str(path)] = _Opened(found.st_dev, found.st_ino, grows)
        self._sizes[str(path)] = found.st_size if grows else 0

    def check(self) -> None:
        """Compare every path with the file that is open. Raises StorageLost, from then on always.

        There is no way back within a process: what was committed to a lost file is on no disk that anybody reads.
        """
        if self._lost is None:
            try:
                for path, opened in self._files.items():
                    self._compare(path, opened)
            except StorageLost as lost:
                self._lost = lost
        if self._lost is not None:
            raise StorageLost(self._lost.what)

    def lose(self, what: str) -> None:
        """Refuse from now on for another reason."""
        self._lost = self._lost or StorageLost(what)

    def _compare(self, path: str, opened: _Opened) -> None:
        found = _look(path)
        if found.st_ino != opened.inode or found.st_dev != opened.device:
            raise StorageLost(f"{path} is not the file that this server has open; it was moved or replaced")
        if opened.grows:
            if found.st_size < self._sizes[path]:
                raise StorageLost(f"{path} has become shorter; another program has cut it off")
            self._sizes[path] = found.st_size


def _look(path: str) -> os.stat_result:
    try:
        return os.stat(path)  # noqa: PTH116 - see `OpenFiles`
    except OSError as error:
        raise StorageLost(f"{path} cannot be reached any more ({error.strerror})") from error
