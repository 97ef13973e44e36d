"""The total of all buffers is bounded: the fullest connections of the largest network are closed first."""

from collections.abc import Callable
from itertools import count

import msgpack
import pytest

from scoville_runtime.clock import Clock
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.driver.driver import ConnectionDriver
from scoville_server.net.read_scheduler import SMALL, BufferBudget, ReadScheduler
from tests.server.net.doubles import HELLO, PRESENCE, RecordingService, RecordingTransport, Ticking

KIB = 1024
_numbers = count()


class Client:
    """A connection with a given buffer size."""

    def __init__(self, budget: BufferBudget, network: str, held: int) -> None:
        self.network, self.buffered_bytes, self.dropped = network, 0, -1
        self._budget = budget
        self.hold(held)

    def hold(self, held: int) -> None:
        self.buffered_bytes = held
        self._budget.note_buffers(self)

    def drop(self) -> None:
        self.dropped = next(_numbers)


def test_within_the_budget_nobody_is_dropped() -> None:
    budget = BufferBudget(1024 * KIB)
    clients = [Client(budget, "a", 256 * KIB) for _ in range(4)]
    assert [client.dropped for client in clients] == [-1] * 4
    assert budget.total == 1024 * KIB


def test_the_fullest_of_the_network_that_holds_most_go_first() -> None:
    budget = BufferBudget(1024 * KIB)
    alone = Client(budget, "neighbour", 300 * KIB)
    crowd = [Client(budget, "crowd", (40 + number) * KIB) for number in range(16)]
    assert alone.dropped == -1
    dropped = sorted((client for client in crowd if client.dropped >= 0), key=lambda client: client.dropped)
    assert dropped
    sizes = [client.buffered_bytes for client in dropped]
    assert sizes == sorted(sizes, reverse=True)
    assert budget.total <= 1024 * KIB * 3 // 4 + 58 * KIB


def test_two_large_networks_end_equal() -> None:
    budget = BufferBudget(1200 * KIB)
    clients = [Client(budget, network, 30 * KIB) for network in "ab" * 20]
    Client(budget, "c", 10 * KIB)
    left = {
        network: sum(c.buffered_bytes for c in clients if c.network == network and c.dropped < 0) for network in "ab"
    }
    assert abs(left["a"] - left["b"]) <= 30 * KIB


def test_buffers_that_have_emptied_meanwhile_cost_nobody_their_connection() -> None:
    budget = BufferBudget(1024 * KIB)
    clients = [Client(budget, "a", 250 * KIB) for _ in range(4)]
    for client in clients:
        client.buffered_bytes = 0
    last = Client(budget, "a", 900 * KIB)
    assert [client.dropped for client in [*clients, last]] == [-1] * 5
    assert budget.total == 900 * KIB


def test_small_use_is_ignored_and_old_use_forgotten() -> None:
    budget = BufferBudget(SMALL)
    clients = [Client(budget, "a", SMALL) for _ in range(1000)]
    assert budget.total == 0
    clients[0].hold(SMALL + 1)
    assert budget.total == 0
    assert clients[0].dropped >= 0
    assert [client.dropped for client in clients[1:]] == [-1] * 999


def transports(number: int, hosts: str, limits: ConnectionLimits) -> tuple[ReadScheduler, list[RecordingTransport]]:
    """Connections of one server, which have said hello."""
    scheduler = ReadScheduler(limits, Clock(seconds=Ticking()))
    made = []
    for n in range(number):
        transport = RecordingTransport(f"192.0.2.{hosts[n % len(hosts)]}")
        transport.connect(ConnectionDriver(RecordingService(), limits, scheduler))
        transport.protocol.data_received(msgpack.packb(HELLO))
        transport.read_everything()
        made.append(transport)
    return scheduler, made


async def test_non_reading_clients_are_dropped_together() -> None:
    scheduler, made = transports(
        40, "1112", ConnectionLimits(buffers=256 * KIB, unsent_pause=8 * KIB, unsent_drop=1024 * KIB)
    )
    for _ in range(400):
        for transport in made:
            if not transport.ended:
                assert isinstance(transport.protocol, ConnectionDriver)
                transport.protocol.notify(PRESENCE)
                transport.protocol.outgoing.flush()
    assert scheduler.buffers.total <= 256 * KIB
    ended = [transport.get_extra_info("peername")[0] for transport in made if transport.ended]
    assert "192.0.2.1" in ended
    assert sum(transport.unread for transport in made if not transport.ended) <= 256 * KIB + 40 * SMALL
    for transport in made:
        if not transport.ended:
            transport.protocol.connection_lost(None)
    assert scheduler.buffers.total == 0


async def test_messages_that_are_never_finished_count_as_well() -> None:
    scheduler, made = transports(40, "1", ConnectionLimits(buffers=256 * KIB))
    start = msgpack.packb([0, 1, "ping", [{"payload": "x" * 60_000}]])[:30_000]
    for transport in made:
        for offset in range(0, len(start), 1_000):
            if not transport.ended:
                transport.protocol.data_received(start[offset : offset + 1_000])
    assert 0 < sum(not transport.ended for transport in made) <= 256 // 60 + 1
    assert scheduler.buffers.total <= 256 * KIB


def queued(limits: ConnectionLimits) -> tuple[ReadScheduler, RecordingTransport]:
    """A connection whose network has used up its share of the time, with many requests that wait for a turn."""
    scheduler, (_, transport) = transports(2, "12", limits)
    assert isinstance(transport.protocol, ConnectionDriver)
    transport.protocol.turns.shared_meter.charge_use(scheduler.now(), 60)
    transport.protocol.data_received(msgpack.packb([0, 1, "ping", []]) * 20_000)
    assert transport.protocol.buffered_bytes >= 160_000
    return scheduler, transport


async def test_a_queued_flooder_is_read_no_further() -> None:
    _, transport = queued(ConnectionLimits())
    assert not transport.reading


@pytest.mark.parametrize("end", [ConnectionDriver.close, ConnectionDriver.abort])
async def test_a_connection_that_ends_frees_what_it_holds_at_once(end: Callable[[ConnectionDriver], None]) -> None:
    """Not when the last reference to it goes: for seconds it still says goodbye, or waits for the garbage collector."""
    _, transport = queued(ConnectionLimits())
    assert isinstance(transport.protocol, ConnectionDriver)
    transport.read_everything()
    end(transport.protocol)
    assert transport.ended
    assert transport.protocol.buffered_bytes == 0
