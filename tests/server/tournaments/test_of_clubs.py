"""Tournaments of clubs: for members alone, directed by leaders, and what happens when members leave or it is closed."""

import json

import msgspec
import pytest

from scoville_server.tournaments.model.tournament import Tournament
from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.server.clubs.test_clubs import club_of
from tests.server.tournaments.host import PASSWORD, SETTLED, CrashingJournal, Host, heard, show
from tests.server.tournaments.test_tournaments import call_up, play_out, take_seats
from tests.support.core import code_of
from tests.support.idle import wait_until_idle
from tests.support.server import Caller, core_of


@pytest.fixture
def host() -> Host:
    return Host()


async def listed_for(caller: Caller) -> list[str]:
    return [each.id for each in (await caller.call(m.ListTournamentsRequest())).tournaments]


async def standings_of(caller: Caller, number: str) -> dict[str | None, str]:
    return {each.name: each.entry for each in (await show(caller, number)).standings}


async def enter_all(number: str, *callers: Caller) -> None:
    for caller in callers:
        await caller.call(m.EnterTournamentRequest(tournament=number))


async def test_leaders_call_it_and_members_alone_learn_of_it(host: Host) -> None:
    async with host.run() as server:
        anna, ben, eve = await host.connect(server, "Anna", "Ben", "Eve")
        club = await club_of(anna, ben)
        asked = {"name": "x", "format": "swiss", "game": "heap", "seat_count": 2, "starts_in_ms": 60_000, "club": club}
        assert await code_of(ben, m.CallTournamentRequest(**asked)) == Code.NOT_LEADER
        assert await code_of(eve, m.CallTournamentRequest(**asked)) == Code.UNKNOWN_CLUB
        number = await call_up(anna, club=club)
        assert (await listed_for(ben), await listed_for(eve)) == ([number], [])
        info = (await show(ben, number)).tournament_info
        assert (info.club, info.club_name, info.may_direct) == (club, "Peppers", False)
        for request in (
            m.ShowTournamentRequest(tournament=number),
            m.EnterTournamentRequest(tournament=number),
            m.WithdrawFromTournamentRequest(tournament=number),
            m.TakeSeatRequest(tournament=number),
            m.BeginTournamentRequest(tournament=number),
            m.CancelTournamentRequest(tournament=number),
            m.RemoveEntrantRequest(tournament=number, name="Anna"),
            m.ExportTournamentRequest(tournament=number),
        ):
            assert await code_of(eve, request) == Code.UNKNOWN_TOURNAMENT
        assert await code_of(ben, m.CancelTournamentRequest(tournament=number)) == Code.NOT_LEADER


async def test_moderators_cancel_what_is_reported_and_enter_nothing(host: Host) -> None:
    async with host.run() as server:
        anna, mia = await host.connect(server, "Anna", "Mia")
        number = await call_up(anna, club=await club_of(anna))
        core = core_of(server)
        await core.moderation_records.moderators.appoint_user(core.sessions.known_user("Mia"), "Mia")
        assert await listed_for(mia) == []
        assert await code_of(mia, m.EnterTournamentRequest(tournament=number)) == Code.NOT_ALLOWED
        cancelled = await mia.call(m.CancelTournamentRequest(tournament=number, reason="That name."))
        assert cancelled.tournament_info.stage == "cancelled"


async def test_the_club_is_called_once_and_reminded_once(host: Host) -> None:
    async with host.run() as server:
        anna, ben, carl, dora, eve = await host.connect(server, "Anna", "Ben", "Carl", "Dora", "Eve")
        club = await club_of(anna, ben, carl, dora)
        await carl.call(m.SetCallsRequest(club=club, calls=False))
        await dora.call(m.IgnoreRequest(name="Anna"))
        await eve.call(m.WatchLobbyRequest())
        await ben.call(m.WatchLobbyRequest())
        number = await call_up(anna, club=club)
        await host.pass_time(0.1)
        called = [len(heard(each, m.TournamentChangedNotice)) for each in (anna, ben, carl, dora, eve)]
        assert called == [0, 1, 0, 0, 0]
        (news,) = heard(ben, m.TournamentChangedNotice)
        assert (news.tournament_info.club_name, news.tournament_info.stage) == ("Peppers", "announced")
        await ben.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(3_600 - 590)
        assert [len(heard(each, m.TournamentDueNotice)) for each in (anna, ben, carl, eve)] == [1, 1, 1, 0]
        users = core_of(server).sessions
        dates = [core_of(server).tournaments.book.list_dates(users.known_user(name).id) for name in ("Carl", "Eve")]
        assert [[date.club_name for date in each] for each in dates] == [["Peppers"], []]


