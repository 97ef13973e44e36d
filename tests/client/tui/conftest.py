"""A server for the tests of screens."""

from collections.abc import AsyncIterator

import pytest

from tests.support.live_server import LiveServer, open_live_server


@pytest.fixture
async def live_server() -> AsyncIterator[LiveServer]:
    """Connect Marie, who watches the lobby."""
    async with open_live_server() as place:
        await place.marie.lobby.watch_lobby()
        yield place
