"""The lobby feed: few and prompt notices, nothing private."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from scoville_server.net.flushes import PORTION
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.model.table import Table
from scoville_shared.protocol.messages import (
    CreateRequest,
    JoinRequest,
    LeaveRequest,
    ListTablesReply,
    ListTablesRequest,
    LobbyChangedNotice,
    LobbySnapshot,
    PlayRequest,
    StartRequest,
    TableSettingsParams,
    UnwatchLobbyRequest,
    WatchLobbyRequest,
)
from tests.support.core import connect_user
from tests.support.server import Caller, core_of, toy_server, until


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = toy_server(Settings(lobby_seconds=3600))
    await server.start()
    yield server
    await server.close()


def notices(caller: Caller) -> list[LobbyChangedNotice]:
    return [notice for notice in caller.peer.heard if isinstance(notice, LobbyChangedNotice)]


async def settled(server: Server) -> None:
    """Let pending work finish, and the time pass until the feed is sent."""
    for _ in range(10):
        await asyncio.sleep(0)
    board = core_of(server).feed
    if board._timer is not None:
        board._timer.cancel()
        board._publish_changes()


async def watching(server: Server, name: str) -> Caller:
    """A user who watches the lobby and has received all notices so far."""
    caller = await connect_user(server, name)
    await caller.call(WatchLobbyRequest())
    await settled(server)
    caller.peer.heard.clear()
    return caller


async def test_a_new_table_is_reported_once_with_everything_about_it(server: Server) -> None:
    zoe = await watching(server, "Zoe")
    anna = await connect_user(server, "Anna")
    table = await anna.create("heap", 2)
    await anna.call(JoinRequest(table=table))
    await settled(server)
    (notice,) = notices(zoe)
    (info,) = notice.tables
    assert (info.table, info.creator, info.host, info.seats[0].name) == (table, "Anna", 0, "Anna")
    assert info.code.count("-") == 1
    assert ([user.name for user in notice.arrived], notice.online) == (["Anna"], 2)


async def test_the_snapshot_shows_what_the_notices_would_have_said(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    table = await anna.create()
    shot: LobbySnapshot = await (await connect_user(server, "Zoe")).call(WatchLobbyRequest())
    assert [info.table for info in shot.tables] == [table]
    assert ([user.name for user in shot.users], shot.online) == (["Anna", "Zoe"], 2)


async def test_departed_tables_and_users_are_reported(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))
    zoe = await watching(server, "Zoe")
    await anna.call(LeaveRequest(table=table))
    anna.hang_up()
    await settled(server)
    (notice,) = notices(zoe)
    assert (notice.removed, notice.tables, notice.departed, notice.online) == ([table], [], ["Anna"], 1)


async def test_a_brief_visitor_is_not_listed(server: Server) -> None:
    zoe = await watching(server, "Zoe")
    (await connect_user(server, "Ben")).hang_up()
    await settled(server)
    assert [(notice.arrived, notice.online) for notice in notices(zoe)] == [([], 1)]


async def test_a_line_that_is_cut_is_seen_in_the_lobby(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))
    zoe = await watching(server, "Zoe")
    anna.hang_up()
    await settled(server)
    assert not notices(zoe)[-1].tables[0].seats[0].connected


async def test_a_move_is_reported_to_the_next_players(server: Server) -> None:
    users = [await watching(server, "Anna"), await watching(server, "Ben")]
    table = await users[0].create("heap", 2)
    for user in users:
        await user.call(JoinRequest(table=table))
    await users[0].call(StartRequest(table=table))
    zoe = await watching(server, "Zoe")
    for user in users:
        user.peer.heard.clear()
    (turn,) = core_of(server).tables.find_table(table).table.pending
    await users[turn].call(PlayRequest(table=table, move={"sticks": 1}))
    await settled(server)
    assert notices(zoe) == []
    mine = [notices(user)[-1].tables[0] for user in users]
    assert [(info.your_seat, info.your_turn) for info in mine] == [(0, turn == 1), (1, turn == 0)]


async def test_private_tables_are_reported_to_their_users(server: Server) -> None:
    zoe, anna = await watching(server, "Zoe"), await watching(server, "Anna")
    opened = await anna.call(CreateRequest(game="heap", seat_count=2, settings=TableSettingsParams(private=True)))
    table = opened.info.table
    await anna.call(JoinRequest(table=table))
    await settled(server)
    assert opened.info.code
    assert [notice.tables for notice in notices(zoe) if notice.tables] == []
    assert notices(anna)[-1].tables[0].table == table
    assert (await zoe.call(ListTablesRequest())).tables == []
    assert [info.code for info in (await anna.call(ListTablesRequest())).tables] == [opened.info.code]
    assert (await zoe.call(WatchLobbyRequest())).tables == []
    await anna.call(LeaveRequest(table=table))
    await settled(server)
    assert [notice.removed for notice in notices(zoe) if notice.removed] == []
    assert notices(anna)[-1].removed == [table]


async def test_former_lobby_watcher_receives_nothing(server: Server) -> None:
    ben, zoe = await watching(server, "Ben"), await watching(server, "Zoe")
    ben.peer.heard.clear()
    await zoe.call(UnwatchLobbyRequest())
    ben.hang_up()
    await (await connect_user(server, "Anna")).create()
    assert core_of(server).feed._watchers == {}
    assert core_of(server).feed._altered == {}
    assert notices(zoe) + notices(ben) == []


async def test_however_much_happens_it_is_reported_in_one_notice(server: Server) -> None:
    zoe = await watching(server, "Zoe")
    for number in range(5):
        await (await connect_user(server, f"Host {number}")).create()
    assert notices(zoe) == []
    await settled(server)
    (notice,) = notices(zoe)
    assert len(notice.tables) == 5


async def test_my_own_and_waiting_tables_come_first(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_server.lobby.feed.MOST_SHOWN", 2)
    anna, ben, cleo, dora = [await connect_user(server, name) for name in ("Anna", "Ben", "Cleo", "Dora")]
    tables = {}
    for user in (anna, ben, cleo):
        tables[user] = await user.create("heap", 2)
        await user.call(JoinRequest(table=tables[user]))
    for user in (anna, ben):
        await user.call(StartRequest(table=tables[user]))
    for user, own in ((anna, [anna, cleo]), (cleo, [ben, cleo]), (dora, [ben, cleo])):
        shot = await user.call(WatchLobbyRequest())
        assert [info.table for info in shot.tables] == [tables[host] for host in own]
        assert shot.more == 1
        assert await user.call(ListTablesRequest()) == ListTablesReply(tables=shot.tables, more=1)


async def test_very_many_changes_are_reported_one_batch_after_the_other(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoville_server.lobby.feed.MOST_CHANGED", 2)
    zoe = await watching(server, "Zoe")
    tables = [await (await connect_user(server, f"Host {number}")).create() for number in range(5)]
    for _ in range(3):
        await settled(server)
    assert [[info.table for info in notice.tables] for notice in notices(zoe)] == [tables[:2], tables[2:4], tables[4:]]
    assert core_of(server).feed._timer is None


async def test_only_changed_tables_are_reported() -> None:
    server = toy_server(Settings(lobby_seconds=0.001))
    zoe = await connect_user(server, "Zoe")
    await zoe.call(WatchLobbyRequest())
    await (await connect_user(server, "Anna")).create()
    await until(lambda: any(notice.tables for notice in notices(zoe)))
    await server.close()


async def test_a_flood_that_comes_and_goes_sends_few_names(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_server.lobby.feed.MOST_NAMED", 5)
    zoe = await watching(server, "Zoe")
    anna = await connect_user(server, "Anna")
    await settled(server)
    zoe.peer.heard.clear()
    for number in range(100):
        (await connect_user(server, f"Visitor {number}")).hang_up()
    anna.hang_up()
    for _ in range(5):
        await settled(server)
    names = [notice.departed for notice in notices(zoe)]
    assert [len(went) for went in names] == [5, 1]
    assert names[-1] == ["Anna"]


async def crowd_of(server: Server, number: int) -> list[Caller]:
    """Users who watch the lobby and have received all notices so far."""
    crowd = [await connect_user(server, f"Reader {count}") for count in range(number)]
    for reader in crowd:
        await reader.call(WatchLobbyRequest())
    await settled(server)
    await until(lambda: not core_of(server).flushes.has_crowds)
    for reader in crowd:
        reader.peer.heard.clear()
    return crowd


async def test_very_many_readers_are_sent_a_notice_in_portions(server: Server) -> None:
    crowd = await crowd_of(server, 2 * PORTION + 3)
    table = await (await connect_user(server, "Anna")).create()
    await settled(server)

    for turn in (1, 2, 3):
        told = [bool(notices(reader)) for reader in crowd]
        assert sum(told) == min(turn * PORTION, len(crowd))
        assert told == sorted(told, reverse=True)
        await asyncio.sleep(0)
    assert all([info.table for info in notices(reader)[0].tables] == [table] for reader in crowd)


async def test_new_lobby_watcher_gets_no_former_notice(server: Server) -> None:
    crowd = await crowd_of(server, PORTION + 2)
    await (await connect_user(server, "Anna")).create()
    await settled(server)
    anew, gone = crowd[-2:]
    await anew.call(WatchLobbyRequest())
    await gone.call(UnwatchLobbyRequest())
    await until(lambda: not core_of(server).flushes.has_crowds)
    assert [notices(reader) for reader in (anew, gone)] == [[], []]


async def test_notices_wait_while_a_crowd_is_sent_the_former_one(server: Server) -> None:
    crowd = await crowd_of(server, 3 * PORTION)
    anna = await connect_user(server, "Anna")
    tables = [await anna.create()]
    await settled(server)
    tables.append(await anna.create())
    feed = core_of(server).feed
    feed._publish_changes()
    assert not notices(crowd[-1])
    await until(lambda: not core_of(server).flushes.has_crowds)
    await settled(server)
    await until(lambda: not core_of(server).flushes.has_crowds)
    for reader in crowd:
        assert [[info.table for info in notice.tables] for notice in notices(reader)] == [tables[:1], tables[1:]]


async def test_a_list_of_tables_searches_the_seats_of_none(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = await connect_user(server, "Anna")
    tables = [await anna.create() for _ in range(6)]
    await anna.call(JoinRequest(table=tables[0]))
    searched: list[str] = []
    search = Table.owned_seat

    def counted(table: Table, user: str) -> object:
        searched.append(table.id)
        return search(table, user)

    monkeypatch.setattr(Table, "owned_seat", counted)
    ben = await connect_user(server, "Ben")
    assert len((await ben.call(ListTablesRequest())).tables) == 6
    assert searched == []
    assert len((await anna.call(ListTablesRequest())).tables) == 6
    assert {*searched} == {tables[0]}
