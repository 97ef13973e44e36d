"""Two servers that both serve: each knows which tables are at the other one."""

import asyncio

import pytest

from scoville_server.nodes.members import NodeId
from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.cluster.pair import TwoServers, outcome_of
from tests.cluster.several import SeveralServers
from tests.support.server import Caller, core_of
from tests.support.virtual_time import in_virtual_time

A = NodeId("a")


@in_virtual_time
async def test_each_server_finds_the_owner_of_a_table() -> None:
    two = TwoServers()
    a, b = await two.start_a(), await two.start_b()
    table = await (await Caller(a).hello("Anna")).create("high_card", 2)
    owners = [core_of(server).nodes.directory.find_owner(table) for server in (a, b)]
    assert owners == [None, A]
    assert table not in core_of(b).tables


@in_virtual_time
async def test_table_that_is_removed_has_no_owner() -> None:
    two = TwoServers()
    a, b = await two.start_a(), await two.start_b()
    table = await (await Caller(a).hello("Anna")).create("high_card", 2)
    core_of(a).registry.remove_table(core_of(a).tables.find_table(table))
    assert core_of(b).nodes.directory.find_owner(table) is None


@in_virtual_time
async def test_table_that_was_opened_a_moment_ago_is_found_before_all_know_of_it() -> None:
    two = TwoServers()
    a, b = await two.start_a(), await two.start_b()
    ben = await Caller(b).hello("Ben")
    two.wire.seconds = two.wire.quick = 0.2
    table = await (await Caller(a).hello("Anna")).create("high_card", 2)
    assert core_of(b).nodes.directory.find_owner(table) is None
    assert (await ben.call(m.JoinRequest(table=table))).seat == 0
    assert (await ben.call(m.WatchRequest(table=table))).seat == 0
    assert await outcome_of(ben.call(m.WatchRequest(table="0" * 12))) == Code.UNKNOWN_TABLE
    # A node that says nothing may have opened it.
    two.wire.is_cut = True
    assert await outcome_of(ben.call(m.WatchRequest(table="0" * 12))) == Code.BUSY


@in_virtual_time
async def test_table_of_a_lost_node_is_not_unknown_to_users() -> None:
    two = TwoServers()
    a, b = await two.start_a(), await two.start_b()
    table = await (await Caller(a).hello("Anna")).create("high_card", 2)
    ben = await Caller(b).hello("Ben")
    two.members["b"].running = [NodeId("b")]
    assert await outcome_of(ben.call(m.WatchRequest(table=table))) == Code.BUSY
    assert await outcome_of(ben.call(m.WatchRequest(table="0" * 12))) == Code.UNKNOWN_TABLE


@in_virtual_time
async def test_tables_that_two_nodes_claim_are_told_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    servers = SeveralServers("ab")
    await servers.start()
    anna = await servers.come("Anna", "a")
    tables = [await anna.create("high_card", 2) for _ in range(3)]
    held = servers.core("b").nodes.tables._held
    for table in tables:
        held._here[table] = b""
    caplog.set_level("INFO")
    for _ in range(20):
        # As after each moment in which the two have not heard each other.
        held._publish_all_keys()
        await asyncio.sleep(1)
    told = [record.message for record in caplog.records if "says that it serves" in record.message]
    assert told == [f"b says that it serves tables that are served here: {', '.join(tables)}"]
