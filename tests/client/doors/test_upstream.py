"""The server behind a door is recognized by its pin, and a key that it has replaced stays refused."""

from pathlib import Path

import pytest

from scoville_client.doors import upstream
from scoville_client.doors.upstream import ServerAddresses, Upstream
from scoville_client.session.session import Session
from scoville_client.transport.address import Address
from scoville_client.transport.base import WrongServer
from tests.client.transport.test_tls import KEY, LOCAL, NEXT, serving


async def test_a_door_refuses_a_replaced_key_for_all_its_users(tmp_path: Path) -> None:
    """Each user of a door has a link of their own, and the door's command line has the pin of the former key."""
    upstream._known_servers.cache_clear()
    async with serving(NEXT) as server:
        place = Address(LOCAL, server.port, KEY.pin)
        session = Session()
        await session.connect(Upstream(ServerAddresses(place), tmp_path / "credential").make_link(), "Anna")
        await session.close()
    async with serving(KEY, place.port):
        with pytest.raises(WrongServer, match=NEXT.pin):
            await Session().connect(Upstream(ServerAddresses(place), tmp_path / "credential").make_link(), "Ben")
    upstream._known_servers.cache_clear()
