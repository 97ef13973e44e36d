"""A node that hung: others have its tables by then, and it tells nobody what they were like before."""

import asyncio
from typing import Any

import pytest

from scoville_server.nodes.members import NodeId
from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.cluster.pair import outcome_of
from tests.cluster.test_table_moves import played_table
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
