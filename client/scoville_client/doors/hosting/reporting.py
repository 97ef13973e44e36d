"""Reporting of a door's figures to its server, which shows them beside its own: a door has no port for monitoring."""

import logging
from collections import Counter
from typing import Final

from scoville_client.doors.hosting.events import (
    DoorConnect,
    DoorCrash,
    DoorDisconnect,
    DoorFlood,
    DoorRefusal,
)
from scoville_client.doors.hosting.terminal import Channel
from scoville_client.doors.upstream import Upstream
from scoville_client.transport.base import DeafListener, LinkError
from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.events import Event
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import DoorCount, DoorCountKind, DoorTransport, ReportDoorRequest

REPORT_SECONDS: Final = 2.0
"""Seconds between two reports: what a host sees is as old, and each costs the server a request."""
_MOST_COUNTS: Final = 64
"""Counts in one report; the server takes no more."""
_LONGEST_LABEL: Final = 64
_LOG: Final = logging.getLogger("scoville.door")


class DoorFigures:
    """Counts events in a door process: a sink of its events, and of the bytes of its sessions."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[DoorCountKind, str]] = Counter()
        """By kind and label, since the last report was made."""
        self.sessions: Counter[str] = Counter()
        """Present sessions by mode."""

    def take_event(self, event: Event) -> None:
        if isinstance(event, DoorConnect):
            self.counts["connect", event.mode] += 1
            self.sessions[event.mode] += 1
        elif isinstance(event, DoorDisconnect):
            self.counts["disconnect", event.reason] += 1
            self.sessions[event.mode] -= 1
        elif isinstance(event, DoorRefusal):
            self.counts["refusal", event.code] += 1
        elif isinstance(event, DoorFlood):
            self.counts["flood", ""] += 1
        elif isinstance(event, DoorCrash):
            self.counts["crash", event.fault[:_LONGEST_LABEL]] += 1

    def close_sink(self) -> None:
        """Keep the counts: they may still be reported."""

    def count_read(self, size: int) -> None:
        """Count bytes that a user has sent."""
        self.counts["read", ""] += size

    def count_channel(self, channel: Channel) -> Channel:
        """Return a channel that counts the bytes written to it."""
        return _CountedChannel(channel, self)


class _CountedChannel:
    """Counts the bytes for one terminal."""

    def __init__(self, channel: Channel, figures: DoorFigures) -> None:
        self._channel, self._figures = channel, figures
        self.end, self.abort = channel.end, channel.abort

    def write(self, data: bytes) -> None:
        """Send bytes to the terminal."""
        self._figures.counts["sent", ""] += len(data)
        self._channel.write(data)


class DoorReporter:
    """Sends the figures of a door process to its server at intervals, over one connection of its own.

    Args:
        upstream: The server.
        transport: How users come to the door.
        figures: The figures to report.
        clock: The time of the reports.
    """

    def __init__(
        self, upstream: Upstream, transport: DoorTransport, figures: DoorFigures, clock: Clock = SYSTEM
    ) -> None:
        self._upstream = upstream
        self._transport = transport
        self._figures = figures
        self._clock = clock
        # A process has no name of its own, and its number comes again after a restart.
        self._process = f"{clock.chance():.16f}"[2:]
        self._number = 0
        self._unsent: list[DoorCount] | None = None
        """Counts that may have reached the server: they are sent again with the same number, and counted once."""
        self._refusal = ""

    async def report_forever(self) -> None:
        """Report until the task is cancelled; a server that is away is tried again."""
        wait = BackOff(1.0, 30.0, self._clock.chance, 0.5)
        while True:
            try:
                await self._report_over_one_connection(wait)
            # A server that is away; the back-off decides when it is asked again.
            except LinkError:
                pass
            except ScovilleError as error:
                self._note_refusal(error)
            await self._clock.sleep(wait.next_wait())

    async def _report_over_one_connection(self, wait: BackOff) -> None:
        link = self._upstream.make_link(self._clock)
        try:
            await link.open(DeafListener())
            while True:
                # At once as well: the server sees a door that has just opened.
                await link.call(self._make_report())
                self._unsent, self._refusal = None, ""
                # Only an answer shows that the server is back: it may accept connections and take no reports.
                wait.start_over()
                await self._clock.sleep(REPORT_SECONDS)
        finally:
            await link.close()

    def _make_report(self) -> ReportDoorRequest:
        if self._unsent is None:
            self._number += 1
            counts, self._figures.counts = self._figures.counts, Counter()
            for key in [*counts][_MOST_COUNTS:]:  # the next report has them
                self._figures.counts[key] = counts.pop(key)
            self._unsent = [DoorCount(kind=kind, label=label, count=n) for (kind, label), n in counts.items() if n]
        return ReportDoorRequest(
            credential=self._upstream.read_credential(),
            transport=self._transport,
            process=self._process,
            number=self._number,
            screen_sessions=self._figures.sessions["screens"],
            line_sessions=self._figures.sessions["lines"],
            counts=self._unsent,
        )

    def _note_refusal(self, error: ScovilleError) -> None:
        """Log once why a server takes no reports; users of the door learn it on their own connections."""
        if error.code not in (self._refusal, Code.SLOW_DOWN):
            self._refusal = error.code
            _LOG.warning("The server takes no figures of this door: %s", error.message)
