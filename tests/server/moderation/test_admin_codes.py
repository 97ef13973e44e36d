"""A configured name becomes an admin by the one-time code that the server printed, not by claiming it first."""

import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scoville_server.accounts.model.account_limits import AccountLimits, Hashing
from scoville_server.moderation.admin_codes import FILE, CodeFile, describe_code
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol import messages as m
from tests.support.accounts import PASSWORD, connect_guest, connect_owner, make_cheap_limits
from tests.support.core import code_of
from tests.support.server import toy_server


def settings(data: Path | None = None, *, names: tuple[str, ...] = ("Anna",), **limits: int) -> Settings:
    return Settings(admins=names, data=data, accounts=make_cheap_limits(**limits))


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    made = toy_server(settings(names=("Anna", "Ben")))
    await made.start()
    yield made
    await made.close()


async def test_the_first_claimant_is_no_admin_without_the_code(server: Server) -> None:
    anna = await connect_owner(server, "Anna")
    assert await code_of(anna, m.UsersRequest()) == "not_allowed"
    await anna.call(m.BecomeAdminRequest(code=server.admin_codes["Anna"]))
    await anna.call(m.UsersRequest())


async def test_a_code_works_once_for_a_name_owner(server: Server) -> None:
    code = server.admin_codes["Anna"]
    assert await code_of(await connect_guest(server, "Anna"), m.BecomeAdminRequest(code=code)) == "not_claimed"
    paula, zoe = await connect_owner(server, "Paula"), await connect_owner(server, "Zoe")
    await paula.call(m.BecomeAdminRequest(code=f" {code.lower().replace('-', ' ')} "))
    await paula.call(m.UsersRequest())
    assert await code_of(zoe, m.BecomeAdminRequest(code=code)) == "wrong_code"
    assert await code_of(zoe, m.UsersRequest()) == "not_allowed"
    assert [*server.admin_codes] == ["Ben"]
    entries = (await paula.call(m.AuditRequest())).entries
    assert [(entry.by, entry.action) for entry in entries] == [("Paula", "become_admin")]


async def test_a_configured_admin_is_dismissed_in_the_configuration_only(server: Server) -> None:
    paula = await connect_owner(server, "Paula")
    await paula.call(m.BecomeAdminRequest(code=server.admin_codes["Ben"]))
    assert await code_of(paula, m.AppointRequest(name="Paula", admin=False)) == "bad_params"


@pytest.mark.parametrize("code", ["", "-", "AAAAA-AAAAA-AAAAA-AAAAA", "x" * 64, "Anna", "\ud800"])
async def test_nothing_else_is_a_code(server: Server, code: str) -> None:
    anna = await connect_owner(server, "Anna")
    assert await code_of(anna, m.BecomeAdminRequest(code=code)) == "wrong_code"
    assert [*server.admin_codes] == ["Anna", "Ben"]


async def test_wrong_codes_wait_like_wrong_passwords() -> None:
    limits = AccountLimits(hashing=Hashing(memory_kib=8, passes=1), failures=2, failures_per_name=4, claims_per_hour=99)
    server = toy_server(Settings(admins=("Anna",), accounts=limits))
    await server.start()
    wrong = m.BecomeAdminRequest(code="AAAAA")
    one = [await connect_owner(server, f"One {n}", address="192.0.2.1:1") for n in range(20)]
    assert [await code_of(caller, wrong) for caller in one][-1] == "slow_down"
    many = [await connect_owner(server, f"Many {n}", address=f"198.51.{n}.1:1") for n in range(40)]
    outcomes = [await code_of(caller, wrong) for caller in many]
    assert outcomes[0] == "wrong_code"
    assert outcomes[-1] == "slow_down"
    await server.close()


async def test_codes_are_private_files_until_used(tmp_path: Path) -> None:
    data = tmp_path / "data"
    codes = []
    for _ in range(2):
        server = toy_server(settings(data, names=("Anna", "Ben")))
        await server.start()
        codes.append(server.admin_codes)
        assert stat.S_IMODE((data / FILE).stat().st_mode) == 0o600
        await server.close()
    assert codes[0] == codes[1]
    assert len({*codes[0].values()}) == 2

    server = toy_server(settings(data, names=("Anna",)))
    await server.start()
    anna = await connect_owner(server, "Anna")
    await anna.call(m.BecomeAdminRequest(code=codes[0]["Anna"]))
    assert not (data / FILE).exists()
    await server.close()

    server = toy_server(settings(data, names=("Anna",)))
    await server.start()
    assert server.admin_codes == {}
    again = await connect_guest(server)
    await again.call(m.LoginRequest(name="Anna", password=PASSWORD))
    await again.call(m.UsersRequest())
    await server.close()


async def test_a_command_prints_or_replaces_codes_while_running(tmp_path: Path) -> None:
    data = tmp_path / "data"
    server = toy_server(settings(data))
    await server.start()
    old = server.admin_codes["Anna"]
    assert old in describe_code(data, "Anna", new=False)
    assert old not in describe_code(data, "Anna", new=True)
    new = CodeFile(data / FILE).read_codes()["Anna"]
    anna = await connect_owner(server, "Anna")
    assert await code_of(anna, m.BecomeAdminRequest(code=old)) == "wrong_code"
    await anna.call(m.BecomeAdminRequest(code=new))
    with pytest.raises(ScovilleError, match="No code is open for Anna"):
        describe_code(data, "Anna", new=True)
    await server.close()


async def test_an_admin_whose_account_is_gone_gets_another_code(server: Server) -> None:
    anna = await connect_owner(server, "Anna")
    used = server.admin_codes["Anna"]
    await anna.call(m.BecomeAdminRequest(code=used))
    await anna.call(m.ReleaseNameRequest())
    assert server.admin_codes["Anna"] != used
