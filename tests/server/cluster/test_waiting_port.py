"""The users' port of a waiting node tells everybody who has come where to go, however many there are."""

import asyncio

import pytest

from scoville_runtime.clock import SYSTEM
from scoville_server.cluster.waiting_port import WaitingPort
from scoville_server.identity import ServerKey
from scoville_server.net.listening import ListeningSockets
from scoville_server.net.tcp import Doors
from scoville_server.nodes.standby import WaitingService
from scoville_server.settings.model import Settings
from tests.support.rpc import Refusal, RpcClient


async def test_users_who_are_not_answered_yet_are_not_sent_away() -> None:
    """They got a goodbye, which says nothing of where to go: 80 of 900 went to the dead node, or another one."""
    key = ServerKey.new_key()
    port = WaitingPort(Settings(host="127.0.0.1", port=0), WaitingService(lambda: None), lambda: key, SYSTEM)
    await port.open(Doors(), ListeningSockets())
    async with RpcClient(port.number) as anna:
        with pytest.raises(Refusal):
            await anna.send("ping", payload="")
        await port.pass_on()
        sending = asyncio.ensure_future(port.send_away(3600))
        await asyncio.sleep(0)
        with pytest.raises(Refusal) as moved:
            await anna.send("hello", protocol=1, name="Anna")
        assert moved.value.code == "moved"
        assert not anna.closed.is_set()
        assert not sending.done()
    await sending
