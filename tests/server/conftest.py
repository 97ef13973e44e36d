"""Fixtures of the server's tests."""

from asyncio.subprocess import Process
from collections.abc import AsyncIterator

import pytest

from tests.support.actors import Room
from tests.support.process import Run, run_server


@pytest.fixture
async def run() -> AsyncIterator[Run]:
    """Run the command `scoville-server`; what is still running at the end of a test is killed."""
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
async def room() -> AsyncIterator[Room]:
    room = Room()
    yield room
    room.journal.gate.set()
    for actor in room.actors:
        actor.stop()
        await actor.ended()
