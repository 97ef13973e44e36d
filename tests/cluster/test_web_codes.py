"""Web codes at two servers on one journal: a code is read at one of them and typed at the other."""

import asyncio

from scoville_server.server import Server
from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.cluster.pair import TwoServers, outcome_of
from tests.support.accounts import PASSWORD, connect_owner
from tests.support.core import WEB, connect_hosted
from tests.support.server import Caller, core_of
from tests.support.virtual_time import in_virtual_time


async def anna_and_code() -> tuple[TwoServers, Caller, str]:
    """Two servers, Anna at the first one, and her code."""
    two = TwoServers()
    anna = await connect_owner(await two.start_a(), "Anna")
    await two.start_b()
    return two, anna, await code_for(anna)


async def code_for(caller: Caller) -> str:
    return (await caller.call(m.CreateWebCodeRequest())).code


async def log_in(server: Server, code: str) -> str:
    browser = await connect_hosted(server, WEB)
    return await outcome_of(browser.call(m.LoginByWebCodeRequest(code=code)))


@in_virtual_time
async def test_code_of_one_server_is_valid_once_at_the_other() -> None:
    two, anna, code = await anna_and_code()
    assert await log_in(two.b, code) == "ok"
    await asyncio.sleep(1)
    assert anna.peer.closed
    assert [await log_in(server, code) for server in (two.a, two.b)] == [Code.WRONG_LOGIN] * 2


@in_virtual_time
async def test_code_that_is_typed_at_both_servers_at_once_lets_one_in() -> None:
    two, _, code = await anna_and_code()
    two.wire.quick = 0.001
    assert sorted(await asyncio.gather(*(log_in(server, code) for server in (two.b, two.a, two.b)))) == [
        "ok",
        Code.WRONG_LOGIN,
        Code.WRONG_LOGIN,
    ]


@in_virtual_time
async def test_newer_code_of_a_user_ends_that_of_the_other_server() -> None:
    two, anna, code = await anna_and_code()
    assert anna.welcome is not None
    newer = await code_for(await Caller(two.b).hello("Anna", anna.welcome.token))
    assert await log_in(two.b, code) == Code.WRONG_LOGIN
    assert await log_in(two.a, newer) == "ok"


@in_virtual_time
async def test_code_of_a_server_that_does_not_answer_is_wrong_and_counts_as_a_guess() -> None:
    two, _, code = await anna_and_code()
    two.wire.is_cut = True
    assert await log_in(two.b, code) == Code.WRONG_LOGIN
    two.end_gap()
    assert await log_in(two.b, code) == "ok"


@in_virtual_time
async def test_code_of_an_account_that_is_deleted_at_the_other_server_is_gone() -> None:
    two, anna, code = await anna_and_code()
    assert anna.welcome is not None
    there = await Caller(two.b).hello("Anna", anna.welcome.token)
    anna.hang_up()
    await there.call(m.ConfirmRequest(password=PASSWORD))
    await there.call(m.DeleteAccountRequest())
    await asyncio.sleep(1)
    assert len(core_of(two.a).web_codes) == 0
    assert await log_in(two.b, code) == Code.WRONG_LOGIN
