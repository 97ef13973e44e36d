"""Reset of the time that a stopped server remembers, after it ran with a wrong clock."""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import generations
from scoville_server.journal.sqlite import SqliteJournal
from scoville_server.settings.model import Settings
from scoville_server.trusted_time import RememberedTime


class ClockReset(NamedTuple):
    """The newest known time before and after, in milliseconds since 1970."""

    before_ms: int
    now_ms: int

    def __str__(self) -> str:
        return (
            f"The server now takes {_format_date(self.now_ms)} for the newest time, "
            f"and no longer {_format_date(self.before_ms)}. "
            "Its next start puts right tokens that would be valid for too long."
        )


async def reset_clock(data: Path, clock: Clock = SYSTEM) -> ClockReset:
    """Let a server that is not running trust the machine's clock. Raises JournalError, FolderTaken."""
    _check_is_server(data)
    journal = SqliteJournal(data, Settings().pending_writes, clock=clock)
    try:
        before = (await journal.open()).newest_ms
        now = clock.date_ms()
        await RememberedTime(journal).remember_time(now)
        return ClockReset(before, now)
    finally:
        await journal.close()


def _check_is_server(data: Path) -> None:
    if not data.is_dir() or generations.current_generation(data) is None:
        raise JournalError(f"There is no server in {data}; choose its folder with --data.")


def _format_date(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
