"""The server of most tests of accounts."""

from collections.abc import AsyncIterator

import pytest

from scoville_server.server import Server
from tests.support.accounts import account_server


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    """Run a server where users may claim many names."""
    made = account_server(claims_per_hour=100)
    await made.start()
    yield made
    await made.close()
