"""An hour with a disk that takes nothing: every retry backs off, and everything goes on when there is room again."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from scoville_server.background.retry import RetryDelay, RetryLimits
from scoville_server.config import Settings
from scoville_server.journal.base import Entry, JournalError, Mark, StoredUser
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol import messages as m
from tests.support import virtual_time
from tests.support.core import code_of, seated, someone
from tests.support.server import Caller, house_of, toy_server

HOUR = 3600.0
MOST_OF_ONE_THING = 6 + 60 * 4 // 3 + 2
"""Attempts of one thing in an hour: six while the wait doubles from 1 to 60 seconds, then one a minute, with chance."""


class FullDisk(MemoryJournal):
    """A journal that refuses every write while it is full, and counts what it refuses."""

    def __init__(self) -> None:
        super().__init__()
        self.full = False
        self.refused: Counter[str] = Counter()

    def _write(self, what: str) -> None:
        if self.full:
            self.refused[what] += 1
            raise JournalError("The disk is full.")

    async def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Mark:
        self._write(f"append {table}")
        return await super().append(table, records, after, afresh=afresh)

    async def retire(self, table: TableId, after: Mark) -> None:
        self._write(f"retire {table}")
        await super().retire(table, after)

    async def remember(self, known: StoredUser) -> None:
        self._write("remember")
        await super().remember(known)

    async def forget(self, user: UserId) -> None:
        self._write("forget")
        await super().forget(user)

    async def note(self, entries: Sequence[Entry]) -> None:
        self._write(f"note {entries[0].book}")
        await super().note(entries)


@asynccontextmanager
async def world(**settings: Any) -> AsyncIterator[tuple[Server, FullDisk]]:
    journal = FullDisk()
    server = toy_server(Settings(**settings), journal, virtual_time.clock())
    await server.start()
    await asyncio.sleep(1)
    yield server, journal
    journal.full = False
    await server.close()


async def an_hour_of_full_disk(journal: FullDisk) -> None:
    journal.full = True
    await asyncio.sleep(HOUR)
    journal.full = False


def in_virtual_time(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Let a test run in an hour that takes a moment."""

    def run() -> None:
        virtual_time.run(test())

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


async def play(table: str, people: list[Caller]) -> None:
    """Play to the end."""
    while (shot := await people[0].call(m.PollRequest(table=table))).info.status == "playing":
        user = people[shot.pending[0]]
        moves = (await user.call(m.MovesRequest(table=table))).moves
        await user.call(m.PlayRequest(table=table, move=moves[0]))


def ids(server: Server) -> list[str]:
    return [actor.table.id for actor in house_of(server).lobby.all()]


# --- how long the waits are -----------------------------------------------------------------------------


