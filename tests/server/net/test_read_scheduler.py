"""The read scheduler under load, in virtual time: only replies cost time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgpack
import pytest

from scoville_runtime.clock import Clock
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.read_scheduler import DOORS, LATELY, TURNS_OF_NETWORK, Meter, ReadScheduler, charge_both
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import Empty, Params, PingReply, PingRequest, Reply, ReportDoorRequest
from tests.support.virtual_time import in_virtual_time

from .doubles import HELLO, RecordingService, RecordingTransport, connected, say

COST = 0.0001
"""Seconds of virtual time that an answer takes."""
LIMITS = ConnectionLimits(
    deferred_seconds=5 * COST,
    slice_seconds=10 * COST,
    slice_seconds_busy=5 * COST,
    turn_seconds=20 * COST,
    share_busy=0.25,
)
REQUESTS = 2_000
"""How many each flooder sends."""
FLOODER, PERSON = "10.0.0.1", "10.0.0.2"


class World:
    """A scheduler whose clock advances with each reply, and its connections."""

    def __init__(self, limits: ConnectionLimits = LIMITS, cost: float = COST) -> None:
        self.limits = limits
        self.cost = cost
        self.worked = 0.0
        self._until, self._reached = float("inf"), asyncio.Event()
        self.loop = asyncio.get_running_loop()
        self.stolen = 0.0
        """Seconds in which the system gave the processor to other programs."""
        self.scheduler = ReadScheduler(
            limits,
            Clock(
                seconds=lambda: self.loop.time() + self.worked + self.stolen,
                working_seconds=lambda: self.worked,
            ),
        )

    def connect(
        self, host: str, *, greeted: bool = True, handler: Callable[[Params], Reply | Awaitable[Reply]] | None = None
    ) -> RecordingTransport:
        """Connect from an address, or from inside the process for an empty one."""
        service = RecordingService(handler or self._answer)
        transport = RecordingTransport(host)
        connected(service, self.limits, greeted=greeted, scheduler=self.scheduler, transport=transport)
        return transport

    def flood(self, number: int = 50, host: str = FLOODER, *, greeted: bool = True) -> list[RecordingTransport]:
        """Connect flooders that send everything at once."""
        transports = [self.connect(host, greeted=greeted) for _ in range(number)]
        stream = b"".join(msgpack.packb(ping(n)) for n in range(REQUESTS))
        for transport in transports:
            transport.protocol.data_received(stream)
        return transports

    async def work(self, seconds: float) -> None:
        """Wait until the server has worked for some more seconds."""
        self._until = self.worked + seconds
        self._reached.clear()
        await self._reached.wait()

    def _answer(self, params: Params) -> Reply:
        assert isinstance(params, PingRequest)
        self.worked += self.cost
        if self.worked >= self._until:
            self._reached.set()
        return PingReply(payload=params.payload)


def ping(number: int = 7) -> list[Any]:
    return [0, number, "ping", []]


def answers(*transports: RecordingTransport) -> int:
    return sum(message[0] == 1 for transport in transports for message in transport.messages())


@in_virtual_time
async def test_a_user_is_answered_at_once_beside_fifty_flooders() -> None:
    world = World()
    user = world.connect(PERSON)
    flooders = world.flood()
    await asyncio.sleep(0.1)
    before = world.worked

    say(user, ping())

    assert answers(user) == 1
    assert world.worked == before + COST, "nobody else was served in between"
    assert 0 < answers(*flooders) < 50 * REQUESTS


@in_virtual_time
async def test_all_flooders_share_one_slice_a_turn() -> None:
    world = World()
    flooders = world.flood()
    for _ in range(100):
        before = answers(*flooders)
        await asyncio.sleep(0)
        assert answers(*flooders) - before <= LIMITS.slice_seconds / COST + 1


@in_virtual_time
async def test_the_queue_keeps_its_share_while_users_play() -> None:
    world = World()
    user = world.connect(PERSON)
    world.flood()
    began, worked = world.scheduler.now(), world.worked

    for _ in range(200):
        say(user, ping())
        await asyncio.sleep(0.01)

    share = (world.worked - worked - 200 * COST) / (world.scheduler.now() - began)
    assert 0.1 < share <= LIMITS.share_busy + 0.01


@in_virtual_time
async def test_users_who_come_back_after_a_start_wait_for_no_share_of_the_queue() -> None:
    world = World(cost=0.001)
    user = world.connect(PERSON)
    world.scheduler.expect_returns(300)
    began = world.scheduler.now()

    back = [world.connect(f"10.1.{n}.1") for n in range(300)]
    for each in back:
        say(each, ping())
    while answers(*back) < 300:
        say(user, ping())
        await asyncio.sleep(0.01)

    assert world.scheduler.now() - began < 0.001 * 300 * 2


@in_virtual_time
async def test_a_flood_after_a_start_gets_no_more_than_those_who_come_back() -> None:
    world = World()
    user = world.connect(PERSON)
    world.scheduler.expect_returns(100)
    world.flood()
    for _ in range(200):
        say(user, ping())
        await asyncio.sleep(0.01)
    began, worked = world.scheduler.now(), world.worked

    for _ in range(200):
        say(user, ping())
        await asyncio.sleep(0.01)

    share = (world.worked - worked - 200 * COST) / (world.scheduler.now() - began)
    assert share <= LIMITS.share_busy + 0.01


@in_virtual_time
async def test_alone_the_queue_never_rests() -> None:
    world = World()
    flooders = world.flood()
    await world.work(2)
    began = world.loop.time()

    for _ in range(2_000):
        await asyncio.sleep(0)

    assert world.loop.time() == began
    assert answers(*flooders) > 30_000


def report(credential: str = "c") -> list[Any]:
    counted = {"process": "7", "number": 1, "screen_sessions": 0, "line_sessions": 0, "counts": []}
    return [0, 7, "door.report", [{"credential": credential, "transport": "ssh", **counted}]]


class BesideADoor(World):
    """Two hundred users of one network, and a door whose reports are believed with the credential "c"."""

    def __init__(self, door: str) -> None:
        super().__init__()
        self.crowd = [self.connect(PERSON) for _ in range(200)]
        self.door = self.connect(door, greeted=False, handler=self._answer_door)

    async def count_waiting(self, *messages: list[Any]) -> int:
        """Let the door send messages, the last one a while after the others, and at once all users a ping each.

        Returns how many of the users wait behind others.
        """
        *before, last = messages
        for message in before:
            say(self.door, message)
        await asyncio.sleep(2 * LATELY)
        say(self.door, last)
        for user in self.crowd:
            say(user, ping())
        return 200 - answers(*self.crowd)

    def _answer_door(self, params: Params) -> Reply:
        if not isinstance(params, ReportDoorRequest):
            return self._answer(params)
        if params.credential != "c":
            raise ScovilleError(Code.DOOR_REFUSED, "This is not the server's door credential.")
        return Empty()


@pytest.mark.parametrize("door", [DOORS, "10.0.0.9"])
@in_virtual_time
async def test_reports_of_a_door_keep_no_users_of_one_network_waiting(door: str) -> None:
    world = BesideADoor(door)
    assert await world.count_waiting(report(), report()) == 0
    assert world.scheduler.waiting_networks == 0


@pytest.mark.parametrize(
    "messages",
    [(report("wrong"), report("wrong")), (HELLO, ping()), (report(), HELLO, ping())],
    ids=["refused", "a user", "a user after a report"],
)
@in_virtual_time
async def test_users_leave_room_for_those_who_are_no_doors(messages: tuple[list[Any], ...]) -> None:
    world = BesideADoor("10.0.0.9")
    assert await world.count_waiting(*messages) > 50


@in_virtual_time
async def test_a_user_behind_flooders_waits_for_few_slices() -> None:
    world = World()
    flooders = world.flood()
    user = world.connect(FLOODER)
    await world.work(0.2)
    before = answers(*flooders)

    say(user, ping(1), ping(2))
    await world.work(2 * LIMITS.slice_seconds)

    assert user.messages()[-1][1] == 2
    assert answers(*flooders) - before <= 3 * LIMITS.slice_seconds / COST, "the last slice ends after that"


@in_virtual_time
async def test_networks_have_equal_shares_however_many_connections_they_have() -> None:
    world = World()
    many, one = world.flood(50, "10.0.0.1"), world.flood(1, "10.0.0.2")
    six = [world.flood(1, f"2001:db8:1:2::{n}")[0] for n in range(40)]

    await world.work(0.6)

    shares = [answers(*transports) for transports in (many, one, six)]
    assert max(shares) < 1.3 * min(shares), "forty addresses of one /64 are one network"


@in_virtual_time
async def test_connections_of_one_network_have_equal_shares() -> None:
    world = World()
    flooders = world.flood(10)

    await world.work(0.5)

    shares = [answers(transport) for transport in flooders]
    assert max(shares) < 1.5 * min(shares)


@in_virtual_time
async def test_inside_the_process_nobody_waits() -> None:
    world = World()
    inside = world.connect("")
    world.flood()
    await asyncio.sleep(0.05)

    for n in range(1, 500):
        say(inside, ping(n))
        assert answers(inside) == n


@in_virtual_time
async def test_before_hello_it_is_the_same() -> None:
    world = World(cost=0)
    user = world.connect(PERSON)
    flooders = world.flood(greeted=False)

    refused = answers(*flooders)
    assert refused <= 50 * LIMITS.turn
    say(user, ping())

    assert answers(user) == 1


@in_virtual_time
async def test_a_returning_network_keeps_its_use() -> None:
    world = World()
    user = world.connect(PERSON)
    for transport in world.flood():
        transport.abort()
    say(user, ping())

    again = world.connect(FLOODER, greeted=False)
    say(again, ping())

    assert answers(again) == 0, "it queues"
    await asyncio.sleep(1)
    assert answers(again) == 1


@in_virtual_time
async def test_long_requests_begin_a_few_at_a_time() -> None:
    """Each takes turns of the loop, a table's inbox and the journal: a slice of time says little about them."""
    world = World()
    begun: list[asyncio.Future[Reply]] = []

    def later(_: Params) -> Awaitable[Reply]:
        begun.append(world.loop.create_future())
        return begun[-1]

    user = world.connect(PERSON)
    world.flood(1)
    flooders = [world.connect(FLOODER, handler=later) for _ in range(50)]
    say(user, ping())
    for transport in flooders:
        say(transport, *(ping(n) for n in range(20)))
    await asyncio.sleep(LIMITS.queued_request_seconds / 2)
    assert len(begun) == LIMITS.queued_requests_busy

    begun[0].set_result(PingReply(payload=""))
    say(user, ping())
    await asyncio.sleep(LIMITS.queued_request_seconds / 4)
    assert len(begun) == LIMITS.queued_requests_busy + 1

    say(user, ping())
    await asyncio.sleep(LIMITS.queued_request_seconds)
    assert len(begun) > LIMITS.queued_requests_busy + 1, "who takes so long waits for an event, and is in nobody's way"
    for transport in flooders:
        transport.abort()


