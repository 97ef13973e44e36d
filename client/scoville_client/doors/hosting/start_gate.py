"""Start gate: sessions build their first screens one after the other with rests, so that a crowd stalls no player."""

import asyncio
from types import TracebackType

from scoville_client.clock import REAL, Clock, Handle
from scoville_client.doors.hosting.limits import REST_SECONDS, START_SECONDS, STARTING


class StartGate:
    """Admits `places` sessions at a time, in the order in which they came."""

    def __init__(self, places: int = STARTING, clock: Clock = REAL) -> None:
        self._places = asyncio.Semaphore(places)
        self._clock = clock

    async def enter(self) -> "Place":
        """Wait for a place."""
        await self._places.acquire()
        return Place(self._places, self._clock)


class Place:
    """A place at the start: released by `leave`, or automatically after START_SECONDS."""

    def __init__(self, places: asyncio.Semaphore, clock: Clock) -> None:
        self._places: asyncio.Semaphore | None = places
        self._clock = clock
        self._limit: Handle = clock.call_later(START_SECONDS, self.leave)

    def __enter__(self) -> "Place":
        """Leave at the end of the block at the latest."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the place."""
        self.leave()

    def leave(self) -> None:
        """Give the place to the next session, after a rest."""
        places, self._places = self._places, None
        if places is not None:
            self._limit.cancel()
            self._clock.call_later(REST_SECONDS, places.release)