def test_the_waits_double_up_to_the_longest_and_begin_anew_after_a_success() -> None:
    delay = RetryDelay(RetryLimits(first_seconds=1, longest_seconds=60), chance=lambda: 0.0)
    assert [delay.next() for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    delay.reset()
    assert delay.next() == 1


def test_chance_shortens_each_wait_by_up_to_a_quarter() -> None:
    delay = RetryDelay(RetryLimits(first_seconds=1, longest_seconds=60), chance=lambda: 1.0)
    assert [delay.next() for _ in range(3)] == [0.75, 1.5, 3.0]


# --- what is tried again --------------------------------------------------------------------------------


@in_virtual_time
async def test_a_finished_table_that_is_due_to_close() -> None:
    async with world(finished_seconds=60) as (server, journal):
        table, people = await seated(server, "Anna", "Ben")
        await people[0].call(m.StartRequest(table=table))
        await play(table, people)
        await an_hour_of_full_disk(journal)
        assert 10 < journal.refused[f"append {table}"] <= MOST_OF_ONE_THING
        assert ids(server) == [table]
        await asyncio.sleep(60)
        assert ids(server) == []


@in_virtual_time
async def test_an_idle_table_that_is_due_to_close() -> None:
    async with world(idle_seconds=60, host_idle_seconds=30) as (server, journal):
        table, _ = await seated(server, "Anna", "Ben")
        await an_hour_of_full_disk(journal)
        replacing = HOUR / 30
        assert 10 < journal.refused[f"append {table}"] <= MOST_OF_ONE_THING + replacing
        await asyncio.sleep(60)
        assert ids(server) == []


@in_virtual_time
async def test_bots_that_owe_a_move() -> None:
    async with world(grace_seconds=5) as (server, journal):
        table, (anna, ben) = await seated(server, "Anna", "Ben")
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
    async with world() as (server, journal):
        people = [await someone(server, name) for name in ("Anna", "Ben", "Cleo")]
        wish = m.CreateRequest(game="high_card", seat_count=3, clock=m.ClockParams(move_ms=30_000))
        table = (await people[0].call(wish)).info.table
        for user in people:
            await user.call(m.JoinRequest(table=table))
        await people[0].call(m.StartRequest(table=table))
        await an_hour_of_full_disk(journal)
        assert 10 < journal.refused[f"append {table}"] <= 3 * MOST_OF_ONE_THING
        await asyncio.sleep(100)
        assert len(house_of(server).lobby.find(table).table.moves) >= 3


@in_virtual_time
async def test_a_countdown_that_is_over() -> None:
    async with world() as (server, journal):
        (anna, ben) = [await someone(server, name) for name in ("Anna", "Ben")]
        settings = m.TableSettingsParams(start="full", countdown_ms=5000)
        table = (await anna.call(m.CreateRequest(game="high_card", seat_count=2, settings=settings))).info.table
        for user in (anna, ben):
            await user.call(m.JoinRequest(table=table))
        journal.full = True
        await asyncio.sleep(1000)
        assert 6 < journal.refused[f"append {table}"] <= MOST_OF_ONE_THING
        journal.full = False
        await asyncio.sleep(60)
        assert house_of(server).lobby.find(table).table.status == "playing"


@in_virtual_time
async def test_a_seat_whose_player_does_not_come_back() -> None:
    async with world(grace_seconds=20) as (server, journal):
        table, (anna, ben) = await seated(server, "Anna", "Ben")
        await anna.call(m.StartRequest(table=table))
        ben.hang_up()
        await an_hour_of_full_disk(journal)
        assert 10 < journal.refused[f"append {table}"] <= 2 * MOST_OF_ONE_THING
        await asyncio.sleep(60)
        assert not house_of(server).lobby.find(table).table.seats[1].human


@in_virtual_time
async def test_a_player_who_comes_back_to_a_bot_gets_the_seat_once_there_is_room() -> None:
    async with world(grace_seconds=20) as (server, journal):
        table, (anna, ben) = await seated(server, "Anna", "Ben")
        await anna.call(m.StartRequest(table=table))
        ben.hang_up()
        await asyncio.sleep(30)
        journal.full = True
        assert ben.welcome is not None
        back = await someone(server, token=ben.welcome.token)
        await asyncio.sleep(HOUR)
        assert 10 < journal.refused[f"append {table}"] <= 2 * MOST_OF_ONE_THING
        journal.full = False
        await asyncio.sleep(60)
        assert house_of(server).lobby.find(table).table.seats[1].human
        back.hang_up()


@in_virtual_time
async def test_a_seat_is_not_given_up_when_its_player_came_back_and_left_again_meanwhile() -> None:
    async with world(grace_seconds=HOUR) as (server, journal):
        table, (anna, ben) = await seated(server, "Anna", "Ben")
        await anna.call(m.StartRequest(table=table))
        ben.hang_up()
        await asyncio.sleep(HOUR - 5)
        journal.full = True
        await asyncio.sleep(500)
        assert ben.welcome is not None
        (await someone(server, token=ben.welcome.token)).hang_up()
        journal.full = False
        await asyncio.sleep(HOUR - 30)
        assert house_of(server).lobby.find(table).table.seats[1].human


@in_virtual_time
async def test_default_tables() -> None:
    async with world(default_tables=("heap",), unseated_seconds=60) as (server, journal):
        (table,) = ids(server)
        anna = await someone(server, "Anna")
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
        waiting = [actor.table.status for actor in house_of(server).lobby.all()]
        assert waiting.count("waiting") == 1


@in_virtual_time
async def test_careers_of_a_game_that_began_on_a_full_disk_are_complete_after_it() -> None:
    async with world() as (server, journal):
        table, people = await seated(server, "Anna", "Ben")
        refuse_careers(journal)
        await people[0].call(m.StartRequest(table=table))
        await asyncio.sleep(HOUR)
        assert 10 < journal.refused["note careers"] <= MOST_OF_ONE_THING
        await play(table, people)
        journal.note = MemoryJournal.note.__get__(journal)  # type: ignore[method-assign]
        await asyncio.sleep(60)
        profiles = [await user.call(m.ProfileRequest()) for user in people]
        assert [(profile.begun, profile.finished) for profile in profiles] == [(1, 1), (1, 1)]


def refuse_careers(journal: FullDisk) -> None:
    """Let the disk refuse the careers alone."""

    async def note(entries: Sequence[Entry]) -> None:
        if entries[0].book == "careers":
            journal.refused["note careers"] += 1
            raise JournalError("The disk is full.")
        await MemoryJournal.note(journal, entries)

    journal.note = note  # type: ignore[method-assign]


@in_virtual_time
async def test_a_whole_server_in_an_hour_of_full_disk() -> None:
    """Every kind of table at once: attempts grow with the number of tables, never with time alone."""
    async with world(finished_seconds=60, idle_seconds=90, grace_seconds=10, default_tables=("heap",)) as (
        server,
        disk,
    ):
        callers = []
        for number in range(12):
            table, people = await seated(server, f"Anna{number}", f"Ben{number}")
            callers += people
            if number % 3:
                await people[0].call(m.StartRequest(table=table))
            if number % 3 == 2:
                await play(table, people)
        for caller in callers[::2]:
            caller.hang_up()
        tables = len(ids(server))
        await an_hour_of_full_disk(disk)
        assert disk.refused.total() <= tables * 3 * MOST_OF_ONE_THING
        await asyncio.sleep(200)
        statuses = [actor.table.status for actor in house_of(server).lobby.all()]
        assert statuses.count("finished") == 0


# --- what a client asks for -----------------------------------------------------------------------------


REQUESTS: list[Callable[[str], m.Params]] = [
    lambda _: m.CreateRequest(game="heap", seat_count=2),
    lambda table: m.JoinRequest(table=table),
    lambda table: m.SayRequest(table=table, text="Hello"),
    lambda _: m.SayRequest(text="Hello"),
    lambda table: m.ReadyRequest(table=table),
]


@pytest.mark.parametrize("request_of", REQUESTS)
def test_every_kind_of_request_is_refused_once_and_succeeds_later(request_of: Callable[[str], m.Params]) -> None:
    async def main() -> None:
        async with world(idle_seconds=0, host_idle_seconds=0) as (server, journal):
            table, (anna,) = await seated(server, "Anna")
            params = request_of(table)
            caller = await someone(server, "Cleo") if isinstance(params, m.JoinRequest) else anna
            journal.full = True
            assert await code_of(caller, params)
            before = journal.refused.total()
            await asyncio.sleep(HOUR)
            assert journal.refused.total() - before <= 1
            journal.full = False
            await caller.call(params)

    virtual_time.run(main())


@pytest.mark.parametrize("whole", [m.SayRequest(text="Hello"), m.SayRequest(text="Hello", to="Ben")])
def test_a_message_that_was_not_kept_does_not_count_as_sent(whole: m.SayRequest) -> None:
    async def main() -> None:
        async with world() as (server, journal):
            anna, _ = [await someone(server, name) for name in ("Anna", "Ben")]
            journal.full = True
            for _ in range(20):
                assert await code_of(anna, whole) != "slow_down"
            journal.full = False
            for _ in range(2):
                await anna.call(whole)
            assert await code_of(anna, whole) == "slow_down"

    virtual_time.run(main())


# --- what a refused write answers -----------------------------------------------------------------------


@in_virtual_time
async def test_every_kind_of_message_that_is_not_saved_is_refused_as_such() -> None:
    """Callers have addresses: without one, only some of the rate limits apply."""
    async with world() as (server, journal):
        anna = await Caller(server, "192.0.2.1:4000").hello("Anna")
        await Caller(server, "192.0.2.2:4000").hello("Ben")
        table = await anna.create()
        await anna.call(m.JoinRequest(table=table))
        journal.full = True
        for message in (
            m.SayRequest(text="one"),
            m.SayRequest(text="two", table=table),
            m.SayRequest(text="three", to="Ben"),
        ):
            assert await code_of(anna, message) == "not_saved"
