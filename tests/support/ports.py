"""Ports of processes beside the tests: knocked at until they are open, or closed."""

import asyncio

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