async def test_its_entrants_are_counted_for_members_alone(host: Host) -> None:
    async with host.run() as server:
        anna, ben, carl, eve = await host.connect(server, "Anna", "Ben", "Carl", "Eve")
        number = await call_up(anna, club=await club_of(anna, ben, carl))
        for reader in (carl, eve):
            await reader.call(m.WatchLobbyRequest())
        await ben.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(1)
        counts = [[each.entrant_counts for each in heard(reader, m.LobbyChangedNotice)] for reader in (carl, eve)]
        assert {number: 1} in counts[0]
        assert not any(counts[1])


async def test_its_tables_are_found_by_members_alone(host: Host) -> None:
    async with host.run() as server:
        anna, ben, carl, eve = await host.connect(server, "Anna", "Ben", "Carl", "Eve")
        number = await call_up(anna, club=await club_of(anna, ben, carl), round_count=1, starts_in_ms=0, seat_count=2)
        await enter_all(number, anna, ben)
        await host.pass_time(SETTLED)
        table = (await show(anna, number)).tournament_info.your_table
        assert table is not None
        assert await code_of(eve, m.WatchRequest(table=table)) == Code.UNKNOWN_TABLE
        assert await code_of(eve, m.JoinRequest(table=table)) == Code.UNKNOWN_TABLE
        seen = [[each.table for each in (await who.call(m.WatchLobbyRequest())).tables] for who in (carl, eve)]
        assert seen == [[table], []]
        assert (await carl.call(m.WatchRequest(table=table))).seat is None
        await take_seats(number, anna, ben)
        await host.pass_time(4)
        await play_out(host, number, anna, ben)
        await host.pass_time(31)
        assert (await show(carl, number)).tournament_info.stage == "finished"


def listed_tables(caller: Caller) -> set[str]:
    """Return the tables of the lobby by the notices of its changes."""
    listed: set[str] = set()
    for notice in heard(caller, m.LobbyChangedNotice):
        listed = (listed | {each.table for each in notice.tables}) - {*notice.removed}
    return listed


async def table_that_waits(host: Host, club: str, *players: Caller) -> tuple[str, str]:
    """Call a tournament of a club; returns its number and the table that waits for its players."""
    number = await call_up(players[0], club=club, round_count=1, starts_in_ms=0, seat_count=2)
    await enter_all(number, *players)
    await host.pass_time(SETTLED)
    table = (await show(players[0], number)).tournament_info.your_table
    assert table is not None
    return number, table


@pytest.mark.parametrize("killed", [False, True])
async def test_new_member_may_watch_older_tables(host: Host, *, killed: bool) -> None:
    host.journal = journal = CrashingJournal()
    async with host.run() as server:
        anna, ben, carl = await host.connect(server, "Anna", "Ben", "Carl")
        club = await club_of(anna, ben)
        _, table = await table_that_waits(host, club, anna, ben)
        await carl.call(m.WatchLobbyRequest())
        assert await code_of(carl, m.WatchRequest(table=table)) == Code.UNKNOWN_TABLE
        await anna.call(m.InviteToClubRequest(club=club, name="Carl"))
        journal.left = 1 if killed else 1_000
        await carl.call(m.AcceptClubRequest(club=club))
        await wait_until_idle()
        if not killed:
            assert (await carl.call(m.WatchRequest(table=table))).seat is None
            await host.pass_time(2)
            assert table in listed_tables(carl)
    journal.left = 10_000
    async with host.run() as server:
        (carl,) = await host.connect(server, "Carl")
        await host.pass_time(SETTLED)
        assert (await carl.call(m.WatchRequest(table=table))).seat is None


@pytest.mark.parametrize("how", ["leaves", "is banned", "is banned before a kill"])
async def test_former_member_may_not_watch(host: Host, how: str) -> None:
    host.journal = journal = CrashingJournal()
    async with host.run() as server:
        anna, ben, carl, dora = await host.connect(server, "Anna", "Ben", "Carl", "Dora")
        club = await club_of(anna, ben, carl, dora)
        number, table = await table_that_waits(host, club, anna, ben)
        await take_seats(number, anna, ben)
        assert [each.table for each in (await carl.call(m.WatchLobbyRequest())).tables] == [table]
        code = (await carl.call(m.WatchRequest(table=table))).info.code
        journal.left = 1 if how.endswith("kill") else 1_000
        if how == "leaves":
            await carl.call(m.LeaveClubRequest(club=club))
        else:
            await anna.call(m.BanFromClubRequest(club=club, name="Carl"))
        await wait_until_idle()
        if not how.endswith("kill"):
            last = carl.peer.events[-1].event
            assert isinstance(last, m.Closed)
            assert last.cause == "not_member"
            await host.pass_time(2)
            assert [notice.removed for notice in heard(carl, m.LobbyChangedNotice) if notice.removed] == [[table]]
    journal.left = 10_000
    async with host.run() as server:
        anna, ben, carl, dora = await host.connect(server, "Anna", "Ben", "Carl", "Dora")
        await host.pass_time(SETTLED)
        assert await code_of(carl, m.WatchRequest(table=table)) == Code.UNKNOWN_TABLE
        assert await code_of(carl, m.EnterRequest(code=code)) == Code.UNKNOWN_TABLE
        assert (await dora.call(m.WatchRequest(table=table))).seat is None
        # A player who leaves the club still plays this game to its end.
        await ben.call(m.LeaveClubRequest(club=club))
        await wait_until_idle()
        assert (await ben.call(m.PollRequest(table=table))).seat is not None


