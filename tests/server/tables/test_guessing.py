"""Users who guess codes, passwords and log-ins are slowed down; their neighbours are not."""

from collections import Counter

import pytest

from scoville_server.server import Server
from scoville_shared.protocol.messages import (
    ChangePasswordRequest,
    ConfirmRequest,
    CreateRequest,
    EnterRequest,
    JoinRequest,
    LeaveRequest,
    LoginRequest,
    TableSettingsParams,
    WatchRequest,
)
from tests.support.accounts import PASSWORD, account_server, owner
from tests.support.core import ATTACKER, INNOCENT, from_address, stop_clocks, swarm, tried
from tests.support.server import toy_server

WRONG_CODE, WRONG_LOGIN = EnterRequest(code="no-such"), LoginRequest(name="Anna", password="wrong one")
PRIVATE = CreateRequest(game="heap", seat_count=3, settings=TableSettingsParams(private=True), password="habanero")


async def storm(server: Server, params: EnterRequest | LoginRequest, host: str = ATTACKER) -> Counter[str]:
    """Let fresh guests of an address guess."""
    return Counter(await swarm(server, 100, lambda caller: tried(caller, params), host=host))


async def test_neighbours_with_a_token_enter_during_guessing() -> None:
    server = toy_server()
    stop_clocks(server)
    info = (await (await from_address(server, INNOCENT, "Anna")).call(PRIVATE)).info
    ben, cleo = await from_address(server, ATTACKER, "Ben"), await from_address(server, ATTACKER, "Cleo")
    ben.hang_up()
    assert (await storm(server, WRONG_CODE))["unknown_code"] <= 30
    right = EnterRequest(code=info.code, password="habanero")
    assert await tried(await from_address(server, ATTACKER), right) == "slow_down"
    back = await from_address(server, ATTACKER, token=ben.welcome.token)
    assert [await tried(caller, right) for caller in (back, cleo)] == ["ok", "ok"]
    assert await tried(await from_address(server, INNOCENT), right) == "ok"
    await server.close()


async def test_seated_and_admitted_users_wait_for_no_guesses() -> None:
    server = toy_server()
    stop_clocks(server)
    anna = await from_address(server, ATTACKER, "Anna")
    info = (await anna.call(PRIVATE)).info
    right = EnterRequest(code=info.code, password="habanero")
    guest = await from_address(server, ATTACKER, "Ben")
    await guest.call(right)
    for _ in range(20):  # their own guesses, too
        await tried(guest, WRONG_CODE)
    await storm(server, WRONG_CODE)
    for caller in (anna, guest):
        assert await tried(caller, EnterRequest(code=info.code)) == "ok"
    assert await tried(guest, JoinRequest(table=info.table)) == "ok"
    assert await tried(guest, LeaveRequest(table=info.table)) == "ok"
    await server.close()


async def test_right_codes_are_no_guesses() -> None:
    server = toy_server()
    stop_clocks(server)
    info = (await (await from_address(server, INNOCENT, "Anna")).call(PRIVATE)).info
    right = EnterRequest(code=info.code, password="habanero")
    assert set(await swarm(server, 50, lambda caller: tried(caller, right))) == {"ok"}
    await server.close()


async def test_distributed_password_guesses_are_slow_and_spare_known_users() -> None:
    server = toy_server()
    stop_clocks(server)
    info = (await (await from_address(server, INNOCENT, "Anna")).call(PRIVATE)).info
    friend = await from_address(server, "192.0.2.7", "Ben")
    wrong = EnterRequest(code=info.code, password="jalapeno")
    outcomes = Counter([await tried(await from_address(server, f"198.51.100.{n}"), wrong) for n in range(200)])
    assert outcomes["wrong_password"] == 60
    assert await tried(friend, EnterRequest(code=info.code, password="habanero")) == "ok"
    await server.close()


async def test_known_guests_do_not_close_a_password_for_others() -> None:
    server = toy_server()
    stop_clocks(server)
    info = (await (await from_address(server, INNOCENT, "Anna")).call(PRIVATE)).info
    wrong, right = (EnterRequest(code=info.code, password=password) for password in ("jalapeno", "habanero"))
    known = [await from_address(server, ATTACKER) for _ in range(100)]
    outcomes = Counter([await tried(caller, wrong) for caller in known for _ in range(3)])
    assert outcomes["wrong_password"] <= 90
    late = await from_address(server, "192.0.2.7", "Ben")
    assert [await tried(late, password) for password in (wrong, right)] == ["wrong_password", "ok"]
    assert await tried(await from_address(server, ATTACKER), right) == "slow_down"
    await server.close()


