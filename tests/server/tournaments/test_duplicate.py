"""Duplicate evenings on a server: equal deals, sealed until all have played them, over crashes and leavers."""

import json
from contextlib import suppress
from typing import Any

import pytest

from scoville_server.server import Server
from scoville_server.tables.factory import TournamentTable
from scoville_shared.engine.dice import DealTerms, commit_to
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from tests.server.tournaments.evening import check_export
from tests.server.tournaments.host import SETTLED, CrashingJournal, Host, heard, show
from tests.server.tournaments.test_tournaments import call_up, play_out
from tests.support.core import code_of
from tests.support.idle import wait_until_idle
from tests.support.server import Caller, core_of

NAMES = ("Anna", "Ben", "Chloe", "Dora")


@pytest.fixture
def host() -> Host:
    return Host()


async def begin(host: Host, server: Server, *names: str, **fields: Any) -> tuple[str, list[Caller]]:
    """Let users enter an evening of two seats that begins at once, and go to their tables."""
    callers = await host.connect(server, *names)
    number = await call_up(callers[0], "duplicate", **{"round_count": 2, "starts_in_ms": 0, "seat_count": 2, **fields})
    for caller in callers:
        await caller.call(m.EnterTournamentRequest(tournament=number))
    await host.pass_time(SETTLED)
    for caller in callers:
        await caller.call(m.TakeSeatRequest(tournament=number, nonce_hash="ab" * 32))
    return number, callers


async def table_of(caller: Caller, number: str) -> str:
    table = (await show(caller, number)).tournament_info.your_table
    assert table is not None
    return table


async def play_table(host: Host, number: str, caller: Caller) -> str:
    """Play the table of one user to its end, for all who sit there; returns it."""
    table = await table_of(caller, number)
    for _ in range(200):
        for each in host.users.values():
            seen = await each.call(m.PollRequest(table=table)) if await is_at(each, number, table) else None
            if seen is not None and seen.seat is not None and seen.seat in seen.pending:
                moves = (await each.call(m.MovesRequest(table=table))).moves
                await each.call(m.PlayRequest(table=table, move=moves[0]))
        await host.pass_time(1)
        if (await caller.call(m.PollRequest(table=table))).info.status == "finished":
            return table
    raise AssertionError("the table does not end")


async def is_at(caller: Caller, number: str, table: str) -> bool:
    return (await show(caller, number)).tournament_info.your_table == table


async def test_all_tables_have_the_deal_that_was_committed_to(host: Host) -> None:
    async with host.run() as server:
        number, callers = await begin(host, server, *NAMES)
        announced = (await show(callers[0], number)).evening_deals
        assert [deal.server_seed for deal in announced] == [None, None]
        seen = [await caller.call(m.PollRequest(table=await table_of(caller, number))) for caller in callers]
        assert len({each.info.table for each in seen}) == 2
        assert {each.info.commitment for each in seen} == {announced[0].commitment}
        assert all(each.info.status == "playing" for each in seen), "all begin at the same time"
        by_seat = [[each.view for each in seen if each.seat == seat] for seat in (0, 1)]
        assert all(one == other for one, other in by_seat), "the same cards in the same seat, whatever the nonces"
        assert by_seat[0][0] != by_seat[1][0]


