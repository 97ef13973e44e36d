"""Garbage collection of a door: in small portions, and when nobody types, because a collection stops all sessions.

Sessions that end are dismantled, so that reference counts free them. Small circles of libraries remain, about
a hundred objects a connection. Frozen objects are not searched: a portion looks only at what the last few sessions have
made. A full search looks at everything and waits until nobody has typed for a while.
"""

import gc
from typing import Final, Protocol

from scoville_runtime.clock import SYSTEM, Clock

_YOUNG_THRESHOLDS: Final = (20_000, 10, 1_000_000)
"""New objects until Python's own collections. Those of the first two generations take some milliseconds; the third,
which would take half a second with fifty users, never comes by itself."""
LOOK_SECONDS: Final = 0.25
"""Seconds between two looks at whether a collection is due."""
PORTION: Final = 4
"""Sessions that began or ended after which a portion is due: a search takes about as long as three keys then."""
OVERDUE: Final = 16
"""The same after which it is done even while users type."""
PORTION_QUIET: Final = 0.1
"""Seconds without a key after which a portion may be searched."""
FULL_QUIET: Final = 3.0
"""Seconds without a key after which everything may be searched."""


class Heap(Protocol):
    """The functions of Python's module `gc` that are needed."""

    def collect(self) -> int:
        """Search all objects that are not frozen."""

    def freeze(self) -> None:
        """Exempt all objects that exist."""

    def unfreeze(self) -> None:
        """Let collections look at all objects again."""

    def set_threshold(self, young: int, middle: int, old: int, /) -> None:
        """Set when collections start by themselves."""


class GarbageCollector:
    """Collects the garbage of a process of hosted sessions, once `collect_forever` runs.

    Args:
        clock: Clock of the pauses.
        heap: Python's garbage collector.
    """

    def __init__(self, clock: Clock = SYSTEM, heap: Heap = gc) -> None:
        self._clock = clock
        self._heap = heap
        self._input_at = clock.seconds() - FULL_QUIET
        self._changed = 0
        self._has_frozen_garbage = False

    def note_input(self) -> None:
        """Note that a user has typed: a collection now would be felt."""
        self._input_at = self._clock.seconds()

    def quiet_seconds(self) -> float:
        """Return the seconds since the last key of any user."""
        return self._clock.seconds() - self._input_at

    def note_session(self) -> None:
        """Note that a session has begun or ended."""
        self._changed += 1

    async def collect_forever(self) -> None:
        """Collect when it is due, until this is cancelled. Objects loaded by now are exempt from all portions."""
        self._heap.collect()
        self._heap.freeze()
        self._heap.set_threshold(*_YOUNG_THRESHOLDS)
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            self.collect_if_due()

    def collect_if_due(self) -> None:
        """Collect everything, or the objects of the last sessions, or nothing."""
        quiet = self.quiet_seconds()
        if quiet >= FULL_QUIET and (self._changed or self._has_frozen_garbage):
            self._heap.unfreeze()
            self._has_frozen_garbage = False
        elif self._changed >= OVERDUE or (self._changed >= PORTION and quiet >= PORTION_QUIET):
            self._has_frozen_garbage = True  # objects alive now will be garbage that no portion searches again
        else:
            return
        self._changed = 0
        self._heap.collect()
        self._heap.freeze()
