"""Fixtures of the server's tests."""

import shutil
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from scoville_outside import last_resort
from scoville_runtime.clock import Clock
from scoville_server.journal.jetstream.engine import Place
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.server.tables.actors import Room
from tests.support.nats_server import BINARY, MISSING, NatsServer
from tests.support.process import Run, run_server
from tests.support.server import toy_server


@pytest.fixture(autouse=True)
def end_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take back that hanging imports end this process, which a server allows that a test calls as a function."""
    monkeypatch.setattr(last_resort, "_may_end", False)


@pytest.fixture
async def run() -> AsyncIterator[Run]:
    """Run the command `scoville-server`; a process that still runs at the end of a test is killed."""
    started: list[Process] = []

    async def run(*arguments: str) -> Process:
        started.append(await run_server(*arguments))
        return started[-1]

    yield run
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.fixture
async def ended() -> AsyncIterator[list[Process]]:
    """Processes that the test has started, which end with it."""
    started: list[Process] = []
    yield started
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    room = Room()
    yield room
    room.journal.gate.set()
    for actor in room.actors:
        actor.stop_accepting()
        await actor.wait_for_end()


Start = Callable[..., Awaitable[Server]]


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = toy_server()
    await server.start()
    yield server
    await server.close()


def copy_if_there(source: str, target: str) -> None:
    """Copy a file of a running server, unless it has just got its final name."""
    with suppress(FileNotFoundError):
        shutil.copy2(source, target)


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Start a server on a folder: a new one, or that of a crashed server."""
    async with AsyncExitStack() as stack:
        count = 0

        async def start(crashed: Server | None = None, clock: Clock | None = None, **settings: Any) -> Server:
            nonlocal count
            count += 1
            folder = tmp_path / f"run {count}"
            if crashed is not None:
                shutil.copytree(crashed.settings.data, folder, copy_function=copy_if_there)
            server = toy_server(Settings(data=folder, **settings), clock=clock)
            stack.push_async_callback(server.close)
            await server.start()
            return server

        yield start


@pytest.fixture(scope="session")
def nats_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """A server of NATS for all tests of this process, each of which takes a place of its own in it."""
    if not BINARY.exists():
        pytest.skip(MISSING)
    server = NatsServer(tmp_path_factory.mktemp("nats"))
    yield server
    server.kill()


@pytest.fixture
def nats_place(nats_server: NatsServer) -> Place:
    """A place for the journal of one test."""
    return nats_server.place()
