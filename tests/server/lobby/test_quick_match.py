"""Quick match: whoever wants to play anything meets whoever else does."""

import asyncio

import pytest

from scoville_server.config import Settings
from scoville_server.server import Server
from scoville_shared.protocol.messages import (
    CreateRequest,
    JoinRequest,
    KickRequest,
    LeaveRequest,
    ListTablesRequest,
    QuickMatchRequest,
    TableSettingsParams,
)
from tests.support.core import code_of, someone
from tests.support.server import toy_server


async def test_two_who_ask_at_the_same_moment_meet(server: Server) -> None:
    anna, ben = await someone(server, "Anna"), await someone(server, "Ben")
    one, other = await asyncio.gather(anna.call(QuickMatchRequest(game="heap")), ben.call(QuickMatchRequest()))
    assert one.info.table == other.info.table
    assert {one.seat, other.seat} == {0, 1}
    (info,) = (await anna.call(ListTablesRequest())).tables
    assert (info.creator, info.settings.start, info.settings.fill_ms) == ("Anna", "full", 30_000)
    assert info.starts_in_ms is not None
    assert info.starts_in_ms <= 30_000


async def test_a_second_wish_finds_the_seat_of_the_first(server: Server) -> None:
    anna = await someone(server, "Anna")
    one = await anna.call(QuickMatchRequest(game="heap"))
    again = await anna.call(QuickMatchRequest(game="heap"))
    assert (one.info.table, one.seat) == (again.info.table, again.seat)


@pytest.mark.parametrize(
    "wish",
    [
        CreateRequest(game="heap", seat_count=3),
        CreateRequest(game="high_card", seat_count=3, settings=TableSettingsParams(start="full")),
        CreateRequest(game="heap", seat_count=3, settings=TableSettingsParams(start="full", private=True)),
        CreateRequest(game="heap", seat_count=3, settings=TableSettingsParams(start="full"), password="hot"),
        CreateRequest(game="heap", seat_count=3, settings=TableSettingsParams(start="full"), options={"sticks": 20}),
    ],
)
async def test_nobody_is_seated_where_they_would_wait_or_play_something_else(
    server: Server, wish: CreateRequest
) -> None:
    anna, ben = await someone(server, "Anna"), await someone(server, "Ben")
    table = (await anna.call(wish)).info.table
    await anna.call(JoinRequest(table=table))
    assert (await ben.call(QuickMatchRequest(game="heap"))).info.table != table


async def test_a_table_that_would_begin_by_itself_will_do_and_the_fuller_one_first(server: Server) -> None:
    settings = TableSettingsParams(start="full", fill_ms=60_000)
    hosts = [await someone(server, f"Host {n}") for n in range(2)]
    tables = [
        (await host.call(CreateRequest(game="heap", seat_count=3, settings=settings))).info.table for host in hosts
    ]
    await hosts[1].call(JoinRequest(table=tables[1]))
    assert (await (await someone(server, "Ben")).call(QuickMatchRequest(game="heap"))).info.table == tables[1]


async def test_who_was_sent_away_is_seated_elsewhere(server: Server) -> None:
    anna, ben = await someone(server, "Anna"), await someone(server, "Ben")
    table = (await anna.call(QuickMatchRequest(game="heap"))).info.table
    await ben.call(QuickMatchRequest(game="heap"))
    await anna.call(KickRequest(table=table, name="ben", reason="too hot"))
    assert (await ben.call(QuickMatchRequest(game="heap"))).info.table != table


async def test_what_bounds_joining_and_opening_bounds_this_too() -> None:
    server = toy_server(Settings(tables_seated=1, table_creations=1))
    anna = await someone(server, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))
    assert await code_of(anna, QuickMatchRequest(game="chess")) == "unknown_game"
    assert await code_of(anna, QuickMatchRequest(game="heap")) == "slow_down"
    await anna.call(LeaveRequest(table=table))
    await server.close()
