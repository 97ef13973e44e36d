"""A server for the tests of screens."""

from collections.abc import AsyncIterator

import pytest

from tests.support.town import Town, open_town


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    """Connect Marie, who watches the lobby."""
    async with open_town() as place:
        await place.marie.lobby.watch()
        yield place
