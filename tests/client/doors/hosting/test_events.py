"""Events of hosted sessions: from their begin to their end, with the reason."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from scoville_client.doors.hosting.events import DoorConnect, DoorDisconnect, DoorFlood
from scoville_runtime.events import Event, Events, kind_of
from scoville_server.server import Server
from tests.client.doors.hosting.hosted import HostedUser, a_server, come, in_the_lobby, shared_by
from tests.support.clock import FakeClock


class Recorder:
    """A sink that keeps what it gets."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def take_event(self, event: Event) -> None:
        self.events.append(event)

    def close_sink(self) -> None:
        """Keep everything."""


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with a_server() as made:
        yield made


async def visit(server: Server) -> tuple[HostedUser, Recorder]:
    clock, recorder = FakeClock(), Recorder()
    user = come(server, clock=clock, shared=shared_by(clock, events=Events(recorder)))
    return await in_the_lobby(user), recorder


async def ended(user: HostedUser) -> None:
    await asyncio.wait([user.session.task])


async def test_a_lost_session_is_reported_as_lost(server: Server) -> None:
    user, recorder = await visit(server)
    user.session.lose_connection()
    await ended(user)
    assert recorder.events == [
        DoorConnect(address="", mode="screens"),
        DoorDisconnect(address="", mode="screens", reason="lost", seconds=0.0),
    ]


async def test_a_flood_of_sizes_is_reported(server: Server) -> None:
    user, recorder = await visit(server)
    for n in range(1_000):
        user.session.resize((80 + n % 2, 24))
    user.session.lose_connection()
    await ended(user)
    assert DoorFlood(address="", detail="sizes of the terminal") in recorder.events
    assert [kind_of(event) for event in recorder.events].count("door_disconnect") == 1
