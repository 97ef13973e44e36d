"""Many connections at the same moment, as after a restart, when everybody comes back."""

import select
import socket
from pathlib import Path

_MOST = Path("/proc/sys/net/core/somaxconn")
CROWD = min(600, int(_MOST.read_text()) if _MOST.exists() else 128)
"""Connections, as many as systems allow that allow only a few."""


def connected_at_once(port: int, count: int = CROWD) -> int:
    """Connect so often while the server accepts nothing, and return how many connections the system has taken.

    The event loop stands still meanwhile. What does not fit in the queue of the port is sent again a second later.
    """
    lines = [socket.socket() for _ in range(count)]
    try:
        for line in lines:
            line.setblocking(False)
            line.connect_ex(("127.0.0.1", port))
        poll = select.poll()
        for line in lines:
            poll.register(line, select.POLLOUT)
        return len(poll.poll(0))
    finally:
        for line in lines:
            line.close()
