"""The user's next dates: in order, as briefly as they are clear, and by typing."""

from datetime import datetime, timedelta

import pytest

from scoville_client.i18n.dates_text import KnownDates, NextDate, sort_dates
from scoville_client.session.new_table.option_input import MOST_DAYS, read_time_until
from scoville_shared.protocol.messages import (
    DAY_MS,
    LONGEST_NOTICE_MS,
    ClubDate,
    DailyDeal,
    SeatInfo,
    TableClock,
    TableInfo,
    TournamentInfo,
)
from tests.client.session.test_clubs import club_house

NOON = datetime(2026, 12, 1, 12)
TABLE = TableInfo(
    table="7",
    game="no_thanks",
    rules_version=1,
    options={},
    seats=[SeatInfo(name="Paul", kind="human"), SeatInfo(name="Marie", kind="human"), SeatInfo(name="Zoe")],
    host=0,
    status="playing",
    commitment="00" * 32,
    your_seat=0,
)


def at(**later: float) -> int:
    return int((NOON + timedelta(**later)).timestamp() * 1000)


@pytest.mark.parametrize(
    ("due", "when", "limit"),
    [
        (at(hours=-1), "now", "now"),
        (at(minutes=30), "12:30", "by 12:30"),
        (at(days=1), "tomorrow 12:00", "by tomorrow 12:00"),
        (at(days=4), "Saturday 12:00", "by Saturday 12:00"),
        (at(days=7), "2026-12-08 12:00", "by 2026-12-08 12:00"),
    ],
)
def test_a_time_is_as_brief_as_it_is_clear(due: int, when: str, limit: str) -> None:
    assert NextDate(due, "club", "1", "Cup").when_text(at()) == when
    assert NextDate(due, "turn", "1", "your move", is_limit=True).when_text(at()) == limit


def test_the_nearest_date_is_first() -> None:
    known = KnownDates(
        [(TABLE, at(hours=20))],
        [tournament("announced", at(hours=3)), tournament("running", at(hours=-1))],
        [club_date(at(hours=6)), club_date(at(hours=-2))],
        daily_deal("open"),
    )
    dates = sort_dates(known, [], at())
    assert [(date.kind, date.when_text(at()), date.what) for date in dates] == [
        ("tournament", "now", "Friday cup (no_thanks), round 2 of 4"),
        ("daily", "by 13:00", "daily deal: dicht_dran"),
        ("tournament", "15:00", "Friday cup (no_thanks)"),
        ("club", "18:00", "Chili night, club Hot Peppers"),
        ("turn", "by tomorrow 08:00", "your move: no_thanks (Marie, Zoe)"),
    ]


def test_a_daily_deal_that_is_over_is_no_date() -> None:
    assert sort_dates(KnownDates([], [], [], daily_deal("finished")), [], at()) == []


def tournament(stage: str, starts_ms: int) -> TournamentInfo:
    return TournamentInfo(
        id="3",
        name="Friday cup",
        format="swiss",
        game="no_thanks",
        options={},
        seat_count=3,
        level="sensible",
        clock=TableClock(),
        stage=stage,  # type: ignore[arg-type]
        director="Marie",
        starts_ms=starts_ms,
        round_count=4,
        round_number=2,
        entered=True,
    )


def club_date(starts_ms: int) -> ClubDate:
    return ClubDate(date_id="1", name="Chili night", club="5", club_name="Hot Peppers", starts_ms=starts_ms)


def daily_deal(state: str) -> DailyDeal:
    return DailyDeal(
        day=20_788,
        date="2026-12-01",
        deal="daily-2026-12-01-1",
        game="dicht_dran",
        options={},
        levels=[None, "easy"],
        your_seat=0,
        commitment="00" * 32,
        state=state,  # type: ignore[arg-type]
        closes_in_ms=3_600_000,
    )


def test_a_date_may_be_as_far_as_the_protocol_allows() -> None:
    assert MOST_DAYS * DAY_MS == LONGEST_NOTICE_MS
    now = NOON.timestamp() * 1000
    assert read_time_until("2027-01-30T12:00", int(now)) <= LONGEST_NOTICE_MS
    with pytest.raises(ValueError, match="more than 60 days"):
        read_time_until("2027-02-01T12:00", int(now))


async def test_dates_are_listed_with_what_to_type() -> None:
    async with club_house("Marie", "Paul") as (_, [marie, paul]):
        assert await paul.type("dates") == ["You have no dates."]
        await marie.type("club create Hot Peppers")
        await marie.type("club invite Paul")
        await paul.type("club accept")
        club = marie.session.clubs.own_clubs[0]
        await marie.session.clubs.add_date(club.club, "Chili night", 2 * 3_600_000)
        await marie.type("tournament call swiss no_thanks 3 in=60 rounds=2 name=Cup")
        await paul.type("tournament enter")
        first, second = await paul.type("dates")
        assert first.startswith("1. ")
        assert "(No Thanks!)" in first
        assert first.endswith("Type /tournament show 1")
        assert "Chili night, club Hot Peppers" in second
        assert second.endswith("Type /club Hot Peppers")
