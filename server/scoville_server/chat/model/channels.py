"""The newest messages of every channel: numbered from 1 without gaps, and visible once they are kept."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from scoville_server.chat.model.limits import ChatLimits
from scoville_server.chat.model.messages import LOBBY, WHISPERS, ChatMessage, Place, Saying, at_table, key_of

Changes = dict[str, ChatMessage | None]
"""Changes to the book of messages."""


class Plan(NamedTuple):
    """Messages to add, one list per saying, and the changes to write for it."""

    lines: list[list[ChatMessage]]
    changes: Changes


class Channels:
    """The messages by channel. Changes are planned first and applied when the plan has been written."""

    def __init__(self, limits: ChatLimits) -> None:
        self._limits = limits
        self._lines: dict[Place, deque[ChatMessage]] = {}

    def __contains__(self, place: Place) -> bool:
        return place in self._lines

    @property
    def places(self) -> list[Place]:
        """The channels that have messages; the one with the latest message comes last."""
        return [*self._lines]

    def since(self, place: Place, n: int = 0) -> list[ChatMessage]:
        """List the messages after number `n`, oldest first; all of them for a number that does not exist."""
        lines = self._lines.get(place, ())
        known = n if n <= self._last(place) else 0
        return [line for line in lines if line.n > known]

    def plan(self, sayings: Sequence[Saying]) -> Plan:
        """Number new messages, and make space for them."""
        plan = Plan([], {})
        last: dict[Place, int] = {}
        for saying in sayings:
            lines = [self._next(saying, place, last) for place in saying.places]
            plan.lines.append(lines)
            for line in lines:
                plan.changes[line.key] = line
                self._drop_oldest(line, plan.changes)
        return plan

    def take(self, lines: Iterable[ChatMessage]) -> None:
        """Apply messages that have been written."""
        for line in lines:
            kept = self._lines.pop(line.place, None) or deque(maxlen=self._most(line.place))
            kept.append(line)
            self._lines[line.place] = kept

    def crowded_out(self, holder: Callable[[Place], str] = lambda _: "") -> list[Place]:
        """Find whisper channels to drop, least recently used first: those of the address with the most."""
        boxes = [place for place in self._lines if place.startswith(WHISPERS)]
        too_many = len(boxes) - self._limits.whisper_users
        if too_many <= 0:
            return []
        held = Counter(map(holder, boxes))
        return sorted(boxes, key=lambda place: -held[holder(place)])[:too_many]

    def clear(self, place: Place) -> Changes:
        """Delete a channel; returns the changes to write."""
        return {line.key: None for line in self._lines.pop(place, ())}

    def _next(self, saying: Saying, place: Place, last: dict[Place, int]) -> ChatMessage:
        last[place] = last.get(place, self._last(place)) + 1
        return saying.numbered(place, last[place])

    def _drop_oldest(self, line: ChatMessage, changes: Changes) -> None:
        oldest = line.n - self._most(line.place)
        if oldest > 0:
            changes[key_of(line.place, oldest)] = None

    def _last(self, place: Place) -> int:
        lines = self._lines.get(place)
        return lines[-1].n if lines else 0

    def _most(self, place: Place) -> int:
        if place == LOBBY:
            return self._limits.lobby
        return self._limits.table if place.startswith(at_table("")) else self._limits.whispers
