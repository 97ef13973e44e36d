"""Budget of bytes in the buffers of all connections: unsent data and incomplete messages."""

import heapq
from collections import defaultdict
from typing import Final, Protocol

from scoville_server.limits.live import Adjustable, as_live

SMALL: Final = 4_096
"""Up to so many bytes a connection counts for nothing: they pass in a moment, or cost less than the connection."""


class Holder(Protocol):
    """The part of a connection that the budget needs."""

    @property
    def network(self) -> str:
        """The network that it comes from; empty inside one process."""

    @property
    def held(self) -> int:
        """Bytes in its buffers now."""

    def drop(self) -> None:
        """Cut it off; its seat stays."""


class BufferBudget:
    """Bounds the sum. When it is exceeded, the network that holds most loses its fullest connections first.

    Connections are dropped until a quarter is free, so that the search is rare. Buffers empty without notice, so the
    sum is measured again before a connection is dropped.
    """

    def __init__(self, most: Adjustable[int]) -> None:
        self._most = as_live(most)
        self._held: dict[Holder, int] = {}
        self._total = 0

    @property
    def total(self) -> int:
        """Bytes counted now; buffers may have emptied since."""
        return self._total

    def note_held(self, holder: Holder) -> None:
        """Count what a connection holds now."""
        held = holder.held
        # Most connections never count, so that the budget costs nothing while clients read.
        if held <= SMALL:
            self.forget_holder(holder)
            return
        self._total += held - self._held.get(holder, 0)
        self._held[holder] = held
        if self._total > self._most.value:
            self._drop_fullest()

    def forget_holder(self, holder: Holder) -> None:
        """Stop counting a connection."""
        self._total -= self._held.pop(holder, 0)

    def _drop_fullest(self) -> None:
        # Buffers empty without notice; nobody is dropped for bytes that have left since.
        self._measure_held()
        if self._total <= self._most.value:
            return
        fullest: defaultdict[str, list[Holder]] = defaultdict(list)
        # Ascending, so that `pop` takes the fullest of each network.
        for holder in sorted(self._held, key=self._held.__getitem__):
            fullest[holder.network].append(holder)
        heap = [(-sum(map(self._held.__getitem__, holders)), network) for network, holders in fullest.items()]
        heapq.heapify(heap)
        while self._total > self._most.value * 3 // 4 and heap:
            held, network = heap[0]
            holder = fullest[network].pop()
            freed = self._held[holder]
            self.forget_holder(holder)
            holder.drop()
            if fullest[network]:
                heapq.heapreplace(heap, (held + freed, network))
            else:
                heapq.heappop(heap)

    def _measure_held(self) -> None:
        held = {holder: holder.held for holder in self._held}
        self._held = {holder: count for holder, count in held.items() if count > SMALL}
        self._total = sum(self._held.values())
