"""Quick match: users who want to play any game meet."""

import asyncio

import pytest
from msgspec.structs import replace

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import (
    ClockParams,
    CreateRequest,
    JoinRequest,
    KickRequest,
    LeaveRequest,
    ListTablesRequest,
    QuickMatchRequest,
    ReadyRequest,
    StartRequest,
    TableSettingsParams,
    TransferHostRequest,
)
from tests.support.core import code_of, connect_user
from tests.support.server import toy_server

ANYBODY = TableSettingsParams(start="full", hostless=True)
CLOCK = ClockParams(move_ms=60_000, bank_ms=120_000)


async def test_two_who_ask_at_the_same_moment_meet(server: Server) -> None:
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    one, other = await asyncio.gather(anna.call(QuickMatchRequest(game="heap")), ben.call(QuickMatchRequest()))
    assert one.info.table == other.info.table
    assert {one.seat, other.seat} == {0, 1}
    (info,) = (await anna.call(ListTablesRequest())).tables
    assert (info.clock.move_ms, info.clock.bank_ms, info.rated) == (60_000, 120_000, True)
    assert (info.creator, info.settings.start, info.settings.fill_ms) == ("Anna", "full", 30_000)
    assert info.starts_in_ms is not None
    assert info.starts_in_ms <= 30_000


async def test_a_second_request_finds_the_seat_of_the_first(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    one = await anna.call(QuickMatchRequest(game="heap"))
    again = await anna.call(QuickMatchRequest(game="heap"))
    assert (one.info.table, one.seat) == (again.info.table, again.seat)


@pytest.mark.parametrize(
    "params",
    [
        CreateRequest(game="heap", seat_count=3, clock=CLOCK),
        CreateRequest(game="heap", seat_count=3, settings=ANYBODY),
        CreateRequest(game="heap", seat_count=3, settings=ANYBODY, clock=ClockParams(move_ms=5_000)),
        CreateRequest(game="high_card", seat_count=3, settings=ANYBODY, clock=CLOCK),
        CreateRequest(game="heap", seat_count=3, settings=replace(ANYBODY, private=True), clock=CLOCK),
        CreateRequest(game="heap", seat_count=3, settings=ANYBODY, clock=CLOCK, password="hot"),
        CreateRequest(game="heap", seat_count=3, settings=ANYBODY, clock=CLOCK, options={"sticks": 20}),
    ],
)
async def test_quick_match_seats_nobody_in_a_waste(server: Server, params: CreateRequest) -> None:
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    table = (await anna.call(params)).info.table
    await anna.call(JoinRequest(table=table))
    assert (await ben.call(QuickMatchRequest(game="heap"))).info.table != table


async def test_the_fuller_selfstarting_table_comes_first(server: Server) -> None:
    settings = TableSettingsParams(start="full", fill_ms=60_000, hostless=True)
    hosts = [await connect_user(server, f"Host {n}") for n in range(2)]
    tables = [
        (await host.call(CreateRequest(game="heap", seat_count=3, settings=settings, clock=CLOCK))).info.table
        for host in hosts
    ]
    await hosts[1].call(JoinRequest(table=tables[1]))
    assert (await (await connect_user(server, "Ben")).call(QuickMatchRequest(game="heap"))).info.table == tables[1]


async def test_a_quick_match_has_no_host(server: Server) -> None:
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    made = (await anna.call(QuickMatchRequest(game="heap"))).info
    await ben.call(QuickMatchRequest(game="heap"))
    assert (made.host, made.settings.hostless) == (None, True)
    for params in (
        KickRequest(table=made.table, name="Ben"),
        TransferHostRequest(table=made.table, seat=1),
        StartRequest(table=made.table),
    ):
        assert await code_of(anna, params) == "no_host"
    await anna.call(LeaveRequest(table=made.table))
    (left,) = (await ben.call(ListTablesRequest())).tables
    assert left.host is None


async def test_a_quick_match_starts_when_everybody_in_it_is_ready(server: Server) -> None:
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    table = (await anna.call(QuickMatchRequest(game="heap"))).info.table
    await ben.call(QuickMatchRequest(game="heap"))
    await anna.call(ReadyRequest(table=table))
    (info,) = (await anna.call(ListTablesRequest())).tables
    assert info.starts_in_ms is not None
    assert info.starts_in_ms > 5_000
    await ben.call(ReadyRequest(table=table))
    (info,) = (await anna.call(ListTablesRequest())).tables
    assert info.starts_in_ms is not None
    assert info.starts_in_ms <= 5_000


async def test_nobody_is_matched_to_a_table_that_has_a_host(server: Server) -> None:
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    settings = TableSettingsParams(start="full", fill_ms=60_000)
    table = (await anna.call(CreateRequest(game="heap", seat_count=3, settings=settings, clock=CLOCK))).info.table
    await anna.call(JoinRequest(table=table))
    assert (await ben.call(QuickMatchRequest(game="heap"))).info.table != table


async def test_quick_match_has_the_bounds_of_joining() -> None:
    server = toy_server(Settings(tables_seated=1, table_creations=1))
    anna = await connect_user(server, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))
    assert await code_of(anna, QuickMatchRequest(game="chess")) == "unknown_game"
    assert await code_of(anna, QuickMatchRequest(game="heap")) == "slow_down"
    await anna.call(LeaveRequest(table=table))
    await server.close()
