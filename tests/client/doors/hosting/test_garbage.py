"""Garbage of sessions: what has ended is freed at once, and collections wait until nobody types."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.widget import Widget

from scoville_client.doors.hosting.garbage import (
    FULL_QUIET,
    LOOK_SECONDS,
    OVERDUE,
    PORTION,
    PORTION_QUIET,
    GarbageCollector,
)
from scoville_client.doors.ssh.server import STOPPING
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.screens.lobby.lobby import LobbyScreen
from tests.client.doors.ssh.test_door import TERMINAL, Open, Typed, a_door, opened
from tests.support import frames as frames  # Textual without waits
from tests.support.clock import FakeClock
from tests.support.idle import eventually, wait_until_idle


class RecordingHeap:
    """Notes what is asked of the garbage collector."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def collect(self) -> int:
        self.calls.append("collect")
        return 0

    def freeze(self) -> None:
        self.calls.append("freeze")

    def unfreeze(self) -> None:
        self.calls.append("unfreeze")

    def set_threshold(self, young: int, middle: int, old: int, /) -> None:
        self.calls.append("set_threshold")

    def taken(self) -> list[str]:
        calls, self.calls = self.calls, []
        return calls


@pytest.fixture
def heap() -> RecordingHeap:
    return RecordingHeap()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def sessions_change(collector: GarbageCollector, number: int) -> None:
    for _ in range(number):
        collector.note_session()


def test_a_portion_waits_for_a_pause(heap: RecordingHeap, clock: FakeClock) -> None:
    collector = GarbageCollector(clock.clock, heap)
    sessions_change(collector, PORTION)
    collector.note_input()
    collector.collect_if_due()
    assert heap.taken() == []
    clock.advance(PORTION_QUIET)
    collector.collect_if_due()
    assert heap.taken() == ["collect", "freeze"]


def test_a_portion_that_is_overdue_waits_for_nobody(heap: RecordingHeap, clock: FakeClock) -> None:
    collector = GarbageCollector(clock.clock, heap)
    sessions_change(collector, OVERDUE)
    collector.note_input()
    collector.collect_if_due()
    assert heap.taken() == ["collect", "freeze"]


def test_everything_is_searched_once_nobody_types(heap: RecordingHeap, clock: FakeClock) -> None:
    collector = GarbageCollector(clock.clock, heap)
    sessions_change(collector, OVERDUE)
    collector.note_input()
    collector.collect_if_due()
    heap.taken()
    clock.advance(FULL_QUIET)
    collector.collect_if_due()
    assert heap.taken() == ["unfreeze", "collect", "freeze"]
    collector.collect_if_due()
    assert heap.taken() == []


async def test_loaded_objects_are_exempt_from_the_start(heap: RecordingHeap, clock: FakeClock) -> None:
    tending = asyncio.ensure_future(GarbageCollector(clock.clock, heap).collect_forever())
    await wait_until_idle()
    assert heap.taken() == ["collect", "freeze", "set_threshold"]
    await clock.elapse(FULL_QUIET + 2 * LOOK_SECONDS)
    assert heap.taken() == []
    tending.cancel()


# --- sessions that end in every way -------------------------------------------------------------------------


async def quit_by_key(at: Open, connection: Any, user: Typed) -> None:
    user.type("q")
    await user.ends()


async def lose_connection(at: Open, connection: Any, user: Typed) -> None:
    connection.abort()


async def lose_connection_in_a_dialog(at: Open, connection: Any, user: Typed) -> None:
    before = len(user.text)
    user.type("?")
    await user.sees("In the lobby", before)
    connection.abort()


async def lose_connection_after_a_dialog(at: Open, connection: Any, user: Typed) -> None:
    user.type("c")
    await user.sees("New table")
    user.type("qq")
    connection.abort()


async def end_with_the_door(at: Open, connection: Any, user: Typed) -> None:
    for session in tuple(at.door._sessions):
        session.end_session(STOPPING)
    await user.ends()


async def crash(at: Open, connection: Any, user: Typed) -> None:
    (session,) = at.door._sessions
    session._hosted._app.call_later(fail)  # type: ignore[union-attr]
    await user.ends()


def fail() -> None:
    raise RuntimeError("a bug")


async def be_cancelled(at: Open, connection: Any, user: Typed) -> None:
    (session,) = at.door._sessions
    session._hosted.task.cancel()  # type: ignore[union-attr]
    await user.ends()


End = Callable[[Open, Any, Typed], Awaitable[None]]
ENDS: list[End] = [
    quit_by_key,
    lose_connection,
    lose_connection_in_a_dialog,
    lose_connection_after_a_dialog,
    end_with_the_door,
    crash,
    be_cancelled,
]


def whole_widgets() -> list[App[Any] | Widget]:
    """Return apps, screens and widgets that still hold something; an empty shell may wait in a timer's context."""
    return [each for each in gc.get_objects() if isinstance(each, App | Widget) and "_nodes" in vars(each)]


async def visit(at: Open, end: End) -> None:
    """Come to the lobby, and leave in one way."""
    connection = await at.connect()
    user = await opened(connection, **TERMINAL)
    await user.sees("quit")
    await end(at, connection, user)
    connection.abort()
    await eventually(lambda: not at.door._connections and not at.door.sessions)


@pytest.mark.parametrize("end", ENDS)
async def test_an_ended_app_keeps_nothing_until_a_collection(end: End, tmp_path: Path) -> None:
    gc.collect()
    of_other_tests = {id(each) for each in whole_widgets()}
    gc.disable()
    try:
        async with a_door(tmp_path) as at:
            for _ in range(3):
                await visit(at, end)
            await wait_until_idle()
            assert [each for each in whole_widgets() if id(each) not in of_other_tests] == []
    finally:
        gc.enable()


async def test_no_alarm_for_the_next_day_keeps_an_app(tmp_path: Path) -> None:
    """The lobby sets one for the next deal of the day, which may be hours away."""
    gc.collect()
    of_other_tests = {id(each) for each in list_apps()}
    async with a_door(tmp_path) as at:
        connection = await at.connect()
        await opened(connection, **TERMINAL)
        await eventually(lambda: waits_for_next_day(at))
        connection.abort()
        await eventually(lambda: not at.door._connections and not at.door.sessions)
        await wait_until_idle()
        gc.collect()
        assert [each for each in list_apps() if id(each) not in of_other_tests] == []


def list_apps() -> list[ScovilleApp]:
    return [each for each in gc.get_objects() if isinstance(each, ScovilleApp)]


def waits_for_next_day(at: Open) -> bool:
    hosted = next(iter(at.door._sessions))._hosted
    app = hosted and hosted._app
    return app is not None and isinstance(app.screen, LobbyScreen) and app.screen._next_day is not None
