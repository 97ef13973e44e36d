"""A removed table releases its players, and nobody can join it."""

import asyncio

from scoville_server.server import Server
from scoville_server.tables.actions.close import Close
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import CreateRequest, JoinRequest, LeaveRequest
from tests.support.core import code_of, connect_user, seat_users
from tests.support.server import core_of, until


async def closed(server: Server, table: str) -> None:
    await core_of(server).tables.find_table(table).carry_out(Close(reason="It was time."))
    await until(lambda: table not in core_of(server).tables)


async def test_a_user_of_a_closed_table_can_return(server: Server) -> None:
    table, (anna, _) = await seat_users(server, "Anna", "Ben")
    assert anna.welcome is not None
    await closed(server, table)
    anna.hang_up()
    back = await connect_user(server, "Anna", anna.welcome.token)
    assert back.welcome is not None
    assert (back.welcome.name, back.welcome.resumed) == ("Anna", True)
    assert await back.call(CreateRequest(game="high_card", seat_count=3))


async def test_a_waiting_seat_ends_with_its_table(server: Server) -> None:
    table, (anna, _) = await seat_users(server, "Anna", "Ben")
    core = core_of(server)
    anna.hang_up()
    assert core.seating.absences._absences
    await closed(server, table)
    assert core.seating.absences._absences == {}
    assert [user.tables for user in core.sessions._by_id.values()] == [set(), set()]


async def test_nobody_returns_to_a_bot_at_a_closed_table(server: Server) -> None:
    table, (anna, _) = await seat_users(server, "Anna", "Ben")
    core = core_of(server)
    assert anna.welcome is not None
    user = core.sessions.find_by_name("Anna")
    assert user is not None
    user.lapsed.add(TableId(table))
    await closed(server, table)
    assert user.lapsed == set()


async def test_nobody_joins_as_the_last_player_leaves(server: Server) -> None:
    table, (anna,) = await seat_users(server, "Anna")
    ben = await connect_user(server, "Ben")
    left = asyncio.ensure_future(anna.call(LeaveRequest(table=table)))
    sat = asyncio.ensure_future(code_of(ben, JoinRequest(table=table)))
    await left
    assert await sat == "unknown_table"
    user = core_of(server).sessions.find_by_name("Ben")
    assert user is not None
    assert user.tables == set()
