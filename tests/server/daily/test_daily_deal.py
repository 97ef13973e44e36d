"""The daily deal: one attempt each at the same deal, by the server's calendar, also over crashes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_server.journal.base import Change
from scoville_server.server import Server
from scoville_shared.engine.contract import DailyPlan
from scoville_shared.errors import Code
from scoville_shared.games.registry import load_game
from scoville_shared.protocol import messages as m
from tests.outside.faulty_games import on_path, write_package
from tests.server.daily.machine import (
    DAY,
    HOUR,
    SETTINGS,
    Machine,
    begin,
    come_back,
    first_move,
    last_move,
    new_user,
    show,
    story_of,
)
from tests.support.core import code_of
from tests.support.idle import wait_until_idle
from tests.support.server import core_of

MONDAY = 1_759_752_000_000
"""Monday 2025-10-06 at noon in UTC."""


@pytest.fixture
def machine() -> Machine:
    return Machine(MONDAY)


async def test_two_users_get_the_same_deal_and_the_same_answers(machine: Machine) -> None:
    async with machine.run() as server:
        stories = []
        for name in ("Anna", "Ben"):
            caller = await new_user(server, name)
            table = await begin(caller)
            await machine.play_out(caller, table)
            stories.append(await story_of(caller, table))
        assert stories[0] == stories[1]
        assert len(stories[0]) > 8


async def test_nobody_plays_a_deal_twice(machine: Machine) -> None:
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        table = await begin(anna)
        assert await begin(anna) == table
        await machine.play_out(anna, table)
        assert await code_of(anna, m.PlayDailyRequest()) == Code.DEAL_PLAYED
        assert await code_of(anna, m.RematchRequest(table=table)) == Code.NO_REMATCH
        await anna.call(m.LeaveRequest(table=table))
    async with machine.run() as server:
        anna = await come_back(server, anna)
        assert await code_of(anna, m.PlayDailyRequest()) == Code.DEAL_PLAYED
        assert (await show(anna)).deals[0].state == "finished"


async def test_a_player_leaves_and_continues_later(machine: Machine) -> None:
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        table = await begin(anna)
        await machine.play_out(anna, table, most=3)
        before = await machine.wait_for_turn(anna, table)
        await anna.call(m.LeaveRequest(table=table))
        anna.hang_up()
        await machine.clock.elapse(20 * HOUR)
    async with machine.run() as server:
        anna = await come_back(server, anna)
        deal = (await show(anna)).deals[1]
        assert (deal.state, deal.table) == ("playing", table)
        assert await begin(anna, deal.day) == table
        after = await machine.wait_for_turn(anna, table)
        assert (after.view, after.info.paused) == (before.view, False)
        await machine.play_out(anna, table)
        assert (await show(anna)).deals[1].state == "finished"


@pytest.mark.parametrize("move", ["first", "middle", "last"])
async def test_a_crash_gives_no_second_attempt(machine: Machine, move: str) -> None:
    server = await machine.start()
    anna = await new_user(server, "Anna")
    table = await begin(anna)
    if move != "first":
        await machine.play_out(anna, table, most=4 if move == "middle" else 10_000)
    story = await story_of(anna, table)
    # The next server finds the disk as it is; this one is never closed.
    async with machine.run() as after:
        again = await come_back(after, anna)
        if move == "last":
            assert await code_of(again, m.PlayDailyRequest()) == Code.DEAL_PLAYED
        else:
            assert await begin(again) == table
            assert (await story_of(again, table))[: len(story)] == story
    await server.close()


async def test_a_crash_between_the_attempt_and_its_table_costs_nothing(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Crash(Exception):
        pass

    async def crash(*_: object, **__: object) -> None:
        raise Crash

    server = await machine.start()
    anna = await new_user(server, "Anna")
    monkeypatch.setattr(core_of(server).registry, "open_table", crash)
    with pytest.raises(Crash):
        await begin(anna)
    async with machine.run() as after:
        again = await come_back(after, anna)
        deal = (await show(again)).deals[0]
        assert deal.state == "playing"
        assert await begin(again) == deal.table
        await machine.play_out(again, deal.table)
        assert (await show(again)).streak == 1
    await server.close()


async def test_unwritten_result_is_written_after_a_crash(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    server = await machine.start()
    anna = await new_user(server, "Anna")
    table = await begin(anna)
    write = machine.journal.write

    async def lose_results(changes: list[Change]) -> None:
        if not any(change.book.startswith("daily") for change in changes):
            await write(changes)

    monkeypatch.setattr(machine.journal, "write", lose_results)
    await machine.play_out(anna, table)
    monkeypatch.undo()
    async with machine.run() as after:
        again = await come_back(after, anna)
        await core_of(after).background.finish_tasks()
        shown = await show(again)
        assert (shown.deals[0].state, shown.streak) == ("finished", 1)
    await server.close()


async def test_result_appears_when_the_game_ends(machine: Machine) -> None:
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        table = await begin(anna)
        while (await machine.wait_for_turn(anna, table)).info.status != "finished":
            moves = (await anna.call(m.MovesRequest(table=table))).moves
            await anna.call(m.PlayRequest(table=table, move=moves[0]))
        assert (await show(anna)).deals[0].state == "finished"


# --- the calendar ---------------------------------------------------------------------------------------


async def played(machine: Machine, server: Server, name: str = "Anna") -> m.ShowDailyReply:
    """Let a new user play today's deal; returns what they are shown then."""
    caller = await new_user(server, name)
    await machine.play_out(caller, await begin(caller))
    return await show(caller)


