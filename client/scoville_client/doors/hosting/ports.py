"""Ports of doors: one number for all addresses of a host, those of IPv4 and of IPv6."""

import asyncio
import errno
import socket
from collections.abc import Sequence
from typing import Any, Final

_TRIES: Final = 16
"""Free ports that are tried: the one of the first address may be in use at another one."""
_MISSING: Final = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)
"""A machine without IPv6, or without IPv4, says one of these."""


async def bind_port(host: str, port: int, *, reuse_port: bool = False) -> list[socket.socket]:
    """Bind a port at all addresses of a host, of an empty one at every address of this machine. Raises OSError.

    Port 0 is any free one, the same at all addresses.
    """
    found = await asyncio.get_running_loop().getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    addresses = [*dict.fromkeys((family, address) for family, _, _, _, address in found)]
    for _ in range(_TRIES - 1):
        try:
            return _bind_all(addresses, port, reuse_port=reuse_port)
        except OSError as error:
            if port or error.errno != errno.EADDRINUSE:
                raise
    return _bind_all(addresses, port, reuse_port=reuse_port)


def _bind_all(
    addresses: Sequence[tuple[socket.AddressFamily, tuple[Any, ...]]], port: int, *, reuse_port: bool
) -> list[socket.socket]:
    bound = list[socket.socket]()
    missing: OSError | None = None
    try:
        for family, (address, _, *more) in addresses:
            try:
                bound.append(socket.create_server((address, port, *more), family=family, reuse_port=reuse_port))
            except OSError as error:
                if error.errno not in _MISSING:
                    raise
                missing = error
            else:
                port = port or bound[0].getsockname()[1]
    except OSError:
        for each in bound:
            each.close()
        raise
    if missing is not None and not bound:
        raise missing
    return bound
