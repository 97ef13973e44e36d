"""Unix sockets: bound so that only those who may can open them, and removed at the end."""

import os
import socket
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from scoville_runtime.short_paths import short_path_to
from scoville_shared.errors import ScovilleError

SOCKET: Final = "door.sock"
"""The name of the doors' socket in a data folder."""


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
    try:
        with short_path_to(path) as short:
            _remove_dead_socket(path, short, remedy)
            return _bind_at(short, mode)
    except OSError as error:
        raise SocketError(f"The socket {path} cannot be opened: {error.strerror}; {remedy}.") from error


def _bind_at(path: str, mode: int) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX)
    before = os.umask(0o777 & ~mode)
    try:
        bound.bind(path)
    except OSError:
        bound.close()
        raise
    finally:
        os.umask(before)
    bound.setblocking(False)
    return bound


def remove_socket(path: Path) -> None:
    """Remove a socket that is no longer used."""
    with suppress(OSError):
        path.unlink()


def _remove_dead_socket(path: Path, short: str, remedy: str) -> None:
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
            probe.connect(short)
        except ConnectionRefusedError:
            path.unlink()
            return
    raise SocketError(f"Another server listens on the socket {path}; {remedy}.")
