"""A server of toys, started and closed around each test."""

from collections.abc import AsyncIterator

import pytest

from scoville_server.app import Server
from tests.support.server import toy_server


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = toy_server()
    await server.start()
    yield server
    await server.close()