async def test_a_day_is_open_for_36_hours(machine: Machine) -> None:
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        monday = (await show(anna)).today
        left = (await show(anna)).deals[0].closes_in_ms or 0
        assert left == 28 * HOUR * 1000
        await machine.clock.elapse(left / 1000 - 60)
        late = await begin(anna, monday)
        await machine.clock.elapse(120)
        shown = await show(anna)
        assert shown.today == monday + 1
        assert [(deal.day, deal.state) for deal in shown.deals] == [(monday + 1, "open"), (monday, "unfinished")]
        assert await code_of(anna, m.PollRequest(table=late)) == Code.UNKNOWN_TABLE
        ben = await new_user(server, "Ben")
        assert await code_of(ben, m.PlayDailyRequest(day=monday)) == Code.DEAL_OVER
        assert await code_of(ben, m.PlayDailyRequest(day=monday + 5)) == Code.NO_DAILY


async def test_the_week_gets_harder(machine: Machine) -> None:
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        week = []
        for _ in range(7):
            deal = (await show(anna)).deals[0]
            week.append((len(deal.levels), deal.deal_count, {*filter(None, deal.levels)}))
            await machine.clock.elapse(DAY)
        assert week[0] == (3, 1, {"easy"})
        assert week[6] == (6, 4, {"strong", "sensible"})
        assert [seats for seats, _, _ in week] == sorted(seats for seats, _, _ in week)


@pytest.mark.parametrize("weeks", range(3))
async def test_each_game_can_be_played_on_a_sunday(machine: Machine, weeks: int) -> None:
    await machine.clock.elapse((6 + 7 * weeks) * DAY)
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        await machine.play_out(anna, await begin(anna), last_move)
        deal = (await show(anna)).deals[0]
        assert (deal.deal_count, deal.state) == (4, "finished")
        assert len(deal.levels) == min(6, load_game(deal.game).info.seats[1])


