"""Tournaments on a server: called, entered, paired in time, played, over crashes, and computed again by others."""

import asyncio
import json
from typing import Any

import pytest

from scoville_server.journal.base import JournalError
from scoville_server.journal.memory import MemoryJournal
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from tests.server.tournaments.host import CLOCK, PASSWORD, SETTLED, CrashingJournal, Host, heard, show
from tests.support.core import code_of
from tests.support.idle import wait_until_idle
from tests.support.server import Caller, SlowBookJournal, core_of


@pytest.fixture
def host() -> Host:
    return Host()


async def call_up(caller: Caller, played: m.TournamentFormat = "swiss", **fields: Any) -> str:
    """Call a tournament; returns its id."""
    asked = {"name": "Evening", "game": "high_card", "seat_count": 3, "starts_in_ms": 3_600_000, "clock": CLOCK}
    reply = await caller.call(m.CallTournamentRequest(format=played, **{**asked, **fields}))
    number: str = reply.tournament_info.id
    return number


async def take_seats(number: str, *callers: Caller) -> None:
    """Sit down where a table waits."""
    for caller in callers:
        if (await show(caller, number)).tournament_info.your_table is not None:
            await caller.call(m.TakeSeatRequest(tournament=number))


async def play_out(host: Host, number: str, *callers: Caller) -> None:
    """Play all tables of a round to their ends, each player by the first legal move."""
    for _ in range(60):
        busy = False
        for caller in callers:
            table = (await show(caller, number)).tournament_info.your_table
            if table is None:
                continue
            seen = await caller.call(m.PollRequest(table=table))
            busy = busy or seen.info.status != "finished"
            if seen.seat is not None and seen.seat in seen.pending:
                moves = (await caller.call(m.MovesRequest(table=table))).moves
                await caller.call(m.PlayRequest(table=table, move=moves[0]))
        await host.pass_time(1)
        if not busy:
            return
    raise AssertionError("the round does not end")


async def test_an_evening_of_swiss_rounds(host: Host) -> None:
    async with host.run() as server:
        everybody = await host.connect(server, "Anna", "Ben", "Chloe", "Dora", "Emil", "Fay")
        anna = everybody[0]
        number = await call_up(anna, round_count=2)
        for caller in everybody:
            await caller.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(3_000 - 60)
        assert not heard(anna, m.TournamentDueNotice)
        await host.pass_time(120)
        assert len(heard(anna, m.TournamentDueNotice)) == 1, "ten minutes before"
        await host.pass_time(3_600 - 2_940 - 120 + 1)
        assert (await show(anna, number)).tournament_info.stage == "running"
        for stage in ("running", "finished"):
            seated = [heard(caller, m.TournamentSeatedNotice)[-1].table for caller in everybody]
            assert len({*seated}) == 2
            await take_seats(number, *everybody)
            await host.pass_time(4)
            await play_out(host, number, *everybody)
            assert (await show(anna, number)).tournament_info.stage == stage, "only rounds have a break before them"
            await host.pass_time(31)
        shown = await show(anna, number)
        assert (shown.tournament_info.stage, shown.tournament_info.round_number) == ("finished", 2)
        assert sum(standing.half_points for standing in shown.standings) == 2 * 2 * 6
        assert all(standing.game_count == 2 for standing in shown.standings)
        assert heard(anna, m.TournamentChangedNotice)[-1].tournament_info.stage == "finished"


