"""The Unix socket for doors: bound so that only the server's user can open it, and removed at the end."""

import os
import socket
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from scoville_shared.errors import ScovilleError

SOCKET: Final = "door.sock"
"""Its name in a data folder."""
_LONGEST: Final = 100
"""Bytes of a path that every system takes."""


class SocketError(ScovilleError):
    """The socket cannot be opened; the message is a sentence for the host."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_socket", message)


def has_unix_sockets() -> bool:
    """Return whether this system has Unix sockets."""
    return hasattr(socket, "AF_UNIX") and os.name != "nt"


def bind_socket(path: Path) -> socket.socket:
    """Bind, in place of a socket that a killed server has left. Raises SocketError."""
    if len(os.fsencode(path)) > _LONGEST:
        raise SocketError(
            f"The path {path} is too long for a Unix socket; the setting doors.socket takes {_LONGEST} bytes."
        )
    _remove_dead_socket(path)
    bound = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        bound.bind(os.fspath(path))
    except OSError as error:
        bound.close()
        raise SocketError(f"The socket {path} cannot be opened: {error.strerror}.") from error
    finally:
        os.umask(before)
    bound.setblocking(False)
    return bound


def remove_socket(path: Path) -> None:
    """Remove a socket that is no longer used."""
    with suppress(OSError):
        path.unlink()


def _remove_dead_socket(path: Path) -> None:
    """Remove a socket on which nobody listens. Raises SocketError for anything else in its place."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise SocketError(f"{path} exists and is no socket; set another path in doors.socket.")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(os.fspath(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise SocketError(f"Another server listens on the socket {path}; set another path in doors.socket.")