@in_virtual_time
async def test_a_closing_or_silent_flooder_holds_nobody_up() -> None:
    world = World(ConnectionLimits(unsent_pause=1_000))
    flooders = world.flood(10)
    for transport in flooders[:5]:
        transport.protocol.close()  # type: ignore[attr-defined]
    reading = flooders[5:]

    while any(answers(transport) < 500 for transport in reading):
        for transport in reading:
            transport.read_everything()
        await asyncio.sleep(COST)

    assert all(transport.ended == "closed" for transport in flooders[:5])


@in_virtual_time
async def test_a_lone_connection_never_queues() -> None:
    world = World()
    for _ in range(3):
        transport = world.connect(FLOODER)
        for _ in range(20):
            before = answers(transport)
            say(transport, *(ping(n) for n in range(10)))
            assert answers(transport) == before + 10
        transport.abort()


@in_virtual_time
async def test_frequent_reconnecting_is_served_last_at_its_address() -> None:
    world = World()
    user = world.connect(FLOODER)
    flooders = world.flood()
    await world.work(0.2)
    new = [world.connect(FLOODER, greeted=False) for _ in range(50)]
    for transport in new:
        say(transport, *(ping(n) for n in range(100)))

    say(user, ping(1), ping(2))
    await world.work(2 * LIMITS.slice_seconds)

    assert user.messages()[-1][1] == 2
    assert answers(*new) < 50 * 100
    assert answers(*flooders) > 0


