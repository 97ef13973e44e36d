"""Users at real clients with short waits, which record all notices."""

import asyncio
from collections.abc import Callable
from heapq import merge
from itertools import groupby, islice

from scoville_client.session.changes import Connected, ConnectionDown, EventApplied
from scoville_client.session.link import ReconnectWaits
from scoville_client.session.session import Session
from scoville_client.session.table.table import AtTable
from scoville_runtime.clock import Clock, LoopAlarm
from scoville_shared.protocol.messages import NoncesRequested
from tests.support.client import Recorder

SCALE = 0.01
"""Real seconds for a second of a client's clock."""

TIMEOUT = 60.0
"""Real seconds after which what was waited for is not coming, however busy the machine is."""


async def scaled(seconds: float) -> None:
    """Wait as a client's clock does."""
    await asyncio.sleep(seconds * SCALE)


def short_clock(scale: float) -> Clock:
    """Return a client's clock whose seconds are so many real ones."""
    return Clock(
        sleep=lambda seconds: asyncio.sleep(seconds * scale),
        call_later=lambda seconds, call_back: LoopAlarm(seconds * scale, call_back),
        chance=lambda: 0.0,
    )


class RecordingSession(Session):
    """A user at a real client, with waits for what the session shows."""

    def __init__(self) -> None:
        super().__init__(clock=Clock(sleep=scaled, chance=lambda: 0.0))
        self.recorder = Recorder(self)
        self._changed = asyncio.Event()
        self.subscribe(lambda _: self._changed.set())

    async def until(self, met: Callable[[], bool]) -> None:
        """Wait until the session is as wished; a change is what wakes it."""
        async with asyncio.timeout(TIMEOUT):
            while not met():
                self._changed.clear()
                await self._changed.wait()

    @property
    def at(self) -> AtTable:
        """The table, where there must be one."""
        assert self.table is not None
        return self.table

    @property
    def seqs(self) -> list[int]:
        """The numbers of the events that were received, in the order of the log.

        The log has no sentence for a request for nonces: this counts where it was received.
        """
        logged = (seq for seq, _ in groupby(line.seq for line in self.at.log))
        silent = (seen.event.seq for seen in self.at.deal.events if isinstance(seen.event, NoncesRequested))
        return [*merge(logged, silent)]

    @property
    def happened(self) -> list[int]:
        """Numbers of the events received live."""
        return [change.event.seq for change in self.recorder.of(EventApplied)]

    @property
    def returns(self) -> int:
        """Number of reconnects."""
        return self.recorder.of(Connected).count(Connected(again=True))

    @property
    def seconds_away(self) -> float:
        """Longest time without a connection, at least, in seconds of the client's clock."""
        tries = max((down.tries for down in self.recorder.of(ConnectionDown)), default=1)
        return sum(islice(ReconnectWaits(lambda: 0.0), tries - 1))
