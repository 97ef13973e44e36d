"""Figures of events: a sink that counts all of them by kind, and refusals by code and network, before any quota."""

from collections import Counter
from collections.abc import Callable
from typing import Final

from scoville_runtime.events import Event, kind_of
from scoville_runtime.figures import NetworkCounts, RecentCounts
from scoville_server.events import Hello, Refused
from scoville_shared.errors import Code
from scoville_shared.networks import network_of

GAME_RULE: Final = "game_rule"
"""Stands for every reason by which a game refuses a move: games of other packages have their own."""
_CODES: Final = frozenset(code.value for code in Code)


class EventFigures:
    """Counts events. `now` returns monotonic seconds.

    Attributes:
        kinds: Events by kind.
        refusals: Requests answered with an error and refused connections, by code.
        refused_by_network: The same by network.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.kinds: Counter[str] = Counter()
        self.refusals = RecentCounts(now)
        self.refused_by_network = NetworkCounts(now)

    @property
    def hellos(self) -> int:
        """How many connections were greeted."""
        return self.kinds[kind_of(Hello)]

    def take_event(self, event: Event) -> None:
        """Count an event."""
        self.kinds[kind_of(event)] += 1
        if isinstance(event, Refused):
            self.refusals.add_count(event.code if event.code in _CODES else GAME_RULE)
            if event.address:
                self.refused_by_network.add_count(network_of(event.address))

    def close_sink(self) -> None:
        """Keep the counts: they may still be read."""