@in_virtual_time
async def test_time_of_other_programs_is_not_charged() -> None:
    world = World()

    def interrupted(params: Params) -> Reply:
        world.stolen += 0.004
        return world._answer(params)

    user = world.connect(PERSON, handler=interrupted)
    await asyncio.sleep(2 * LATELY)
    flooders = [world.flood(1, f"10.1.{n // 200}.{n % 200}")[0] for n in range(300)]
    await asyncio.sleep(0.1)
    for number in range(1, 50):
        before = answers(*flooders)
        say(user, ping(number))
        assert user.messages()[-1][1] == number, "at once"
        assert answers(*flooders) == before
        await asyncio.sleep(0.01)


@in_virtual_time
async def test_crowd_of_new_networks_shares_one_allowance() -> None:
    world = World()
    user = world.connect(PERSON)
    await asyncio.sleep(2 * LATELY)
    before = world.worked
    for number in range(40):
        world.flood(1, f"10.1.{number}.1")
    assert world.worked - before < 5 * LIMITS.turn_seconds
    say(user, ping())
    assert answers(user) == 1


@in_virtual_time
async def test_arriving_connection_queues_no_user_of_its_network() -> None:
    world = World()
    user = world.connect(PERSON)
    world.connect("10.3.0.1")
    await asyncio.sleep(2 * LATELY)
    world.flood(20, FLOODER)
    world.scheduler.arrivals.charge_use(world.scheduler.now(), 1.0)
    arriving = world.connect(PERSON, greeted=False)
    say(arriving, HELLO)
    assert answers(arriving) == 0
    say(user, ping())
    assert answers(user) == 1


