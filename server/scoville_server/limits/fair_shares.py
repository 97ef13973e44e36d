"""Fair shares of limited resources: connections, tables, remembered guests, waiting reports."""

from collections import Counter
from collections.abc import Hashable, Reversible, Sequence
from heapq import nlargest
from typing import Final, Generic, TypeVar

T = TypeVar("T", bound=Hashable)

PER_FREE: Final = 3
"""How many an address may hold for each one that is free: up to three quarters of everything while nobody else wants
any, and equal shares under contention, with some left for the next address."""


class Shares(Generic[T]):
    """Counts the places of each network, under both networks of an IPv6 address.

    A network is refused once it holds `PER_FREE` times as much as is free. So one address alone gets up to three
    quarters, four get a bit less than a quarter each, and an address that holds little is never refused because of
    one that holds much. Holders without a network (inside one process) are never refused.
    """

    def __init__(self) -> None:
        self._networks: dict[T, Sequence[str]] = {}
        self._held: Counter[str] = Counter()
        self._things: dict[str, dict[T, None]] = {}

    def __len__(self) -> int:
        return len(self._networks)

    def refuses_more(self, networks: Sequence[str], free: int) -> bool:
        """Return whether an address has its share already while `free` are left."""
        # A key that holds nothing has no share yet, also while nothing is free: 0 would be as much as 3 * 0.
        return any(self._held[network] >= PER_FREE * free for network in networks if self._held[network])

    def hold_thing(self, thing: T, networks: Sequence[str]) -> None:
        """Note that an address holds a thing; one that is held already changes hands."""
        self.release_thing(thing)
        if networks:
            self._networks[thing] = tuple(networks)
            self._held.update(networks)
            self._things.setdefault(networks[-1], {})[thing] = None

    def release_thing(self, thing: T) -> None:
        """Release a thing; one that nobody holds is ignored."""
        networks = self._networks.pop(thing, ())
        for network in networks:
            self._held[network] -= 1
            if not self._held[network]:
                del self._held[network]
        if networks:
            del self._things[networks[-1]][thing]
            if not self._things[networks[-1]]:
                del self._things[networks[-1]]

    def count_held(self, network: str) -> int:
        """Return how much a network holds."""
        return self._held[network]

    def networks_holding(self, thing: T) -> Sequence[str]:
        """Return the networks that hold a thing; none if no holder is known."""
        return self._networks.get(thing, ())

    def is_holder(self, networks: Sequence[str], thing: T) -> bool:
        """Return whether an address holds a thing, by its widest network."""
        return bool(networks) and networks[-1] in self.networks_holding(thing)

    def list_things(self, network: str) -> Reversible[T]:
        """List the places of a widest network, oldest first."""
        return self._things.get(network, {})

    def list_heaviest(self, most: int) -> list[str]:
        """List the widest networks that hold most, so many."""
        return nlargest(most, self._things, key=lambda network: len(self._things[network]))

    def weigh_holder(self, thing: T) -> int:
        """Return how much the holder of a thing holds in its widest network, 0 for an unknown holder."""
        networks = self.networks_holding(thing)
        return self._held[networks[-1]] if networks else 0
