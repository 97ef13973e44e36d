"""Unix sockets: bound so that only those who may can open them, and removed at the end."""

import os
import socket
import stat
from collections.abc import Iterable
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
        remedy: Advice for the host when the path cannot be used.
    """
    try:
        with short_path_to(path) as short:
            _remove_dead_socket(path, short, remedy)
            return _bind_at(short, mode)
    except OSError as error:
        raise SocketError(f"The socket {path} cannot be opened: {error.strerror}; {remedy}.") from error


def _bind_at(path: str, mode: int) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX)
    # Not by `chmod` afterwards: between the two anybody could open it.
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


def find_group(name: str) -> int | None:
    """Return the number of a group of users; None for an empty name. Raises SocketError when there is none."""
    if not name:
        return None
    import grp  # not on Windows, which has no such sockets either

    try:
        return grp.getgrnam(name).gr_gid
    except KeyError:
        raise SocketError(f"There is no group {name} on this machine; correct the setting doors.group.") from None


def find_outsider(data: Path | None, group: int, shared: Iterable[Path]) -> str:
    """Return the name of the server's user if they cannot give files to a group; an empty text if they can.

    Only members may, and everybody in a folder that hands its own group on. That user is the one of this process; root
    may give files to any group, so for root it is the owner of the data folder.

    Args:
        data: The data folder.
        group: The number of the group.
        shared: The files that the group is to open.
    """
    uid, gid = os.geteuid(), os.getegid()
    try:
        if uid == 0 and data is not None:
            found = data.stat()
            uid, gid = found.st_uid, found.st_gid
        name, groups = _look_up_user(uid, gid)
        if uid == os.geteuid():  # a service may be in more than the system's list has
            groups |= {gid, *os.getgroups()}
        if uid == 0 or group in groups or all(_hands_group_on(path.parent, group) for path in shared):
            return ""
    except OSError:  # not made yet, and whatever else is wrong with it has a check of its own
        return ""
    return name


def _look_up_user(uid: int, gid: int) -> tuple[str, set[int]]:
    """Return the name of a user and their groups; of one without a name, as in a container, the number and `gid`."""
    import pwd  # not on Windows, which has no such groups

    try:
        user = pwd.getpwuid(uid)
    except KeyError:
        return str(uid), {gid}
    return user.pw_name, {*os.getgrouplist(user.pw_name, user.pw_gid)}


def _hands_group_on(folder: Path, group: int) -> bool:
    found = folder.stat()
    return bool(found.st_mode & stat.S_ISGID) and found.st_gid == group


def share_with_group(path: Path, group: int | None) -> None:
    """Let a group open a file that the server has made. Raises SocketError."""
    if group is None:
        return
    try:
        if (
            path.stat().st_gid != group
        ):  # the usual case is the server's own; a service may be kept from the call itself
            os.chown(path, -1, group)
        path.chmod(0o660 if path.is_socket() else 0o640)
    except OSError as error:
        raise SocketError(
            f"{path} cannot be given to the group of doors.group: {error.strerror}; the server's user must be a member."
        ) from error


def remove_socket(path: Path) -> None:
    """Remove a socket that is no longer used."""
    # The next start replaces a socket at which nobody listens.
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
