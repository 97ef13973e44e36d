"""The process of a door: what runs beside it, and its end."""

import asyncio
from typing import Any

import pytest

from scoville_client.doors.hosting.events import DoorReady
from scoville_client.doors.hosting.process import serve_until_end
from scoville_runtime.events import Events
from tests.support.idle import wait_until_idle


class Door:
    """A door without users."""

    sessions = 0
    closed = False

    async def close(self) -> None:
        self.closed = True


@pytest.fixture
def end(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """What ends the process."""
    end = asyncio.Event()

    async def wait_for_end(**_: Any) -> None:
        await end.wait()

    monkeypatch.setattr("scoville_client.processes.wait_for_end", wait_for_end)
    return end


async def test_task_of_a_door_that_fails_is_logged_at_once(
    end: asyncio.Event, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        raise ValueError("no such certificate")

    door, ended = Door(), list[str]()

    async def go_on() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("the other task")

    serving = asyncio.ensure_future(
        serve_until_end(door, DoorReady(listens="22"), Events(), [fail(), go_on()], supervised=True)
    )
    await wait_until_idle()
    assert "no such certificate" in caplog.text
    assert not serving.done(), "users stay"
    assert not ended
    end.set()
    await serving
    assert door.closed
    assert ended == ["the other task"]


async def test_door_is_closed_when_its_process_is_cancelled(end: asyncio.Event) -> None:
    door, ready = Door(), DoorReady(listens="22")
    serving = asyncio.ensure_future(serve_until_end(door, ready, Events(), [], supervised=True))
    await wait_until_idle()
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    assert not end.is_set()
    assert door.closed
