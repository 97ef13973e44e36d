"""Recent events: what the server has reported lately, for its control socket."""

from collections import deque
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from scoville_runtime.events import Event, Field, fields_of, kind_of

_MOST_OF_A_KIND: Final = 64
"""Events that are kept of one kind: ten thousand refusals must not hide a wrong log-in."""


class EventRow(Struct, frozen=True, kw_only=True):
    """A recent event; smaller priorities are more important, as in syslog."""

    number: int
    at_ms: int
    kind: str
    priority: int
    fields: dict[str, Field]


class RecentEvents:
    """Sink that keeps the latest events of each kind. `date_ms` returns the time in milliseconds since 1970."""

    def __init__(self, date_ms: Callable[[], int]) -> None:
        self._date_ms = date_ms
        self._latest_number = 0
        self._by_kind: dict[str, deque[tuple[int, int, Event]]] = {}

    def take_event(self, event: Event) -> None:
        """Keep an event. Its fields are read when they are asked for: a flood pays for a tuple alone."""
        self._latest_number += 1
        kept = self._by_kind.setdefault(kind_of(event), deque(maxlen=_MOST_OF_A_KIND))
        kept.append((self._latest_number, self._date_ms(), event))

    def close_sink(self) -> None:
        """Keep the events: they may still be read."""

    def list_events(self, since: int, most: int) -> list[EventRow]:
        """List the latest events after a number, oldest first."""
        found = sorted(each for kept in self._by_kind.values() for each in kept if each[0] > since)[-most:]
        return [
            EventRow(
                number=number,
                at_ms=at_ms,
                kind=kind_of(event),
                priority=int(event.priority),
                fields=fields_of(event),
            )
            for number, at_ms, event in found
        ]