async def test_day_with_too_many_seats_is_drawn_again(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dicht dran was once planned for six seats on Sundays, though its rules are for five."""
    info = load_game("dicht_dran").info
    plans = [DailyPlan(levels=("easy",) * 5)]
    monkeypatch.setattr(type(load_game("dicht_dran")), "daily_plans", plans)
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        assert {len(deal.levels) for _, day in core_of(server).daily.days._days.items() for deal in day.deals} > {6}
    monkeypatch.undo()
    async with machine.run() as server:
        anna = await come_back(server, anna)
        for _ in range(4):
            await machine.clock.elapse(DAY)
            deal = (await show(anna)).deals[0]
            assert deal.game != info.slug or len(deal.levels) <= info.seats[1]


@pytest.mark.parametrize("hours", [-30, -2, -0.1, 0.1, 20])
async def test_a_clock_that_is_set_repeats_no_day(machine: Machine, hours: float) -> None:
    machine.set_clock(15.9)  # a moment before the next day begins, at four o'clock
    async with machine.run() as server:
        before = await played(machine, server)
        machine.set_clock(0.2)
        anna = await new_user(server, "Anna 2")
        after_midnight = (await show(anna)).today
        machine.set_clock(hours)
        assert after_midnight <= (await show(anna)).today <= after_midnight + 1
    async with machine.run() as server:
        anna = await come_back(server, anna)
        shown = await show(anna)
        assert after_midnight <= shown.today <= after_midnight + 1
        assert {deal.day for deal in shown.deals} >= {before.today, after_midnight}
        assert (await played(machine, server, "Carl")).streak == 1


async def test_streaks_live_on_the_server_with_free_days(machine: Machine) -> None:
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        streaks = []
        for plays in (True, True, False, True, False, True, False, False):
            if plays:
                await machine.play_out(anna, await begin(anna))
            shown = await show(anna)
            streaks.append((shown.streak, shown.free_days_left))
            await machine.clock.elapse(DAY)
        assert [streak for streak, _ in streaks] == [1, 2, 2, 3, 3, 4, 4, 4]
        assert [free for _, free in streaks[4:7]] == [1, 1, 0]
        assert (await show(anna)).streak == 0
        assert (await show(anna)).best_streak == 4


async def test_days_without_a_server_end_no_streak(machine: Machine) -> None:
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        await machine.play_out(anna, await begin(anna))
    await machine.clock.elapse(2.5 * DAY)
    async with machine.run() as server:
        anna = await come_back(server, anna)
        await machine.play_out(anna, await begin(anna))
        assert ((await show(anna)).streak, (await show(anna)).free_days_left) == (2, 2)


# --- secrets --------------------------------------------------------------------------------------------


async def test_the_seed_is_committed_before_and_revealed_after(machine: Machine) -> None:
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        promised = {promise.day: promise.commitments for promise in (await show(anna)).upcoming}
        assert len(promised) == 7
        await machine.clock.elapse(DAY)
        shown = await show(anna)
        table = await begin(anna)
        await machine.play_out(anna, table)
        assert [shown.deals[0].commitment] == promised[shown.today]
        seen: m.TableSnapshot = await anna.call(m.PollRequest(table=table))
        assert [event.server_seed for event in seen.events if isinstance(event, m.Finished)] == [""]
        assert await code_of(anna, m.ExportRequest(table=table)) == Code.DEAL_SEALED
        mine = (await show(anna)).deals[0].your_result
        assert mine is not None
        export = m.ExportDailyRequest(day=shown.today, result=mine.id)
        assert await code_of(anna, export) == Code.DEAL_SEALED
        proof: m.ProveDailyReply = await anna.call(m.ProveDailyRequest(day=shown.today))
        assert [each.server_seed for each in proof.proofs] == [None]
        await machine.clock.elapse(2 * DAY)
        proof = await anna.call(m.ProveDailyRequest(day=shown.today))
        assert all(each.server_seed for each in proof.proofs)
        assert [each.commitment for each in proof.proofs] == promised[shown.today]


async def test_nobody_else_sees_a_daily_table(machine: Machine) -> None:
    async with machine.run() as server:
        anna, ben = await new_user(server, "Anna"), await new_user(server, "Ben")
        table = await begin(anna)
        assert await code_of(ben, m.WatchRequest(table=table)) == Code.UNKNOWN_TABLE
        await anna.call(m.InviteRequest(table=table, name="Ben"))
        assert await code_of(ben, m.WatchRequest(table=table)) == Code.NO_SPECTATORS
        day = (await show(ben)).today
        assert await code_of(ben, m.CompareDailyRequest(day=day)) == Code.DEAL_NOT_PLAYED


async def test_daily_table_does_not_count_as_opened(machine: Machine) -> None:
    """Neither the attempt nor a table afterwards is refused for the other's sake."""
    async with machine.run(replace(SETTINGS, tables_hosted=2)) as server:
        anna = await new_user(server, "Anna")
        tables = [(await anna.call(m.CreateRequest(game="no_thanks", seat_count=3))).info.table]
        tables.append(await begin(anna))
        tables.append((await anna.call(m.CreateRequest(game="no_thanks", seat_count=3))).info.table)
        assert await code_of(anna, m.CreateRequest(game="no_thanks", seat_count=3)) == Code.TOO_MANY
        assert await begin(anna) == tables[1]
        ben = await new_user(server, "Ben")
        for _ in range(2):
            await ben.call(m.CreateRequest(game="no_thanks", seat_count=3))
        assert await begin(ben) not in tables


async def test_results_of_the_oldest_deals_make_room(machine: Machine) -> None:
    async with machine.run(replace(SETTINGS, guests=5)) as server:
        users = [await new_user(server, name) for name in ("Anna", "Ben", "Carl", "Dora", "Emil")]
        attempts = core_of(server).daily.attempts
        for user in users[:2]:
            await begin(user)
        await machine.clock.elapse(2 * DAY)
        for user in users[:2]:
            await begin(user)
        assert (attempts.total, attempts.count_attempts("daily-2025-10-06-1")) == (4, 2)
        for user in users[2:4]:
            await begin(user)
        assert (attempts.total, attempts.count_attempts("daily-2025-10-06-1")) == (4, 0)
        assert await code_of(users[4], m.PlayDailyRequest()) == Code.TOO_MANY, "nothing that is over is left"


async def test_games_of_packages_are_not_dealt(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(tmp_path, "counting")
    with on_path(monkeypatch, tmp_path):
        async with machine.run() as server:
            anna = await new_user(server, "Anna")
            assert anna.welcome is not None
            assert "counting" in {info.slug for info in anna.welcome.games}
            await show(anna)
            drawn = [deal.game for _, day in core_of(server).daily.days._days.items() for deal in day.deals]
            assert len(drawn) > 7
            assert {*drawn} == {"chilli_chase", "dicht_dran", "no_thanks"}


async def test_accounts_of_one_network_get_different_deals_on_rated_days(machine: Machine) -> None:
    await machine.clock.elapse(6 * DAY)
    async with machine.run() as server:
        deals = []
        for number in range(5):
            caller = await new_user(server, f"Anna {number}", address="203.0.113.7:1")
            await begin(caller)
            deals.append((await show(caller)).deals[0].deal)
        assert len(set(deals[:4])) == 4


# --- results --------------------------------------------------------------------------------------------


async def test_the_traveller_shows_where_games_parted(machine: Machine) -> None:
    async with machine.run() as server:
        users = {}
        for name, choose in (("Anna", first_move), ("Ben", first_move), ("Carl", last_move)):
            users[name] = await new_user(server, name)
            await machine.play_out(users[name], await begin(users[name]), choose)
        day = (await show(users["Anna"])).today
        reply: m.CompareDailyReply = await users["Anna"].call(m.CompareDailyRequest(day=day))
        assert {each.name: (each.you, each.same_move_count) for each in reply.results} == {
            "Anna": (True, None),
            "Ben": (False, None),
            "Carl": (False, 0),
        }
        theirs = next(each for each in reply.results if each.name == "Carl")
        seen: m.ReplayDailyReply = await users["Anna"].call(m.ReplayDailyRequest(day=day, result=theirs.id))
        assert seen.snapshot.seat == reply.daily_deal.your_seat
        assert seen.snapshot.info.seats[reply.daily_deal.your_seat].name == "Carl"
        assert seen.views
        mine = next(each for each in reply.results if each.you)
        # Ben's result is the same, so it counts half.
        beaten = {"better": 75, "same": 50, "worse": 25}
        ranks = (mine.place, theirs.place)
        how = "better" if ranks[0] < ranks[1] else "worse" if ranks[0] > ranks[1] else "same"
        assert reply.daily_deal.percentile == beaten[how]


async def test_par_is_what_a_strong_bot_reaches(machine: Machine) -> None:
    async with machine.run() as server:
        anna = await new_user(server, "Anna")
        await machine.play_out(anna, await begin(anna))
        day = (await show(anna)).today
        while (reply := await anna.call(m.CompareDailyRequest(day=day))).par is None:
            await machine.clock.elapse(1)
        assert reply.par.level == "strong"
        assert 1 <= reply.par.place <= 3


async def test_pars_survive_the_reveal(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(MONDAY + 6 * DAY * 1_000)  # on Sunday, when there is a pool of deals
    async with machine.run() as server:
        daily = core_of(server).daily
        day = daily.days.find_day()
        assert len(day.deals) > 1
        may_write, write_rows = asyncio.Event(), daily.days._days.write_rows

        async def write_late(*args: Any, **more: Any) -> None:
            await may_write.wait()
            await write_rows(*args, **more)

        monkeypatch.setattr(daily.days._days, "write_rows", write_late)
        for deal in day.deals:
            daily.on_finished(day, deal)
        await machine.clock.elapse(HOUR)
        machine.set_clock(40)
        closing = asyncio.ensure_future(daily.days._close_day(day))
        await wait_until_idle()
        may_write.set()
        await closing
        await core_of(server).background.finish_tasks()
        after = daily.days.day_of(day.day)
        assert after is not None
        assert after.revealed_ms
        assert all(deal.par is not None for deal in after.deals)


async def test_an_erased_account_leaves_a_ghost(machine: Machine) -> None:
    async with machine.run() as server:
        anna, ben = await new_user(server, "Anna"), await new_user(server, "Ben")
        for caller in (anna, ben):
            table = await begin(caller)
            await machine.play_out(caller, table)
            await caller.call(m.LeaveRequest(table=table))
        day = (await show(anna)).today
        await ben.call(m.ConfirmRequest(password="green or red?"))
        await ben.call(m.DeleteAccountRequest())
        await core_of(server).background.finish_tasks()
        reply: m.CompareDailyReply = await anna.call(m.CompareDailyRequest(day=day))
        assert sorted((each.name or "", each.claimed) for each in reply.results) == [("", False), ("Anna", True)]
    async with machine.run() as server:
        again = await come_back(server, anna)
        kept: m.CompareDailyReply = await again.call(m.CompareDailyRequest(day=day))
        assert [each.name for each in kept.results] == ["Anna", None]
        assert not [row for row in machine.journal_rows("daily") if b"Ben" in row]


async def test_guests_play_but_count_for_nobody_else(machine: Machine) -> None:
    async with machine.run() as server:
        anna, gus = await new_user(server, "Anna"), await new_user(server, "Gus", owns_name=False)
        for caller in (gus, anna):
            await machine.play_out(caller, await begin(caller))
        day = (await show(anna)).today
        reply: m.CompareDailyReply = await anna.call(m.CompareDailyRequest(day=day))
        assert [each.name for each in reply.results] == ["Anna"]
        theirs: m.CompareDailyReply = await gus.call(m.CompareDailyRequest(day=day))
        assert [each.you for each in theirs.results] == [True, False]
        assert theirs.daily_deal.percentile is not None
