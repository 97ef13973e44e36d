"""Connections that have begun something and not finished it, by network: their number is bounded."""

from typing import Generic, Protocol, TypeVar

from scoville_server.limits.live import Adjustable, as_live


class Droppable(Protocol):
    """A connection that has not finished."""

    @property
    def network(self) -> str:
        """The network that it comes from."""

    def drop(self) -> None:
        """Cut it off."""


D = TypeVar("D", bound=Droppable)


class Unfinished(Generic[D]):
    """Unfinished connections by network. When there are too many, the network with most loses its oldest.

    Args:
        most: How many there may be.
        of_network: How many one network may have; 0 is no limit.
    """

    def __init__(self, most: Adjustable[int], of_network: Adjustable[int]) -> None:
        self._most = as_live(most)
        self._of_network = as_live(of_network)
        self._networks: dict[str, dict[D, None]] = {}
        self._total = 0

    def __len__(self) -> int:
        return self._total

    @property
    def all(self) -> list[D]:
        """All of them."""
        return [each for own in self._networks.values() for each in own]

    def add(self, connection: D) -> None:
        """Count a connection, and drop the oldest one of a network that has too many."""
        own = self._networks.setdefault(connection.network, {})
        own[connection] = None
        self._total += 1
        if self._of_network.value and len(own) > self._of_network.value:
            self._drop_oldest(own)
        elif self._total > self._most.value:
            # The network with most, so that a swarm keeps only its own out.
            self._drop_oldest(max(self._networks.values(), key=len))

    def remove(self, connection: D) -> None:
        """Stop counting a connection: it is finished, or closed. Calling it again does nothing."""
        own = self._networks.get(connection.network, {})
        if connection in own:
            del own[connection]
            self._total -= 1
            if not own:
                del self._networks[connection.network]

    def _drop_oldest(self, connections: dict[D, None]) -> None:
        oldest = next(iter(connections))
        self.remove(oldest)
        oldest.drop()
