"""Ports of processes beside the tests: knocked at until they are open, or closed."""

import asyncio
import select
import socket
from pathlib import Path

TIMEOUT = 60.0
"""Seconds after which a port that has not changed is a fault."""
_PAUSE = 0.05


async def opened(port: int) -> None:
    """Wait until a process listens on a port."""
    await _until(port, listens=True)


async def closed(port: int) -> None:
    """Wait until nothing listens on a port."""
    await _until(port, listens=False)


async def _until(port: int, *, listens: bool) -> None:
    async with asyncio.timeout(TIMEOUT):
        while await _listens(port) != listens:  # noqa: ASYNC110 - another process sets no event
            await asyncio.sleep(_PAUSE)


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except ConnectionRefusedError:
        return False
    writer.close()
    return True


_MOST = Path("/proc/sys/net/core/somaxconn")
CROWD = min(600, int(_MOST.read_text()) if _MOST.exists() else 128)
"""Connections, as many as systems allow that allow only a few."""


def connect_at_once(port: int, count: int = CROWD) -> int:
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
