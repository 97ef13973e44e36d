"""A sole admin who has lost every credential gets a code at the server's machine, while the server is stopped."""

import json
from pathlib import Path

import pytest

from scoville_server.cli.offline_repairs import BY, RecoveryCode, make_recovery_code
from scoville_server.journal.base import FolderTaken, JournalError
from scoville_server.journal.files.generations import AUDIT
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    AccountWarnedNotice,
    AuditRequest,
    DeleteAccountRequest,
    RecoverRequest,
    ShowAccountRequest,
)
from tests.server.conftest import Start
from tests.support.accounts import connect_admin, connect_guest, connect_owner, make_cheap_limits
from tests.support.core import code_of
from tests.support.server import core_of

NEW = "nine green chillies"


@pytest.fixture
async def server(start: Start) -> Server:
    """A server with the admin Anna and a running game."""
    server = await start(accounts=make_cheap_limits(), admins=("Anna",))
    anna = await connect_admin(server, "Anna")
    await anna.create()
    await (await connect_guest(server, "Gus")).create()
    return server


async def made(server: Server, name: str) -> RecoveryCode:
    return await make_recovery_code(Settings(data=server.settings.data, accounts=make_cheap_limits()), name)


async def test_a_recovery_code_restores_the_account_and_is_audited(server: Server, start: Start) -> None:
    await server.close()
    recovery = await made(server, "anna")
    assert (recovery.name, recovery.hours) == ("Anna", 48)
    for part in (recovery.code, "Anna", "48 hours", "once"):
        assert part in str(recovery)
    again = await start(server, accounts=make_cheap_limits(), admins=("Anna",))
    assert again.table_count == 2
    caller = await connect_guest(again)
    await caller.call(RecoverRequest(name="Anna", code=recovery.code, password=NEW))
    await core_of(again).background.finish_tasks()
    assert [notice.warning.kind for notice in caller.peer.heard if isinstance(notice, AccountWarnedNotice)] == [
        "recovery_code"
    ]
    assert len((await caller.call(ShowAccountRequest())).sessions) == 1
    entries = (await caller.call(AuditRequest())).entries
    assert [(line.by, line.action, line.target) for line in entries][-2:] == [
        (BY, "recovery code", "Anna"),
        ("Anna", "recovered", "Anna"),
    ]
    assert await code_of(caller, RecoverRequest(name="Anna", code=recovery.code, password=NEW)) == "wrong_login"


async def test_the_code_is_stored_as_a_hash(server: Server) -> None:
    await server.close()
    recovery = await made(server, "Anna")
    assert server.settings.data is not None
    content = b"".join(path.read_bytes() for path in server.settings.data.rglob("*") if path.is_file())
    assert recovery.code.encode() not in content
    assert recovery.code.replace("-", "").encode() not in content


async def test_a_running_server_makes_no_code_offline(server: Server) -> None:
    with pytest.raises(FolderTaken, match="stop it"):
        await made(server, "Anna")
    assert audited(server) == ["become_admin"]


async def test_a_name_that_nobody_has_claimed_has_no_code(server: Server) -> None:
    await server.close()
    for name in ("Gus", "Nobody", ""):
        with pytest.raises(ScovilleError, match="claimed the name") as refused:
            await made(server, name)
        assert refused.value.code == "not_claimed"
    assert audited(server) == ["become_admin"]


async def test_the_name_of_a_deleted_account_has_no_code(start: Start) -> None:
    server = await start(accounts=make_cheap_limits())
    await (await connect_owner(server, "Anna")).call(DeleteAccountRequest())
    await server.close()
    with pytest.raises(ScovilleError, match="claimed the name"):
        await made(server, "Anna")


@pytest.mark.parametrize("folder", ["nowhere", "."])
async def test_a_folder_without_a_server_stays_as_it_is(tmp_path: Path, folder: str) -> None:
    with pytest.raises(JournalError, match="no server"):
        await make_recovery_code(Settings(data=tmp_path / folder), "Anna")
    assert not any(path.is_file() for path in tmp_path.rglob("*"))  # noqa: ASYNC240 - a moment


def audited(server: Server) -> list[str]:
    assert server.settings.data is not None
    lines = (server.settings.data / AUDIT).read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["action"] for line in lines]
