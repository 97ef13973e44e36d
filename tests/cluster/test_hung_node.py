"""A node that hung or is cut off: others have its tables by then, and it tells nobody what they were like before."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from scoville_server.errors import server_moved
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.nodes import join_nodes
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.cluster.pair import Wire, outcome_of
from tests.cluster.several import MortalBus, NodeOfSeveral
from tests.cluster.test_table_moves import played_table
from tests.support import virtual_time
from tests.support.journals import shared_journal
from tests.support.server import CHEAP_HASHING, Caller, toy_shelf
from tests.support.virtual_time import in_virtual_time

ASKED: dict[type[Any], dict[str, Any]] = {
    m.MovesRequest: {},
    m.ReadMoveRequest: {"typed": "1"},
    m.ShowPlanRequest: {},
    m.ReadChatRequest: {"channel": "table"},
    m.WatchRequest: {},
    m.PollRequest: {},
}


@pytest.mark.parametrize("kind", ASKED)
@in_virtual_time
async def test_node_that_was_missed_reads_a_table_back_before_it_answers(kind: type[Any]) -> None:
    servers, table, (anna, ben, *_) = await played_table()
    servers.silence("a")
    for name in "bc":
        servers.members[name].lose(NodeId("a"))
    await asyncio.sleep(1)
    moves = (await ben.call(m.MovesRequest(table=table))).moves
    played = await ben.call(m.PlayRequest(table=table, move=moves[0]))
    assert table in servers.core("a").tables, "it has noticed nothing"
    servers.buses["a"].is_dead = False
    servers.members["a"].note_gap()
    outcome = await outcome_of(anna.call(kind(table=table, **ASKED[kind])))
    assert outcome in ("ok", Code.BUSY, Code.MOVED)
    assert table not in servers.core("a").tables
    for name in "bc":
        servers.members[name].running = servers.members["a"].running
        servers.members["a"].note_return(NodeId(name))
    await asyncio.sleep(1)
    assert (await anna.call(m.PollRequest(table=table))).seq >= played.seq


@in_virtual_time
async def test_node_that_was_not_missed_answers_at_once_while_its_journal_is_silent() -> None:
    servers, table, (anna, *_) = await played_table()
    servers.journals["a"].gate.clear()
    for on_gap in servers.members["a"]._gap_followers:
        on_gap(False)
    began = asyncio.get_running_loop().time()
    assert (await anna.call(m.MovesRequest(table=table))).moves
    assert asyncio.get_running_loop().time() == began


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("verdict", ["serves", "followed", "unknown"])
@in_virtual_time
async def test_node_that_is_cut_off_answers_about_a_table_once_it_is_sure(verdict: str, kind: type[Any]) -> None:
    servers, table, (anna, *_) = await played_table()
    is_sure = asyncio.Event()

    async def restore_contact() -> bool:
        await is_sure.wait()
        if verdict == "followed":
            raise server_moved()
        return verdict == "serves"

    servers.doubts["a"] = restore_contact
    asked = asyncio.create_task(outcome_of(anna.call(kind(table=table, **ASKED[kind]))))
    await asyncio.sleep(0.5)
    assert not asked.done()
    is_sure.set()
    # Asked again, at this node or at that of a successor.
    assert await asked == ("ok" if verdict == "serves" else Code.BUSY)


@in_virtual_time
async def test_table_that_has_gone_while_its_node_was_cut_off_is_watched_where_it_is() -> None:
    servers, table, (anna, *_) = await played_table()
    is_sure = asyncio.Event()

    async def restore_contact() -> bool:
        await is_sure.wait()
        return True

    servers.doubts["a"] = restore_contact
    asked = asyncio.create_task(outcome_of(anna.call(m.WatchRequest(table=table))))
    await asyncio.sleep(0.1)
    await servers.core("a").balance.move_table(table, "b")
    is_sure.set()
    assert await asked == "ok"


@in_virtual_time
async def test_node_that_serves_alone_answers_about_a_table_once_it_is_sure() -> None:
    members, bus, doubts = NodeOfSeveral(NodeId("a"), [NodeId("a")]), MortalBus(Wire()), list[Awaitable[bool]]()
    server = Server(
        Settings(accounts=CHEAP_HASHING),
        catalog=toy_shelf(),
        journal=shared_journal(),
        clock=virtual_time.make_clock(),
        make_nodes=lambda flushes: join_nodes(flushes, members, bus, joins=False)._replace(
            restore_contact=lambda: doubts[-1] if doubts else None
        ),
    )
    await server.start()
    anna = await Caller(server).hello("Anna")
    table = await anna.create("high_card", 2)
    assert await outcome_of(anna.call(m.PollRequest(table=table))) == "ok"

    async def learn_of_successor() -> bool:
        await asyncio.sleep(1)
        raise server_moved()

    doubts.append(learn_of_successor())
    assert await outcome_of(anna.call(m.PollRequest(table=table))) == Code.MOVED
    doubts.clear()
    await server.close()
