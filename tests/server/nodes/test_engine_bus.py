"""The bus over a real server of NATS: two nodes with a connection each."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from scoville_runtime.clock import SYSTEM
from scoville_server.cluster.engine_bus import ANSWER_SECONDS, EngineBus
from scoville_server.journal.jetstream.courier import FLUSH_SECONDS, EngineCourier
from scoville_server.journal.jetstream.engine import Place
from scoville_server.nodes.bus import Address, NoSubscriber, at_node
from scoville_server.nodes.members import NodeId
from tests.support.server import until

NEWS = Address("news of [::1]:7325*")
"""As the name of a node may be: no signs of it mean anything to the engine."""


class ImpatientClock(type(SYSTEM)):  # type: ignore[misc]
    """Waits for nothing, and notes for how long it should have."""

    def __init__(self) -> None:
        self.waited: list[float | None] = []

    async def wait(self, *_: object, seconds: float | None = None) -> None:
        self.waited.append(seconds)


class TwoBuses:
    """The buses of two nodes, and what each of them has heard."""

    def __init__(self, place: Place) -> None:
        self.couriers = [EngineCourier(place) for _ in range(2)]
        self.buses = [EngineBus(courier) for courier in self.couriers]
        self.heard: list[list[bytes]] = [[], []]

    async def begin(self) -> None:
        for courier, bus, heard in zip(self.couriers, self.buses, self.heard, strict=True):
            await courier.connect()
            await bus.subscribe(NEWS, heard.append)
        await self.pass_all()

    async def pass_all(self) -> None:
        """Return when the engine knows all subscriptions, and has sent on what was published."""
        for courier in self.couriers:
            await asyncio.gather(*courier._sending)
            assert courier._client is not None
            await courier._client.flush()


@pytest.fixture
async def two(nats_place: Place) -> AsyncIterator[TwoBuses]:
    two = TwoBuses(nats_place)
    await two.begin()
    yield two
    for courier, bus in zip(two.couriers, two.buses, strict=True):
        await bus.close()
        await courier.close()


async def test_each_node_hears_each_message_once_and_in_order(two: TwoBuses) -> None:
    first, second = two.buses
    for number in range(50):
        first.publish(NEWS, b"%d" % number)
    assert two.heard == [[b"%d" % number for number in range(50)], []], "its own at once"
    await until(lambda: len(two.heard[1]) == 50)
    second.publish(NEWS, b"back")
    await until(lambda: len(two.heard[0]) == 51)
    assert two.heard == [[*(b"%d" % number for number in range(50)), b"back"]] * 2


async def test_request_is_answered_by_the_other_node(two: TwoBuses) -> None:
    first, second = two.buses

    async def repeat(message: bytes) -> bytes:
        return message * 1_000_000

    async def fail(message: bytes) -> bytes:
        raise ValueError(message)

    await second.answer(Address("repeat"), repeat)
    await second.answer(Address("fail"), fail)
    await two.pass_all()
    # More than the engine takes in one message.
    for bus in (first, second):
        assert await bus.request(Address("repeat"), b"abc") == b"abc" * 1_000_000
    assert await first.request(Address("repeat"), b"") == b""
    with pytest.raises(NoSubscriber):
        await first.request(Address("fail"), b"x")
    with pytest.raises(NoSubscriber):
        await first.request(Address("nobody"), b"x")


async def test_silent_node_is_not_waited_for_longer_than_it_is_missed(two: TwoBuses) -> None:
    first, second = two.buses
    asked: list[bytes] = []
    # Subscribes, and does not answer.
    await second.subscribe(Address("silent"), asked.append)
    await two.pass_all()
    calm, clock = two.couriers[0].clock, ImpatientClock()
    two.couriers[0].clock = clock
    with pytest.raises(NoSubscriber):
        await first.request(Address("silent"), b"x")
    two.couriers[0].clock = calm
    assert clock.waited == [ANSWER_SECONDS]


async def test_what_was_sent_is_at_a_server_once_it_is_flushed(two: TwoBuses) -> None:
    """A node that ends says goodbye to its users next, which takes its loop for longer than the others may wait."""
    courier = two.couriers[0]
    assert courier._client is not None
    before = courier._client.stats["out_msgs"]
    courier.send_message(b"beat")
    await courier.flush_messages()
    assert courier._client.stats["out_msgs"] == before + 1
    assert courier._client.pending_data_size == 0


async def test_server_that_takes_nothing_is_not_waited_for(two: TwoBuses) -> None:
    calm, clock = two.couriers[0].clock, ImpatientClock()
    two.couriers[0].clock = clock
    await two.couriers[0].flush_messages()
    two.couriers[0].clock = calm
    assert clock.waited == [FLUSH_SECONDS]


async def test_node_that_is_lost_is_not_waited_for(two: TwoBuses, monkeypatch: pytest.MonkeyPatch) -> None:
    asker, silent = two.buses
    monkeypatch.setattr("scoville_server.cluster.engine_bus.ANSWER_SECONDS", 1_000.0)
    asked, gate = list[bytes](), asyncio.Event()

    async def answer_late(request: bytes) -> bytes:
        asked.append(request)
        await gate.wait()
        return request

    nodes = NodeId("a.example:1"), NodeId("a.example:11")
    for node in nodes:
        await silent.answer(at_node(node, "names"), answer_late)
    await two.pass_all()
    asking = [asyncio.ensure_future(asker.request(at_node(node, "names"), node.encode())) for node in nodes]
    await until(lambda: len(asked) == 2)
    asker.lose_node(nodes[0])
    with pytest.raises(NoSubscriber):
        await asking[0]
    assert not asking[1].done(), "the other one runs"
    gate.set()
    assert await asking[1] == b"a.example:11"
    asker.lose_node(nodes[0])


async def test_closed_bus_hears_nothing(two: TwoBuses) -> None:
    first, second = two.buses
    await second.answer(Address("repeat"), _give)
    await two.pass_all()
    assert await first.request(Address("repeat"), b"abc") == b"abc"
    await second.close()
    await two.pass_all()
    with pytest.raises(NoSubscriber):
        await first.request(Address("repeat"), b"abc")
    first.publish(NEWS, b"late")
    second.publish(NEWS, b"by a closed one")
    await until(lambda: two.heard[0] == [b"late", b"by a closed one"])
    assert two.heard[1] == []


async def test_bus_without_a_connection_reaches_its_own_node_alone(two: TwoBuses) -> None:
    first, _ = two.buses
    await two.couriers[0].close()
    first.publish(NEWS, b"here")
    assert two.heard == [[b"here"], []]
    with pytest.raises(NoSubscriber):
        await first.request(Address("repeat"), b"abc")


async def _give(message: bytes) -> bytes:
    return message
