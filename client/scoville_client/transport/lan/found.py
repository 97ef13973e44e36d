"""The servers found on the local network. Everything announced is hostile input: bounded, checked, shown as a hint."""

import logging
from collections.abc import Callable
from ipaddress import ip_address
from typing import Final

from msgspec import Struct

from scoville_client.transport.address import HIGHEST_PORT
from scoville_client.transport.lan.browser import Sighting
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
    """Collects what a search reports; calls `changed` after each change of the list."""

    def __init__(self, changed: Callable[[], object] = lambda: None) -> None:
        self._changed = changed
        self._servers: dict[str, FoundServer] = {}
        self._logged = False

    @property
    def listed(self) -> list[FoundServer]:
        """The servers: those with free seats first, in an order that stays."""
        return sorted(self._servers.values(), key=lambda server: (not server.announcement.free, server.name))

    def find_server(self, name: str) -> FoundServer | None:
        """Return the server with a name."""
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
