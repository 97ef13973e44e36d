"""States of the link that reconnects: a loss leads back to connecting, and closing ends it."""

from typing import Any

import pytest

from scoville_client.session.link import ReconnectingLink
from scoville_client.transport.base import LinkError
from scoville_shared.protocol.messages import PingRequest
from scoville_shared.protocol.state import ConnectionState
from tests.support.client import HurriedClock, ScriptedLink
from tests.support.server import until


class WatchedLink(ReconnectingLink):
    """Records its states."""

    def __init__(self) -> None:
        self.passed: list[ConnectionState] = []
        super().__init__(lambda _: None, self.greet, lambda _: None, HurriedClock().clock)

    async def greet(self) -> None:
        """Accept every server."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "state":
            self.passed.append(value)


async def test_a_loss_leads_back_to_connecting_and_closing_is_final() -> None:
    link, reconnecting = ScriptedLink(), WatchedLink()
    await reconnecting.open(link)
    link.unreachable = "Nobody answers."
    link.fail()
    await until(lambda: reconnecting.reconnecting)
    with pytest.raises(LinkError, match="is lost"):
        await reconnecting.send_request(PingRequest())
    link.unreachable = ""
    await reconnecting.wait_until_open()
    await reconnecting.close()
    s = ConnectionState
    states = [s.CONNECTING, s.GREETING, s.OPEN]
    assert reconnecting.passed == [s.CLOSED, *states, *states, s.CLOSING, s.CLOSED]
    with pytest.raises(LinkError, match="There is no connection"):
        await reconnecting.send_request(PingRequest())


async def test_a_link_closed_while_connecting_does_not_open() -> None:
    reconnecting = WatchedLink()

    class Slow(ScriptedLink):
        async def open(self, listener: Any) -> None:
            await super().open(listener)
            await reconnecting.close()

    link = Slow()
    with pytest.raises(LinkError):
        await reconnecting.open(link)
    assert link.closed
    assert reconnecting.state is ConnectionState.CLOSED
