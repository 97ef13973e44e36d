"""Who may use the control socket: root, the server's own user, and the group of the data folder."""

import os
import socket
import struct
from pathlib import Path
from typing import Final, NamedTuple

from scoville_server.control.desk import Caller

_PEERCRED: Final = struct.Struct("3i")
_SO_PEERGROUPS: Final = 59
"""Linux's option for all groups of the other end; Python has no name for it."""
_MOST_BYTES: Final = 1_024
"""Bytes of an option that Python reads: 256 groups."""

OWNER_ONLY: Final = 0o600
OWNER_AND_GROUP: Final = 0o660


class Peer(NamedTuple):
    """The process at the other end, as the system names its user and groups."""

    uid: int
    groups: frozenset[int]


def socket_mode() -> int:
    """Return the mode of the socket: open to the group only where the system tells which user has opened it."""
    return OWNER_AND_GROUP if hasattr(socket, "SO_PEERCRED") else OWNER_ONLY


def peer_of(line: socket.socket) -> Peer:
    """Return the user at the other end of a socket; the server's own where the system does not tell."""
    if not hasattr(socket, "SO_PEERCRED"):  # then only the server's own user and root can open the socket
        return Peer(os.geteuid(), frozenset())
    _, uid, group = _PEERCRED.unpack(line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEERCRED.size))
    try:
        more = line.getsockopt(socket.SOL_SOCKET, _SO_PEERGROUPS, _MOST_BYTES)
    except OSError:  # before Linux 4.13, or more groups: those of the user, although the process may have others
        return Peer(uid, frozenset(os.getgrouplist(login_of(uid), group)))
    return Peer(uid, frozenset((group, *struct.unpack(f"{len(more) // 4}I", more))))


def may_control(peer: Peer, folder: Path) -> bool:
    """Return whether a user may watch and control the server of a data folder."""
    return peer.uid in (0, os.geteuid()) or folder.stat().st_gid in peer.groups


def caller_of(peer: Peer) -> Caller:
    """Return a user as the audit log names them."""
    return Caller(peer.uid, login_of(peer.uid))


def login_of(uid: int) -> str:
    """Return the login of a user of this machine; `user` for one whom the system does not know."""
    import pwd  # not on Windows, where there are no such sockets

    try:
        return pwd.getpwuid(uid).pw_name
    # In a container users may have numbers only.
    except KeyError:
        return "user"


def refusal_text(folder: Path) -> str:
    """Return the sentence for a user who may not control the server."""
    import grp

    owner = login_of(folder.stat().st_uid)
    try:
        group = grp.getgrgid(folder.stat().st_gid).gr_name
    except KeyError:
        group = str(folder.stat().st_gid)
    return f"Only root, the user {owner} and members of the group {group} may control the server of {folder}."