async def test_a_former_member_whom_a_player_invites_may_watch(host: Host) -> None:
    async with host.run() as server:
        anna, ben, carl = await host.connect(server, "Anna", "Ben", "Carl")
        club = await club_of(anna, ben, carl)
        number, table = await table_that_waits(host, club, anna, ben)
        await take_seats(number, anna, ben)
        await carl.call(m.LeaveClubRequest(club=club))
        await wait_until_idle()
        await anna.call(m.InviteRequest(table=table, name="Carl"))
        assert (await carl.call(m.WatchRequest(table=table))).seat is None


async def test_only_members_replay_deals_of_an_evening(host: Host) -> None:
    async with host.run() as server:
        anna, ben, carl, eve = await host.connect(server, "Anna", "Ben", "Carl", "Eve")
        club = await club_of(anna, ben, carl)
        number = await call_up(anna, "duplicate", club=club, round_count=1, starts_in_ms=0, seat_count=2)
        await enter_all(number, anna, ben, carl)
        await host.pass_time(SETTLED)
        await play_out(host, number, anna, ben, carl)
        await host.pass_time(2)
        shown = await show(carl, number)
        assert shown.tournament_info.scored_count == 1
        for pairing in shown.pairings:
            assert (await carl.call(m.ExportRequest(table=pairing.table))).lines
            assert await code_of(eve, m.ExportRequest(table=pairing.table)) == Code.UNKNOWN_TABLE


async def test_who_leaves_the_club_takes_part_no_longer(host: Host) -> None:
    async with host.run() as server:
        anna, ben, carl, dora = await host.connect(server, "Anna", "Ben", "Carl", "Dora")
        club = await club_of(anna, ben, carl, dora)
        number = await call_up(anna, club=club, starts_in_ms=60_000, seat_count=2, round_count=2)
        await enter_all(number, anna, ben, carl, dora)
        await dora.call(m.LeaveClubRequest(club=club))
        await wait_until_idle()
        assert await standings_of(anna, number) == {"Anna": "in", "Ben": "in", "Carl": "in"}
        assert await listed_for(dora) == []
        await host.pass_time(62)
        await anna.call(m.BanFromClubRequest(club=club, name="Ben"))
        await wait_until_idle()
        assert await standings_of(anna, number) == {"Anna": "in", "Ben": "removed", "Carl": "in"}
        assert await code_of(ben, m.TakeSeatRequest(tournament=number)) == Code.UNKNOWN_TOURNAMENT
        exported = await anna.call(m.ExportTournamentRequest(tournament=number))
        assert json.loads(exported.lines[0])["club"] == club


async def test_a_closed_club_cancels_its_tournament_with_a_reason(host: Host) -> None:
    async with host.run() as server:
        anna, ben = await host.connect(server, "Anna", "Ben")
        club = await club_of(anna, ben)
        number = await call_up(anna, club=club)
        await ben.call(m.EnterTournamentRequest(tournament=number))
        await anna.call(m.CloseClubRequest(club=club))
        await wait_until_idle()
        told = heard(ben, m.TournamentChangedNotice)[-1].tournament_info
        assert (told.id, told.stage, told.fault) == (number, "cancelled", "club_closed")
        asked = m.CallTournamentRequest(name="x", format="swiss", game="heap", seat_count=2, starts_in_ms=0, club=club)
        assert await code_of(anna, asked) == Code.CLUB_CLOSED
        assert await listed_for(ben) == [number], "it can be read as long as the club"


async def test_a_club_that_is_gone_leaves_no_tournament(host: Host) -> None:
    async with host.run() as server:
        (anna,) = await host.connect(server, "Anna")
        club = await club_of(anna)
        await call_up(anna, club=club)
        clubs, book = core_of(server).clubs, core_of(server).tournaments.book
        await clubs._delete_club(club)
        await wait_until_idle()
        assert book.list_tournaments() == []


