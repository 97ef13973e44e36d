"""End of a server in which something fails: everything else is closed all the same."""

import asyncio
import inspect
from typing import Any

import pytest

from scoville_server.handover import HandingOver
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.observation.metrics_settings import MetricsSettings
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.support.core import connect_user
from tests.support.server import core_of


def fail_after(owner: Any, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a method do its work, and then fail."""
    work = getattr(owner, method)

    async def do_and_fail(*args: Any) -> None:
        await work(*args)
        raise RuntimeError(method)

    def do_and_fail_at_once(*args: Any) -> None:
        work(*args)
        raise RuntimeError(method)

    waits = inspect.iscoroutinefunction(work)
    monkeypatch.setattr(owner, method, do_and_fail if waits else do_and_fail_at_once)


async def accepts_connections(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


@pytest.mark.parametrize(
    ("part", "method"),
    [
        ("handing over", "note_watched"),
        ("services", "stop_own_activity"),
        ("background", "close"),
        ("bot_thinking", "close"),
        ("pulse", "stop_beating"),
        ("accounts", "close"),
        ("journal", "close"),
        ("handing over", "keep_connections"),
    ],
)
async def test_what_fails_at_the_end_leaves_nothing_else_open(
    part: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = MetricsSettings(listen="127.0.0.1:0")
    server = Server(
        Settings(host="127.0.0.1", port=0, drain_seconds=1, doors=DoorSettings(enabled=True), metrics=metrics)
    )
    await server.start()
    anna, core = await connect_user(server, "Anna"), core_of(server)
    ports, credential = (server.port, server.monitoring_port), server.door_credential_file
    assert credential is not None
    assert credential.exists()
    assert [await accepts_connections(port) for port in ports] == [True, True]
    closed = list[str]()
    monkeypatch.setattr(core.stopped_games, "stop_watching", lambda: closed.append("the last service"))
    owner = {"handing over": HandingOver, "services": core}.get(part) or getattr(core, part)
    fail_after(owner, method, monkeypatch)

    with pytest.raises(RuntimeError, match=method):
        await server.close()

    assert anna.peer.bye is not None
    assert [await accepts_connections(port) for port in ports] == [False, False]
    assert not credential.parent.exists()
    assert closed == ["the last service"]