async def test_a_deal_is_sealed_until_all_tables_have_played_it(host: Host) -> None:
    async with host.run() as server:
        number, callers = await begin(host, server, *NAMES)
        first = await play_table(host, number, callers[0])
        (busy, *_) = [each for each in callers if (await show(each, number)).tournament_info.your_table]
        eve = await Caller(server).hello("Eve")
        assert await code_of(callers[0], m.ExportRequest(table=first)) == Code.DEAL_SEALED
        assert await code_of(busy, m.ExportRequest(table=first)) == Code.DEAL_SEALED
        for reader in (busy, eve):
            assert await code_of(reader, m.WatchRequest(table=first)) == Code.NO_SPECTATORS
            shown = await show(reader, number)
            assert all(not (table.places or table.scores_by_seat) for table in shown.pairings)
            assert shown.evening_deals[0].server_seed is None
            assert all(not standing.game_count for standing in shown.standings)
        for name in NAMES:
            assert not (await eve.call(m.ProfileRequest(name=name))).recent, "a profile shows scores"
        exported = await eve.call(m.ExportTournamentRequest(tournament=number))
        assert not any(json.loads(line).get("places") for line in exported.lines)
        await play_table(host, number, busy)
        await wait_until_idle()
        assert [past.table for past in (await callers[0].call(m.ProfileRequest(name=NAMES[0]))).recent] == [first]
        shown = await show(eve, number)
        assert shown.tournament_info.scored_count == 1
        assert sum(standing.half_points for standing in shown.standings) == 4
        deal = shown.evening_deals[0]
        assert deal.server_seed is not None
        info = shown.tournament_info
        terms = DealTerms(
            table=deal.name,
            game=info.game,
            rules_version=deal.rules_version,
            options=info.options,
            seats=2,
            dealer=None,
        )
        assert commit_to(bytes.fromhex(deal.server_seed), terms).hex() == deal.commitment
        assert shown.evening_deals[1].server_seed is None
        lines = (await eve.call(m.ExportRequest(table=first))).lines
        assert json.loads(lines[0])["commitment"] == deal.commitment
        scored = heard(callers[1], m.TournamentChangedNotice)[-1].tournament_info
        assert (scored.scored_count, scored.next_in_ms) == (1, 30_000)


async def test_players_of_a_running_deal_talk_at_their_table_alone(host: Host) -> None:
    async with host.run() as server:
        number, callers = await begin(host, server, *NAMES)
        first = await play_table(host, number, callers[0])
        messages = (m.SayRequest(text="7 and 9"), m.SayRequest(text="7 and 9", to="Ben"))
        for message in messages:
            # Also whose table is over.
            assert await code_of(callers[0], message) == Code.DEAL_SEALED
        await callers[0].call(m.SayRequest(text="well played", table=first))
        eve = await Caller(server).hello("Eve")
        # Two of them could meet at a table that has nothing to do with the evening.
        public = (await eve.call(m.CreateRequest(game="high_card", seat_count=3))).info.table
        for caller in callers:
            await caller.call(m.JoinRequest(table=public) if caller is callers[0] else m.WatchRequest(table=public))
            assert await code_of(caller, m.SayRequest(text="7 and 9", table=public)) == Code.DEAL_SEALED
            assert await code_of(caller, m.ReactRequest(table=public, reaction="hot!")) == Code.DEAL_SEALED
        await callers[0].call(m.ReactRequest(table=first, reaction="hot!"))
        await eve.call(m.SayRequest(text="hello"))
        await play_out(host, number, *callers)
        await callers[0].call(messages[1])
        await callers[0].call(m.SayRequest(text="7 and 9", table=public))
        await callers[0].call(m.ReactRequest(table=public, reaction="hot!"))


