"""What happens in clubs by itself: reminders, seasons and games, exactly once over restarts and crashes."""

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_runtime.local_time import find_zone
from scoville_server.clubs.model.club import Club, Date, create_club
from scoville_server.clubs.model.dates import REMIND_MS, SHOWN_MS, WEEK_MS, advance_dates
from scoville_server.clubs.model.season import count_points, season_ends_ms
from scoville_server.journal.base import JournalError
from scoville_server.server import Server
from scoville_shared.errors import Code
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m
from tests.server.clubs.test_clubs import club_of
from tests.server.tournaments.host import CrashingJournal, Host, heard
from tests.support.core import code_of
from tests.support.idle import wait_until_idle
from tests.support.server import Caller, core_of

HOUR_MS = 3_600_000
SEASON_SECONDS = 15 * 86_400


@pytest.fixture
def host() -> Host:
    return Host()


async def serve(host: Host) -> Server:
    server = await host.start()
    core_of(server).club_agenda.start_serving()
    await wait_until_idle()
    return server


async def stop(server: Server) -> None:
    core_of(server).club_agenda.stop_serving()
    await server.close()


async def add_date(user: Caller, club: str, in_ms: int, *, weekly: bool = False) -> m.ClubDate:
    request = m.AddDateRequest(club=club, name="Friday night", starts_in_ms=in_ms, weekly=weekly)
    reply: m.ClubReply = await user.call(request)
    return reply.club_dates[-1]


def only_club(server: Server) -> Club:
    [(_, club)] = core_of(server).clubs.list_clubs()
    return club


async def test_members_are_reminded_ten_minutes_before_once_over_a_restart(host: Host) -> None:
    server = await serve(host)
    anna, ben = await host.connect(server, "Anna", "Ben")
    club = await club_of(anna, ben)
    assert await code_of(ben, m.AddDateRequest(club=club, name="x", starts_in_ms=0)) == Code.NOT_LEADER
    date = await add_date(anna, club, HOUR_MS)
    await host.pass_time((HOUR_MS - REMIND_MS) / 1000 - 5)
    assert heard(ben, m.ClubDueNotice) == []
    await host.pass_time(10)
    assert [notice.club_date for notice in heard(ben, m.ClubDueNotice)] == [date]
    await stop(server)
    server = await serve(host)
    (ben,) = await host.connect(server, "Ben")
    await host.pass_time(900)
    assert heard(ben, m.ClubDueNotice) == []
    assert core_of(server).clubs.list_dates(core_of(server).sessions.known_user("Ben").id) == [date]
    await host.pass_time(2 * SHOWN_MS / 1000)
    assert only_club(server).dates == {}
    await stop(server)


async def test_a_date_in_a_few_minutes_is_announced_at_once(host: Host) -> None:
    server = await serve(host)
    anna, ben = await host.connect(server, "Anna", "Ben")
    club = await club_of(anna, ben)
    await add_date(anna, club, 60_000)
    await host.pass_time(1)
    assert len(heard(ben, m.ClubDueNotice)) == 1
    await stop(server)


async def test_weekly_date_reminds_every_week(host: Host) -> None:
    server = await serve(host)
    anna, ben = await host.connect(server, "Anna", "Ben")
    club = await club_of(anna, ben)
    date = await add_date(anna, club, HOUR_MS, weekly=True)
    await host.pass_time((HOUR_MS + SHOWN_MS) / 1000 + 1)
    [moved] = (await ben.call(m.ShowClubRequest(club=club))).club_dates
    assert moved.starts_ms == date.starts_ms + WEEK_MS
    await host.pass_time(WEEK_MS / 1000)
    assert len(heard(ben, m.ClubDueNotice)) == 2
    await stop(server)


