"""Turns of one connection, without a driver: when it is read, for how long, what that costs, and when it waits."""

import asyncio
from collections.abc import Callable

import pytest

from scoville_runtime.clock import Clock
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.driver.requests import CLIENT_BEHIND, ENDING, QUEUED, ReadTurns
from scoville_server.net.read_scheduler import LATELY, ReadScheduler
from scoville_shared.protocol.connection import ServerConnection
from scoville_shared.protocol.state import ConnectionState

from .doubles import RecordingTransport, Ticking

LIMITS = ConnectionLimits(turn_seconds=0.5)


class Flushes:
    """Counts its flushes."""

    def __init__(self) -> None:
        self.flushes = 0

    def flush(self) -> int:
        self.flushes += 1
        return 0

    def flush_soon(self) -> None:
        """Write nothing."""


class Reading:
    """The connection of some turns, with requests that cost some seconds in each."""

    def __init__(self, address: str, scheduler: ReadScheduler, clock: Ticking) -> None:
        self.transport: asyncio.Transport = RecordingTransport()
        self.outgoing, self.requests = Flushes(), self
        self.connection = ServerConnection(LIMITS.message_bytes)
        self.connection.move_to(ConnectionState.GREETING)
        self.connection.move_to(ConnectionState.OPEN)
        self.turns = ReadTurns(self, self.connection, LIMITS, scheduler)
        self.turns.join_network(address)
        self.clock = clock
        self.reads: list[float] = []
        self.costs = [0.0]
        self.while_reading: Callable[[], object] = lambda: None

    def read_requests(self, began: float, seconds: float, between_looks: int) -> None:
        self.reads.append(seconds)
        self.clock.seconds += self.costs.pop(0)
        self.while_reading()
        self.turns.end_turn_if_over(left=1, end=began + seconds)

    @property
    def is_paused(self) -> bool:
        assert isinstance(self.transport, RecordingTransport)
        return not self.transport.reading


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def scheduler(clock: Ticking) -> ReadScheduler:
    return ReadScheduler(LIMITS, Clock(seconds=clock))


async def test_a_long_turn_ends_and_goes_on_in_the_next(scheduler: ReadScheduler, clock: Ticking) -> None:
    inside = Reading("", scheduler, clock)
    inside.connection.feed_whole(b"\x94")  # the first byte of a request whose rest has not come
    inside.costs = [LIMITS.turn_seconds, 0.0]

    inside.turns.read_or_queue(clock.seconds)

    assert inside.turns.held_back == QUEUED
    assert inside.is_paused
    assert inside.outgoing.flushes == 1, "what was answered is sent before the wait"
    await asyncio.sleep(0)
    assert inside.reads == [LIMITS.turn_seconds] * 2
    assert inside.turns.held_back == 0
    assert not inside.is_paused


async def test_reads_are_charged_to_connection_and_network(scheduler: ReadScheduler, clock: Ticking) -> None:
    first, second = (Reading("192.0.2.1:9", scheduler, clock) for _ in range(2))
    clock.seconds += LATELY
    first.costs = [0.1]

    first.turns.read_or_queue(clock.seconds)

    assert first.turns.shared_meter is second.turns.shared_meter
    assert first.turns.meter.until > second.turns.meter.until
    assert first.turns.shared_meter.until > float("-inf")


async def test_a_network_that_has_used_much_waits_behind_others(scheduler: ReadScheduler, clock: Ticking) -> None:
    flooder, other = Reading("192.0.2.1:9", scheduler, clock), Reading("198.51.100.1:9", scheduler, clock)
    clock.seconds += LATELY
    other.turns.read_or_queue(clock.seconds)
    flooder.turns.shared_meter.charge_use(clock.seconds, 60)

    flooder.turns.read_or_queue(clock.seconds)

    assert flooder.reads == []
    assert flooder.turns.held_back == QUEUED
    assert scheduler.waiting_networks == 1


async def test_later_answers_count_as_work_in_the_queue_alone(scheduler: ReadScheduler, clock: Ticking) -> None:
    reading = Reading("192.0.2.1:9", scheduler, clock)
    network = reading.turns.shared_meter
    assert reading.turns.begin_work() is None
    reading.while_reading = reading.turns.begin_work

    reading.turns.take_turn(LIMITS.turn_seconds)

    assert network.working == 1


@pytest.mark.parametrize("reason", [CLIENT_BEHIND, ENDING])
async def test_a_connection_that_is_held_back_takes_no_turn(
    scheduler: ReadScheduler, clock: Ticking, reason: int
) -> None:
    reading = Reading("192.0.2.1:9", scheduler, clock)
    reading.turns.held_back = QUEUED | reason

    reading.turns.take_turn(LIMITS.turn_seconds)

    assert reading.reads == []
    assert reading.turns.held_back == reason, "it no longer waits in the queue"
