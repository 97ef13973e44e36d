"""Codes of tables at two servers: no two tables share one, and each leads to its table from both."""

import itertools

import pytest

from scoville_server.accounts.model import word_codes
from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.cluster.pair import TwoServers, outcome_of
from tests.support.server import Caller, core_of
from tests.support.virtual_time import in_virtual_time


async def two_servers() -> TwoServers:
    two = TwoServers()
    await two.start_a()
    await two.start_b()
    return two


async def open_private(user: Caller) -> tuple[str, str]:
    """Open a private table; returns its id and its code."""
    settings = m.TableSettingsParams(private=True)
    info = (await user.call(m.CreateRequest(game="high_card", seat_count=3, settings=settings))).info
    await user.call(m.JoinRequest(table=info.table))
    return info.table, info.code


@in_virtual_time
async def test_code_leads_to_a_table_of_the_other_server() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    table, code = await open_private(anna)
    assert await outcome_of(ben.call(m.JoinRequest(table=table))) == Code.UNKNOWN_TABLE
    entered = await ben.call(m.EnterRequest(code=code.upper().replace("-", " ")))
    assert entered.info.table == table
    assert (await ben.call(m.JoinRequest(table=table))).seat == 1


@in_virtual_time
async def test_wrong_code_leads_nowhere_at_both_servers() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    table, code = await open_private(anna)
    assert await outcome_of(ben.call(m.EnterRequest(code="zesty-zeppelin-zesty"))) == Code.UNKNOWN_CODE
    assert await outcome_of(ben.call(m.EnterRequest(table=table, code="zesty-zeppelin-zesty"))) == Code.UNKNOWN_CODE
    other = await ben.create()
    assert await outcome_of(ben.call(m.EnterRequest(table=other, code=code))) == Code.UNKNOWN_CODE


@in_virtual_time
async def test_kick_gives_a_table_another_code_at_both_servers() -> None:
    two = await two_servers()
    anna, ben, cleo = [
        await Caller(server).hello(name) for server, name in ((two.a, "Anna"), (two.b, "Ben"), (two.b, "Cleo"))
    ]
    table, code = await open_private(anna)
    await ben.call(m.EnterRequest(code=code))
    await ben.call(m.JoinRequest(table=table))
    await anna.call(m.KickRequest(table=table, name="Ben"))
    assert await outcome_of(cleo.call(m.EnterRequest(code=code))) == Code.UNKNOWN_CODE
    new = core_of(two.a).tables.find_table(table).table.opened.code
    assert (await cleo.call(m.EnterRequest(code=new))).info.table == table


@in_virtual_time
async def test_code_of_a_removed_table_leads_nowhere() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    table, code = await open_private(anna)
    core_of(two.a).registry.remove_table(core_of(two.a).tables.find_table(table))
    assert await outcome_of(ben.call(m.EnterRequest(code=code))) == Code.UNKNOWN_CODE


@in_virtual_time
async def test_code_of_a_lost_server_is_not_unknown() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    _, code = await open_private(anna)
    two.members["b"].running = [two.members["b"].me]
    assert await outcome_of(ben.call(m.EnterRequest(code=code))) == Code.BUSY


@pytest.mark.parametrize("is_cut", [False, True])
def test_two_servers_give_no_code_twice(is_cut: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    @in_virtual_time
    async def run() -> None:
        two = await two_servers()
        servers = two.a, two.b
        users = [await Caller(server).hello(name) for server, name in zip(servers, ("Anna", "Ben"), strict=True)]
        two.wire.is_cut = is_cut
        codes = []
        for _ in range(3):
            for user in users:
                # Both draw the same codes one after the other.
                draw = itertools.count()
                monkeypatch.setattr(word_codes, "draw_code", lambda _words, draw=draw: f"code-{next(draw)}")
                codes.append((await open_private(user))[1])
        assert len({*codes}) == len(codes) == 6

    run()
