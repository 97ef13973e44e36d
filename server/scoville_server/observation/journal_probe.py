"""Probe of a journal that cannot save: writes a small row again and again, so that it is known when it can."""

from collections.abc import Callable, Coroutine
from typing import Any, Final

from scoville_runtime.clock import Alarm, Clock
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.figures import Measured

PROBE_SECONDS: Final = 2.0


class JournalProbe:
    """Probes while the journal is failing, since nobody may play then, and without a write nothing would show an end.

    Args:
        journal: The journal; one in memory is never probed.
        write: Writes a row that may be written at any time.
        background: Waits for the write.
        clock: The time between two probes.
    """

    def __init__(
        self,
        journal: object,
        write: Callable[[], Coroutine[Any, Any, None]],
        background: BackgroundTasks,
        clock: Clock,
    ) -> None:
        self._figures = journal.figures if isinstance(journal, Measured) else None
        self._write = write
        self._background = background
        self._clock = clock
        self._alarm: Alarm | None = None

    def start_probing(self) -> None:
        """Look every two seconds whether a probe is due."""
        if self._figures is not None:
            self._alarm = self._clock.call_later(PROBE_SECONDS, self._probe_journal)

    def stop_probing(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _probe_journal(self) -> None:
        # One at a time: on a disk that hangs they would pile up.
        figures = self._figures
        if figures is not None and figures.state == "failing" and not figures.waiting:
            self._background.write_soon(self._write())
        self.start_probing()
