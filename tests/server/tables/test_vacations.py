"""Vacations: clocks by correspondence rest for some days of a year, at all tables, also after a kill."""

import pytest

from scoville_runtime.clock import Clock
from scoville_server.tables.actions.vacation import BeginVacation, EndVacation
from scoville_server.tables.model.vacation import (
    DAYS_A_YEAR,
    Vacations,
    begin_vacation,
    count_days_left,
    end_vacation,
    find_end,
)
from scoville_server.tables.watching.project import list_time_left
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    DAY_MS,
    BanRequest,
    BecomeAdminRequest,
    BeginVacationRequest,
    ClaimNameRequest,
    ClockParams,
    CreateRequest,
    EndVacationRequest,
    JoinRequest,
    ListTablesRequest,
    ShowVacationRequest,
    StartRequest,
    TableClock,
    VacationBegun,
    VacationEnded,
    VacationReply,
)
from tests.server.conftest import Start
from tests.support.core import connect_user
from tests.support.server import Caller, core_of, until
from tests.support.tables import NOON, carry_out, records_of, start_table, user_of

HOUR_MS = 3_600_000
TWO_DAYS = TableClock(move_ms=2 * DAY_MS, absence_ms=None)


def test_a_vacation_takes_its_days_from_a_year() -> None:
    first = begin_vacation(Vacations(), 14, NOON)
    assert (first.until_ms, count_days_left(first, NOON)) == (NOON + 14 * DAY_MS, DAYS_A_YEAR - 14)
    second = begin_vacation(first, 14, NOON + 20 * DAY_MS)
    assert count_days_left(second, NOON + 40 * DAY_MS) == 0
    assert count_days_left(second, NOON + 364 * DAY_MS) == 0, "no new year brings new days"
    assert count_days_left(second, NOON + 365 * DAY_MS) == 14


def test_a_day_that_has_begun_counts_whole() -> None:
    vacations = begin_vacation(Vacations(), 7, NOON)
    assert count_days_left(end_vacation(vacations, NOON), NOON) == DAYS_A_YEAR - 1
    ended = end_vacation(vacations, NOON + DAY_MS + 1)
    assert (ended.until_ms, count_days_left(ended, NOON + 2 * DAY_MS)) == (NOON + DAY_MS + 1, DAYS_A_YEAR - 2)
    assert end_vacation(ended, NOON + 3 * DAY_MS) == ended, "it has ended already"


