"""Logging in: by password and by key, and how wrong guesses are slowed down."""

import asyncio
import logging

import pytest

from scoville_server.server import Server
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    BanRequest,
    ClaimNameRequest,
    JoinRequest,
    ListTablesRequest,
    LoginByKeyRequest,
    LoginRequest,
    LogoutRequest,
    PollRequest,
    ShowAccountRequest,
    WatchRequest,
)
from tests.server.tables.test_rematch import finished
from tests.support.accounts import (
    PASSWORD,
    account_server,
    connect_guest,
    connect_owner,
    ed25519_keys,
    log_in,
    sign_request,
)
from tests.support.core import code_of
from tests.support.server import core_of

ATTACKER, HOME = "192.0.2.66:4000", "198.51.100.7:5000"


async def test_the_newest_log_in_takes_the_connection(server: Server) -> None:
    anna = await connect_owner(server, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))
    elsewhere = await connect_guest(server, "Anna")
    await elsewhere.call(WatchRequest(table=table))
    answer = await elsewhere.call(LoginRequest(name="anna", password=PASSWORD))
    assert answer.name == "Anna"
    assert anna.peer.bye.code == "taken_over"
    assert (await elsewhere.call(PollRequest(table=table))).seat == 0
    assert (await elsewhere.call(ListTablesRequest())).tables[0].seats[0].connected
    again = await connect_guest(server, token=answer.token)
    assert (again.welcome.name, again.welcome.claimed) == ("Anna", True)
    assert not again.peer.closed


async def test_a_user_who_sits_at_a_table_leaves_it_first(server: Server) -> None:
    await connect_owner(server, "Anna")
    ben = await connect_guest(server, "Ben")
    await ben.call(JoinRequest(table=await ben.create()))
    login = LoginRequest(name="Anna", password=PASSWORD)
    for params in (login, LoginByKeyRequest(name="", key="", signature=""), LogoutRequest()):
        assert await code_of(ben, params) == "seated"


async def test_a_finished_game_does_not_block_logging_in(server: Server) -> None:
    await connect_owner(server, "Anna")
    _, (ben, cleo) = await finished(server, "Ben", "Cleo")
    assert (await ben.call(LoginRequest(name="Anna", password=PASSWORD))).name == "Anna"
    assert (await cleo.call(LogoutRequest())).name != "Cleo"


async def test_wrong_names_and_passwords_are_indistinguishable(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    await connect_owner(server, "Anna")
    keyed = await connect_guest(server, "Ben")
    await keyed.call(await sign_request(keyed, ed25519_keys(), ClaimNameRequest))
    passwords, compared = core_of(server).accounts.passwords, []
    verify = passwords._verify_hash
    monkeypatch.setattr(passwords, "_verify_hash", lambda *asked: (compared.append(asked), verify(*asked))[1])
    caller = await connect_guest(server)
    for name, password in (("Anna", "wrong one"), ("Nobody", PASSWORD), ("Ben", PASSWORD), ("", "")):
        with pytest.raises(ScovilleError) as refused:
            await log_in(caller, name, password)
        assert (refused.value.code, refused.value.data) == ("wrong_login", {})
    assert len(compared) == 4


async def test_guesses_slow_down_without_blocking_the_owner() -> None:
    server = account_server(failures=2, first_wait=10)
    await connect_owner(server, "Anna")
    now = 0.0
    core_of(server).accounts._clock = lambda: now
    attacker = await connect_guest(server, address=ATTACKER)
    waits = []
    assert await code_of(attacker, LoginRequest(name="Anna", password="wrong one")) == "wrong_login"
    for _ in range(3):
        assert await code_of(attacker, LoginRequest(name="Anna", password="wrong one")) == "wrong_login"
        with pytest.raises(ScovilleError) as refused:
            await log_in(attacker, "A nna")
        waits.append(refused.value.data["retry_after_ms"])
        now += waits[-1] / 1000
    assert waits == [10_000, 20_000, 40_000]
    await log_in(await connect_guest(server, address=HOME))
    await server.close()


async def test_a_thousand_guesses_at_once_are_a_thousand() -> None:
    server = account_server(failures=3)
    await connect_owner(server, "Anna")
    callers = [await connect_guest(server, address=ATTACKER) for _ in range(20)]
    guesses = [caller.call(LoginRequest(name="Anna", password="wrong one")) for caller in callers]
    codes = [error.code for error in await asyncio.gather(*guesses, return_exceptions=True)]
    assert (codes.count("wrong_login"), codes.count("slow_down")) == (3, 17)
    await server.close()


async def test_one_address_guesses_at_many_names_no_faster() -> None:
    server = account_server(failures_per_hour=3)
    caller = await connect_guest(server, address=ATTACKER)
    codes = [await code_of(caller, LoginRequest(name=name, password="wrong one")) for name in ("A", "B", "C", "D")]
    assert codes == ["wrong_login"] * 3 + ["slow_down"]
    await server.close()


async def test_nothing_secret_is_logged(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    anna = await connect_owner(server, "Anna")
    token = await log_in(await connect_guest(server))
    await code_of(anna, LoginRequest(name="Anna", password="wrong one"))
    assert not [secret for secret in (PASSWORD, "wrong one", token, anna.welcome.token) if secret in caplog.text]


async def test_banned_user_cannot_log_in_behind_a_door(server: Server) -> None:
    anna, admin = await connect_owner(server, "Anna"), await connect_owner(server, "Ben")
    core = core_of(server)
    await core.moderation.add_ban(
        core.sessions.find_by_name("Ben"), BanRequest(kind="name", target="Anna", scope="server")
    )
    caller = await connect_guest(server)
    assert await code_of(caller, LoginRequest(name="Anna", password=PASSWORD)) == "banned"
    assert (await caller.call(ShowAccountRequest())).claimed is False
    assert anna.peer.closed
    assert not admin.peer.closed


async def test_logging_out_makes_a_guest_and_voids_the_token(server: Server) -> None:
    anna = await connect_owner(server, "Anna")
    answer = await anna.call(LogoutRequest())
    assert answer.name != "Anna"
    assert not (await anna.call(ShowAccountRequest())).claimed
    assert not anna.peer.closed
    assert (await connect_guest(server, token=answer.token)).welcome.name == answer.name
    assert (await connect_guest(server, "Anna", token=anna.welcome.token)).welcome.name_claimed


async def test_a_guest_who_logs_out_leaves_nothing_behind(server: Server) -> None:
    ben = await connect_guest(server, "Ben")
    core = core_of(server)
    for _ in range(3):
        await ben.call(LogoutRequest())
    assert len(core.sessions._by_id) == 1
    assert len(core.users.tokens._good) == 1
