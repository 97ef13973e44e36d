"""Thousands of messages at once: they are read a few in each turn of the event loop, in order, and none is lost."""

import asyncio

import msgpack

from scoville_client.transport.caller import MOST_MESSAGES, Caller
from scoville_client.transport.in_process import connect_in_memory
from scoville_shared.protocol.messages import AnnouncedNotice, Notice

FLOOD = 5_000


class Counting:
    """A listener that records the turn of the loop in which each notice arrives."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.lost_for = ""
        self.turns: list[int] = [0]

    def receive_notice(self, notice: Notice) -> None:
        assert isinstance(notice, AnnouncedNotice)
        self.texts.append(notice.text)
        self.turns[-1] += 1

    def note_loss(self, reason: str) -> None:
        self.lost_for = reason


class Flooding(asyncio.Protocol):
    """A server that sends everything at once, and disconnects on request."""

    def __init__(self, *, leaves: bool) -> None:
        self._leaves = leaves

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"".join(msgpack.packb([2, "announced", [{"text": str(n)}]]) for n in range(FLOOD)))
        if self._leaves:
            transport.close()


async def flooded(*, leaves: bool) -> Counting:
    listener = Counting()
    connect_in_memory(Caller(listener, "example"), Flooding(leaves=leaves))
    for _ in range(2 * FLOOD):
        listener.turns.append(0)
        await asyncio.sleep(0)
    return listener


async def test_a_flood_of_notices_leaves_time_for_others() -> None:
    listener = await flooded(leaves=False)
    assert listener.texts == [str(n) for n in range(FLOOD)]
    assert max(listener.turns) <= MOST_MESSAGES


async def test_messages_before_a_disconnect_are_read() -> None:
    listener = await flooded(leaves=True)
    assert listener.texts == [str(n) for n in range(FLOOD)]
    await asyncio.sleep(0)
    assert listener.lost_for
