"""Calendars as iCalendar files (RFC 5545): deadlines of a user's moves and their tournaments, for calendar programs.

Our own writer: what is needed of the format are escapes and folded lines, and nothing is read.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple

from scoville_client.doors.upstream import Upstream
from scoville_client.doors.web.site.html_pages import use_language
from scoville_client.i18n.language import tr
from scoville_client.transport.base import DeafListener, LinkError
from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.local_time import add_local_days
from scoville_runtime.token_bucket import BucketsByKey
from scoville_shared.protocol.messages import (
    CalendarContent,
    ClubDate,
    Deadline,
    FixedDate,
    ReadCalendarRequest,
)

MOST_AT_ONCE: Final = 4
"""Calendars that are read from the server at a time; programs try again."""
READS_A_MINUTE: Final = 60
"""Calendars that one network reads a minute: those of a school, or of a company that fetches them for its users."""
_LINE_BYTES: Final = 75
_EVENT_MS: Final = 1_800_000
"""An event is the last half hour before a deadline: programs show none that has no length."""
_WEEKS: Final = 8
"""Weeks for which a weekly date of a club is listed: programs fetch the calendar again long before."""
_ESCAPES: Final = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n", "\r": None})


class CalendarReader:
    """Reads calendars from the server of a door, each over a connection of its own."""

    def __init__(self, upstream: Upstream, clock: Clock = SYSTEM) -> None:
        self._upstream = upstream
        self._clock = clock
        self._reading = 0
        self._reads = BucketsByKey(READS_A_MINUTE, READS_A_MINUTE / 60)

    async def read_file(self, secret: str, network: str) -> str:
        """Return the calendar with a secret as a file, for a program in a network.

        Raises ScovilleError for a refusal, LinkError without an answer, or when too many are being read.
        """
        now = self._clock.seconds()
        if self._reading >= MOST_AT_ONCE or not self._reads.find_bucket(network, now).take_if_enough(1, now):
            raise LinkError("Too many calendars are being read; try again in a moment.")
        self._reading += 1
        link = self._upstream.make_link(self._clock)
        try:
            await link.open(DeafListener())
            request = ReadCalendarRequest(credential=self._upstream.read_credential(), secret=secret)
            reply = await link.call(request)
        finally:
            self._reading -= 1
            await link.close()
        assert isinstance(reply, CalendarContent), "the reply has the type of its method"
        return write_calendar(reply, self._clock.date_ms())


def write_calendar(content: CalendarContent, now_ms: int) -> str:
    """Write a calendar as an iCalendar file, in the language of its user."""
    use_language(content.language)
    return "".join(f"{part}\r\n" for line in _write_lines(content, now_ms) for part in _fold_line(line))


def _write_lines(content: CalendarContent, now_ms: int) -> Iterator[str]:
    yield from ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Scoville//Correspondence//EN", "X-WR-CALNAME:Scoville")
    # RFC 7986. Each move sets another deadline, for which once a day would be too seldom.
    yield "REFRESH-INTERVAL;VALUE=DURATION:PT1H"
    entries = (
        *map(_describe_deadline, content.deadlines),
        *map(_describe_date, content.dates),
        *(entry for date in content.club_dates for entry in _list_club_dates(date)),
    )
    for entry in entries:
        yield from _write_entry(entry, now_ms)
    if content.rests_until_ms is not None:
        until_ms, summary = content.rests_until_ms, tr("Your vacation from Scoville ends")
        yield from _write_entry(_Entry("vacation", until_ms - _EVENT_MS, until_ms, summary), now_ms)
    yield "END:VCALENDAR"


class _Entry(NamedTuple):
    """An entry of a calendar: the name by which programs recognize it, its time, and what it is about.

    It has a `description`, or reminds of itself ten minutes before, as the server itself does for who is connected then
    (`reminds`).
    """

    name: str
    starts_ms: int
    ends_ms: int
    summary: str
    description: str = ""
    reminds: bool = False


def _describe_deadline(deadline: Deadline) -> _Entry:
    # Another move has another deadline: programs show it as another event.
    name = f"{_escape_text(deadline.table)}-{deadline.nth}"
    summary = tr("{game}: your move", game=deadline.title)
    description = tr("With {names}", names=[name for name in deadline.names if name])
    return _Entry(name, deadline.due_ms - _EVENT_MS, deadline.due_ms, summary, description)


def _describe_date(date: FixedDate) -> _Entry:
    name, summary = f"tournament-{_escape_text(date.tournament)}", tr("Tournament {name}", name=date.name)
    if date.club_name is not None:
        summary = tr("Tournament {name}, club {club}", name=date.name, club=date.club_name)
    return _Entry(name, date.starts_ms, date.starts_ms + 2 * _EVENT_MS, summary, reminds=True)


def _list_club_dates(date: ClubDate) -> Iterator[_Entry]:
    """List a date of a club, or the next weeks of a weekly one: a rule would follow UTC, not the clocks of its zone."""
    for week in range(_WEEKS if date.weekly else 1):
        starts_ms = add_local_days(date.starts_ms, 7 * week, date.zone)
        name = f"club-{_escape_text(date.club)}-{_escape_text(date.date_id)}"
        if date.weekly:
            # By its day: programs recognize it when the date has moved on by a week.
            name += f"-{_write_time(starts_ms)[:8]}"
        summary = tr("{name}, club {club}", name=date.name, club=date.club_name)
        yield _Entry(name, starts_ms, starts_ms + 4 * _EVENT_MS, summary, reminds=True)


def _write_entry(entry: _Entry, now_ms: int) -> Iterator[str]:
    yield from ("BEGIN:VEVENT", f"UID:{entry.name}@scoville", f"DTSTAMP:{_write_time(now_ms)}")
    yield from (f"DTSTART:{_write_time(entry.starts_ms)}", f"DTEND:{_write_time(entry.ends_ms)}")
    summary = _escape_text(entry.summary)
    yield f"SUMMARY:{summary}"
    if entry.description:
        yield f"DESCRIPTION:{_escape_text(entry.description)}"
    if entry.reminds:
        yield from ("BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT10M", f"DESCRIPTION:{summary}", "END:VALARM")
    yield "END:VEVENT"


def _write_time(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms // 1000, UTC).strftime("%Y%m%dT%H%M%SZ")


def _escape_text(text: str) -> str:
    return text.translate(_ESCAPES)


def _fold_line(line: str) -> Iterator[str]:
    """Cut a line into parts of at most 75 bytes, between characters; each after the first begins with a space."""
    part = ""
    for sign in line:
        # Bytes, not characters (RFC 5545, 3.1); a cut within a character would be read as two broken ones.
        if len(f"{part}{sign}".encode()) > _LINE_BYTES:
            yield part
            part = " "
        part += sign
    yield part
