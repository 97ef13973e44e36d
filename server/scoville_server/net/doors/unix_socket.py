"""Unix sockets: bound so that only those who may can open them, and removed at the end."""

import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from scoville_shared.errors import ScovilleError

SOCKET: Final = "door.sock"
"""The name of the doors' socket in a data folder."""
_LONGEST: Final = 100
"""Bytes of a path that every system takes."""
_OWN_FOLDERS: Final = Path("/proc/self/fd")
"""Where Linux shows the folders that a process has opened, by number: a short way to each."""


class SocketError(ScovilleError):
    """The socket cannot be opened; the message is a sentence for the host."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_socket", message)


def has_unix_sockets() -> bool:
    """Return whether this system has Unix sockets."""
    return hasattr(socket, "AF_UNIX") and os.name != "nt"


def bind_socket(path: Path, mode: int = 0o600, remedy: str = "set another path in doors.socket") -> socket.socket:
    """Bind, in place of a socket that a killed server has left. Raises SocketError.

    Args:
        path: Where the socket is; of any length on Linux.
        mode: Who may open it.
        remedy: What the host can do when the path cannot be used.
    """
    with short_way_to(path, remedy) as short:
        _remove_dead_socket(path, short, remedy)
        bound = socket.socket(socket.AF_UNIX)
        before = os.umask(0o777 & ~mode)
        try:
            bound.bind(os.fspath(short))
        except OSError as error:
            bound.close()
            raise SocketError(f"The socket {path} cannot be opened: {error.strerror}.") from error
        finally:
            os.umask(before)
    bound.setblocking(False)
    return bound


@contextmanager
def short_way_to(path: Path, remedy: str) -> Iterator[Path]:
    """Provide a path that is short enough for a socket and leads to the same place. Raises SocketError."""
    if len(os.fsencode(path)) <= _LONGEST:
        yield path
        return
    if not _OWN_FOLDERS.is_dir():
        sentence = f"The path {path} is too long for a Unix socket, which takes {_LONGEST} bytes; {remedy}."
        raise SocketError(sentence)
    try:
        folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    except OSError as error:
        raise SocketError(f"The socket {path} cannot be opened: {error.strerror}.") from error
    try:
        yield _OWN_FOLDERS / str(folder) / path.name
    finally:
        os.close(folder)


def remove_socket(path: Path) -> None:
    """Remove a socket that is no longer used."""
    with suppress(OSError):
        path.unlink()


def _remove_dead_socket(path: Path, short: Path, remedy: str) -> None:
    """Remove a socket on which nobody listens. Raises SocketError for anything else in its place."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise SocketError(f"{path} exists and is no socket; {remedy}.")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(os.fspath(short))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise SocketError(f"Another server listens on the socket {path}; {remedy}.")
