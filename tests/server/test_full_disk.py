"""An hour with a full disk: every retry backs off, and everything continues when there is space again."""

import asyncio
from collections.abc import Sequence

from scoville_server.background.tasks import RetryLimits, retry_delay
from scoville_server.journal.base import Change, JournalError
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_shared.protocol import messages as m
from tests.support.core import connect_user, seat_users
from tests.support.journals import HOUR, FullDisk, open_server_on_full_disk
from tests.support.server import Caller, core_of
from tests.support.virtual_time import in_virtual_time

MOST_OF_ONE_THING = 6 + 60 * 4 // 3 + 2
"""Attempts of one thing in an hour: six while the wait doubles from 1 to 60 seconds, then one a minute, with chance."""


async def an_hour_of_full_disk(journal: FullDisk) -> None:
    journal.full = True
    await asyncio.sleep(HOUR)
    journal.full = False


async def play(table: str, users: list[Caller]) -> None:
    """Play to the end."""
    while (shot := await users[0].call(m.PollRequest(table=table))).info.status == "playing":
        user = users[shot.pending[0]]
        moves = (await user.call(m.MovesRequest(table=table))).moves
        await user.call(m.PlayRequest(table=table, move=moves[0]))


def ids(server: Server) -> list[str]:
    return [actor.table.id for actor in core_of(server).tables.all_tables()]


# --- how long the waits are -----------------------------------------------------------------------------