async def test_guests_of_two_addresses_do_not_close_a_name() -> None:
    server = account_server()
    stop_clocks(server)
    await owner(server, "Anna", address=f"{INNOCENT}:1")
    for host in (ATTACKER, "198.51.100.1"):
        known = [await from_address(server, host) for _ in range(40)]
        assert Counter([await tried(caller, WRONG_LOGIN) for caller in known])["wrong_login"] <= 20
    right = LoginRequest(name="Anna", password=PASSWORD)
    assert await tried(await from_address(server, "203.0.113.9"), right) == "ok"
    await server.close()


async def test_wrong_keys_of_commentators_are_guesses_and_players_need_none() -> None:
    server = toy_server()
    stop_clocks(server)
    anna = await from_address(server, ATTACKER, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))
    wrong = WatchRequest(table=table, commentary_key="00" * 16)
    outcomes = Counter(await swarm(server, 100, lambda caller: tried(caller, wrong)))
    assert outcomes["wrong_key"] <= 30
    assert await tried(anna, wrong) == "ok"
    await server.close()


async def test_an_owner_logs_in_beside_a_guessing_neighbour() -> None:
    server = account_server()
    stop_clocks(server)
    await owner(server, "Anna", address=f"{ATTACKER}:1")
    phone = await from_address(server, ATTACKER, "Phone")
    assert (await storm(server, WRONG_LOGIN))["wrong_login"] <= 6
    right = LoginRequest(name="Anna", password=PASSWORD)
    assert await tried(await from_address(server, ATTACKER), right) == "slow_down"
    assert await tried(phone, right) == "ok"
    assert await tried(await from_address(server, INNOCENT), right) == "ok"
    await server.close()


async def test_wrong_log_ins_for_many_names_shut_out_no_neighbour() -> None:
    server = account_server()
    clock = stop_clocks(server)
    await owner(server, "Anna", address=f"{INNOCENT}:1")
    neighbour = await from_address(server, ATTACKER, "Phone")
    names = iter(range(1_000))

    async def guess(caller: object) -> str:
        clock.seconds += 0.01
        return await tried(caller, LoginRequest(name=f"Name {next(names)}", password="wrong one"))  # type: ignore[arg-type]

    assert Counter(await swarm(server, 200, guess))["wrong_login"] <= 61
    assert await tried(neighbour, LoginRequest(name="Anna", password=PASSWORD)) == "ok"
    await server.close()


async def test_right_log_ins_are_not_counted() -> None:
    server = account_server(tokens=200)
    stop_clocks(server)
    await owner(server, "Anna", address=f"{INNOCENT}:1")
    right = LoginRequest(name="Anna", password=PASSWORD)
    assert set(await swarm(server, 100, lambda caller: tried(caller, right))) == {"ok"}
    await server.close()


async def test_a_name_guessed_from_everywhere_opens_at_home() -> None:
    server = account_server()
    stop_clocks(server)
    await owner(server, "Anna", address="192.0.2.7:1")
    outcomes = Counter([await tried(await from_address(server, f"198.51.100.{n}"), WRONG_LOGIN) for n in range(100)])
    assert outcomes["wrong_login"] == 30
    right = LoginRequest(name="Anna", password=PASSWORD)
    assert await tried(await from_address(server, "203.0.113.9"), right) == "slow_down"
    assert await tried(await from_address(server, "192.0.2.7"), right) == "ok"
    await server.close()


@pytest.mark.parametrize("host", [ATTACKER, INNOCENT])
async def test_guesses_do_not_block_password_changes(host: str) -> None:
    server = account_server()
    stop_clocks(server)
    anna = await owner(server, "Anna", address=f"{ATTACKER}:1")
    await storm(server, WRONG_LOGIN, host)
    assert await tried(anna, ConfirmRequest(password=PASSWORD)) == "ok"
    assert await tried(anna, ChangePasswordRequest(new="eight habaneros")) == "ok"
    await server.close()
