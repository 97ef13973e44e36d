"""Codes and passwords: wrong guesses wait, and delay nobody else."""

import pytest

from scoville_server.limits.budgets import GuessLimits
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.messages import (
    CreateRequest,
    EnterRequest,
    JoinRequest,
    TableInfo,
    TableSettingsParams,
    WatchRequest,
)
from scoville_shared.replay import Opening
from tests.server.tables.requests import KINDS, request_about
from tests.support.core import code_of, connect_user
from tests.support.exports import play_exported_game
from tests.support.server import Caller, core_of, toy_server

PRIVATE = TableSettingsParams(private=True)


async def opened(host: Caller, password: str = "", settings: TableSettingsParams = PRIVATE) -> TableInfo:
    reply = await host.call(CreateRequest(game="heap", seat_count=3, settings=settings, password=password))
    info: TableInfo = reply.info
    return info


async def from_address(server: Server, address: str) -> Caller:
    caller = Caller(server)
    caller.peer.address = address
    return await caller.hello()


async def test_a_code_opens_a_private_table_in_any_spelling(server: Server) -> None:
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    info = await opened(anna)
    for params in (JoinRequest(table=info.table), WatchRequest(table=info.table), EnterRequest(table=info.table)):
        assert await code_of(ben, params) == "unknown_table"
    entered = await ben.call(EnterRequest(code=info.code.replace("-", " ").upper()))
    assert (entered.info.table, entered.info.code) == (info.table, info.code)
    assert (await ben.call(JoinRequest(table=info.table))).seat == 0


async def test_a_locked_table_is_seen_and_its_password_opens_it(server: Server) -> None:
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    info = await opened(anna, "habanero", TableSettingsParams())
    assert info.locked
    for params in (JoinRequest(table=info.table), EnterRequest(table=info.table)):
        assert await code_of(ben, params) == "wrong_password"
    assert await code_of(ben, EnterRequest(table=info.table, password="jalapeno")) == "wrong_password"
    await ben.call(EnterRequest(table=info.table, password="habanero"))
    await ben.call(JoinRequest(table=info.table))
    await anna.call(JoinRequest(table=info.table))  # its opener needs none


async def test_a_code_does_not_open_a_lock(server: Server) -> None:
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    info = await opened(anna, "habanero")
    assert await code_of(ben, EnterRequest(code=info.code)) == "wrong_password"
    assert await code_of(ben, WatchRequest(table=info.table)) == "unknown_table"
    assert (await ben.call(EnterRequest(code=info.code, password="habanero"))).info.table == info.table


async def test_a_code_is_nobodys_once_the_table_is_gone(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    info = await opened(anna)
    core = core_of(server)
    core.registry.remove_table(core.tables.find_table(info.table))
    assert await code_of(anna, EnterRequest(code=info.code)) == "unknown_code"
    assert core.access._tables == {}


async def test_guessing_codes_slows_down_the_guesser_only() -> None:
    server = toy_server(Settings(guesses=GuessLimits(per_user=2)))
    seconds = [0.0]
    core_of(server).access.now = lambda: seconds[0]
    info = await opened(await connect_user(server, "Anna"))
    mallory = await from_address(server, "192.0.2.1:1000")
    guess, waits = EnterRequest(code="no-such"), []
    for _ in range(2):
        assert await code_of(mallory, guess) == "unknown_code"
    for _ in range(4):
        with pytest.raises(ScovilleError) as refused:
            await mallory.call(guess)
        assert refused.value.code == "slow_down"
        waits.append(refused.value.data["retry_after_ms"])
        seconds[0] += waits[-1] / 1000
        assert await code_of(mallory, guess) == "unknown_code"
    assert waits == [1_000, 2_000, 4_000, 8_000]
    assert await code_of(mallory, EnterRequest(code=info.code)) == "slow_down"
    ben = await from_address(server, "198.51.100.7:1000")
    assert (await ben.call(EnterRequest(code=info.code))).info.table == info.table
    await server.close()


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("192.0.2.1:1000", "192.0.2.1:2000", True),
        ("192.0.2.1:1000", "192.0.2.2:1000", False),
        ("2001:db8::1:1000", "2001:db8::2:1000", True),
        ("2001:db8::1:1000", "2001:db8:0:1::1:1000", False),
        (":", ":", False),
    ],
)
async def test_another_name_from_the_same_address_does_not_help(one: str, other: str, together: bool) -> None:
    server = toy_server(Settings(guesses=GuessLimits(per_address=2)))
    for _ in range(2):
        assert await code_of(await from_address(server, one), EnterRequest(code="no-such")) == "unknown_code"
    expected = "slow_down" if together else "unknown_code"
    assert await code_of(await from_address(server, other), EnterRequest(code="no-such")) == expected
    await server.close()


