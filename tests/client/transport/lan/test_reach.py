"""A found server is reached at the address that answers; its announced pin counts only where none is stored."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from scoville_client.transport.address import Address
from scoville_client.transport.base import LinkError
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.lan.found import FoundServer, find_reachable_address
from scoville_shared.announcement import Announcement
from tests.client.transport.lan.network import PIN

OTHER_PIN = "ZZZZZZZZZZZZZZZZZZZZ"


@asynccontextmanager
async def listening() -> AsyncIterator[int]:
    """Listen on one address of this machine; gives the port."""
    server = await asyncio.get_running_loop().create_server(asyncio.Protocol, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


def at(port: int, *addresses: str) -> FoundServer:
    return FoundServer(name="one", addresses=addresses, port=port, announcement=Announcement(protocol=1, pin=PIN))


async def test_the_address_that_answers_is_used_with_the_announced_pin() -> None:
    async with listening() as port:
        found = await find_reachable_address(at(port, "127.0.0.2", "127.0.0.1"), KnownServers(None))
    assert found == Address("127.0.0.1", port, PIN)


async def test_a_stored_pin_wins_over_an_announced_one() -> None:
    known = KnownServers(None)
    async with listening() as port:
        known.keep_key(Address("127.0.0.1", port), OTHER_PIN)
        assert (await find_reachable_address(at(port, "127.0.0.1"), known)).pin == ""


async def test_a_silent_server_is_reported_in_a_sentence() -> None:
    async with listening() as port:
        pass
    with pytest.raises(LinkError, match=r"^No server answers at 127\.0\.0\.1:"):
        await find_reachable_address(at(port, "127.0.0.1"), KnownServers(None))