def test_waits_double_until_a_success() -> None:
    delay = retry_delay(lambda: 0.0, RetryLimits(first_seconds=1, longest_seconds=60))
    assert [delay.next_wait() for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    delay.start_over()
    assert delay.next_wait() == 1


def test_chance_shortens_each_wait_by_up_to_a_quarter() -> None:
    delay = retry_delay(lambda: 1.0, RetryLimits(first_seconds=1, longest_seconds=60))
    assert [delay.next_wait() for _ in range(3)] == [0.75, 1.5, 3.0]


# --- what is tried again --------------------------------------------------------------------------------


@in_virtual_time
async def test_a_finished_table_that_is_due_to_close() -> None:
    async with open_server_on_full_disk(finished_seconds=60) as (server, journal):
        table, users = await seat_users(server, "Anna", "Ben")
        await users[0].call(m.StartRequest(table=table))
        await play(table, users)
        await an_hour_of_full_disk(journal)
        assert 10 < journal.refused[f"append {table}"] <= MOST_OF_ONE_THING
        assert ids(server) == [table]
        await asyncio.sleep(60)
        assert ids(server) == []


@in_virtual_time
async def test_an_idle_table_that_is_due_to_close() -> None:
    async with open_server_on_full_disk(idle_seconds=60, host_idle_seconds=30) as (server, journal):
        table, _ = await seat_users(server, "Anna", "Ben")
        await an_hour_of_full_disk(journal)
        replacing = HOUR / 30
        assert 10 < journal.refused[f"append {table}"] <= MOST_OF_ONE_THING + replacing
        await asyncio.sleep(60)
        assert ids(server) == []


@in_virtual_time
async def test_bots_that_owe_a_move() -> None:
    async with open_server_on_full_disk(grace_seconds=5) as (server, journal):
        table, (anna, ben) = await seat_users(server, "Anna", "Ben")
        await anna.call(m.StartRequest(table=table))
        await ben.call(m.LeaveRequest(table=table))
        anna.hang_up()
        await asyncio.sleep(1)
        await an_hour_of_full_disk(journal)
        assert 10 < journal.refused[f"append {table}"] <= 2 * MOST_OF_ONE_THING
        await asyncio.sleep(61 + 900)  # bots play on, and the result waits for those who were not there
        assert ids(server) == []


@in_virtual_time
async def test_a_clock_that_runs_out_for_several_seats() -> None:
    async with open_server_on_full_disk() as (server, journal):
        users = [await connect_user(server, name) for name in ("Anna", "Ben", "Cleo")]
        params = m.CreateRequest(game="high_card", seat_count=3, clock=m.ClockParams(move_ms=30_000))
        table = (await users[0].call(params)).info.table
        for user in users:
            await user.call(m.JoinRequest(table=table))
        await users[0].call(m.StartRequest(table=table))
        await an_hour_of_full_disk(journal)
        assert 10 < journal.refused[f"append {table}"] <= 3 * MOST_OF_ONE_THING
        await asyncio.sleep(100)
        assert len(core_of(server).tables.find_table(table).table.moves) >= 3


@in_virtual_time
async def test_a_countdown_that_is_over() -> None:
    async with open_server_on_full_disk() as (server, journal):
        (anna, ben) = [await connect_user(server, name) for name in ("Anna", "Ben")]
        settings = m.TableSettingsParams(start="full", countdown_ms=5000)
        table = (await anna.call(m.CreateRequest(game="high_card", seat_count=2, settings=settings))).info.table
        for user in (anna, ben):
            await user.call(m.JoinRequest(table=table))
        journal.full = True
        await asyncio.sleep(1000)
        assert 6 < journal.refused[f"append {table}"] <= MOST_OF_ONE_THING
        journal.full = False
        await asyncio.sleep(60)
        assert core_of(server).tables.find_table(table).table.status == "playing"


@in_virtual_time
async def test_a_seat_whose_player_does_not_come_back() -> None:
    async with open_server_on_full_disk(grace_seconds=20) as (server, journal):
        table, (anna, ben) = await seat_users(server, "Anna", "Ben")
        await anna.call(m.StartRequest(table=table))
        ben.hang_up()
        await an_hour_of_full_disk(journal)
        assert 10 < journal.refused[f"append {table}"] <= 2 * MOST_OF_ONE_THING
        await asyncio.sleep(60)
        assert not core_of(server).tables.find_table(table).table.seats[1].human


@in_virtual_time
async def test_a_returning_player_gets_the_seat_when_possible() -> None:
    async with open_server_on_full_disk(grace_seconds=20) as (server, journal):
        table, (anna, ben) = await seat_users(server, "Anna", "Ben")
        await anna.call(m.StartRequest(table=table))
        ben.hang_up()
        await asyncio.sleep(30)
        journal.full = True
        assert ben.welcome is not None
        back = await connect_user(server, token=ben.welcome.token)
        await asyncio.sleep(HOUR)
        assert 10 < journal.refused[f"append {table}"] <= 2 * MOST_OF_ONE_THING
        journal.full = False
        await asyncio.sleep(60)
        assert core_of(server).tables.find_table(table).table.seats[1].human
        back.hang_up()


@in_virtual_time
async def test_a_returned_player_keeps_the_seat_after_another_loss() -> None:
    async with open_server_on_full_disk(grace_seconds=HOUR) as (server, journal):
        table, (anna, ben) = await seat_users(server, "Anna", "Ben")
        await anna.call(m.StartRequest(table=table))
        ben.hang_up()
        await asyncio.sleep(HOUR - 5)
        journal.full = True
        await asyncio.sleep(500)
        assert ben.welcome is not None
        (await connect_user(server, token=ben.welcome.token)).hang_up()
        journal.full = False
        await asyncio.sleep(HOUR - 30)
        assert core_of(server).tables.find_table(table).table.seats[1].human


@in_virtual_time
async def test_default_tables() -> None:
    async with open_server_on_full_disk(default_tables=("heap",), unseated_seconds=60) as (server, journal):
        (table,) = ids(server)
        anna = await connect_user(server, "Anna")
        await anna.call(m.JoinRequest(table=table))
        await anna.call(m.ReadyRequest(table=table))
        await asyncio.sleep(30)  # it has no host and starts by itself
        journal.full = True
        await asyncio.sleep(0)
        await asyncio.sleep(HOUR)
        opened = (
            sum(count for what, count in journal.refused.items() if what.startswith("append"))
            - (journal.refused[f"append {table}"])
        )
        assert opened <= MOST_OF_ONE_THING
        journal.full = False
        await asyncio.sleep(120)
        waiting = [actor.table.status for actor in core_of(server).tables.all_tables()]
        assert waiting.count("waiting") == 1


@in_virtual_time
async def test_careers_begun_on_a_full_disk_become_complete() -> None:
    async with open_server_on_full_disk() as (server, journal):
        table, users = await seat_users(server, "Anna", "Ben")
        refuse_careers(journal)
        await users[0].call(m.StartRequest(table=table))
        await asyncio.sleep(HOUR)
        assert 10 < journal.refused["write careers"] <= MOST_OF_ONE_THING
        await play(table, users)
        journal.write = MemoryJournal.write.__get__(journal)  # type: ignore[method-assign]
        await asyncio.sleep(60)
        profiles = [await user.call(m.ProfileRequest()) for user in users]
        assert [(profile.begun, profile.finished) for profile in profiles] == [(1, 1), (1, 1)]


def refuse_careers(journal: FullDisk) -> None:
    """Let the disk refuse the careers alone."""

    async def write(changes: Sequence[Change]) -> None:
        if changes[0].book == "careers":
            journal.refused["write careers"] += 1
            raise JournalError("The disk is full.")
        await MemoryJournal.write(journal, changes)

    journal.write = write  # type: ignore[method-assign]


@in_virtual_time
async def test_a_whole_server_in_an_hour_of_full_disk() -> None:
    """Every kind of table at once: attempts grow with the number of tables, never with time alone."""
    async with open_server_on_full_disk(
        finished_seconds=60, idle_seconds=90, grace_seconds=10, default_tables=("heap",)
    ) as (
        server,
        disk,
    ):
        callers = []
        for number in range(12):
            table, users = await seat_users(server, f"Anna{number}", f"Ben{number}")
            callers += users
            if number % 3:
                await users[0].call(m.StartRequest(table=table))
            if number % 3 == 2:
                await play(table, users)
        for caller in callers[::2]:
            caller.hang_up()
        tables = len(ids(server))
        await an_hour_of_full_disk(disk)
        assert disk.refused.total() <= tables * 3 * MOST_OF_ONE_THING
        await asyncio.sleep(200)
        statuses = [actor.table.status for actor in core_of(server).tables.all_tables()]
        assert statuses.count("finished") == 0