async def test_wrong_passwords_count_as_guesses() -> None:
    server = toy_server(Settings(guesses=GuessLimits(per_user=1)))
    info = await opened(await connect_user(server, "Anna"), "habanero", TableSettingsParams())
    ben = await connect_user(server, "Ben")
    assert await code_of(ben, EnterRequest(table=info.table)) == "wrong_password"
    assert await code_of(ben, EnterRequest(table=info.table, password="x")) == "wrong_password"
    assert await code_of(ben, EnterRequest(table=info.table, password="habanero")) == "slow_down"
    await server.close()


async def test_tables_are_opened_at_a_humans_pace() -> None:
    server = toy_server(Settings(table_creations=2, table_creations_seconds=60, tables_hosted=100))
    seconds = [0.0]
    core_of(server).budgets.now = lambda: seconds[0]
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    for _ in range(2):
        await anna.create()
    with pytest.raises(ScovilleError) as refused:
        await anna.create()
    assert (refused.value.code, refused.value.data) == ("slow_down", {"retry_after_ms": 30_000})
    await ben.create()
    seconds[0] = 30
    await anna.create()
    await server.close()


async def test_one_client_does_not_open_a_thousand_tables() -> None:
    server = toy_server(Settings(table_creations=1000))
    anna = await connect_user(server, "Anna")
    codes = [
        await code_of(anna, CreateRequest(game="heap", seat_count=2)) for _ in range(1000) if not await opens(anna)
    ]
    assert {*codes} == {"too_many"}
    assert server.table_count == 8
    await server.close()


async def opens(caller: Caller) -> bool:
    try:
        await caller.create()
    except ScovilleError:
        return False
    return True


HIDDEN = "0123456789ab"


@pytest.mark.parametrize("kind", KINDS)
async def test_a_private_table_is_invisible_whatever_is_asked(kind: type[m.Params]) -> None:
    """Every method that names a table answers as if it named none: the same code and the same words."""
    server = toy_server()
    anna, eve = await connect_user(server, "Anna"), await connect_user(server, "Eve")
    params = m.CreateRequest(game="high_card", seat_count=2, settings=m.TableSettingsParams(private=True))
    table = (await anna.call(params)).info.table
    await anna.call(m.JoinRequest(table=table))
    assert await heard(eve, kind, table) == (await heard(eve, kind, HIDDEN)).replace(HIDDEN, table)
    await server.close()


async def heard(caller: Caller, kind: type[m.Params], table: str) -> str:
    """Send a request about a table; returns the answer."""
    try:
        return repr(await caller.call(request_about(kind, table)))
    except ScovilleError as error:
        return f"{error.code}: {error.message}"


async def test_a_game_that_is_resumed_has_a_code_as_well() -> None:
    server = Server(Settings(opening=Opening(play_exported_game("no_thanks"), 2, Seat(1))))
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    info = await opened(anna, settings=TableSettingsParams())
    assert info.creator == "Anna"
    assert (await ben.call(EnterRequest(code=info.code))).info.table == info.table
    await server.close()