async def test_evening_cancelled_before_a_table_opened_keeps_nobody_from_talking(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with host.run() as server:
        opener, refused = core_of(server).tournaments.tables._opener, set[str]()
        open_table = opener.open_for_tournament

        async def open_one(wanted: TournamentTable) -> Any:
            if not refused:
                refused.add(wanted.table)
            if wanted.table in refused:
                raise ScovilleError(Code.TOO_MANY, "All tables are in use.")
            return await open_table(wanted)

        monkeypatch.setattr(opener, "open_for_tournament", open_one)
        callers = await host.connect(server, *NAMES)
        number = await call_up(callers[0], "duplicate", round_count=2, starts_in_ms=0, seat_count=2)
        for caller in callers:
            await caller.call(m.EnterTournamentRequest(tournament=number))
        await host.pass_time(SETTLED)
        waiting = [each for each in callers if (await show(each, number)).tournament_info.your_table is None]
        assert len(waiting) == 2
        (busy, *_) = [each for each in callers if each not in waiting]
        await busy.call(m.TakeSeatRequest(tournament=number))
        first = await play_table(host, number, busy)
        assert await code_of(waiting[0], m.SayRequest(text="hello")) == Code.DEAL_SEALED
        await callers[0].call(m.CancelTournamentRequest(tournament=number))
        await host.pass_time(2)
        for caller in callers:
            await caller.call(m.SayRequest(text="good night"))
        assert all(deal.server_seed for deal in (await show(busy, number)).evening_deals)
        assert (await waiting[0].call(m.ExportRequest(table=first))).lines


async def test_evening_cancelled_after_a_crash_before_its_tables_keeps_nobody_from_talking(host: Host) -> None:
    journal = CrashingJournal()
    host.journal = journal
    async with host.run() as server:
        callers = await host.connect(server, *NAMES)
        number = await call_up(callers[0], "duplicate", round_count=1, starts_in_ms=60_000, seat_count=2)
        for caller in callers:
            await caller.call(m.EnterTournamentRequest(tournament=number))
        book = core_of(server).tournaments.book
        while not book.find_tournament(number).running:
            # One write at a time: the round's row is the last one that the disk takes.
            journal.left = 1
            await host.pass_time(2)
        journal.left = 0
    journal.left = 10_000
    async with host.run() as server:
        callers = await host.connect(server, *NAMES)
        assert await code_of(callers[0], m.SayRequest(text="hello")) == Code.DEAL_SEALED
        await wait_until_idle()  # what is written of users who come
        # The disk takes the end of the evening and nothing else, and then the server stops.
        journal.left = 1
        await callers[0].call(m.CancelTournamentRequest(tournament=number))
        assert core_of(server).tournaments.book.find_tournament(number).running
        journal.left = 0
    journal.left = 10_000
    async with host.run() as server:
        callers = await host.connect(server, *NAMES)
        await host.pass_time(2)
        for caller in callers:
            await caller.call(m.SayRequest(text="good night"))
        assert all(deal.server_seed for deal in (await show(callers[0], number)).evening_deals)


async def test_an_evening_is_played_to_its_end_and_computed_again(host: Host) -> None:
    async with host.run() as server:
        number, callers = await begin(host, server, *NAMES)
        for _ in range(2):
            await play_out(host, number, *callers)
            await host.pass_time(31)
            for caller in callers:
                if (await show(caller, number)).tournament_info.your_table:
                    await caller.call(m.TakeSeatRequest(tournament=number))
        assert (await show(callers[0], number)).tournament_info.stage == "finished"
        lines = (await callers[0].call(m.ExportTournamentRequest(tournament=number))).lines
        check_export([json.loads(line) for line in lines])


async def test_two_players_sit_in_the_same_seat_with_bots(host: Host) -> None:
    async with host.run() as server:
        number, (anna, ben) = await begin(host, server, "Anna", "Ben", seat_count=3, level="random")
        seen = [await each.call(m.PollRequest(table=await table_of(each, number))) for each in (anna, ben)]
        assert seen[0].info.table != seen[1].info.table
        assert seen[0].seat == seen[1].seat == 0
        assert seen[0].view == seen[1].view
        assert [seat.level for each in seen for seat in each.info.seats[1:]] == ["random"] * 4


async def test_leaving_player_stops_nobody(host: Host) -> None:
    async with host.run() as server:
        number, (anna, ben) = await begin(host, server, "Anna", "Ben", round_count=1, seat_count=3)
        table = await table_of(ben, number)
        await ben.call(m.LeaveRequest(table=table))
        assert not (await ben.call(m.PollRequest(table=table))).info.paused
        await play_out(host, number, anna)
        for _ in range(60):
            await host.pass_time(1)
        shown = await show(anna, number)
        assert shown.tournament_info.stage == "finished"
        points = {standing.name: standing.half_points_by_deal for standing in shown.standings}
        assert points["Ben"] == [0]
        assert points["Anna"][0] is not None
        lines = (await anna.call(m.ExportTournamentRequest(tournament=number))).lines
        check_export([json.loads(line) for line in lines])


async def test_absent_player_may_replace_the_bot(host: Host) -> None:
    async with host.run() as server:
        anna, ben, chloe = await host.connect(server, "Anna", "Ben", "Chloe")
        number = await call_up(anna, "duplicate", round_count=1, starts_in_ms=30_000, seat_count=3)
        for caller in (anna, ben, chloe):
            await caller.call(m.EnterTournamentRequest(tournament=number))
        chloe.hang_up()
        await host.pass_time(31)
        (chloe,) = await host.connect(server, "Chloe")
        seat = (await chloe.call(m.TakeSeatRequest(tournament=number))).seat
        seen = await chloe.call(m.PollRequest(table=await table_of(chloe, number)))
        assert (seen.info.seats[seat].kind, seen.info.seats[seat].name) == ("human", "Chloe")


async def test_evenings_bound_seats_and_teams(host: Host) -> None:
    async with host.run() as server:
        number, (anna, *_) = await begin(host, server, *NAMES, round_count=4)
        (eve,) = await host.connect(server, "Eve")
        assert await code_of(eve, m.EnterTournamentRequest(tournament=number)) == Code.TOURNAMENT_CLOSED
        partners = m.EnterTournamentRequest(tournament=number, partners=["Ben"])
        assert await code_of(anna, partners) == Code.BAD_PARAMS
        for fields in ({"format": "duplicate", "team_size": 1}, {"format": "swiss", "team_size": 2}):
            asked = {"name": "x", "game": "high_card", "seat_count": 2, "starts_in_ms": 0, **fields}
            assert await code_of(eve, m.CallTournamentRequest(**asked)) == Code.BAD_PARAMS


async def test_a_director_decides_nothing_once_it_runs(host: Host) -> None:
    async with host.run() as server:
        number, (anna, ben, *_) = await begin(host, server, *NAMES)
        for act in (m.BeginTournamentRequest(tournament=number), m.CancelTournamentRequest(tournament=number)):
            assert await code_of(ben, act) == Code.NOT_ALLOWED
        assert await code_of(anna, m.BeginTournamentRequest(tournament=number)) == Code.ALREADY_STARTED
        assert await code_of(anna, m.RemoveEntrantRequest(tournament=number, name="Ben")) == Code.NOT_ALLOWED
        deals = (await show(anna, number)).evening_deals
        await anna.call(m.CancelTournamentRequest(tournament=number))
        after = (await show(ben, number)).evening_deals
        assert [deal.commitment for deal in after] == [deal.commitment for deal in deals]
        assert after[0].server_seed is None, "its tables are still played"


@pytest.mark.parametrize("writes", range(12))
async def test_a_crash_at_any_write_of_a_deal_changes_nothing(host: Host, writes: int) -> None:
    journal = CrashingJournal()
    host.journal = journal
    async with host.run() as server:
        callers = await host.connect(server, *NAMES)
        number = await call_up(callers[0], "duplicate", round_count=2, starts_in_ms=60_000, seat_count=2)
        for caller in callers:
            await caller.call(m.EnterTournamentRequest(tournament=number))
        commitments = [deal.commitment for deal in (await show(callers[0], number)).evening_deals]
        journal.left = writes
        await host.pass_time(62)
    journal.left = 10_000
    async with host.run() as server:
        callers = await host.connect(server, *NAMES)
        await host.pass_time(SETTLED + 2)
        for _ in range(2):
            for caller in callers:
                if (await show(caller, number)).tournament_info.your_table is not None:
                    await caller.call(m.TakeSeatRequest(tournament=number))
            await play_out(host, number, *callers)
            await host.pass_time(31)
        shown = await show(callers[0], number)
        assert (shown.tournament_info.stage, len(shown.pairings)) == ("finished", 4)
        assert [deal.commitment for deal in shown.evening_deals] == commitments
        assert all(deal.server_seed for deal in shown.evening_deals)
        lines = (await callers[0].call(m.ExportTournamentRequest(tournament=number))).lines
        check_export([json.loads(line) for line in lines])


@pytest.mark.parametrize("writes", range(0, 16, 2))
async def test_deal_is_unsealed_after_a_crash(host: Host, writes: int) -> None:
    journal = CrashingJournal()
    host.journal = journal
    server = await host.start()
    number, callers = await begin(host, server, *NAMES, round_count=1)
    first = await play_table(host, number, callers[0])
    (second,) = {table for each in callers if (table := (await show(each, number)).tournament_info.your_table)}
    journal.left = writes
    with suppress(ScovilleError, AssertionError):
        await play_out(host, number, *callers)
    await server.close()
    journal.left = 10_000
    async with host.run() as server:
        callers = await host.connect(server, *NAMES)
        await host.pass_time(SETTLED)
        if (await show(callers[0], number)).tournament_info.stage != "finished":
            await play_out(host, number, *callers)
            await host.pass_time(61)
        await wait_until_idle()
        shown = await show(callers[0], number)
        assert (shown.tournament_info.stage, shown.tournament_info.scored_count) == ("finished", 1)
        for table in (first, second):
            assert (await callers[0].call(m.ExportRequest(table=table))).lines
