"""Calendars of the browser door: files that calendar programs read, and addresses that lead nowhere."""

from datetime import UTC, datetime

import pytest

from scoville_client.doors.web.calendar import READS_A_MINUTE, CalendarReader, write_calendar
from scoville_client.transport.base import LinkError
from scoville_shared.protocol.messages import CalendarContent, ClubDate, Deadline, FixedDate, ReadCalendarRequest
from tests.support.client import ScriptedLink
from tests.support.clock import FakeClock

NOON = 1_780_000_000_000
DEADLINE = Deadline(
    table="08efa6d47f85", game="no_thanks", title="No Thanks!", names=["Anna", "Ben; König, der\\die", ""], nth=3,
    due_ms=NOON + 7_200_000,
)  # fmt: skip


def unfolded(text: str) -> list[str]:
    return text.replace("\r\n ", "").split("\r\n")


def test_a_deadline_is_an_event_with_its_own_number() -> None:
    lines = unfolded(write_calendar(CalendarContent(language="de", deadlines=[DEADLINE], rests_until_ms=NOON), NOON))
    assert lines[0] == "BEGIN:VCALENDAR"
    assert lines[-2:] == ["END:VCALENDAR", ""]
    assert "UID:08efa6d47f85-3@scoville" in lines
    assert "DTSTART:20260528T215640Z" in lines
    assert "DTEND:20260528T222640Z" in lines
    assert "SUMMARY:No Thanks!: dein Zug" in lines
    assert "DESCRIPTION:Mit Anna\\, Ben\\; König\\, der\\\\die" in lines
    assert "UID:vacation@scoville" in lines
    assert lines.count("BEGIN:VEVENT") == lines.count("END:VEVENT") == 2


def test_a_tournament_is_an_event_with_a_reminder() -> None:
    date = FixedDate(tournament="7f03a1c2", name="Friday, late", game="no_thanks", starts_ms=NOON)
    lines = unfolded(write_calendar(CalendarContent(language="en", deadlines=[], dates=[date]), NOON))
    assert "UID:tournament-7f03a1c2@scoville" in lines
    assert "DTSTART:20260528T202640Z" in lines
    assert "SUMMARY:Tournament Friday\\, late" in lines
    assert lines.count("BEGIN:VALARM") == lines.count("END:VALARM") == lines.count("TRIGGER:-PT10M") == 1


def test_weekly_date_keeps_its_hour_in_the_calendar() -> None:
    # On 2026-10-25 the clocks of Berlin go back: 20:00 is at 18:00 and then at 19:00 of UTC.
    starts_ms = round(datetime(2026, 10, 20, 18, tzinfo=UTC).timestamp() * 1000)
    date = ClubDate(
        date_id="5b21c07e", name="Tuesday", club="3f9a0c51", club_name="Peppers", starts_ms=starts_ms, weekly=True,
        zone="Europe/Berlin",
    )  # fmt: skip
    lines = unfolded(write_calendar(CalendarContent(language="en", deadlines=[], club_dates=[date]), NOON))
    starts = [line.removeprefix("DTSTART:") for line in lines if line.startswith("DTSTART:")]
    assert starts[:3] == ["20261020T180000Z", "20261027T190000Z", "20261103T190000Z"]
    assert len({line for line in lines if line.startswith("UID:")}) == len(starts) == 8


def test_no_line_is_longer_than_programs_take() -> None:
    long = [f"Ünïcödé {number}" for number in range(30)]
    content = CalendarContent(
        language="fr", deadlines=[Deadline(table="t", game="g", title="G", names=long, nth=0, due_ms=NOON)]
    )
    text = write_calendar(content, NOON)
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75
    assert "Ünïcödé 29" in text.replace("\r\n ", "")
    assert "\n" not in text.replace("\r\n", "")


async def test_one_network_reads_so_many_calendars_a_minute() -> None:
    clock = FakeClock()
    link = ScriptedLink()
    link.answers[ReadCalendarRequest] = CalendarContent(language="en", deadlines=[])

    class Server:
        def make_link(self, _: object) -> ScriptedLink:
            return link

        def read_credential(self) -> str:
            return "credential"

    reader = CalendarReader(Server(), clock.clock)  # type: ignore[arg-type]
    for _ in range(READS_A_MINUTE):
        assert "VCALENDAR" in await reader.read_file("k7f2", "192.0.2.7")
    with pytest.raises(LinkError, match="Too many"):
        await reader.read_file("k7f2", "192.0.2.7")
    assert "VCALENDAR" in await reader.read_file("k7f2", "192.0.2.8"), "others read on"
    assert {type(asked) for asked in link.asked} == {ReadCalendarRequest}
