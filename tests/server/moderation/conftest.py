"""The server of most tests of moderation."""

from collections.abc import AsyncIterator

import pytest

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.support.server import toy_server


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """Run a server with the admin Anna."""
    made = toy_server(Settings(admins=("Anna",)))
    await made.start()
    yield made
    await made.close()
