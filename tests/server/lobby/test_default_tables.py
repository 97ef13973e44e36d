"""Default tables: one public table of each game is always open."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from scoville_server.background.tasks import RetryLimits
from scoville_server.journal.base import JournalError, Mark
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.actions.close import Close
from scoville_server.tables.actions.start import AutoStart
from scoville_server.tables.actor import TableActor
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import (
    JoinRequest,
    KickRequest,
    LeaveRequest,
    ListTablesRequest,
    QuickMatchRequest,
    ReadyRequest,
    StartRequest,
)
from tests.server.conftest import Start
from tests.support.core import code_of, connect_user
from tests.support.server import core_of, toy_server, until

AT_ONCE = RetryLimits(first_seconds=0, longest_seconds=0)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = toy_server(Settings(default_tables=("heap", "high_card"), table_actions=0))
    await server.start()
    await core_of(server).background.finish_tasks()
    yield server
    await server.close()


def waiting(server: Server, game: str = "heap") -> list[TableActor]:
    return [
        actor
        for actor in core_of(server).tables.all_tables()
        if actor.table.opened.game == game and actor.table.status == "waiting"
    ]


async def test_one_of_each_game_is_open_to_anybody(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    tables = (await anna.call(ListTablesRequest())).tables
    assert [(info.game, info.creator, info.host) for info in tables] == [
        ("heap", None, None),
        ("high_card", None, None),
    ]
    assert all(info.settings.start == "full" and info.settings.fill_ms == 30_000 for info in tables)
    assert (await anna.call(QuickMatchRequest(game="heap"))).info.table == tables[0].table


async def test_when_one_begins_the_next_is_open(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    (first,) = waiting(server)
    await anna.call(JoinRequest(table=first.table.id))
    assert waiting(server) == [first]
    await anna.call(ReadyRequest(table=first.table.id))
    late = first.now() + 6_000
    first.now = lambda: late
    await first.carry_out(AutoStart())
    await until(lambda: len(waiting(server)) == 1)
    assert waiting(server) != [first]


async def test_it_waits_on_when_all_have_left(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    (first,) = waiting(server)
    await anna.call(JoinRequest(table=first.table.id))
    await anna.call(LeaveRequest(table=first.table.id))
    assert waiting(server) == [first]
    assert core_of(server).idle_timeouts._timers == {}


async def test_one_that_is_closed_is_followed_by_another(server: Server) -> None:
    (first,) = waiting(server)
    await first.carry_out(Close(reason="Spilled chilli."))
    await until(lambda: len(waiting(server)) == 1 and waiting(server) != [first])


async def test_only_the_newest_of_many_events_waits(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    (first,) = waiting(server)
    for _ in range(300):
        await anna.call(JoinRequest(table=first.table.id))
        await anna.call(LeaveRequest(table=first.table.id))
    assert waiting(server) == [first]
    assert first.table.seq == 1200
    assert len(first.table.recorded_events) < 300


async def test_it_has_no_host_who_could_start_it_or_kick(server: Server) -> None:
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    (first,) = waiting(server)
    for caller in (anna, ben):
        await caller.call(JoinRequest(table=first.table.id))
    assert first.table.host is None
    for params in (KickRequest(table=first.table.id, name="Ben"), StartRequest(table=first.table.id)):
        assert await code_of(anna, params) == "no_host"


async def test_after_a_restart_there_are_as_many_as_before(start: Start) -> None:
    server = await start(default_tables=("heap", "high_card"))
    await core_of(server).background.finish_tasks()
    kept = {actor.table.id for actor in core_of(server).tables.all_tables()}
    again = await start(server, default_tables=("heap", "high_card"))
    await core_of(again).background.finish_tasks()
    assert {actor.table.id for actor in core_of(again).tables.all_tables()} == kept
    assert len(kept) == 2


class FullDisk(MemoryJournal):
    """A journal whose disk is full for a while."""

    full = True

    async def append(self, table: TableId, records: Sequence[bytes], after: Mark, *, afresh: bool = False) -> Mark:
        if self.full:
            raise JournalError("The disk is full.")
        return await super().append(table, records, after, afresh=afresh)


async def test_a_refused_table_is_tried_again() -> None:
    journal = FullDisk()
    server = toy_server(Settings(default_tables=("heap",), retries=AT_ONCE), journal)
    await server.start()
    for _ in range(20):
        await asyncio.sleep(0)
    assert waiting(server) == []
    journal.full = False
    await until(lambda: len(waiting(server)) == 1)
    await server.close()


async def test_a_game_that_is_not_there_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    server = toy_server(Settings(default_tables=("chess", "heap")))
    await server.start()
    await until(lambda: len(waiting(server)) == 1)
    assert "chess" in caplog.text
    await server.close()
