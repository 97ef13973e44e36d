"""Wall time that is doubted when it jumps: a clock that is wrong for one run must not end anything for good."""

import logging

from msgspec import Struct

from scoville_runtime.clock import Clock
from scoville_server.journal.base import Books, JournalError
from scoville_server.journal.books import WrittenBook
from scoville_server.journal.contents import BOOK, KnownTime
from scoville_shared.errors import Code

_log = logging.getLogger(__name__)


class ClockLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bounds within which the system's clock is trusted."""

    behind_seconds: float = 3_600.0
    """How far the clock may be behind the newest time in the journal: a wrong time zone is more, and an ordinary
    correction is less."""
    ahead_seconds: float = 3 * 86_400.0
    """How far it may be ahead of that, or of the time that has passed since: three days without any event mean a server
    that was off, or a wrong clock."""
    settle_seconds: float = 86_400.0
    """How long a server must run before tokens expire, and before a doubtful date is trusted: a day, in which somebody
    notices a wrong clock or the network corrects it."""


class TrustedTime:
    """Milliseconds since 1970 that never go back in one run, nor jump far without being doubted for a day.

    While the system's clock is far from the newest known time, time continues from that one, and `warning` is a
    sentence for admins. `jumped` is set when a date far ahead has been believed in the end: what seems to have
    expired was perhaps dated by a clock that was wrong before, and gets its full time once more.
    """

    def __init__(self, clock: Clock, limits: ClockLimits | None = None) -> None:
        self.warning = ""
        self.jumped = False
        self.seconds = clock.seconds
        self._date_ms = clock.date_ms
        self._limits = limits or ClockLimits()
        self._started = clock.seconds()
        self._known_ms = 0
        self._known_at = self._started
        self._doubted_since = 0.0
        self._doubted_offset = 0.0
        self._doubted_from_ms = 0

    def compare_with(self, newest_ms: int) -> None:
        """Compare the clock with the newest stored time, 0 for an empty journal; sets a warning if they disagree."""
        self._known_ms, self._known_at = newest_ms, self.seconds()
        self.now_ms()

    def now_ms(self) -> int:
        """Return the time by which expiries are set and checked."""
        seconds, date = self.seconds(), self._date_ms()
        counted = self._known_ms + int((seconds - self._known_at) * 1000)
        off = (date - counted) / 1000 if self._known_ms else 0.0
        if -self._limits.behind_seconds <= off <= self._limits.ahead_seconds:
            # Not back by a small correction: two times of one run stay in their order.
            return self._trust_date(date if self.warning else max(date, counted), seconds)
        if not self.warning or abs(off - self._doubted_offset) > self._limits.behind_seconds:
            self._doubted_from_ms = counted
            self._doubt_date(off, seconds)
        if seconds - self._doubted_since < self._limits.settle_seconds:
            return counted
        self.jumped = self.jumped or off > 0
        return self._trust_date(date, seconds)

    def may_expire(self) -> bool:
        """Whether anything expired may be dropped for good."""
        self.now_ms()
        settled = self.seconds() - self._started >= self._limits.settle_seconds
        return settled and not self.warning and not self.jumped

    def doubts_since(self, since_ms: int) -> bool:
        """Whether the date is doubted now, and was not yet at `since_ms`."""
        self.now_ms()
        return bool(self.warning) and since_ms < self._doubted_from_ms

    def _trust_date(self, date: int, seconds: float) -> int:
        if self.warning:
            _log.warning("The clock of this machine is trusted again.")
        self._known_ms, self._known_at, self.warning = date, seconds, ""
        return date

    def _doubt_date(self, off: float, seconds: float) -> None:
        self._doubted_since, self._doubted_offset = seconds, off
        where, time = ("behind", -off) if off < 0 else ("ahead of", off)
        self.warning = (
            f"The clock of this machine is {_name_span(time)} {where} the newest time this server knows. Check it: "
            f"in {_name_span(self._limits.settle_seconds)} the server trusts it, and tokens and bans expire by it. If "
            "the clock is right and was wrong before, stop the server and run 'scoville-server reset-clock'."
        )
        _log.warning(self.warning)


class RememberedTime:
    """The newest trusted time in the journal: dates of events may come from a doubted clock, this one never does."""

    _KEY = "trusted"

    def __init__(self, journal: Books) -> None:
        self._journal = journal
        self._book = WrittenBook(BOOK, KnownTime, journal)

    async def remember_time(self, now_ms: int) -> None:
        """Remember a time that is trusted. Raises JournalError."""
        await self._book.write_rows({self._KEY: KnownTime(now_ms)})

    async def check_journal(self) -> bool:
        """Return whether the journal answers when the time is read back; while it hangs, so does this call."""
        try:
            await self._journal.get(BOOK, self._KEY)
        except JournalError as error:
            # A full or lost disk is an answer: starting again would change nothing. A queue that is full is none, since
            # the disk has not been asked.
            return error.code != Code.BUSY
        return True


def _name_span(seconds: float) -> str:
    """Name a span of time in words."""
    hours = round(seconds / 3600)
    if hours < 48:
        return f"{hours} hours" if hours != 1 else "an hour"
    return f"{round(hours / 24)} days"
