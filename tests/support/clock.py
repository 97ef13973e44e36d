"""A manual clock for clients and servers: nothing waits for real time."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from scoville_runtime.clock import Clock
from tests.support.idle import eventually, wait_until_idle

START_MS = 1_760_000_000_000


class Alarm:
    """A scheduled callback."""

    def __init__(self, clock: "FakeClock", at: float, callback: Callable[[], object]) -> None:
        self.clock, self.at, self.callback = clock, at, callback

    def cancel(self) -> None:
        """Never call it."""
        if self in self.clock.alarms:
            self.clock.alarms.remove(self)


class FakeClock:
    """A clock at `time`, in seconds, with pending `alarms`; its wall time begins at `START_MS`.

    `clock` is for a client: random numbers are 0, and `cpu` is the processor time used. `server` is for a server, where
    work takes no processor time but the clock's own.
    """

    def __init__(self, time: float = 0.0) -> None:
        self.time = time
        self.cpu = 0.0
        self.alarms: list[Alarm] = []
        self.server = Clock(self._date_ms, lambda: self.time, self.call_later, sleep=self.sleep)
        self.clock = Clock(self._date_ms, lambda: self.time, self.call_later, lambda: 0.0, lambda: self.cpu, self.sleep)

    def _date_ms(self) -> int:
        return START_MS + int(self.time * 1000)

    def advance(self, seconds: float) -> None:
        """Advance the time and call due callbacks in order, also those that are scheduled meanwhile."""
        end = self.time + seconds
        while due := [alarm for alarm in self.alarms if alarm.at <= end]:
            alarm = min(due, key=lambda alarm: alarm.at)
            alarm.cancel()
            self.time = max(self.time, alarm.at)
            alarm.callback()
        self.time = end

    async def elapse(self, seconds: float) -> None:
        """Advance from alarm to alarm, running the event loop in between."""
        end = self.time + seconds
        while due := [alarm.at for alarm in self.alarms if alarm.at <= end]:
            self.advance(max(0.0, min(due) - self.time))
            await wait_until_idle()
        self.advance(end - self.time)
        await wait_until_idle()

    @asynccontextmanager
    async def passing_when_idle(self) -> AsyncIterator[Clock]:
        """Advance to the next alarm whenever nothing else is under way; yields the clock of a client."""

        async def pass_time() -> None:
            while True:
                await eventually(lambda: bool(self.alarms))
                self.advance(max(0.0, min(alarm.at for alarm in self.alarms) - self.time))

        passing = asyncio.ensure_future(pass_time())
        try:
            yield self.clock
        finally:
            passing.cancel()
            await asyncio.gather(passing, return_exceptions=True)

    def skip_empty_sleeps(self) -> Clock:
        """Return the clock of a server for which a sleep of no time is a turn of the loop, as for a port."""
        wait_for_time = self.sleep

        async def wait(seconds: float) -> None:
            await (wait_for_time(seconds) if seconds > 0 else asyncio.sleep(0))

        self.server.sleep = wait
        return self.server

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has moved on so far."""
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        alarm = self.call_later(seconds, lambda: woken.done() or woken.set_result(None))
        try:
            await woken
        finally:
            alarm.cancel()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Alarm:
        """Call a function after some seconds."""
        self.alarms.append(Alarm(self, self.time + seconds, callback))
        return self.alarms[-1]