@in_virtual_time
async def test_each_step_of_an_arrival_comes_before_a_crowd() -> None:
    world = World()
    world.connect(PERSON)
    await asyncio.sleep(2 * LATELY)
    world.scheduler.arrivals.charge_use(world.scheduler.now(), 10.0)
    for number in range(200):
        say(world.connect(f"10.1.{number}.1", greeted=False), *[ping(n) for n in range(20)])
    arriving = world.connect(PERSON, greeted=False)
    for step in range(1, 4):
        say(arriving, ping(step))
        assert answers(arriving) == step - 1
        await world.work(2 * LIMITS.slice_seconds)
        assert answers(arriving) == step


@in_virtual_time
async def test_fault_of_one_connection_does_not_stop_the_queue(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    broken, other = world.flood(2)
    world.connect(PERSON)

    def fail() -> None:
        raise RuntimeError("the handler is closed")

    monkeypatch.setattr(broken, "resume_reading", fail)
    before = answers(other)
    await world.work(0.05)
    assert answers(other) > before
    assert "failed in its turn" in caplog.text


@in_virtual_time
async def test_long_work_is_charged_in_full() -> None:
    world = World(cost=0.02)
    world.connect(PERSON)
    flooder = world.connect(FLOODER)
    say(flooder, ping())
    network = world.scheduler.join_network(FLOODER + ":1")
    beyond = 0.02 - TURNS_OF_NETWORK * LIMITS.turn_seconds
    assert network.until == pytest.approx(beyond / LIMITS.share_of_network, abs=0.001)


@pytest.mark.parametrize("greeted", [False, True])
@in_virtual_time
async def test_a_network_that_has_not_queued_lately_is_served_next(greeted: bool) -> None:
    """However many others wait: three hundred turns would take half a second."""
    world = World()
    user = world.connect(PERSON, greeted=greeted)
    flooders = [world.flood(1, f"10.1.{n // 200}.{n % 200}")[0] for n in range(300)]
    await world.work(1.0)
    world.scheduler.join_network(PERSON + ":1").charge_use(world.scheduler.now(), 0.05)
    before = answers(*flooders)

    say(user, HELLO if not greeted else ping())
    await world.work(2 * LIMITS.slice_seconds)

    assert answers(user) == 1
    assert answers(*flooders) - before <= 3 * LIMITS.slice_seconds / COST


@in_virtual_time
async def test_newcomers_without_end_do_not_keep_others_waiting() -> None:
    """Each comes from another address and has queued never before: as the first of all, they would always be."""
    world = World()
    stream = [[0, n, "ping", [{"payload": "x" * 300}]] for n in range(5)]

    def ask_much(host: str) -> RecordingTransport:
        transport = world.connect(host)
        world.scheduler.join_network(host + ":1").charge_use(world.scheduler.now(), 1.0)
        say(transport, *stream)
        return transport

    world.connect("10.0.0.3")
    user = ask_much(PERSON)
    served = []
    for number in range(400):
        ask_much(f"10.{number // 200 + 2}.{number % 200}.7")
        await asyncio.sleep(0.0013)  # less than a slice and the rest after it, in which one of them is answered
        if answers(user) == (len(served) + 1) * len(stream):
            served.append(number)
            say(user, *stream)
    assert len(served) > 3, "newcomers first, for ever, would be 1"


@in_virtual_time
async def test_networks_that_queue_again_and_again_save_nothing_up() -> None:
    world = World()
    first = world.flood(1, "10.0.0.1")
    await world.work(0.1)
    second = world.flood(1, "10.0.0.2")
    before = answers(*first)

    await world.work(0.1)

    assert answers(*first) - before == pytest.approx(answers(*second), rel=0.3)


def test_use_counts_at_both_meters() -> None:
    one, other = Meter(0.25, 0.001), Meter(0.05, 0.001)
    alone, apart = Meter(0.25, 0.001), Meter(0.05, 0.001)

    for now, seconds in ((1.0, 0.0002), (1.0001, 0.003), (1.0002, 0.0), (9.0, 0.0001)):
        charge_both(one, other, now, seconds)
        alone.charge_use(now, seconds)
        apart.charge_use(now, seconds)
        assert (one.until, other.until) == (alone.until, apart.until)

    assert one.until == pytest.approx(9.0 - 0.004 + 0.0004), "the bucket had emptied meanwhile"