@pytest.mark.parametrize(
    ("first", "zone", "weeks", "hours"),
    [
        # Clocks go back on 2026-10-25 in Berlin, and forward on 2027-03-28, when there is no 2:30.
        ("2026-10-20T20:00", "Europe/Berlin", 1, 7 * 24 + 1),
        ("2026-10-20T20:00", "UTC", 1, 7 * 24),
        ("2027-03-23T20:00", "Europe/Berlin", 1, 7 * 24 - 1),
        ("2027-03-21T02:30", "Europe/Berlin", 1, 7 * 24),
        ("2027-03-21T02:30", "Europe/Berlin", 2, 14 * 24 - 1),
        ("2026-10-20T20:00", "Nowhere/Land", 1, 7 * 24),
    ],
)
def test_weekly_date_keeps_its_hour_over_clock_changes(first: str, zone: str, weeks: int, hours: int) -> None:
    known = find_zone(zone) or UTC
    starts_ms = round(datetime.fromisoformat(first).replace(tzinfo=known).timestamp() * 1000)
    date = Date(name="Tuesday", starts_ms=starts_ms, weekly=True, zone=zone, first_ms=starts_ms)
    club = replace(create_club("Peppers", UserId("a"), 0), dates={"1": date})
    for week in range(weeks):
        club, _ = advance_dates(club, starts_ms + week * WEEK_MS + SHOWN_MS + 2 * HOUR_MS)
    assert club.dates["1"].starts_ms == starts_ms + hours * HOUR_MS
    late = starts_ms + (weeks - 1) * WEEK_MS + SHOWN_MS + 2 * HOUR_MS
    caught_up, _ = advance_dates(replace(club, dates={"1": date}), late)
    assert caught_up.dates["1"].starts_ms == club.dates["1"].starts_ms, "a server that was off moves it at once"


async def test_date_keeps_its_time_zone(host: Host) -> None:
    server = await serve(host)
    (anna,) = await host.connect(server, "Anna")
    club = await club_of(anna)
    zones = ["Europe/Berlin", "Nowhere/Land", "../etc/passwd", ""]
    for zone in zones:
        request = m.AddDateRequest(club=club, name="Tuesday", starts_in_ms=HOUR_MS, weekly=True, zone=zone)
        dates = (await anna.call(request)).club_dates
    assert [date.zone for date in dates] == ["Europe/Berlin", "UTC", "UTC", "UTC"]
    await stop(server)


async def test_date_missed_by_the_server_reminds_nobody(host: Host) -> None:
    server = await serve(host)
    anna, ben = await host.connect(server, "Anna", "Ben")
    await add_date(anna, await club_of(anna, ben), HOUR_MS)
    await stop(server)
    await host.pass_time(6 * HOUR_MS / 1000)
    server = await host.start()
    (ben,) = await host.connect(server, "Ben")
    core_of(server).club_agenda.start_serving()
    await host.pass_time(1)
    assert heard(ben, m.ClubDueNotice) == []
    assert only_club(server).dates == {}
    await stop(server)


async def test_only_leaders_remove_dates_and_a_club_has_ten(host: Host) -> None:
    server = await serve(host)
    anna, ben = await host.connect(server, "Anna", "Ben")
    club = await club_of(anna, ben)
    dates = [await add_date(anna, club, HOUR_MS * n) for n in range(1, 11)]
    over = m.AddDateRequest(club=club, name="x", starts_in_ms=0)
    assert await code_of(anna, over) == Code.CLUB_FULL
    remove = m.RemoveDateRequest(club=club, date_id=dates[0].date_id)
    assert await code_of(ben, remove) == Code.NOT_LEADER
    left = (await anna.call(remove)).club_dates
    assert left == dates[1:]
    await anna.call(m.CloseClubRequest(club=club))
    assert await code_of(anna, over) == Code.CLUB_CLOSED
    await stop(server)


async def play_game(anna: Caller, ben: Caller, *, private: bool = True) -> str:
    """Play a game of two, by its clock; returns its table."""
    settings = m.TableSettingsParams(private=private)
    table: str = (await anna.call(m.CreateRequest(game="high_card", seat_count=2, settings=settings))).info.table
    await anna.call(m.JoinRequest(table=table))
    if private:
        await anna.call(m.InviteRequest(table=table, name="Ben"))
    await ben.call(m.JoinRequest(table=table))
    await anna.call(m.StartRequest(table=table))
    for _ in range(40):
        for user in (anna, ben):
            moves = (await user.call(m.MovesRequest(table=table))).moves
            if moves:
                await user.call(m.PlayRequest(table=table, move=moves[0]))
    await wait_until_idle()
    return table


