"""Admission of connections: fair shares by address, with a few places left for users who are known."""

from collections.abc import Sequence
from typing import Final, Protocol

from scoville_server.limits.fair_shares import Shares
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.limits.throttle import WIDER
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.doors.settings import DoorSettings
from scoville_shared.errors import Code
from scoville_shared.networks import networks_of
from scoville_shared.protocol.messages import ByeNotice

_RESERVE: Final = 64
"""Beside so many connections an address has one more, on trial."""

_FULL = ByeNotice(code=Code.BUSY, message="The server is full; try again later.")
_CROWDED = ByeNotice(code=Code.BUSY, message="There are too many connections from your address; try again later.")


class AdmittedConnection(Protocol):
    """The part of a connection that admission needs."""

    @property
    def address(self) -> str:
        """The peer's "host:port"."""

    def close(self, bye: ByeNotice | None = None) -> None:
        """Send a goodbye and close."""

    def abort(self) -> None:
        """Close the connection at once; unsent bytes are lost."""


class Admission:
    """Admits connections, `most` at once, with a fair share for each address.

    An address that has its share gets a few more connections, on trial: that of a known user stays, any other is closed
    at its `hello`, or earlier when the next one needs its place. So a swarm keeps none of its neighbours out.
    """

    def __init__(
        self,
        limits: Adjustable[ConnectionLimits],
        most: Adjustable[int],
        doors: Adjustable[DoorSettings] | None = None,
    ) -> None:
        self._limits = as_live(limits)
        self._total = as_live(most)
        self._doors = as_live(doors or DoorSettings())
        self._hosted: dict[AdmittedConnection, None] = {}
        self._arriving: dict[AdmittedConnection, None] = {}
        """Connections of doors, and those of them that have not said for whom."""
        self._open: dict[AdmittedConnection, None] = {}
        self._shares: Shares[object] = Shares()
        self._extra: Shares[object] = Shares()
        self._on_trial: dict[AdmittedConnection, None] = {}

    def __len__(self) -> int:
        return len(self._open)

    @property
    def _most_open(self) -> int:
        return self._total.value

    @property
    def _most_hosted(self) -> int:
        """How many connections of doors there may be."""
        return max(1, int(self._most_open * self._doors.value.share))

    @property
    def _most_per_address(self) -> int:
        """How many connections one address may have; 0 is no limit."""
        return self._limits.value.per_address

    @property
    def _most_on_trial(self) -> int:
        """How many more an address may have on trial."""
        return min(self._most_per_address, self._most_open) // _RESERVE

    @property
    def connections(self) -> list[AdmittedConnection]:
        """The open connections, oldest first."""
        return [*self._open]

    def admit_connection(self, connection: AdmittedConnection) -> None:
        """Register a connection, or close one that is too many."""
        free = self._most_open - len(self._open)
        # Registered even if refused, since it is open until its goodbye is read, and takes a place until then.
        self._open[connection] = None
        if free <= 0:
            connection.close(_FULL)
        else:
            self._count_connection(connection, free)

    def add_from_door(self, connection: AdmittedConnection) -> None:
        """Register a connection of a door that has not named its user yet, or close one that is too many."""
        full = len(self._open) >= self._most_open or len(self._hosted) >= self._most_hosted
        self._open[connection] = self._hosted[connection] = None
        if full or len(self._arriving) >= self._doors.value.waiting:
            connection.close(_FULL)
        else:
            self._arriving[connection] = None

    def admit_introduced(self, connection: AdmittedConnection) -> bool:
        """Count a connection of a door under the address of its user; return whether it may stay until `may_greet`."""
        self._uncount_connection(connection)
        if connection not in self._hosted and len(self._hosted) >= self._most_hosted:
            connection.close(_FULL)
        else:
            self._hosted[connection] = None
            # One more, because it is among the open ones already.
            self._count_connection(connection, self._most_open - len(self._open) + 1)
        return self._shares.networks_holding(connection) != () or connection in self._on_trial

    def _count_connection(self, connection: AdmittedConnection, free: int) -> None:
        """Count a connection under its address, on trial beyond the address's share."""
        networks = networks_of(connection.address)
        if self._has_its_share(networks, free):
            self._admit_on_trial(connection, networks)
        else:
            self._shares.hold_thing(connection, networks)

    def may_greet(self, connection: AdmittedConnection, *, known: bool) -> bool:
        """Return whether a connection may say hello; one on trial is closed unless its user is `known`."""
        if connection not in self._on_trial:
            return True
        del self._on_trial[connection]
        if not known:
            connection.close(_CROWDED)
        return known

    def remove_connection(self, connection: AdmittedConnection) -> None:
        """Unregister a connection."""
        self._open.pop(connection, None)
        self._hosted.pop(connection, None)
        self._uncount_connection(connection)

    def _uncount_connection(self, connection: AdmittedConnection) -> None:
        """Take a connection out of all counts."""
        self._arriving.pop(connection, None)
        self._on_trial.pop(connection, None)
        self._shares.release_thing(connection)
        self._extra.release_thing(connection)

    def _has_its_share(self, networks: Sequence[str], free: int) -> bool:
        if not self._most_per_address:
            return False
        # Wider networks may hold more: many households share one.
        limits = (self._most_per_address, self._most_per_address * WIDER)
        over = any(self._shares.count_held(net) >= limit for net, limit in zip(networks, limits, strict=False))
        return over or self._shares.refuses_more(networks, free)

    def _admit_on_trial(self, connection: AdmittedConnection, networks: Sequence[str]) -> None:
        # Counted by the widest network, or an address of IPv6 would have a place on trial for each of its subnets.
        if self._extra.count_held(networks[-1]) >= self._most_on_trial:
            others = (other for other in self._on_trial if self._extra.is_holder(networks, other))
            oldest = next(others, None)
            if oldest is None:
                connection.close(_CROWDED)
                return
            del self._on_trial[oldest]
            self._extra.release_thing(oldest)
            oldest.close(_CROWDED)
        self._extra.hold_thing(connection, networks)
        self._on_trial[connection] = None
