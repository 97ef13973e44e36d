"""Short paths: Unix sockets take about a hundred bytes of one, data folders may have more."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

LONGEST: Final = 100
"""Bytes of a path that every system takes."""
_OWN_FOLDERS: Final = Path("/proc/self/fd")
"""Where Linux shows the folders that a process has opened, by number: a short way to each."""


@contextmanager
def short_path_to(path: Path) -> Iterator[str]:
    """Provide a path that leads to the same place and is short enough for a socket, while the context lasts.

    Raises OSError `ENAMETOOLONG` where there is none, and any other if the folder cannot be opened.
    """
    if len(os.fsencode(path)) <= LONGEST:
        yield os.fspath(path)
        return
    if len(os.fsencode(path.name)) > LONGEST - len(os.fspath(_OWN_FOLDERS / "1234567/")) or not _OWN_FOLDERS.is_dir():
        raise OSError(errno.ENAMETOOLONG, f"the path is too long for a Unix socket, which takes {LONGEST} bytes")
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield os.fspath(_OWN_FOLDERS / str(folder) / path.name)
    finally:
        os.close(folder)
