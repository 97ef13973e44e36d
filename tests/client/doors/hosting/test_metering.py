"""Metering: what connections cost is charged to them and their networks, and nobody waits for those in debt."""

import asyncio
from collections.abc import Callable

import pytest

from scoville_client.doors.hosting.metering import MeteredReader, Meters, run_charged
from scoville_client.doors.hosting.session_limits import (
    CPU_OF_ALL_RATE,
    CPU_OF_CONNECTION,
    CPU_OF_CONNECTION_RATE,
    CPU_OF_NETWORK,
    CPU_OF_NETWORK_RATE,
    SLICE_BYTES,
)
from tests.support.clock import FakeClock
from tests.support.idle import wait_until_idle


class RecordingTransport(asyncio.Transport):
    """Notes whether it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.is_read = True

    def pause_reading(self) -> None:
        self.is_read = False

    def resume_reading(self) -> None:
        self.is_read = True

    def is_closing(self) -> bool:
        return False


class Taken:
    """Takes slices, and uses so much processor time for each."""

    def __init__(self, clock: FakeClock, cost: float) -> None:
        self._clock = clock
        self.cost = cost
        self.slices: list[bytes] = []

    def __call__(self, data: bytes) -> None:
        self._clock.cpu += self.cost
        self.slices.append(data)

    @property
    def size(self) -> int:
        return sum(map(len, self.slices))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def meters(clock: FakeClock) -> Meters:
    return Meters(clock.clock)


def reader_of(
    meters: Meters, address: str, take: Callable[[bytes], object]
) -> tuple[MeteredReader, RecordingTransport]:
    transport = RecordingTransport()
    reader = MeteredReader(meters.clock, meters.open_meter(address), take)
    reader.start_reading(transport)
    return reader, transport


async def test_a_key_is_handed_on_at_once(clock: FakeClock, meters: Meters) -> None:
    taken = Taken(clock, 0.0001)
    reader, transport = reader_of(meters, "192.0.2.1", taken)
    for _ in range(100):
        reader.receive_bytes(b"k")
    assert taken.slices == [b"k"] * 100
    assert transport.is_read


async def test_others_have_their_turn_between_two_slices(clock: FakeClock, meters: Meters) -> None:
    order: list[str] = []
    many, _ = reader_of(meters, "192.0.2.1", lambda _: order.append("many"))
    one, _ = reader_of(meters, "192.0.2.2", lambda _: order.append("one"))
    many.receive_bytes(bytes(3 * SLICE_BYTES))
    one.receive_bytes(b"k")
    await wait_until_idle()
    assert order == ["many", "one", "many", "many"]


async def test_a_connection_in_debt_is_not_read(clock: FakeClock, meters: Meters) -> None:
    taken = Taken(clock, 2 * CPU_OF_CONNECTION)
    reader, transport = reader_of(meters, "192.0.2.1", taken)
    reader.receive_bytes(b"flood")
    reader.receive_bytes(b"more")
    await wait_until_idle()
    assert taken.slices == [b"flood"]
    assert not transport.is_read
    clock.advance(0.9 * CPU_OF_CONNECTION / CPU_OF_CONNECTION_RATE)
    assert taken.slices == [b"flood"]
    clock.advance(0.2 * CPU_OF_CONNECTION / CPU_OF_CONNECTION_RATE)
    assert taken.slices == [b"flood", b"more"]
    assert transport.is_read


async def test_connections_of_one_network_share_its_allowance(clock: FakeClock, meters: Meters) -> None:
    taken = Taken(clock, 0.8 * CPU_OF_CONNECTION)
    number = 3 + int(CPU_OF_NETWORK / taken.cost)
    for host in range(number):
        reader_of(meters, f"2001:db8::{host:x}", taken)[0].receive_bytes(b"x")
    await wait_until_idle()
    assert len(taken.slices) < number
    elsewhere = Taken(clock, 0.0001)
    reader_of(meters, "2001:db8:7::1", elsewhere)[0].receive_bytes(b"x")
    assert elsewhere.slices == [b"x"]
    clock.advance(60)
    assert len(taken.slices) == number


async def test_networks_of_one_site_share_its_allowance(clock: FakeClock, meters: Meters) -> None:
    taken = Taken(clock, 0.8 * CPU_OF_CONNECTION)
    for network in range(100):
        reader_of(meters, f"2001:db8:0:{network:x}::1", taken)[0].receive_bytes(b"x")
    assert len(taken.slices) < 50


async def test_all_floods_share_one_rate(clock: FakeClock, meters: Meters) -> None:
    taken = Taken(clock, 0.01)
    for network in range(50):
        reader, _ = reader_of(meters, f"192.0.2.{network}", taken)
        reader.receive_bytes(bytes(1_000 * SLICE_BYTES))
    for _ in range(20):
        await clock.elapse(1)
    before = len(taken.slices)
    for _ in range(100):
        await clock.elapse(0.1)
    assert (len(taken.slices) - before) * taken.cost <= 10 * CPU_OF_ALL_RATE * 1.5
    assert CPU_OF_ALL_RATE < 50 * CPU_OF_NETWORK_RATE


async def test_a_peer_that_takes_no_answers_is_not_read(clock: FakeClock, meters: Meters) -> None:
    reader, transport = reader_of(meters, "192.0.2.1", Taken(clock, 0.0001))
    reader.hold_reading(held=True)
    assert not transport.is_read
    reader.receive_bytes(b"x")
    assert not transport.is_read
    reader.hold_reading(held=False)
    assert transport.is_read


async def test_the_steps_of_a_task_are_charged(clock: FakeClock, meters: Meters) -> None:
    meter = meters.open_meter("192.0.2.1")

    async def work() -> int:
        clock.cpu += CPU_OF_CONNECTION
        await asyncio.sleep(0)
        clock.cpu += CPU_OF_CONNECTION
        return 7

    assert await run_charged(work(), meter, clock.clock.working_seconds) == 7
    assert meter.seconds_to_wait() > 0


async def test_a_cancelled_task_is_cancelled_inside(clock: FakeClock, meters: Meters) -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def run() -> None:
        await run_charged(work(), meters.open_meter(""), clock.clock.working_seconds)

    task = asyncio.ensure_future(run())
    await wait_until_idle()
    task.cancel()
    await wait_until_idle()
    assert ended == ["cancelled"]
    assert task.cancelled()
