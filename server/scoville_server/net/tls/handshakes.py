"""TLS handshakes of a server: how many may be unfinished, and how often an address may begin one."""

from typing import Protocol

from scoville_server.limits.throttle import WIDER, Throttle
from scoville_server.net.addresses import networks_of
from scoville_server.net.limits import ConnectionLimits


class Unfinished(Protocol):
    """A connection whose handshake is not finished."""

    @property
    def network(self) -> str:
        """The network that it comes from."""

    def drop(self) -> None:
        """Cut it off."""


class Handshakes:
    """Unfinished handshakes by network. When there are too many, the network with most loses its oldest.

    What an address begins is counted too, before anything is computed for it: it costs the server a thousand times what
    it costs a client that sends the same ClientHello again and again.
    """

    def __init__(self, limits: ConnectionLimits) -> None:
        self._most = limits.handshakes
        self._per_address = limits.handshakes_per_address
        rate = limits.handshake_rate
        self._begun = [Throttle(rate.allowed * factor, rate.seconds) for factor in (1, WIDER)]
        self._networks: dict[str, dict[Unfinished, None]] = {}
        self._total = 0

    def __len__(self) -> int:
        return self._total

    def began(self, connection: Unfinished) -> None:
        """Count a handshake, and drop the oldest one of a network that has too many."""
        own = self._networks.setdefault(connection.network, {})
        own[connection] = None
        self._total += 1
        if self._per_address and len(own) > self._per_address:
            self._drop_oldest(own)
        elif self._total > self._most:
            # The network with most, so that a swarm of handshakes keeps only its own out.
            self._drop_oldest(max(self._networks.values(), key=len))

    def may_begin(self, address: str, now: float) -> bool:
        """Count a handshake of a "host:port" that begins at `now` (seconds); False if there were too many."""
        pairs = tuple(zip(self._begun, networks_of(address), strict=False))
        # Checked for all networks before any is counted: a refused handshake is not counted itself.
        if any(begun.check(network, now) is not None for begun, network in pairs):
            return False
        for begun, network in pairs:
            begun.fail(network, now)
        return True

    def ended(self, connection: Unfinished) -> None:
        """Stop counting a handshake: it is finished, or its connection is closed. Calling it again does nothing."""
        own = self._networks.get(connection.network, {})
        if connection in own:
            del own[connection]
            self._total -= 1
            if not own:
                del self._networks[connection.network]

    def _drop_oldest(self, connections: dict[Unfinished, None]) -> None:
        oldest = next(iter(connections))
        self.ended(oldest)
        oldest.drop()
