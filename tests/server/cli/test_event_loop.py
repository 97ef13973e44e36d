"""The event loop of a server, and its end."""

import asyncio
import gc
import threading
from collections.abc import Iterator

import pytest

from scoville_server.cli import event_loop


def test_imported_modules_are_left_out_of_collections(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    for name in ("set_threshold", "freeze", "enable"):
        monkeypatch.setattr(gc, name, lambda *_, name=name: called.append(name))

    async def serve_nobody() -> str:
        return "done"

    assert event_loop.run_server(serve_nobody()) == "done"
    assert called.index("freeze") < called.index("enable")


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_loop, "_REQUEST_SECONDS", 0.01)
    monkeypatch.setattr(event_loop, "_THREADS_SECONDS", 0.01)


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """Is set in the end: a thread that waits for it would keep the tests from ending."""
    event = threading.Event()
    yield event
    event.set()


def _close_loop(loop: asyncio.AbstractEventLoop, others: set[threading.Thread]) -> None:
    """Close a loop that a server has left as it is, once the threads have ended that tell it of their end."""
    for thread in {*threading.enumerate()} - others:
        thread.join()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


async def _refuse_to_end(times: int) -> None:
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            times -= 1
            if times < 0:
                raise


@pytest.mark.parametrize("lost", [0, 1, 3])
def test_a_task_ends_that_loses_requests_to_end(lost: int, caplog: pytest.LogCaptureFixture) -> None:
    async def serve() -> asyncio.Task[None]:
        left = asyncio.ensure_future(_refuse_to_end(lost))
        await asyncio.sleep(0)
        return left

    assert event_loop.run_server(serve()).cancelled()
    assert not caplog.records


def test_a_task_that_never_ends_keeps_no_server_alive(caplog: pytest.LogCaptureFixture) -> None:
    async def serve() -> asyncio.Task[None]:
        left = asyncio.ensure_future(_refuse_to_end(event_loop._REQUESTS))
        await asyncio.sleep(0)
        return left

    left = event_loop.run_server(serve())
    assert not left.done()
    assert "_refuse_to_end" in caplog.records[0].getMessage()
    left.cancel()
    _close_loop(left.get_loop(), {*threading.enumerate()})


def test_a_task_that_fails_at_its_end_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise OSError("no disk")

    async def serve() -> asyncio.Task[None]:
        failing = asyncio.ensure_future(fail())
        await asyncio.sleep(0)
        return failing

    assert isinstance(event_loop.run_server(serve()).exception(), OSError)
    assert "no disk" in caplog.text


def test_a_thread_that_hangs_keeps_no_server_alive(released: threading.Event) -> None:
    async def serve() -> asyncio.AbstractEventLoop:
        loop = asyncio.get_running_loop()
        loop.run_in_executor(None, released.wait)
        return loop

    others = {*threading.enumerate()}
    loop = event_loop.run_server(serve())
    assert not loop.is_closed()
    released.set()
    _close_loop(loop, others)


def test_the_loop_of_a_server_that_has_ended_is_closed() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())

    event_loop.run_server(serve())
    assert loops[0].is_closed()


def test_a_failure_of_the_server_is_passed_on() -> None:
    async def serve() -> None:
        raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        event_loop.run_server(serve())
