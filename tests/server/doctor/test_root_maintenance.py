"""What root does with the commands of the server leaves a folder of another user startable by that user."""

import os
import shutil
from pathlib import Path

import pytest

from scoville_server.cli.commands import app
from scoville_server.control.commands import COMMANDS
from tests.server.doctor.test_doctor import AS_OWNER, OWNER, Case, case, needs_owner
from tests.support.process import first_line, port_of, run_server
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
    "rollback": ["rollback"],
    "settings": ["settings"],
    "check-config": ["check-config"],
    "verify-backup": ["verify-backup", "{backup}"],
    "export": ["export", "{place}/export"],
}
NOT_OF_A_FOLDER = {"init", "top", "copy-to-cluster", "copy-from-cluster", "import"}
"""Commands that write no file of a folder with a server: `init` writes the settings file, `top` shows a screen, and
`import` has a test of its own."""
REFUSED = {"rollback"}
"""Commands that find nothing to do in this folder, and say so."""
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
    """Run a command as root; those that know no folder get none."""
    filled = [each.format(place=case.place, backup=case.backup) for each in arguments]
    start = run_server if filled[0] in ("check-config", "verify-backup") else case.start_command
    process = await start(*filled)
    out, err = await process.communicate()
    assert process.returncode == (filled[0] in REFUSED), (out + err).decode()


async def prepare_account(case: Case) -> None:
    """Let a user of the server claim a name, and an admin have a code."""
    case.give_to_owner()
    case.settings.insert(0, 'admins = ["Anna"]')
    case.settings += ["[accounts.hashing]", "memory_kib = 8"]
    server = await case.start_command(code=AS_OWNER)
    port = port_of(await first_line(server))
    async with RpcClient(port) as anna:
        await anna.hello("Anna")
        await anna.call("account.claim_name", password="seven habaneros")
    server.terminate()
    await server.communicate()


def test_every_maintenance_command_is_tried() -> None:
    commands = {name for name in app if not name.startswith("-")}
    of_a_running_server = {command.name for command in COMMANDS if not command.internal}
    tried = {arguments[0] for arguments in STOPPED.values()}
    assert commands - of_a_running_server - NOT_OF_A_FOLDER == tried


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


async def test_folder_that_root_imports_belongs_to_its_owner(case: Case) -> None:
    await prepare_account(case)
    await run_as_root(case, ["export", "{place}/export"])
    shutil.rmtree(case.data)
    case.data.mkdir(mode=0o700)
    os.chown(case.data, OWNER, OWNER)
    await run_as_root(case, ["import", "{place}/export"])
    assert list_foreign(case.data) == []
    assert "listens on" in await case.start_and_stop(AS_OWNER)
