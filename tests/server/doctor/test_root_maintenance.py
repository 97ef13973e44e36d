"""What root does with the commands of the server leaves a folder of another user startable by that user."""

from pathlib import Path

import pytest

from tests.server.doctor.test_doctor import AS_OWNER, OWNER, Case, case, needs_owner
from tests.support.process import first_line, port_of
from tests.support.rpc import RpcClient

__all__ = ["case"]
pytestmark = needs_owner

STOPPED = {
    "backup": ["backup", "{place}/copy"],
    "a series": ["backup", "{place}/series", "--keep", "2"],
    "restore": ["restore", "{backup}", "--force"],
    "rotate-key": ["rotate-key"],
    "rotate-key --unsigned": ["rotate-key", "--unsigned"],
    "admin-code": ["admin-code", "Anna", "--new"],
    "recover": ["recover", "Anna"],
    "reset-clock": ["reset-clock"],
    "doctor --fix": ["doctor", "--fix"],
}
RUNNING = {
    "backup": ["backup", "{place}/copy"],
    "doctor": ["doctor"],
    "status": ["status"],
    "users": ["users"],
    "admin-code": ["admin-code", "Anna"],
    "audit": ["audit"],
}


def list_foreign(data: Path) -> list[str]:
    return [path.name for path in [data, *data.rglob("*")] if path.lstat().st_uid != OWNER]


async def run_as_root(case: Case, arguments: list[str]) -> None:
    filled = [each.format(place=case.place, backup=case.backup) for each in arguments]
    process = await case.start_command(*filled)
    out, err = await process.communicate()
    assert process.returncode == 0, (out + err).decode()


async def prepare_account(case: Case) -> None:
    """Let a user of the server claim a name, and an admin have a code."""
    case.give_to_owner()
    case.settings.insert(0, 'admins = ["Anna"]')
    server = await case.start_command(code=AS_OWNER)
    port = port_of(await first_line(server))
    async with RpcClient(port) as anna:
        await anna.hello("Anna")
        await anna.call("account.claim_name", password="seven habaneros")
    server.terminate()
    await server.communicate()


@pytest.mark.parametrize("name", STOPPED)
async def test_the_owner_can_start_after_root_maintained(case: Case, name: str) -> None:
    await prepare_account(case)
    await run_as_root(case, STOPPED[name])
    assert list_foreign(case.data) == []
    assert "listens on" in await case.start_and_stop(AS_OWNER)


async def test_root_leaves_no_file_beside_a_running_server(case: Case) -> None:
    await prepare_account(case)
    server = await case.start_command(code=AS_OWNER)
    assert await first_line(server)
    for arguments in RUNNING.values():
        await run_as_root(case, arguments)
        assert list_foreign(case.data) == []
    server.terminate()
    await server.communicate()
    assert list_foreign(case.data) == []
    assert "listens on" in await case.start_and_stop(AS_OWNER)