def test_the_clock_of_who_is_away_rests() -> None:
    table = start_table("Anna", "Ben", clock=TWO_DAYS)
    vacation = BeginVacation(user=user_of("Anna"), until_ms=NOON + 5 * DAY_MS)
    table = carry_out(table, vacation, seconds=3_600)
    assert table.recorded_events[-1].event == VacationBegun(seq=table.seq, seat=0, until_ms=NOON + 5 * DAY_MS)
    later = NOON + 3 * DAY_MS // 2
    assert list_time_left(table, later) == [
        5 * DAY_MS + 2 * DAY_MS - HOUR_MS - 3 * DAY_MS // 2,
        DAY_MS // 2,
    ]
    assert records_of(table, vacation) == (), "it is known already"
    table = carry_out(table, EndVacation(user=user_of("Anna")), seconds=(later - NOON) / 1000)
    assert table.recorded_events[-1].event == VacationEnded(seq=table.seq, seat=0)
    assert list_time_left(table, later + HOUR_MS) == [2 * DAY_MS - 2 * HOUR_MS, DAY_MS // 2 - HOUR_MS]


def test_only_games_by_correspondence_rest() -> None:
    table = start_table("Anna", "Ben", clock=TableClock(move_ms=60_000))
    assert records_of(table, BeginVacation(user=user_of("Anna"), until_ms=NOON + DAY_MS)) == ()


def test_no_clock_rests_for_longer_than_a_vacation() -> None:
    wrong = BeginVacation(user=user_of("Anna"), until_ms=NOON + 372 * DAY_MS)
    table = carry_out(start_table("Anna", "Ben", clock=TWO_DAYS), wrong)
    until_ms = table.resting[user_of("Anna")]
    assert until_ms <= table.latest_ms + 14 * DAY_MS + HOUR_MS
    assert records_of(table, wrong, NOON + 13 * DAY_MS) == (), "it does not begin anew"


def test_a_vacation_of_a_wrong_clock_does_not_hold() -> None:
    """The clock was a year ahead for a time: neither the vacation nor its days are of today."""
    vacations = begin_vacation(begin_vacation(Vacations(), 1, NOON), 7, NOON + 365 * DAY_MS)
    assert find_end(vacations, NOON + 366 * DAY_MS) == NOON + 372 * DAY_MS
    assert find_end(vacations, NOON + 2 * DAY_MS) is None
    assert count_days_left(vacations, NOON + 2 * DAY_MS) == DAYS_A_YEAR, "the first one was a year old then"
    again = begin_vacation(vacations, 3, NOON + 2 * DAY_MS)
    assert find_end(again, NOON + 2 * DAY_MS) == NOON + 5 * DAY_MS
    assert find_end(again, NOON + 2 * DAY_MS - HOUR_MS // 2) == NOON + 5 * DAY_MS, "clocks differ a little"


async def test_a_game_that_starts_during_a_vacation_rests(start: Start) -> None:
    server = await start()
    anna = await connect_user(server, "Anna")
    await anna.call(ClaimNameRequest(password="correct horse battery"))
    await anna.call(BeginVacationRequest(days=3))
    request = CreateRequest(game="high_card", seat_count=2, clock=ClockParams(move_ms=2 * DAY_MS))
    table = (await anna.call(request)).info.table
    await anna.call(JoinRequest(table=table))
    actor = core_of(server).tables.find_table(table)
    assert not actor.table.resting, "no clock runs yet"
    await anna.call(StartRequest(table=table))
    await until(lambda: bool(actor.table.resting))
    assert await left_days(anna) == [5]


async def correspondence(anna: Caller) -> str:
    """Open a game by correspondence in which Anna plays against a bot."""
    request = CreateRequest(game="high_card", seat_count=2, clock=ClockParams(move_ms=2 * DAY_MS))
    table: str = (await anna.call(request)).info.table
    await anna.call(JoinRequest(table=table))
    await anna.call(StartRequest(table=table))
    return table


async def left_days(anna: Caller) -> list[float]:
    return [round((table.turn_left_ms or 0) / DAY_MS, 2) for table in (await anna.call(ListTablesRequest())).tables]


async def test_a_vacation_holds_at_all_tables_and_at_later_ones(start: Start) -> None:
    server = await start()
    anna = await connect_user(server, "Anna")
    with pytest.raises(ScovilleError, match="claimed name"):
        await anna.call(BeginVacationRequest(days=3))
    await anna.call(ClaimNameRequest(password="correct horse battery"))
    await correspondence(anna)
    reply = await anna.call(BeginVacationRequest(days=3))
    assert reply.days_left == DAYS_A_YEAR - 3
    assert await anna.call(ShowVacationRequest()) == reply
    with pytest.raises(ScovilleError, match="already"):
        await anna.call(BeginVacationRequest(days=1))
    later = core_of(server).tables.find_table(await correspondence(anna))
    await until(lambda: bool(later.table.resting))
    assert await left_days(anna) == [5, 5]
    ended = await anna.call(EndVacationRequest())
    assert ended == VacationReply(until_ms=None, days_left=DAYS_A_YEAR - 1)
    await until(lambda: max(later.table.resting.values()) <= later.now())
    assert await left_days(anna) == [2, 2]
    await anna.call(BeginVacationRequest(days=14))
    await anna.call(EndVacationRequest())
    await anna.call(BeginVacationRequest(days=14))
    await anna.call(EndVacationRequest())
    assert (await anna.call(ShowVacationRequest())).days_left == DAYS_A_YEAR - 3


async def test_a_kill_between_the_two_writes_loses_no_vacation(start: Start) -> None:
    server = await start()
    anna = await connect_user(server, "Anna")
    await anna.call(ClaimNameRequest(password="correct horse battery"))
    table = await correspondence(anna)
    user = core_of(server).tables.find_table(table).table.seats[0].user
    assert user is not None
    await core_of(server).vacations._book.put_row(user, begin_vacation(Vacations(), 7, Clock().date_ms()))
    again = await start(server)
    actor = core_of(again).tables.find_table(table)
    await until(lambda: bool(actor.table.resting))
    events = [each.event for each in actor.table.recorded_events if isinstance(each.event, VacationBegun)]
    assert len(events) == 1
    third = await start(again)
    restored = core_of(third).tables.find_table(table).table
    assert [each.event for each in restored.recorded_events if isinstance(each.event, VacationBegun)] == events


async def test_a_ban_ends_a_vacation_that_others_would_wait_for(start: Start) -> None:
    server = await start(admins=("Carla",))
    anna, carla = [await connect_user(server, name) for name in ("Anna", "Carla")]
    for user in (anna, carla):
        await user.call(ClaimNameRequest(password="correct horse battery"))
    await carla.call(BecomeAdminRequest(code=server.admin_codes["Carla"]))
    table = core_of(server).tables.find_table(await correspondence(anna))
    await anna.call(BeginVacationRequest(days=14))
    await until(lambda: bool(table.table.resting))
    await carla.call(BanRequest(target="Anna"))
    await until(lambda: max(table.table.resting.values()) <= table.now())
    again = await start(server)
    restored = core_of(again).tables.find_table(table.table.id)
    assert max(restored.table.resting.values()) <= restored.now()
