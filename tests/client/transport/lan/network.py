"""A local network for tests: what is announced there is set by hand, and nothing is sent."""

from collections.abc import Callable
from typing import Any

from scoville_client.transport.lan.browser import Sighting
from scoville_shared.announcement import SERVICE, Announcement, write_entries
from scoville_shared.protocol.messages import PROTOCOL

PIN = "ABCDEFGHIJKLMNOP2345"


def announced(
    service: str = "one", /, port: int = 5757, addresses: tuple[str, ...] = ("192.0.2.7",), **said: Any
) -> Sighting:
    """A server as the network carries its announcement; without a table of its own it has none."""
    announcement = Announcement(**{"protocol": PROTOCOL, "pin": PIN, **said})
    entries: dict[bytes, bytes | None] = {
        key.encode(): value.encode() for key, value in write_entries(announcement).items()
    }
    return Sighting(f"{service}.{SERVICE}", addresses, port, entries)


def with_table(service: str = "one", /, **said: Any) -> Sighting:
    """A server with a table of No Thanks!, two of whose four seats are taken."""
    return announced(service, **{"game": "no_thanks", "taken": 2, "seats": 4, "name": "Anna", **said})


class Network:
    """A network: `browse` begins a search that sees `sightings`, and those of `appear` later."""

    def __init__(self, *sightings: Sighting) -> None:
        self.sightings = [*sightings]
        self.searches: list[Search] = []
        self.error: OSError | None = None

    def browse(self) -> "Search":
        return Search(self)

    def appear(self, sighting: Sighting) -> None:
        self.sightings.append(sighting)
        for search in self.searches:
            search.seen(sighting)

    def vanish(self, sighting: Sighting) -> None:
        self.sightings.remove(sighting)
        for search in self.searches:
            search.gone(sighting.name)


class Search:
    """A search on a network."""

    seen: Callable[[Sighting], None]
    gone: Callable[[str], None]

    def __init__(self, network: Network) -> None:
        self._network = network

    async def open(self, seen: Callable[[Sighting], None], gone: Callable[[str], None]) -> None:
        if self._network.error is not None:
            raise self._network.error
        self.seen, self.gone = seen, gone
        self._network.searches.append(self)
        for sighting in self._network.sightings:
            seen(sighting)

    async def close(self) -> None:
        if self in self._network.searches:
            self._network.searches.remove(self)
