"""Maintenance mode: admins and players of unfinished games connect, nobody else, also after a restart."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scoville_server.journal.memory import MemoryJournal
from scoville_server.moderation.maintenance import MaintenanceOn
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol import messages as m
from tests.server.control.controlled_server import ControlLine, controlled_server
from tests.support import accounts
from tests.support.core import connect_user, seat_users
from tests.support.server import Caller, core_of, toy_server

MODE = MaintenanceOn(by="Anna", reason="New disk", since_ms=0)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    made = toy_server(Settings(admins=("Anna",), accounts=accounts.make_cheap_limits()))
    await made.start()
    yield made
    await made.close()


async def refusal_of(caller: Caller, name: str = "", token: str = "") -> tuple[str, str, str]:
    with pytest.raises(ScovilleError) as refused:
        await caller.hello(name, token)
    return refused.value.code, refused.value.message, refused.value.data["reason"]


async def test_new_users_are_refused_with_the_reason(server: Server) -> None:
    here = await connect_user(server, "Ben")
    await core_of(server).moderation_records.maintenance.switch_mode(MODE)
    sentence = "This server is under maintenance and takes no new users: New disk."
    assert await refusal_of(Caller(server), "Cleo") == ("maintenance", sentence, "New disk")
    assert here.welcome is not None
    here.hang_up()
    assert (await refusal_of(Caller(server), token=here.welcome.token))[0] == "maintenance"
    await core_of(server).moderation_records.maintenance.switch_mode(None)
    await connect_user(server, "Cleo")


async def test_players_of_a_game_come_back(server: Server) -> None:
    table, (ben, cleo) = await seat_users(server, "Ben", "Cleo")
    await ben.call(m.StartRequest(table=table))
    await core_of(server).moderation_records.maintenance.switch_mode(MODE)
    for caller in (ben, cleo):
        assert caller.welcome is not None
        caller.hang_up()
        again = await Caller(server).hello(token=caller.welcome.token)
        assert again.welcome is not None
        assert again.welcome.resumed


async def test_admins_come_in_and_others_do_not_log_in(server: Server) -> None:
    anna = await accounts.connect_admin(server, "Anna")
    await accounts.connect_owner(server, "Ben")
    guest = await connect_user(server, "Guest")
    await core_of(server).moderation_records.maintenance.switch_mode(MODE)
    assert anna.welcome is not None
    anna.hang_up()
    await Caller(server).hello(token=anna.welcome.token)
    with pytest.raises(ScovilleError) as refused:
        await guest.call(m.LoginRequest(name="Ben", password=accounts.PASSWORD))
    assert refused.value.code == "maintenance"
    await guest.call(m.LoginRequest(name="Anna", password=accounts.PASSWORD))


async def test_mode_outlasts_a_restart() -> None:
    journal = MemoryJournal()
    server = toy_server(journal=journal)
    await server.start()
    await core_of(server).moderation_records.maintenance.switch_mode(MODE)
    await server.close()
    again = toy_server(journal=journal)
    await again.start()
    assert core_of(again).moderation_records.maintenance.mode == MODE
    await again.close()


async def test_socket_switches_it_and_logs_that(tmp_path: Path) -> None:
    async with controlled_server(tmp_path) as server:
        line = await ControlLine.open(tmp_path)
        assert await line.call("maintenance", "New disk", mode="on") == {"result": {}}
        assert (await refusal_of(Caller(server)))[0] == "maintenance"
        shown = (await line.call("status"))["result"]["maintenance"]
        assert (shown["reason"], shown["by"].endswith("control socket)")) == ("New disk", True)
        assert await line.call("maintenance", "Done", mode="off") == {"result": {}}
        assert (await line.call("status"))["result"]["maintenance"] is None
        assert (await line.call("maintenance", "x", mode="perhaps"))["error"]["code"] == "bad_params"
        await connect_user(server, "Ben")
        entries = (await line.call("audit"))["result"]["entries"]
        assert [(entry["action"], entry["reason"]) for entry in entries] == [
            ("maintenance on", "New disk"), ("maintenance off", "Done"),
        ]  # fmt: skip
        line.close()
