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
from tests.support.accounts import PASSWORD, account_server, connect_owner
from tests.support.core import ATTACKER, INNOCENT, connect_from, send_swarm, stop_clocks, try_request
from tests.support.server import toy_server

WRONG_CODE, WRONG_LOGIN = EnterRequest(code="no-such"), LoginRequest(name="Anna", password="wrong one")
PRIVATE = CreateRequest(game="heap", seat_count=3, settings=TableSettingsParams(private=True), password="habanero")


async def storm(server: Server, params: EnterRequest | LoginRequest, host: str = ATTACKER) -> Counter[str]:
    """Let fresh guests of an address guess."""
    return Counter(await send_swarm(server, 100, lambda caller: try_request(caller, params), host=host))


async def test_neighbours_with_a_token_enter_during_guessing() -> None:
    server = toy_server()
    stop_clocks(server)
    info = (await (await connect_from(server, INNOCENT, "Anna")).call(PRIVATE)).info
    ben, cleo = await connect_from(server, ATTACKER, "Ben"), await connect_from(server, ATTACKER, "Cleo")
    ben.hang_up()
    assert (await storm(server, WRONG_CODE))["unknown_code"] <= 30
    right = EnterRequest(code=info.code, password="habanero")
    assert await try_request(await connect_from(server, ATTACKER), right) == "slow_down"
    back = await connect_from(server, ATTACKER, token=ben.welcome.token)
    assert [await try_request(caller, right) for caller in (back, cleo)] == ["ok", "ok"]
    assert await try_request(await connect_from(server, INNOCENT), right) == "ok"
    await server.close()


async def test_seated_and_admitted_users_wait_for_no_guesses() -> None:
    server = toy_server()
    stop_clocks(server)
    anna = await connect_from(server, ATTACKER, "Anna")
    info = (await anna.call(PRIVATE)).info
    right = EnterRequest(code=info.code, password="habanero")
    guest = await connect_from(server, ATTACKER, "Ben")
    await guest.call(right)
    for _ in range(20):  # their own guesses, too
        await try_request(guest, WRONG_CODE)
    await storm(server, WRONG_CODE)
    for caller in (anna, guest):
        assert await try_request(caller, EnterRequest(code=info.code)) == "ok"
    assert await try_request(guest, JoinRequest(table=info.table)) == "ok"
    assert await try_request(guest, LeaveRequest(table=info.table)) == "ok"
    await server.close()


async def test_right_codes_are_no_guesses() -> None:
    server = toy_server()
    stop_clocks(server)
    info = (await (await connect_from(server, INNOCENT, "Anna")).call(PRIVATE)).info
    right = EnterRequest(code=info.code, password="habanero")
    assert set(await send_swarm(server, 50, lambda caller: try_request(caller, right))) == {"ok"}
    await server.close()


async def test_distributed_password_guesses_are_slow_and_spare_known_users() -> None:
    server = toy_server()
    stop_clocks(server)
    info = (await (await connect_from(server, INNOCENT, "Anna")).call(PRIVATE)).info
    friend = await connect_from(server, "192.0.2.7", "Ben")
    wrong = EnterRequest(code=info.code, password="jalapeno")
    outcomes = Counter([await try_request(await connect_from(server, f"198.51.100.{n}"), wrong) for n in range(200)])
    assert outcomes["wrong_password"] == 60
    assert await try_request(friend, EnterRequest(code=info.code, password="habanero")) == "ok"
    await server.close()


async def test_known_guests_do_not_close_a_password_for_others() -> None:
    server = toy_server()
    stop_clocks(server)
    info = (await (await connect_from(server, INNOCENT, "Anna")).call(PRIVATE)).info
    wrong, right = (EnterRequest(code=info.code, password=password) for password in ("jalapeno", "habanero"))
    known = [await connect_from(server, ATTACKER) for _ in range(100)]
    outcomes = Counter([await try_request(caller, wrong) for caller in known for _ in range(3)])
    assert outcomes["wrong_password"] <= 90
    late = await connect_from(server, "192.0.2.7", "Ben")
    assert [await try_request(late, password) for password in (wrong, right)] == ["wrong_password", "ok"]
    assert await try_request(await connect_from(server, ATTACKER), right) == "slow_down"
    await server.close()


