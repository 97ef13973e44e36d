"""Values that no message can carry cause an error sentence, not a crash."""

import pytest

from scoville_client.session.session import Session
from scoville_client.transport.in_process import LocalLink
from scoville_shared.errors import ScovilleError
from tests.support.live_server import open_live_server


@pytest.mark.parametrize("password", ["\ud800", "a\udcffb"])
async def test_half_a_letter_is_refused_before_it_is_sent(password: str) -> None:
    async with open_live_server() as live_server:
        with pytest.raises(ScovilleError, match="cannot be sent"):
            await live_server.marie.lobby.create_table("dicht_dran", 3, password=password)
        assert (await live_server.marie.lobby.create_table("dicht_dran", 3)).table


async def test_numbers_beyond_64_bits_are_refused_before_sending() -> None:
    async with open_live_server() as live_server:
        session = Session()
        await session.connect(LocalLink(live_server.server), "Paul")
        with pytest.raises(ScovilleError, match="cannot be sent"):
            await session.lobby.create_table("dicht_dran", 10**30)
        await session.close()