async def test_game_counts_once_for_a_club_over_restarts(host: Host) -> None:
    server = await serve(host)
    anna, ben = await host.connect(server, "Anna", "Ben")
    club = await club_of(anna, ben)
    table = await play_game(anna, ben)
    assert core_of(server).tables.find_table(table).table.status == "finished"
    assert [*only_club(server).counted] == [table]
    assert sum(count_points(each) for each in only_club(server).members.values()) == 2
    before = only_club(server)
    await stop(server)
    server = await serve(host)
    assert only_club(server) == before
    (anna,) = await host.connect(server, "Anna")
    board = await anna.call(m.ShowClubBoardRequest(club=club))
    standings = board.club_season.club_standings
    assert {(each.name, each.game_count) for each in standings} == {("Anna", 1), ("Ben", 1)}
    assert sorted(each.forecast for each in standings) == [0, 1]
    await stop(server)


async def test_a_season_ends_once_and_tells_each_member(host: Host) -> None:
    server = await serve(host)
    anna, ben = await host.connect(server, "Anna", "Ben")
    await club_of(anna, ben)
    await play_game(anna, ben)
    await host.pass_time(SEASON_SECONDS)
    ends = [notice for user in (anna, ben) for notice in heard(user, m.ClubSeasonNotice)]
    assert sorted((each.division, each.rose) for each in ends) == [(2, 1), (3, 0)]
    await host.pass_time(SEASON_SECONDS)
    assert len([notice for user in (anna, ben) for notice in heard(user, m.ClubSeasonNotice)]) == 2
    await stop(server)


async def test_refused_end_of_a_season_is_repeated_once(host: Host) -> None:
    server = await serve(host)
    anna, ben = await host.connect(server, "Anna", "Ben")
    await club_of(anna, ben)
    await play_game(anna, ben)
    book: Any = core_of(server).clubs._book
    write = book.replace_rows

    async def refuse(_: object) -> None:
        raise JournalError("The disk is full.")

    left = season_ends_ms(only_club(server).season) - host.clock._date_ms()
    await host.pass_time(left / 1000 - 60)
    book.replace_rows = refuse
    await host.pass_time(600)
    assert heard(anna, m.ClubSeasonNotice) == []
    book.replace_rows = write
    await host.pass_time(1_000)
    assert len(heard(anna, m.ClubSeasonNotice)) == 1
    assert sorted(each.division for each in only_club(server).members.values()) == [2, 3]
    await stop(server)


@pytest.mark.parametrize("writes", range(4))
async def test_a_crash_at_any_write_loses_and_doubles_nothing(host: Host, writes: int) -> None:
    journal = CrashingJournal()
    host.journal = journal
    server = await serve(host)
    anna, ben = await host.connect(server, "Anna", "Ben")
    await club_of(anna, ben)
    await play_game(anna, ben)
    number = (await anna.call(m.ListClubsRequest())).clubs[0].club
    ends_in = season_ends_ms(only_club(server).season) - host.clock._date_ms()
    # The reminder of a date, its end, and the end of the season within a quarter of an hour.
    await add_date(anna, number, ends_in + 300_000)
    await add_date(anna, number, ends_in - SHOWN_MS + 300_000, weekly=True)
    await host.pass_time(ends_in / 1000 - 600)
    journal.left = writes
    await host.pass_time(1_200)
    core_of(server).club_agenda.stop_serving()
    await server.close()
    journal.left = 10_000
    server = await serve(host)
    await host.pass_time(1)
    club = only_club(server)
    assert sorted(each.division for each in club.members.values()) == [2, 3], "one end of a season"
    assert season_ends_ms(club.season) > host.clock._date_ms()
    assert len(club.dates) == 2
    assert all(date.starts_ms + SHOWN_MS > host.clock._date_ms() for date in club.dates.values())
    reminded = [notice.club_date.starts_ms for notice in heard(anna, m.ClubDueNotice)]
    assert len(reminded) == len({*reminded}), "nobody is reminded twice of one evening"
    await stop(server)


async def test_leaving_member_takes_their_points_away(host: Host) -> None:
    server = await serve(host)
    anna, ben = await host.connect(server, "Anna", "Ben")
    club = await club_of(anna, ben)
    await play_game(anna, ben)
    await ben.call(m.LeaveClubRequest(club=club))
    await host.pass_time(SEASON_SECONDS)
    assert heard(ben, m.ClubSeasonNotice) == []
    await stop(server)
