"""Settings of clients that the server keeps with their users."""

import msgpack
from msgspec.structs import replace

from scoville_server.accounts.doors.client_settings import _is_plain
from scoville_server.accounts.model.account_limits import AccountLimits
from scoville_server.limits.throttle import Rate
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from tests.shared.protocol.streams import read_stream
from tests.support.accounts import PASSWORD, account_server, connect_owner, ed25519_keys, make_cheap_limits
from tests.support.core import SSH, code_of, connect_from, connect_hosted, stop_clocks, try_request
from tests.support.server import Caller, core_of, toy_server

DARK = {"theme": "dark", "keys": ["h", 2, 1.5, True, None]}


async def test_settings_return_with_their_guest_after_a_restart() -> None:
    server = toy_server()
    keyed = replace(SSH, key=ed25519_keys().line)
    anna = await connect_hosted(server, keyed)
    assert anna.welcome is not None
    assert anna.welcome.client_settings is None
    await anna.call(m.SaveSettingsRequest(client_settings=DARK))
    later = toy_server(journal=core_of(server).journal)
    await server.close()
    await later.start()
    back = await connect_hosted(later, keyed)
    assert back.welcome is not None
    assert back.welcome.client_settings == DARK
    assert (await back.call(m.ShowSettingsRequest())).client_settings == DARK


async def test_users_have_their_own_settings() -> None:
    server = account_server()
    ben = await connect_owner(server, "Ben")
    assert ben.welcome is not None
    await ben.call(m.SaveSettingsRequest(client_settings=DARK))
    guest = await connect_hosted(server)
    assert (await guest.call(m.ShowSettingsRequest())).client_settings is None
    await guest.call(m.LoginRequest(name="Ben", password=PASSWORD))
    assert (await guest.call(m.ShowSettingsRequest())).client_settings == DARK
    native = await Caller(server).hello("", ben.welcome.token)
    assert native.welcome is not None
    assert native.welcome.client_settings is None


async def test_settings_go_with_their_account() -> None:
    server = account_server()
    ben = await connect_owner(server, "Ben")
    await ben.call(m.SaveSettingsRequest(client_settings=DARK))
    await ben.call(m.DeleteAccountRequest())
    await server.close()
    assert not len(core_of(server).client_settings._book)


async def test_settings_are_bounded_and_plain() -> None:
    server = toy_server()
    anna = await connect_hosted(server)
    deep: dict[str, object] = {}
    for _ in range(9):
        deep = {"more": deep}
    assert await code_of(anna, m.SaveSettingsRequest(client_settings={"x": "y" * 4096})) == Code.TOO_MANY
    nan, infinite, stamp = float("nan"), float("-inf"), msgpack.Timestamp(1)
    for wrong in (deep, {"x": b"bytes"}, {"x": {1: 2}}, {"x": nan}, {"x": [infinite]}, {b"x": 1}):
        assert await code_of(anna, m.SaveSettingsRequest(client_settings=wrong)) == Code.BAD_PARAMS
    for wrong in ({"x": stamp}, {"x": msgpack.ExtType(5, b"x")}):
        packed = msgpack.packb([0, 9, "account.save_settings", [{"client_settings": wrong}]])
        [(_, refused)] = read_stream(packed)
        assert isinstance(refused, ScovilleError) or not _is_plain(refused.client_settings, 8)
    assert (await anna.call(m.ShowSettingsRequest())).client_settings is None


async def test_numbers_return_unchanged_and_last_keys_win() -> None:
    server = toy_server()
    anna = await connect_hosted(server)
    numbers = {"least": -(2**63), "most": 2**64 - 1, "half": 0.5, "tiny": 5e-324}
    await anna.call(m.SaveSettingsRequest(client_settings=numbers))
    assert (await anna.call(m.ShowSettingsRequest())).client_settings == numbers
    twice = b"\x82" + msgpack.packb("x") + b"\x01" + msgpack.packb("x") + b"\x02"
    head = b"\x94\x00\x09" + msgpack.packb("account.save_settings")
    request = head + b"\x91\x81" + msgpack.packb("client_settings") + twice
    [(_, params)] = read_stream(request)
    assert isinstance(params, m.SaveSettingsRequest)
    assert params.client_settings == {"x": 2}


async def test_saving_has_a_rate() -> None:
    server = toy_server()
    stop_clocks(server)
    anna = await connect_hosted(server)
    saves = [await try_request(anna, m.SaveSettingsRequest(client_settings=DARK)) for _ in range(31)]
    assert saves == ["ok"] * AccountLimits().settings_saves.allowed + [Code.SLOW_DOWN]


async def test_an_address_replaces_its_own_settings() -> None:
    server = toy_server(
        Settings(accounts=make_cheap_limits(client_settings=8, settings_saves_per_address=Rate(0, 60.0)))
    )
    innocent = await connect_from(server, "192.0.2.1")
    await innocent.call(m.SaveSettingsRequest(client_settings=DARK))
    for _ in range(40):
        thrown_away = await connect_from(server, "192.0.2.2")
        await try_request(thrown_away, m.SaveSettingsRequest(client_settings=DARK))
        thrown_away.hang_up()
    innocent.hang_up()
    settings = core_of(server).client_settings
    assert len(settings._book) <= 8
    late = await connect_from(server, "192.0.2.3")
    assert await try_request(late, m.SaveSettingsRequest(client_settings=DARK)) == "ok"
    assert innocent.welcome is not None
    back = await Caller(server).hello("", innocent.welcome.token)
    assert (await back.call(m.ShowSettingsRequest())).client_settings == DARK
