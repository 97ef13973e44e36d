"""Everything that users can add to a table repeatedly is bounded: in memory, the journal, replies and a restart."""

import pytest

from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.actions.condense import Condensed
from scoville_server.tables.state_machine import MOST_EXTRAS, unpack_record
from scoville_server.tables.watching import project
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import (
    CreateRequest,
    JoinRequest,
    LeaveRequest,
    PauseRequest,
    PollRequest,
    ReadyRequest,
    ResumeRequest,
    StartRequest,
    TableSnapshot,
    TransferHostRequest,
    WatchRequest,
)
from tests.server.conftest import Start
from tests.support.core import code_of, connect_user, seat_users
from tests.support.server import Caller, core_of, toy_server, until

UNLIMITED = Settings(table_actions=0, table_actions_at_table=0)


async def fidgeted(server: Server, turns: int) -> tuple[TableId, Caller, Caller]:
    """Let Ben join, be ready and leave again and again at Anna's table; returns it with Anna and a spectator."""
    anna, ben, cleo = [await connect_user(server, name) for name in ("Anna", "Ben", "Cleo")]
    table = TableId(await anna.create("heap", 3))
    await anna.call(JoinRequest(table=table))
    await cleo.call(WatchRequest(table=table))
    for turn in range(turns):
        await ben.call(JoinRequest(table=table, nonce_hash=f"{turn:064x}"))
        await ben.call(ReadyRequest(table=table))
        await ben.call(LeaveRequest(table=table))
    return table, anna, cleo


async def test_a_waiting_table_keeps_only_its_newest_events() -> None:
    journal = MemoryJournal()
    server = toy_server(UNLIMITED, journal)
    table, anna, cleo = await fidgeted(server, 500)
    actor = core_of(server).tables.find_table(table)
    assert actor.table.seq == 1501
    assert len(actor.table.recorded_events) <= 252
    assert len(journal._kept[table]) <= 202
    assert isinstance(unpack_record(journal._kept[table][1]), Condensed)
    assert [notice.event.seq for notice in cleo.peer.events] == [*range(2, 1502)]
    snapshot: TableSnapshot = await anna.call(WatchRequest(table=table))
    assert len(snapshot.events) <= 252
    assert snapshot.events[-1].seq == snapshot.seq == 1501
    late: TableSnapshot = await anna.call(PollRequest(table=table, since=1490))
    assert [event.seq for event in late.events] == [*range(1491, 1502)]
    await server.close()


async def test_nonces_are_no_events_and_are_condensed() -> None:
    journal = MemoryJournal()
    server = toy_server(UNLIMITED, journal)
    anna = await connect_user(server, "Anna")
    table = TableId(await anna.create("heap", 3))
    for turn in range(1_000):
        await anna.call(JoinRequest(table=table, nonce_hash=f"{turn:064x}"))
    assert len(journal._kept[table]) <= 202
    assert core_of(server).tables.find_table(table).table.seats[0].nonce_hash == bytes.fromhex(f"{999:064x}")
    await server.close()


async def test_after_a_restart_a_condensed_table_is_as_it_was(start: Start) -> None:
    server = await start(table_actions=0, table_actions_at_table=0)
    table, anna, _ = await fidgeted(server, 150)
    before = core_of(server).tables.find_table(table).table
    again = await start(server)
    after = core_of(again).tables.find_table(table).table
    assert after == before
    back = await connect_user(again, token=anna.welcome.token)
    snapshot: TableSnapshot = await back.call(WatchRequest(table=table, since=before.seq - 5))
    assert [event.seq for event in snapshot.events] == [*range(before.seq - 4, before.seq + 1)]
    await back.call(StartRequest(table=table))


async def test_of_many_events_a_snapshot_carries_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "PAGE_SIZE", 10)
    server = toy_server(UNLIMITED)
    table, anna, _ = await fidgeted(server, 10)
    snapshot: TableSnapshot = await anna.call(WatchRequest(table=table))
    assert [event.seq for event in snapshot.events] == [*range(1, 11)]
    assert (snapshot.seq, snapshot.latest) == (10, 31)
    heard = [event.seq for event in snapshot.events]
    while snapshot.latest is not None:
        snapshot = await anna.call(PollRequest(table=table, since=snapshot.seq, wait_ms=60_000))
        heard += [event.seq for event in snapshot.events]
    assert heard == [*range(1, 32)]
    assert snapshot.seq == 31
    await server.close()


async def test_a_running_game_takes_bounded_extras() -> None:
    server = toy_server(UNLIMITED)
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    await anna.call(StartRequest(table=table))
    actor = core_of(server).tables.find_table(table)
    for _ in range(MOST_EXTRAS // 2):
        await anna.call(PauseRequest(table=table))
        await anna.call(ResumeRequest(table=table))
    before = actor.table.seq
    assert await code_of(anna, PauseRequest(table=table)) == "too_many"
    assert await code_of(anna, TransferHostRequest(table=table, seat=1)) == "too_many"
    assert actor.table.seq == before
    await ben.call(PauseRequest(table=table))
    await anna.call(ResumeRequest(table=table))
    await anna.call(LeaveRequest(table=table))
    assert await code_of(anna, JoinRequest(table=table)) == "too_many"
    await ben.call(PauseRequest(table=table))
    await server.close()


async def test_a_long_wait_is_no_part_of_the_games_budget() -> None:
    server = toy_server(UNLIMITED)
    table, anna, _ = await fidgeted(server, 300)
    await anna.call(StartRequest(table=table))
    await anna.call(PauseRequest(table=table))
    await until(lambda: core_of(server).tables.find_table(table).table.paused)
    await server.close()


async def test_a_condensed_table_keeps_its_code_and_its_lock() -> None:
    server = toy_server(UNLIMITED)
    anna = await connect_user(server, "Anna")
    opened = await anna.call(CreateRequest(game="heap", seat_count=2, password="habanero"))
    await anna.call(JoinRequest(table=opened.info.table))
    for _ in range(150):
        await anna.call(ReadyRequest(table=opened.info.table, ready=True))
        await anna.call(ReadyRequest(table=opened.info.table, ready=False))
    table = core_of(server).tables.find_table(opened.info.table).table
    assert table.dropped > 0
    assert (table.locked, table.opened.code) == (True, opened.info.code)
    await server.close()
