"""Reaching a found server: the address among those announced that answers, with the pin to expect there."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address
from scoville_client.transport.base import LinkError
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.lan.found import FoundServer
from scoville_runtime.clock import SYSTEM, Clock

REACH_SECONDS: Final = 3.0
"""Seconds in which one of the addresses has to answer."""


async def find_reachable_address(server: FoundServer, known: KnownServers, clock: Clock = SYSTEM) -> Address:
    """Return the address that answers first.

    It has the announced pin only where the user knows no server yet: a stored pin always wins, since everybody on the
    network can announce another one. Raises LinkError when none answers.
    """
    tries = [asyncio.ensure_future(_try_host(host, server.port)) for host in server.addresses]
    try:
        host = await _first_to_answer(tries, clock)
    finally:
        for each in tries:
            each.cancel()
        await asyncio.gather(*tries, return_exceptions=True)
    if host is None:
        first = str(Address(server.addresses[0], server.port))
        raise LinkError(tr("No server answers at {address}. Is it running?", address=first))
    return Address(host, server.port, expected_pin(Address(host, server.port), server, known))


def expected_pin(address: Address, server: FoundServer, known: KnownServers) -> str:
    """Return the pin to ask for: none where one is stored, so that the stored one counts, else the announced one."""
    try:
        stored = known.find_pin(address)
    except OSError:  # connecting says why
        return ""
    return "" if stored else server.announcement.pin


async def _first_to_answer(tries: "Sequence[asyncio.Future[str | None]]", clock: Clock) -> str | None:
    with suppress(TimeoutError):
        async with clock.limit(REACH_SECONDS):
            for finished in asyncio.as_completed(tries):
                if (host := await finished) is not None:
                    return host
    return None


async def _try_host(host: str, port: int) -> str | None:
    """Return the host once it accepts a connection, None if it does not. Nothing is sent."""
    try:
        transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, host, port)
    except OSError:
        return None
    transport.abort()
    return host
