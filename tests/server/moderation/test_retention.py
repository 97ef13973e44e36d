"""Retention: what is older than the settings allow is deleted by the hourly job, and nothing else."""

import asyncio

import pytest
from msgspec.structs import replace

from scoville_server.background.tasks import HOUR_SECONDS
from scoville_server.chat.model.messages import LOBBY
from scoville_server.moderation.model.moderation_limits import RetentionSettings
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol import messages as m
from tests.support import virtual_time
from tests.support.core import connect_user
from tests.support.server import toy_shelf

DAY_SECONDS = 86_400.0


async def server_of(retention: RetentionSettings) -> Server:
    server = Server(Settings(retention=retention), toy_shelf(), clock=virtual_time.make_clock())
    await server.start()
    return server


@virtual_time.in_virtual_time
async def test_old_messages_and_reports_are_deleted() -> None:
    server = await server_of(RetentionSettings(chat_days=7, report_days=7, audit_days=7))
    anna = await connect_user(server, "Anna")
    await connect_user(server, "Ben")
    core = server._services
    await anna.call(m.SayRequest(text="old"))
    await anna.call(m.ReportRequest(name="Ben", text="old"))
    for _ in range(2):
        await core.moderation.announce_text(core.sessions.find_by_name("Anna"), "old")  # type: ignore[arg-type]
    await asyncio.sleep(8 * DAY_SECONDS)
    await anna.call(m.SayRequest(text="new"))
    await anna.call(m.ReportRequest(name="Ben", text="new"))
    await asyncio.sleep(HOUR_SECONDS + 1)
    assert [message.text for message in core.chat.channels.messages_since(LOBBY)] == ["new"]
    assert [report.text for report in core.moderation.list_reports()] == ["new"]
    assert [entry.number for entry in await core.moderation.list_acts(0)] == [2]
    await server.close()


@virtual_time.in_virtual_time
async def test_without_settings_everything_stays() -> None:
    server = await server_of(RetentionSettings())
    anna = await connect_user(server, "Anna")
    await anna.call(m.SayRequest(text="old"))
    await asyncio.sleep(30 * DAY_SECONDS)
    assert [message.text for message in server._services.chat.channels.messages_since(LOBBY)] == ["old"]
    await server.close()


@virtual_time.in_virtual_time
async def test_numbers_go_on_behind_deleted_messages() -> None:
    server = await server_of(RetentionSettings(chat_days=1))
    anna = await connect_user(server, "Anna")
    assert (await anna.call(m.SayRequest(text="old"))).message.number == 1
    await asyncio.sleep(3 * DAY_SECONDS)
    assert (await anna.call(m.SayRequest(text="new"))).message.number == 2
    await server.close()


@virtual_time.in_virtual_time
async def test_slow_mode_lets_a_user_wait() -> None:
    usual = Settings()
    server = Server(
        replace(usual, chat=replace(usual.chat, slow_seconds=30.0)), toy_shelf(), clock=virtual_time.make_clock()
    )
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    await anna.call(m.SayRequest(text="one"))
    with pytest.raises(ScovilleError, match="slow mode"):
        await anna.call(m.SayRequest(text="two"))
    await ben.call(m.SayRequest(text="mine"))
    await anna.call(m.SayRequest(text="psst", to="Ben"))
    await asyncio.sleep(31)
    await anna.call(m.SayRequest(text="three"))
    await server.close()
