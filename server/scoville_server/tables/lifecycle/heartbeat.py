"""Heartbeat: notes in the journal that the server is alive while any clock runs."""

from scoville_runtime.clock import Alarm, Clock
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import Heartbeat, Journal, JournalError
from scoville_server.tables.actor import SteadyTime
from scoville_server.tables.registry import TableRegistry

PULSE_SECONDS = 0.5
"""Seconds between two beats: the most thinking time that a kill gives back.

A beat costs one small write without sync.
"""


class Pulse:
    """Writes a heartbeat every half second; a journal that does not survive the process needs none.

    Its time is never ahead of any table's: a table that was opened after the system's clock was set back is that much
    behind the others.
    """

    def __init__(self, journal: Journal, registry: TableRegistry, background: BackgroundTasks, clock: Clock) -> None:
        self._journal = journal if isinstance(journal, Heartbeat) else None
        self._registry = registry
        self._background = background
        self._date_ms = clock.date_ms
        self._call_later = clock.call_later
        self._steady_ms = SteadyTime(clock).now_ms
        self._begun_ms = self._steady_ms()
        self._set_back_ms = 0
        self._alarm: Alarm | None = None
        self._writing = False

    def now_ms(self) -> int:
        """Return the milliseconds since 1970 that have passed at every table of this run."""
        steady = self._steady_ms()
        # A table that was opened after the clock was set back is behind the others, and must not be charged for that.
        self._set_back_ms = max(self._set_back_ms, steady - self._date_ms())
        # Some tables exclude time that a slow journal took; no thinking time passes any more where a game is over.
        tables = self._registry.tables.all_tables()
        counted = [each.now() for each in tables if each.table.clocks is not None and each.table.status != "finished"]
        return min([steady - self._set_back_ms, *counted])

    def start_beating(self) -> None:
        if self._journal is not None:
            self.beat_once()
            # Rings also while no clock runs, since nothing tells the heartbeat when one starts.
            self._alarm = self._call_later(PULSE_SECONDS, self.start_beating)

    def beat_once(self) -> None:
        """Write the time if a clock runs and the last write is done."""
        set_back_ms = self._set_back_ms
        now = self.now_ms()
        # What was written before the clock was set back is ahead of every table that is opened from now on.
        is_ahead = self._set_back_ms - set_back_ms > PULSE_SECONDS * 1000
        # One write at a time: on a slow disk beats would pile up in front of moves.
        if self._journal is not None and not self._writing and (is_ahead or self._any_clock_runs()):
            self._writing = True
            self._background.start_task(self._write_time(now))

    def cancel_beats(self) -> None:
        """Stop, and write nothing more."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    async def stop_beating(self) -> None:
        """Write the time once more and stop."""
        if self._alarm is not None:
            self.cancel_beats()
            await self._write_time(self.now_ms())

    def _any_clock_runs(self) -> bool:
        """Whether any clock runs at tables that have all recorded the start of this run.

        Before that, a heartbeat would charge players with the down time.
        """
        clocks = [clocks for actor in self._registry.tables.all_tables() if (clocks := actor.table.clocks) is not None]
        # A table that was opened after the clock was set back is behind the start of this run by that much.
        begun = all(clock.at_ms >= self._begun_ms - self._set_back_ms for clock in clocks)
        return begun and any(clock.running and not clock.paused for clock in clocks)

    async def _write_time(self, now_ms: int) -> None:
        try:
            if self._journal is not None:
                await self._journal.note_alive(now_ms)
        except JournalError:
            # The journal logs it itself.
            pass
        finally:
            self._writing = False
