"""Start gate: sessions build their first screens one after the other; while users type, with rests in between."""

import asyncio
from collections.abc import Callable
from types import TracebackType

from scoville_client.doors.hosting.session_limits import REST_SECONDS, START_SECONDS, STARTING, TYPING_SECONDS
from scoville_runtime.clock import SYSTEM, Alarm, Clock


class StartGate:
    """Admits `places` sessions at a time, in the order in which they came.

    Args:
        places: Sessions at a time.
        clock: Clock of the rests.
        quiet_seconds: Returns how long nobody has typed; by default users always do.
    """

    def __init__(
        self, places: int = STARTING, clock: Clock = SYSTEM, quiet_seconds: Callable[[], float] = lambda: 0.0
    ) -> None:
        self._places = asyncio.Semaphore(places)
        self._clock = clock
        self._quiet_seconds = quiet_seconds

    async def wait_for_place(self) -> "StartPlace":
        await self._places.acquire()
        return StartPlace(self._places, self._clock, self._quiet_seconds)


class StartPlace:
    """A place at the start: released by `leave_place`, or automatically after START_SECONDS."""

    def __init__(self, places: asyncio.Semaphore, clock: Clock, quiet_seconds: Callable[[], float]) -> None:
        self._places: asyncio.Semaphore | None = places
        self._clock = clock
        self._quiet_seconds = quiet_seconds
        self._limit: Alarm = clock.call_later(START_SECONDS, self.leave_place)

    def __enter__(self) -> "StartPlace":
        """Leave at the end of the block at the latest."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the place."""
        self.leave_place()

    def leave_place(self) -> None:
        """Give the place to the next session; after a rest if a user's key could wait for it."""
        # Once, though the first picture, the end of the block and the limit all call it.
        places, self._places = self._places, None
        if places is not None:
            self._limit.cancel()
            if self._quiet_seconds() < TYPING_SECONDS:
                self._clock.call_later(REST_SECONDS, places.release)
            else:
                places.release()
