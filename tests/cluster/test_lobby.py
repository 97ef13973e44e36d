"""One lobby over two servers: each shows the tables of both."""

import asyncio
from typing import Any

from msgspec.structs import replace

from scoville_server.lobby.digests import DIGEST_SECONDS, KEPT_SECONDS
from scoville_server.nodes.members import NodeId
from scoville_shared.protocol import messages as m
from tests.cluster.pair import TwoServers
from tests.support.server import Caller, core_of
from tests.support.virtual_time import in_virtual_time

SHOWN_SECONDS = DIGEST_SECONDS + 1
"""After which a change is shown everywhere: the digest, and the feed of the other node."""


async def two_servers(**settings: Any) -> TwoServers:
    two = TwoServers(**settings)
    await two.start_a()
    await two.start_b()
    return two


async def listed(user: Caller) -> list[m.TableInfo]:
    return (await user.call(m.ListTablesRequest())).tables


def changes(user: Caller) -> list[m.LobbyChangedNotice]:
    found = [notice for notice in user.peer.heard if isinstance(notice, m.LobbyChangedNotice)]
    user.peer.heard.clear()
    return found


async def open_table(user: Caller, **settings: Any) -> str:
    reply = await user.call(m.CreateRequest(game="high_card", seat_count=2, settings=m.TableSettingsParams(**settings)))
    table: str = reply.info.table
    await user.call(m.JoinRequest(table=table))
    return table


@in_virtual_time
async def test_tables_of_both_servers_are_listed_by_their_age() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    tables = []
    for user in (anna, ben, anna):
        tables.append(await open_table(user))
        await asyncio.sleep(SHOWN_SECONDS)
    for server in (two.a, two.b):
        somebody = await Caller(server).hello("Cleo")
        seen = await listed(somebody)
        assert [info.table for info in seen] == tables
        assert [info.seats[0].name for info in seen] == ["Anna", "Ben", "Anna"]
        somebody.hang_up()


@in_virtual_time
async def test_line_of_a_table_is_the_same_at_both_servers() -> None:
    two = await two_servers()
    anna = await Caller(two.a).hello("Anna")
    table = await open_table(anna)
    await asyncio.sleep(SHOWN_SECONDS)
    near, far = await Caller(two.a).hello("Cleo"), await Caller(two.b).hello("Dora")
    assert await listed(near) == await listed(far) != []
    await anna.call(m.LeaveRequest(table=table))
    await asyncio.sleep(SHOWN_SECONDS)
    assert await listed(near) == await listed(far)


@in_virtual_time
async def test_readers_of_the_other_lobby_hear_of_each_change() -> None:
    two = await two_servers()
    ben = await Caller(two.b).hello("Ben")
    await ben.call(m.WatchLobbyRequest())
    anna = await Caller(two.a).hello("Anna")
    table = await open_table(anna)
    await asyncio.sleep(SHOWN_SECONDS)
    assert [info.table for notice in changes(ben) for info in notice.tables] == [table]
    cleo = await Caller(two.a).hello("Cleo")
    await cleo.call(m.JoinRequest(table=table))
    await asyncio.sleep(SHOWN_SECONDS)
    [info] = [info for notice in changes(ben) for info in notice.tables]
    assert [seat.name for seat in info.seats] == ["Anna", "Cleo"]
    core_of(two.a).registry.remove_table(core_of(two.a).tables.find_table(table))
    await asyncio.sleep(SHOWN_SECONDS)
    assert [notice.removed for notice in changes(ben)] == [[table]]
    assert await listed(ben) == []


@in_virtual_time
async def test_private_table_is_shown_to_those_who_may_enter_it() -> None:
    two = await two_servers()
    anna, dora = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Dora")
    await dora.call(m.WatchLobbyRequest())
    table = await open_table(anna, private=True)
    await asyncio.sleep(SHOWN_SECONDS)
    assert (await listed(dora), [notice.tables for notice in changes(dora) if notice.tables]) == ([], [])
    [mine] = await listed(anna)
    # Anna comes to the other server: her table is in its list, with its code and her seat.
    assert anna.welcome is not None
    there = await Caller(two.b).hello("Anna", anna.welcome.token)
    [seen] = await listed(there)
    assert (seen.table, seen.code, seen.your_seat) == (table, mine.code, 0)
    assert mine.code
    assert await listed(dora) == []


@in_virtual_time
async def test_player_sees_their_seat_and_turn_in_the_list_of_the_other_server() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    table = await open_table(anna)
    await ben.call(m.JoinRequest(table=table))
    await ben.call(m.WatchLobbyRequest())
    await anna.call(m.StartRequest(table=table))
    await asyncio.sleep(SHOWN_SECONDS)
    await anna.call(m.PlayRequest(table=table, move=(await anna.call(m.MovesRequest(table=table))).moves[0]))
    await asyncio.sleep(SHOWN_SECONDS)
    turn = bool((await ben.call(m.MovesRequest(table=table))).moves)
    [seen] = await listed(ben)
    assert (seen.your_seat, seen.your_turn) == (1, turn)
    latest = [info for notice in changes(ben) for info in notice.tables if info.table == table][-1]
    assert (latest.your_seat, latest.your_turn) == (1, turn)
    [public] = await listed(await Caller(two.b).hello("Dora"))
    assert (public.your_seat, public.your_turn) == (None, False)
    assert replace(seen, your_seat=None, your_turn=False) == public


@in_virtual_time
async def test_tables_of_a_lost_server_are_shown_until_nobody_can_have_them() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    table = await open_table(anna)
    await ben.call(m.WatchLobbyRequest())
    await asyncio.sleep(SHOWN_SECONDS)
    changes(ben)
    two.members["b"].lose(NodeId("a"))
    await asyncio.sleep(1)
    assert [info.table for info in await listed(ben)] == [table]
    await asyncio.sleep(KEPT_SECONDS)
    assert await listed(ben) == []
    assert [notice.removed for notice in changes(ben)] == [[table]]


@in_virtual_time
async def test_everything_is_shown_again_after_a_gap() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    first = await open_table(anna)
    await asyncio.sleep(SHOWN_SECONDS)
    two.wire.is_cut = True
    core_of(two.a).registry.remove_table(core_of(two.a).tables.find_table(first))
    second = await open_table(anna)
    await asyncio.sleep(SHOWN_SECONDS)
    assert [info.table for info in await listed(ben)] == [first]
    two.end_gap()
    await asyncio.sleep(SHOWN_SECONDS)
    assert [info.table for info in await listed(ben)] == [second]


@in_virtual_time
async def test_unchanged_lines_are_told_once() -> None:
    two = await two_servers()
    told: list[str] = []
    publish = core_of(two.a).nodes.bus.publish

    def note(to: Any, message: bytes) -> None:
        told.append(to)
        publish(to, message)

    core_of(two.a).nodes.bus.publish = note  # type: ignore[method-assign]
    anna = await Caller(two.a).hello("Anna")
    table = await open_table(anna)
    await asyncio.sleep(SHOWN_SECONDS)
    assert told.count("lobby.held") == 1
    actor = core_of(two.a).tables.find_table(table)
    for _ in range(3):
        core_of(two.a).registry.observers.notify_presence(actor)
        await asyncio.sleep(SHOWN_SECONDS)
    assert told.count("lobby.held") == 1
