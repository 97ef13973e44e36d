"""Servers of toys, started and closed around each test."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from scoville_server.app import Server, Settings
from scoville_server.clock import Clock
from tests.support.server import toy_server

Start = Callable[..., Awaitable[Server]]


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = toy_server()
    await server.start()
    yield server
    await server.close()


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Start a server on a folder of its own: an empty one, or a crashed server's as the crash left it."""
    async with AsyncExitStack() as stack:
        count = 0

        async def start(crashed: Server | None = None, clock: Clock | None = None, **settings: Any) -> Server:
            nonlocal count
            count += 1
            folder = tmp_path / f"run {count}"
            if crashed is not None:
                shutil.copytree(crashed.settings.data, folder)
            server = toy_server(Settings(data=folder, **settings), clock=clock)
            stack.push_async_callback(server.close)
            await server.start()
            return server

        yield start
