"""The servers found on the local network, and how to reach them.

Everything announced is hostile input: bounded, checked, shown as a hint.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from typing import Final

from msgspec import Struct

from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address
from scoville_client.transport.base import LinkError
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.lan.browser import Sighting
from scoville_client.transport.tcp import connect_socket
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared import HIGHEST_PORT
from scoville_shared.announcement import SERVICE, Announcement, read_entries

_log = logging.getLogger(__name__)

MOST_SERVERS: Final = 64
"""Servers that are listed: more than a hall has; further ones are ignored until others are gone."""
MOST_ADDRESSES: Final = 8
"""Addresses of a server that are tried."""
_LONGEST_NAME: Final = 63 + len(SERVICE) + 1
"""Characters of a service's name (RFC 6763)."""


class FoundServer(Struct, frozen=True, kw_only=True):
    """A server that announces itself: the name of its service, addresses, port, and what it says of itself."""

    name: str
    addresses: tuple[str, ...]
    port: int
    announcement: Announcement


class FoundServers:
    """Collects the results of a search; calls `changed` after each change of the list."""

    def __init__(self, changed: Callable[[], object] = lambda: None) -> None:
        self._changed = changed
        self._servers: dict[str, FoundServer] = {}
        self._logged = False

    @property
    def listed(self) -> list[FoundServer]:
        """The servers: those with free seats first, in an order that stays."""
        return sorted(self._servers.values(), key=lambda server: (not server.announcement.free_seats, server.name))

    def find_server(self, name: str) -> FoundServer | None:
        return self._servers.get(name)

    def add_sighting(self, sighting: Sighting) -> None:
        """Add or replace a server; an absurd one is ignored, and logged the first time."""
        try:
            server = _check_sighting(sighting)
        except ValueError as error:
            self._log_server(f"an announcement on the local network was ignored: {error}")
            return self.remove_sighting(sighting.name)
        if server.name not in self._servers and len(self._servers) >= MOST_SERVERS:
            return self._log_server("more servers are announced on the local network than are listed")
        # The same record is seen again and again: only a change redraws the list.
        if self._servers.get(server.name) != server:
            self._servers[server.name] = server
            self._changed()
        return None

    def remove_sighting(self, name: str) -> None:
        """Remove a server that is gone."""
        if self._servers.pop(name, None) is not None:
            self._changed()

    def _log_server(self, text: str) -> None:
        """Log once for all: a flood must not fill a log."""
        if not self._logged:
            self._logged = True
            _log.info("%s", text)


def _check_sighting(sighting: Sighting) -> FoundServer:
    """Check a sighting. Raises ValueError."""
    if not sighting.name.endswith(f".{SERVICE}") or len(sighting.name) > _LONGEST_NAME:
        raise ValueError("its name is absurd")
    if not 0 < sighting.port <= HIGHEST_PORT:
        raise ValueError("it has no port")
    addresses = tuple(filter(_is_usable, sighting.addresses[:MOST_ADDRESSES]))
    if not addresses:
        raise ValueError("it has no address")
    return FoundServer(
        name=sighting.name, addresses=addresses, port=sighting.port, announcement=read_entries(sighting.entries)
    )


def _is_usable(address: str) -> bool:
    """Whether an address may be that of another machine: a record must not point to services of this one."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return not (found.is_loopback or found.is_multicast or found.is_unspecified)


REACH_SECONDS: Final = 3.0
"""Seconds in which one of the addresses has to answer."""


async def find_reachable_address(server: FoundServer, known: KnownServers, clock: Clock = SYSTEM) -> Address:
    """Return the address that answers first.

    It has the announced pin only where the user knows no server yet: a stored pin always wins, since everybody on the
    network can announce another one. Raises LinkError when none answers.
    """
    # All at once: some of them may lead nowhere from here, and not even refuse.
    tries = [asyncio.ensure_future(_try_host(host, server.port)) for host in server.addresses]
    try:
        host = await _first_to_answer(tries, clock)
    finally:
        for each in tries:
            each.cancel()
        # Awaited: each of them closes its socket.
        await asyncio.gather(*tries, return_exceptions=True)
    if host is None:
        first = str(Address(server.addresses[0], server.port))
        raise LinkError(tr("No server answers at {address}. Is it running?", address=first))
    return Address(host, server.port, choose_pin(Address(host, server.port), server, known))


def choose_pin(address: Address, server: FoundServer, known: KnownServers) -> str:
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
        connected = await connect_socket(host, port)
    except OSError:
        return None
    connected.close()
    return host