async def test_all_leaders_direct_and_former_ones_do_not(host: Host) -> None:
    async with host.run() as server:
        anna, ben = await host.connect(server, "Anna", "Ben")
        club = await club_of(anna, ben)
        number = await call_up(anna, club=club)
        await anna.call(m.PromoteMemberRequest(club=club, name="Ben"))
        await ben.call(m.DemoteLeaderRequest(club=club, name="Anna"))
        assert await code_of(anna, m.CancelTournamentRequest(tournament=number)) == Code.NOT_LEADER
        assert (await show(ben, number)).tournament_info.may_direct
        cancelled = await ben.call(m.CancelTournamentRequest(tournament=number))
        assert cancelled.tournament_info.reason == "Ben"


async def test_club_leaves_room_for_other_tournaments(host: Host) -> None:
    async with host.run() as server:
        anna, ben, carl, dora = await host.connect(server, "Anna", "Ben", "Carl", "Dora")
        club = await club_of(anna, ben, carl, dora)
        for name in ("Ben", "Carl", "Dora"):
            await anna.call(m.PromoteMemberRequest(club=club, name=name))
        for leader in (anna, ben, carl):
            await call_up(leader, club=club)
        asked = m.CallTournamentRequest(name="x", format="swiss", game="heap", seat_count=2, starts_in_ms=0, club=club)
        assert await code_of(dora, asked) == Code.TOO_MANY


async def test_members_are_called_as_seldom_as_to_tables(host: Host) -> None:
    async with host.run() as server:
        (anna,) = await host.connect(server, "Anna")
        club = await club_of(anna)
        for _ in range(6):
            await anna.call(m.CancelTournamentRequest(tournament=await call_up(anna, club=club)))
        asked = m.CallTournamentRequest(name="x", format="swiss", game="heap", seat_count=2, starts_in_ms=0, club=club)
        assert await code_of(anna, asked) == Code.SLOW_DOWN


async def test_a_deleted_account_stays_a_ghost_in_the_results(host: Host) -> None:
    async with host.run() as server:
        anna, ben, carl = await host.connect(server, "Anna", "Ben", "Carl")
        club = await club_of(anna, ben, carl)
        number = await call_up(anna, club=club, starts_in_ms=0, seat_count=3, round_count=2)
        await enter_all(number, anna, ben, carl)
        await host.pass_time(SETTLED)
        await take_seats(number, anna, ben, carl)
        await host.pass_time(4)
        await play_out(host, number, anna, ben, carl)
        shown = await show(anna, number)
        before = {each.name: each.half_points for each in shown.standings}
        await ben.call(m.LeaveRequest(table=shown.pairings[0].table))
        await ben.call(m.ConfirmRequest(password=PASSWORD))
        await ben.call(m.DeleteAccountRequest())
        await wait_until_idle()
        ghost = next(each for each in (await show(anna, number)).standings if each.name is None)
        assert (ghost.half_points, ghost.entry) == (before["Ben"], "withdrawn")


@pytest.mark.parametrize("closes", [False, True])
async def test_a_crash_between_club_and_tournament_is_made_good(host: Host, *, closes: bool) -> None:
    journal = CrashingJournal()
    host.journal = journal
    async with host.run() as server:
        anna, ben, carl = await host.connect(server, "Anna", "Ben", "Carl")
        club = await club_of(anna, ben, carl)
        number = await call_up(anna, club=club, starts_in_ms=60_000, seat_count=2)
        await enter_all(number, anna, ben, carl)
        journal.left = 1
        await (anna.call(m.CloseClubRequest(club=club)) if closes else carl.call(m.LeaveClubRequest(club=club)))
        await wait_until_idle()
        stored = core_of(server).tournaments.book.find_tournament(number)
        assert (stored.stage, len(stored.entrants)) == ("announced", 3), "the second write failed"
        assert [each.name for each in core_of(server).tournaments.book.list_free(stored)][-1:] == (
            ["Carl"] if closes else ["Ben"]
        )
    journal.left = 10_000
    async with host.run() as server:
        (anna,) = await host.connect(server, "Anna")
        info = (await show(anna, number)).tournament_info
        assert (info.stage, info.fault, info.entrant_count) == (
            ("cancelled", "club_closed", 3) if closes else ("announced", None, 2)
        )


def test_rows_of_other_tournaments_are_as_before() -> None:
    clock = m.TableClock()
    shared = {"id": "a", "name": "x", "format": "swiss", "game": "heap", "options": {}, "seat_count": 2, "clock": clock}
    other = {"bot_level": "calm", "director": "d", "director_name": "D", "starts_ms": 1, "created_ms": 1}
    row = msgspec.msgpack.decode(msgspec.msgpack.encode(Tournament(**shared, **other)))
    assert "club" not in row
    assert msgspec.convert(row, Tournament).club == ""