async def test_guests_of_two_addresses_do_not_close_a_name() -> None:
    server = account_server()
    stop_clocks(server)
    await connect_owner(server, "Anna", address=f"{INNOCENT}:1")
    for host in (ATTACKER, "198.51.100.1"):
        known = [await connect_from(server, host) for _ in range(40)]
        assert Counter([await try_request(caller, WRONG_LOGIN) for caller in known])["wrong_login"] <= 20
    right = LoginRequest(name="Anna", password=PASSWORD)
    assert await try_request(await connect_from(server, "203.0.113.9"), right) == "ok"
    await server.close()


async def test_wrong_keys_of_commentators_are_guesses_and_players_need_none() -> None:
    server = toy_server()
    stop_clocks(server)
    anna = await connect_from(server, ATTACKER, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))
    wrong = WatchRequest(table=table, commentary_key="00" * 16)
    outcomes = Counter(await send_swarm(server, 100, lambda caller: try_request(caller, wrong)))
    assert outcomes["wrong_key"] <= 30
    assert await try_request(anna, wrong) == "ok"
    await server.close()


async def test_an_owner_logs_in_beside_a_guessing_neighbour() -> None:
    server = account_server()
    stop_clocks(server)
    await connect_owner(server, "Anna", address=f"{ATTACKER}:1")
    phone = await connect_from(server, ATTACKER, "Phone")
    assert (await storm(server, WRONG_LOGIN))["wrong_login"] <= 6
    right = LoginRequest(name="Anna", password=PASSWORD)
    assert await try_request(await connect_from(server, ATTACKER), right) == "slow_down"
    assert await try_request(phone, right) == "ok"
    assert await try_request(await connect_from(server, INNOCENT), right) == "ok"
    await server.close()


async def test_wrong_log_ins_for_many_names_shut_out_no_neighbour() -> None:
    server = account_server()
    clock = stop_clocks(server)
    await connect_owner(server, "Anna", address=f"{INNOCENT}:1")
    neighbour = await connect_from(server, ATTACKER, "Phone")
    names = iter(range(1_000))

    async def guess(caller: object) -> str:
        clock.seconds += 0.01
        return await try_request(caller, LoginRequest(name=f"Name {next(names)}", password="wrong one"))  # type: ignore[arg-type]

    assert Counter(await send_swarm(server, 200, guess))["wrong_login"] <= 61
    assert await try_request(neighbour, LoginRequest(name="Anna", password=PASSWORD)) == "ok"
    await server.close()


async def test_right_log_ins_are_not_counted() -> None:
    server = account_server(tokens=200)
    stop_clocks(server)
    await connect_owner(server, "Anna", address=f"{INNOCENT}:1")
    right = LoginRequest(name="Anna", password=PASSWORD)
    assert set(await send_swarm(server, 100, lambda caller: try_request(caller, right))) == {"ok"}
    await server.close()


async def test_a_name_guessed_from_everywhere_opens_at_home() -> None:
    server = account_server()
    stop_clocks(server)
    await connect_owner(server, "Anna", address="192.0.2.7:1")
    outcomes = Counter(
        [await try_request(await connect_from(server, f"198.51.100.{n}"), WRONG_LOGIN) for n in range(100)]
    )
    assert outcomes["wrong_login"] == 30
    right = LoginRequest(name="Anna", password=PASSWORD)
    assert await try_request(await connect_from(server, "203.0.113.9"), right) == "slow_down"
    assert await try_request(await connect_from(server, "192.0.2.7"), right) == "ok"
    await server.close()


@pytest.mark.parametrize("host", [ATTACKER, INNOCENT])
async def test_guesses_do_not_block_password_changes(host: str) -> None:
    server = account_server()
    stop_clocks(server)
    anna = await connect_owner(server, "Anna", address=f"{ATTACKER}:1")
    await storm(server, WRONG_LOGIN, host)
    assert await try_request(anna, ConfirmRequest(password=PASSWORD)) == "ok"
    assert await try_request(anna, ChangePasswordRequest(new="eight habaneros")) == "ok"
    await server.close()
