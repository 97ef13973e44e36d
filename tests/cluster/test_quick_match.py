"""One node seats all who want to play at once, and has the default tables."""

import asyncio

import pytest

from scoville_server.lobby.default_tables import SETTLED_SECONDS, is_default_table
from scoville_server.nodes.members import NodeId
from scoville_server.server import Server
from scoville_shared.protocol import messages as m
from tests.cluster.node import Node
from tests.cluster.pair import TwoServers
from tests.cluster.serving import Box
from tests.support.server import Caller, core_of
from tests.support.virtual_time import in_virtual_time

A, B = NodeId("a"), NodeId("b")
LATER = SETTLED_SECONDS + 1


async def two_servers(**settings: object) -> TwoServers:
    two = TwoServers(**settings)
    two.second_joins = True
    await two.start_a()
    await two.start_b()
    await asyncio.sleep(LATER)
    return two


def default_tables(server: Server) -> list[str]:
    actors = core_of(server).tables.all_tables()
    return [actor.table.opened.game for actor in actors if is_default_table(actor.table)]


@in_virtual_time
async def test_users_of_two_servers_are_seated_together() -> None:
    two = await two_servers()
    anna, ben, cleo = [
        await Caller(server).hello(name) for server, name in ((two.b, "Anna"), (two.a, "Ben"), (two.b, "Cleo"))
    ]
    seated = [await user.call(m.QuickMatchRequest(game="heap")) for user in (anna, ben, cleo)]
    assert len({reply.info.table for reply in seated}) == 1
    assert [reply.seat for reply in seated] == [0, 1, 2]
    assert (len(core_of(two.a).tables), len(core_of(two.b).tables)) == (1, 0)
    table = seated[0].info.table
    assert (await anna.call(m.WatchRequest(table=table))).seat == 0
    # Once more: at the same seat.
    assert (await anna.call(m.QuickMatchRequest(game="heap"))).seat == 0


@in_virtual_time
async def test_many_who_ask_at_once_fill_one_table_after_the_other() -> None:
    two = await two_servers()
    users = [await Caller(server).hello(f"User {n}") for n in range(4) for server in (two.a, two.b)]
    replies = await asyncio.gather(*(user.call(m.QuickMatchRequest(game="high_card")) for user in users))
    places = [(reply.info.table, reply.seat) for reply in replies]
    assert len({*places}) == len(users)
    seats = len(replies[0].info.seats)
    assert len({table for table, _ in places}) == -(-len(users) // seats)
    assert len(core_of(two.b).tables) == 0


@in_virtual_time
async def test_server_that_is_left_alone_seats_users_itself() -> None:
    two = await two_servers()
    anna = await Caller(two.b).hello("Anna")
    two.members["b"].lose(A)
    table = (await anna.call(m.QuickMatchRequest(game="heap"))).info.table
    assert table in core_of(two.b).tables


@in_virtual_time
async def test_one_server_has_the_default_tables() -> None:
    two = await two_servers(default_tables=("heap", "high_card"))
    assert (default_tables(two.a), default_tables(two.b)) == (["heap", "high_card"], [])


@in_virtual_time
async def test_default_tables_of_a_lost_server_are_opened_by_another_one() -> None:
    two = await two_servers(default_tables=("heap",))
    two.members["b"].lose(A)
    await asyncio.sleep(1)
    assert default_tables(two.b) == ["heap"]
    # It comes back, and is the one that opens them again: of two unused tables one goes.
    two.members["b"].running = [A, B]
    two.members["b"].note_return(A)
    await asyncio.sleep(1)
    assert (default_tables(two.a), default_tables(two.b)) == (["heap"], [])


def test_default_tables_of_a_lost_node_come_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The node that opens them next may have taken the former ones over as well."""
    games = ["heap", "high_card"]
    monkeypatch.setattr(Node, "default_tables", (*games,))
    for seed in range(4):
        box = Box(seed)
        box.world.run_until(box.world.now + LATER)
        [number] = [n for n, node in box.nodes.items() if node.server is not None and default_tables(node.server)]
        box.nodes.pop(number).process.kill()
        box.world.run_until(box.world.now + LATER + 20)
        opened = [
            game for node in box.nodes.values() if node.server is not None for game in default_tables(node.server)
        ]
        assert (seed, sorted(opened)) == (seed, games)
        box.world.close()


@in_virtual_time
async def test_default_table_with_a_player_stays_where_it_is() -> None:
    two = await two_servers(default_tables=("heap",))
    two.members["b"].lose(A)
    await asyncio.sleep(1)
    ben = await Caller(two.b).hello("Ben")
    [actor] = core_of(two.b).tables.all_tables()
    await ben.call(m.JoinRequest(table=actor.table.id))
    two.members["b"].running = [A, B]
    two.members["b"].note_return(A)
    await asyncio.sleep(1)
    assert (default_tables(two.a), default_tables(two.b)) == (["heap"], ["heap"])