async def test_users_who_enter_at_once_share_a_write(host: Host) -> None:
    host.journal = slow = SlowBookJournal("tournaments")
    async with host.run() as server:
        names = ("Anna", "Ben", "Chloe", "Dora", "Emil", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Leo")
        everybody = await host.connect(server, *names)
        number = await call_up(everybody[0])
        slow.gate.clear()
        enter, withdraw = (
            m.EnterTournamentRequest(tournament=number),
            m.WithdrawFromTournamentRequest(tournament=number),
        )
        for request, count in ((enter, len(names)), (withdraw, 0)):
            before = slow.writes
            requests = [asyncio.ensure_future(each.call(request)) for each in everybody]
            await wait_until_idle()
            slow.gate.set()
            await asyncio.gather(*requests)
            assert slow.writes - before <= 2, "nobody waits for a write of each of the others"
            standings = (await show(everybody[0], number)).standings
            assert sum(each.entry == "in" for each in standings) == count


async def test_others_can_compute_the_standings_from_the_export(host: Host) -> None:
    async with host.run() as server:
        callers = await host.connect(server, "Anna", "Ben", "Chloe", "Dora")
        number = await call_up(callers[0], round_count=1, starts_in_ms=0, seat_count=2)
        for caller in callers:
            await caller.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(SETTLED)
        await take_seats(number, *callers)
        await host.pass_time(4)
        await play_out(host, number, *callers)
        await host.pass_time(31)
        reply = await callers[1].call(m.ExportTournamentRequest(tournament=number))
        lines = [json.loads(line) for line in reply.lines]
        assert reply.line_count == len(lines)
        points = {line["entrant"]: line["byes"] for line in lines if "entrant" in line}
        for line in lines:
            for seat, entrant in enumerate(line.get("seats", ())):
                places = line["places"]
                points[entrant] += sum(2 * (other > places[seat]) + (other == places[seat]) for other in places) - 1
        assert {line["standing_of"]: line["half_points"] for line in lines if "standing_of" in line} == points


async def test_table_starts_without_absent_entrants(host: Host) -> None:
    async with host.run() as server:
        anna, ben, chloe = await host.connect(server, "Anna", "Ben", "Chloe")
        number = await call_up(anna, round_count=1, starts_in_ms=0)
        for caller in (anna, ben, chloe):
            await caller.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(SETTLED)
        await take_seats(number, anna, ben)
        await host.pass_time(21)
        table = (await show(anna, number)).tournament_info.your_table
        assert table is not None
        seen = await anna.call(m.PollRequest(table=table))
        assert seen.info.status == "playing", "nobody waits longer than twenty seconds"
        assert await code_of(chloe, m.TakeSeatRequest(tournament=number)) == Code.ALREADY_STARTED
        await play_out(host, number, anna, ben)
        await host.pass_time(31)
        standings = {standing.name: standing.half_points for standing in (await show(anna, number)).standings}
        assert standings["Chloe"] == 0


async def test_nobody_pauses_while_others_wait(host: Host) -> None:
    async with host.run() as server:
        anna, ben = await host.connect(server, "Anna", "Ben")
        number = await call_up(anna, round_count=1, starts_in_ms=0, seat_count=2)
        for caller in (anna, ben):
            await caller.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(SETTLED)
        await take_seats(number, anna, ben)
        await host.pass_time(4)
        table = (await show(anna, number)).tournament_info.your_table
        assert table is not None
        assert await code_of(anna, m.PauseRequest(table=table)) == Code.NOT_ALLOWED


async def test_who_leaves_loses_that_game_alone(host: Host) -> None:
    async with host.run() as server:
        anna, ben, chloe = await host.connect(server, "Anna", "Ben", "Chloe")
        number = await call_up(anna, round_count=2, starts_in_ms=0)
        for caller in (anna, ben, chloe):
            await caller.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(SETTLED)
        await take_seats(number, anna, ben, chloe)
        await host.pass_time(4)
        table = (await show(anna, number)).tournament_info.your_table
        assert table is not None
        await chloe.call(m.LeaveRequest(table=table))
        await play_out(host, number, anna, ben)
        assert await code_of(anna, m.RematchRequest(table=table)) == Code.NO_REMATCH
        await host.pass_time(31)
        shown = await show(chloe, number)
        assert {each.name: each.half_points for each in shown.standings}["Chloe"] == 0
        assert shown.tournament_info.your_table is not None, "the next round has a seat for her"


async def test_arena_pairs_free_players_until_its_bell(host: Host) -> None:
    async with host.run() as server:
        callers = await host.connect(server, "Anna", "Ben", "Chloe", "Dora")
        number = await call_up(callers[0], "arena", starts_in_ms=0, lasts_ms=300_000)
        for caller in callers[:3]:
            await caller.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(SETTLED)
        waiting = [(await show(caller, number)).tournament_info.your_table for caller in callers[:3]]
        assert all(waiting), "three are a table at once"
        late = callers[3]
        await late.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(19)
        assert (await show(late, number)).tournament_info.your_table is None
        await host.pass_time(2)
        assert (await show(late, number)).tournament_info.your_table is not None, "with bots after twenty seconds"
        await take_seats(number, *callers)
        await host.pass_time(25)
        await host.pass_time(300)
        await play_out(host, number, *callers)
        await host.pass_time(2)
        shown = await show(late, number)
        assert shown.tournament_info.stage == "finished"
        assert await code_of(late, m.EnterTournamentRequest(tournament=number)) == Code.TOURNAMENT_CLOSED


async def test_an_arena_after_its_bell_is_no_busy_loop(host: Host) -> None:
    async with host.run() as server:
        callers = await host.connect(server, "Anna", "Ben", "Chloe", "Dora")
        clock = m.ClockParams(move_ms=300_000)
        number = await call_up(callers[0], "arena", starts_in_ms=0, lasts_ms=300_000, clock=clock)
        for caller in callers[:3]:
            await caller.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(SETTLED)
        await take_seats(number, *callers[:3])
        await host.pass_time(290)
        await callers[3].call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(25)
        assert (await show(callers[3], number)).tournament_info.your_table is None, "she waits, and nobody is paired"
        tournaments, looked = core_of(server).tournaments, 0
        advance = tournaments._advance_tournament

        async def count_look(of: str) -> None:
            nonlocal looked
            looked += 1
            await advance(of)

        tournaments._advance_tournament = count_look  # type: ignore[method-assign]
        await host.pass_time(20)
        assert (await show(callers[0], number)).tournament_info.stage == "running", "a table still plays"
        assert looked <= 5, "after the bell only results are waited for"


async def test_round_waits_two_minutes_for_absent_players(host: Host) -> None:
    async with host.run() as server:
        anna, ben = await host.connect(server, "Anna", "Ben")
        number = await call_up(anna, round_count=2, starts_in_ms=0, seat_count=2)
        for caller in (anna, ben):
            await caller.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(SETTLED)
        await take_seats(number, anna, ben)
        await host.pass_time(4)
        await play_out(host, number, anna, ben)
        ben.hang_up()
        await host.pass_time(31)
        info = heard(anna, m.TournamentChangedNotice)[-1].tournament_info
        assert (info.stage, info.round_number, info.grace_left_ms) == ("running", 1, 120_000)
        await host.pass_time(60)
        (ben,) = await host.connect(server, "Ben")
        await host.pass_time(1)
        info = (await show(ben, number)).tournament_info
        assert (info.round_number, info.grace_left_ms) == (2, None)
        assert info.your_table is not None


@pytest.mark.parametrize("comes", [True, False])
async def test_start_waits_two_minutes_for_absent_entrants(host: Host, comes: bool) -> None:
    async with host.run() as server:
        anna, ben = await host.connect(server, "Anna", "Ben")
        number = await call_up(anna, seat_count=2)
        for caller in (anna, ben):
            await caller.call(m.EnterTournamentRequest(tournament=number))
        ben.hang_up()
        await host.pass_time(3_601)
        info = heard(anna, m.TournamentChangedNotice)[-1].tournament_info
        assert (info.stage, info.grace_left_ms) == ("announced", 120_000)
        await host.pass_time(60)
        if comes:
            await host.connect(server, "Ben")
        await host.pass_time(61)
        info = (await show(anna, number)).tournament_info
        assert (info.stage, info.fault, info.grace_left_ms) == (
            ("running", None, None) if comes else ("cancelled", "too_few", None)
        )


async def test_round_with_too_few_players_is_the_last(host: Host) -> None:
    async with host.run() as server:
        anna, ben = await host.connect(server, "Anna", "Ben")
        number = await call_up(anna, round_count=3, starts_in_ms=0, seat_count=2)
        for caller in (anna, ben):
            await caller.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(SETTLED)
        await take_seats(number, anna, ben)
        await host.pass_time(4)
        await play_out(host, number, anna, ben)
        ben.hang_up()
        await host.pass_time(31 + 100)
        assert (await show(anna, number)).tournament_info.stage == "running"
    async with host.run() as server:
        (anna,) = await host.connect(server, "Anna")
        await host.pass_time(SETTLED)
        shown = await show(anna, number)
        assert (shown.tournament_info.stage, len(shown.pairings)) == ("finished", 1), "a restart is no second grace"


async def test_nobody_else_takes_a_seat_but_everybody_may_watch(host: Host) -> None:
    async with host.run() as server:
        anna, ben, eve = await host.connect(server, "Anna", "Ben", "Eve")
        number = await call_up(anna, round_count=1, starts_in_ms=0, seat_count=2)
        for caller in (anna, ben):
            await caller.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(SETTLED)
        table = (await show(anna, number)).tournament_info.your_table
        assert table is not None
        assert await code_of(eve, m.JoinRequest(table=table)) == Code.NOT_ALLOWED
        assert await code_of(eve, m.TakeSeatRequest(tournament=number)) == Code.NOT_SEATED
        assert (await eve.call(m.WatchRequest(table=table))).seat is None
        joined = await ben.call(m.JoinRequest(table=table, seat=0))
        other = await anna.call(m.JoinRequest(table=table, seat=0))
        assert {joined.seat, other.seat} == {0, 1}, "each has the seat that the pairing gives"
        matched = await eve.call(m.QuickMatchRequest(game="high_card"))
        assert matched.info.table != table


async def test_rights_are_checked_at_each_act(host: Host) -> None:
    async with host.run() as server:
        anna, ben = await host.connect(server, "Anna", "Ben")
        guest = await Caller(server).hello("Guest")
        number = await call_up(anna)
        assert (
            await code_of(
                guest, m.CallTournamentRequest(name="x", format="swiss", game="heap", seat_count=2, starts_in_ms=0)
            )
            == Code.NOT_CLAIMED
        )
        assert (
            await code_of(
                anna,
                m.CallTournamentRequest(
                    name="x", format="swiss", game="heap", seat_count=2, starts_in_ms=0, clock=CLOCK
                ),
            )
            == Code.TOO_MANY
        )
        for act in (
            m.BeginTournamentRequest(tournament=number),
            m.CancelTournamentRequest(tournament=number),
            m.RemoveEntrantRequest(tournament=number, name="Anna"),
        ):
            assert await code_of(ben, act) == Code.NOT_ALLOWED
            assert await code_of(guest, act) == Code.NOT_ALLOWED
        await anna.call(m.EnterTournamentRequest(tournament=number))
        await ben.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(SETTLED)
        await anna.call(m.BeginTournamentRequest(tournament=number))
        assert (await show(ben, number)).tournament_info.stage == "running"
        assert await code_of(anna, m.RemoveEntrantRequest(tournament=number, name="Ben")) == Code.NOT_ALLOWED
        cancelled = await anna.call(m.CancelTournamentRequest(tournament=number, reason="rain"))
        assert (cancelled.tournament_info.stage, cancelled.tournament_info.reason) == ("cancelled", "Anna: rain")
        assert await code_of(anna, m.CancelTournamentRequest(tournament=number)) == Code.TOURNAMENT_CLOSED
        assert await code_of(ben, m.ShowTournamentRequest(tournament="no such")) == Code.UNKNOWN_TOURNAMENT


async def test_who_watches_the_lobby_hears_of_tournaments(host: Host) -> None:
    async with host.run() as server:
        anna, ben = await host.connect(server, "Anna", "Ben")
        await ben.call(m.WatchLobbyRequest())
        number = await call_up(anna)
        await host.pass_time(0.1)
        (news,) = heard(ben, m.TournamentChangedNotice)
        assert (news.tournament_info.id, news.tournament_info.stage) == (number, "announced")
        await anna.call(m.CancelTournamentRequest(tournament=number))
        await host.pass_time(0.1)
        cancelled = heard(ben, m.TournamentChangedNotice)[-1].tournament_info
        assert (cancelled.stage, cancelled.reason) == ("cancelled", "Anna")
        assert not any(news.tournament_info.may_direct for news in heard(ben, m.TournamentChangedNotice))


async def test_the_lobby_counts_the_entrants(host: Host) -> None:
    async with host.run() as server:
        anna, ben, eve = await host.connect(server, "Anna", "Ben", "Eve")
        number = await call_up(anna)
        await eve.call(m.WatchLobbyRequest())
        for act in (m.EnterTournamentRequest, m.WithdrawFromTournamentRequest):
            await ben.call(act(tournament=number))
            await host.pass_time(1)
        await anna.call(m.EnterTournamentRequest(tournament=number))
        await ben.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(1)
        counts = [notice.entrant_counts for notice in heard(eve, m.LobbyChangedNotice) if notice.entrant_counts]
        assert counts == [{number: 1}, {number: 0}, {number: 2}]
        assert not heard(eve, m.TournamentChangedNotice), "which a line mode would say"


class SlowJournal(MemoryJournal):
    """A journal during whose writes others do something, as those of a file and of a database are."""

    async def write(self, changes: Any) -> None:
        await wait_until_idle()
        await super().write(changes)


async def test_two_calls_at_once_are_one_tournament(host: Host) -> None:
    host.journal = SlowJournal()
    async with host.run() as server:
        (anna,) = await host.connect(server, "Anna")
        answers = await asyncio.gather(call_up(anna), call_up(anna), return_exceptions=True)
        (refused,) = [each for each in answers if isinstance(each, ScovilleError)]
        assert refused.code == Code.TOO_MANY
        assert len((await anna.call(m.ListTournamentsRequest())).tournaments) == 1


async def test_nobody_directs_the_tournament_of_a_deleted_account(host: Host) -> None:
    async with host.run() as server:
        anna, ben, chloe, eve = await host.connect(server, "Anna", "Ben", "Chloe", "Eve")
        number = await call_up(anna)
        for caller in (ben, chloe):
            await caller.call(m.EnterTournamentRequest(tournament=number))
        await anna.call(m.ConfirmRequest(password=PASSWORD))
        await anna.call(m.DeleteAccountRequest())
        await wait_until_idle()
        await eve.call(m.WatchLobbyRequest())
        await host.pass_time(3_601)
        (news,) = [each.tournament_info for each in heard(eve, m.TournamentChangedNotice)]
        assert (news.id, news.stage, news.director, news.may_direct) == (number, "running", None, False)


async def test_excluded_entrants_count_for_nothing(host: Host) -> None:
    async with host.run() as server:
        anna, ben = await host.connect(server, "Anna", "Ben")
        number = await call_up(anna)
        for caller in (anna, ben):
            await caller.call(m.EnterTournamentRequest(tournament=number))
        await anna.call(m.RemoveEntrantRequest(tournament=number, name="Ben"))
        book, users = core_of(server).tournaments.book, core_of(server).sessions
        assert book.list_dates(users.known_user("Ben").id) == []
        assert await code_of(anna, m.BeginTournamentRequest(tournament=number)) == Code.NOT_ALLOWED
        await host.pass_time(3_601)
        info = (await show(anna, number)).tournament_info
        assert (info.stage, info.fault) == ("cancelled", "too_few")


@pytest.mark.parametrize("played", ["arena", "swiss", "knockout", "duplicate"])
async def test_users_banned_from_tables_are_not_paired(host: Host, played: m.TournamentFormat) -> None:
    async with host.run() as server:
        callers = await host.connect(server, "Anna", "Ben", "Chloe")
        number = await call_up(callers[0], played, seat_count=2, round_count=2)
        for caller in callers:
            await caller.call(m.EnterTournamentRequest(tournament=number))
        core = core_of(server)
        ban = m.BanRequest(target="Ben", scope="tables")
        await core.moderation.add_ban(core.sessions.known_user("Anna"), ban)
        await host.pass_time(3_601)
        shown = await show(callers[0], number)
        players = [name for table in shown.pairings for name in table.players]
        assert sorted(filter(None, players)) == ["Anna", "Chloe"]
        assert (await show(callers[1], number)).tournament_info.your_table is None


async def test_calendars_have_the_tournaments_that_a_user_has_entered(host: Host) -> None:
    async with host.run() as server:
        anna, ben = await host.connect(server, "Anna", "Ben")
        number = await call_up(anna)
        await ben.call(m.EnterTournamentRequest(tournament=number))
        book, users = core_of(server).tournaments.book, core_of(server).sessions
        (date,) = book.list_dates(users.known_user("Ben").id)
        assert (date.tournament, date.name) == (number, "Evening")
        assert book.list_dates(users.known_user("Anna").id) == []
        await anna.call(m.CancelTournamentRequest(tournament=number))
        assert book.list_dates(users.known_user("Ben").id) == []


async def test_a_clock_without_a_limit_is_refused(host: Host) -> None:
    async with host.run() as server:
        (anna,) = await host.connect(server, "Anna")
        for clock in (
            m.ClockParams(),
            m.ClockParams(move_ms=86_400_000),
            m.ClockParams(move_ms=1_000),
            m.ClockParams(move_ms=30_000, increment_ms=300_001),
            m.ClockParams(bank_ms=60_000, increment_ms=604_800_000),
        ):
            asked = m.CallTournamentRequest(
                name="x", format="swiss", game="heap", seat_count=2, starts_in_ms=0, clock=clock
            )
            assert await code_of(anna, asked) == Code.BAD_PARAMS


@pytest.mark.parametrize("writes", range(9))
async def test_a_crash_at_any_write_of_a_round_changes_nothing(host: Host, writes: int) -> None:
    journal = CrashingJournal()
    host.journal = journal
    async with host.run() as server:
        callers = await host.connect(server, "Anna", "Ben", "Chloe", "Dora")
        number = await call_up(callers[0], round_count=2, starts_in_ms=60_000, seat_count=2)
        for caller in callers:
            await caller.call(m.EnterTournamentRequest(tournament=number))
        journal.left = writes
        await host.pass_time(62)
    journal.left = 10_000
    async with host.run() as server:
        callers = await host.connect(server, "Anna", "Ben", "Chloe", "Dora")
        await host.pass_time(SETTLED + 2)
        for _ in range(2):
            await take_seats(number, *callers)
            await host.pass_time(4)
            await play_out(host, number, *callers)
            await host.pass_time(31)
        shown = await show(callers[0], number)
        assert (shown.tournament_info.stage, shown.tournament_info.round_number, len(shown.pairings)) == (
            "finished",
            2,
            4,
        )
        assert all(standing.game_count == 2 for standing in shown.standings)
        reminders = [notice for caller in callers for notice in heard(caller, m.TournamentDueNotice)]
        assert len(reminders) <= 4, "nobody is reminded twice"


async def test_a_result_is_written_before_the_table_is_forgotten(host: Host) -> None:
    server = await host.start()
    callers = await host.connect(server, "Anna", "Ben")
    number = await call_up(callers[0], round_count=2, starts_in_ms=0, seat_count=2)
    for caller in callers:
        await caller.call(m.EnterTournamentRequest(tournament=number))
    await host.pass_time(SETTLED)
    await take_seats(number, *callers)
    await host.pass_time(4)
    book = core_of(server).tournaments.book.rows
    write, book.change_row = book.change_row, refuse_row  # type: ignore[method-assign,assignment]
    await play_out_unnoted(host, number, callers)
    await server.close()
    assert write is not None
    async with host.run() as server:
        callers = await host.connect(server, "Anna", "Ben")
        await wait_until_idle()
        shown = await show(callers[0], number)
        assert [table.places != [] for table in shown.pairings] == [True]


async def test_who_may_not_chat_says_nothing_by_tournaments_either(host: Host) -> None:
    async with host.run() as server:
        anna, ben = await host.connect(server, "Anna", "Ben")
        number = await call_up(anna)
        core = core_of(server)
        admin = core.sessions.known_user("Ben")
        ban = await core.moderation.add_ban(admin, m.BanRequest(target="Anna", scope="chat"))
        cancel = m.CancelTournamentRequest(tournament=number, reason="INSULT")
        assert await code_of(anna, cancel) == Code.MUTED
        await anna.call(m.CancelTournamentRequest(tournament=number, reason=" "))
        with pytest.raises(ScovilleError) as refused:
            await call_up(anna, name="INSULT")
        assert refused.value.code == Code.MUTED
        assert [each.stage for each in (await ben.call(m.ListTournamentsRequest())).tournaments] == ["cancelled"]
        await core.moderation.lift_ban(admin, ban.id)
        await call_up(anna)


async def refuse_row(key: str, value: object) -> None:
    raise JournalError(f"The disk refuses {key} {type(value).__name__}.")


async def play_out_unnoted(host: Host, number: str, callers: list[Caller]) -> None:
    """Play the game of a table whose result cannot be written."""
    for _ in range(20):
        for caller in callers:
            table = (await show(caller, number)).tournament_info.your_table
            assert table is not None
            seen = await caller.call(m.PollRequest(table=table))
            if seen.seat in seen.pending:
                moves = (await caller.call(m.MovesRequest(table=table))).moves
                await caller.call(m.PlayRequest(table=table, move=moves[0]))
        await host.pass_time(0.1)


async def test_an_account_erased_before_the_start_leaves_no_entry(host: Host) -> None:
    async with host.run() as server:
        anna, ben = await host.connect(server, "Anna", "Ben")
        number = await call_up(anna)
        await ben.call(m.EnterTournamentRequest(tournament=number))
        await anna.call(m.EnterTournamentRequest(tournament=number))
        exported = await anna.call(m.ExportAccountRequest())
        assert [each.id for each in exported.tournaments] == [number]
        await ben.call(m.ConfirmRequest(password=PASSWORD))
        await ben.call(m.DeleteAccountRequest())
        await wait_until_idle()
        shown = await show(anna, number)
        assert [standing.name for standing in shown.standings] == ["Anna"]
        assert shown.tournament_info.entrant_count == 1
