"""Reading from connections: clients that do not read, and clients with many requests."""

import asyncio
import gc
import weakref
from itertools import pairwise

import pytest

from scoville_runtime.clock import Clock
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.read_scheduler import ReadScheduler
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import Params, PingRequest, Reply

from .doubles import PRESENCE, RecordingService, Ticking, byes, codes, connected, ping, say, turn

# --- clients that do not read ---------------------------------------------------------------------------


async def test_a_non_reading_client_is_not_read_from() -> None:
    service = RecordingService()
    transport = connected(service, ConnectionLimits(unsent_pause=2_000))

    say(transport, *(ping(n, "x" * 100) for n in range(200)))

    assert not transport.reading
    assert transport.unread < 2 * 2_000 + 200, "what was asked beyond that has not been answered yet"
    while not transport.reading:
        transport.read_everything()
        await turn()
    assert codes(transport) == [(n, None) for n in range(200)]


async def test_flood_of_requests_leaves_others_their_turn() -> None:
    service = RecordingService()
    transport = connected(service, ConnectionLimits(turn=3))

    say(transport, *([0, n, "ping", []] for n in range(7)))

    assert codes(transport) == [(n, None) for n in range(3)]
    assert not transport.reading
    await asyncio.sleep(0)
    assert codes(transport) == [(n, None) for n in range(6)]
    await turn()
    assert codes(transport) == [(n, None) for n in range(7)]
    assert transport.reading


async def test_a_queued_connection_can_close_and_pause() -> None:
    service = RecordingService()
    transport, other = (
        connected(service, ConnectionLimits(turn=2, unsent_pause=1_000)),
        connected(RecordingService(), ConnectionLimits(turn=2)),
    )
    for asked in (transport, other):
        say(asked, *([0, n, "ping", [{"payload": "x" * 400}]] for n in range(9)))

    other.protocol.close()
    await turn()

    assert not transport.reading
    assert len(codes(transport)) < 9
    while transport.unread:
        transport.read_everything()
        await turn()
    assert codes(transport) == [(n, None) for n in range(9)]
    assert codes(other) == [(n, None) for n in range(2)]


async def test_malformed_requests_are_paused_like_any_other() -> None:
    transport = connected(RecordingService(), ConnectionLimits(unsent_pause=2_000))

    say(transport, *([0, n, "", []] for n in range(10_000)))

    assert not transport.reading
    assert transport.unread < 2 * 2_000 + 1_000


async def test_a_never_reading_client_is_dropped_at_a_bound() -> None:
    service = RecordingService()
    transport = connected(service, ConnectionLimits(unsent_pause=2_000, unsent_drop=10_000))

    notices = 0
    while not transport.ended:
        service.peer.notify(PRESENCE)
        notices += 1
        await asyncio.sleep(0)

    assert transport.ended == "aborted"
    assert 10_000 < transport.unread < 10_100
    assert service.closed_connections == 1
    service.peer.notify(PRESENCE)
    await turn()


async def test_a_client_that_reads_in_time_is_never_dropped() -> None:
    service = RecordingService()
    transport = connected(service, ConnectionLimits(unsent_pause=2_000, unsent_drop=10_000))

    for _ in range(50):
        for _ in range(100):
            service.peer.notify(PRESENCE)
        await turn()
        transport.read_everything()

    assert not transport.ended
    assert transport.reading


async def test_the_address_of_a_line_inside_the_process_is_empty() -> None:
    service = RecordingService()
    connected(service)

    assert service.peer.address == ""
    assert isinstance(service.asked[0], Params)
    assert not any(isinstance(params, PingRequest) for params in service.asked)


@pytest.mark.parametrize(
    "message",
    [[2, "ping", []], [2], [0, 1], [0, 1, "ping", ["x"]], [0, 1, "nonsense", []]],
    ids=["a notification", "half a notification", "half a request", "wrong params", "an unknown method"],
)
@pytest.mark.parametrize("greeted", [True, False])
async def test_messages_of_every_kind_cost_their_share_of_a_turn(message: object, greeted: bool) -> None:
    """Found by a flood of notifications, which froze the server: whatever is read counts, before hello as well."""
    limits = ConnectionLimits(turn=3, notifications=1_000)
    transport = connected(RecordingService(), limits, greeted=greeted)

    say(transport, *[message] * 7, ping(9))

    turns = 1
    while not any(msgid == 9 for msgid, _ in codes(transport)):
        assert not transport.reading
        await asyncio.sleep(0)
        turns += 1
    assert turns == 3


@pytest.mark.parametrize("message", [[2, "ping", []], [2]])
@pytest.mark.parametrize("greeted", [True, False])
async def test_many_notifications_end_the_connection(message: object, greeted: bool) -> None:
    transport = connected(RecordingService(), ConnectionLimits(notifications=5), greeted=greeted)

    say(transport, *[message] * 5)
    assert not transport.ended
    say(transport, message, ping(1))

    assert byes(transport) == [Code.TOO_MANY]
    assert transport.ended == "closed"
    assert codes(transport) == []


async def test_occasional_notifications_are_harmless() -> None:
    transport = connected(RecordingService(), ConnectionLimits(notifications=2, notifications_seconds=0))

    for n in range(100):
        say(transport, [2, "heartbeat", []], ping(n))

    assert not transport.ended
    assert len(codes(transport)) == 100


async def test_slow_requests_leave_others_their_turn() -> None:
    limits = ConnectionLimits(turn_seconds=2)
    transport = connected(RecordingService(), limits, scheduler=ReadScheduler(limits, Clock(seconds=Ticking(1))))

    say(transport, *map(ping, range(16)))

    answered = [len(transport.messages())]
    while answered[-1] < 16:
        assert not transport.reading
        await asyncio.sleep(0)
        answered.append(len(transport.messages()))
    assert len(answered) > 4
    assert max(after - before for before, after in pairwise([0, *answered])) <= 4


async def test_a_late_refusal_leaves_no_ring_behind() -> None:
    """A server hardly ever searches for garbage among everything: a flood of refusals would fill its memory."""
    late: list[asyncio.Future[Reply]] = []

    def handler(_: Params) -> asyncio.Future[Reply]:
        late.append(asyncio.get_running_loop().create_future())
        return late[-1]

    transport = connected(RecordingService(handler))
    say(transport, ping(1))
    refusal = ScovilleError(Code.BUSY, "busy")
    gone = weakref.ref(refusal)
    gc.disable()
    try:
        late.pop().set_exception(refusal)
        del refusal
        await turn()
        assert codes(transport) == [(1, "busy")]
        assert gone() is None
    finally:
        gc.enable()


class Counting(Ticking):
    """A clock that stands still and counts how often it is read."""

    times = 0

    def __call__(self) -> float:
        self.times += 1
        return super().__call__()


async def test_reads_are_timed_and_share_the_rest() -> None:
    clock = Counting()
    limits = ConnectionLimits()
    transport = connected(RecordingService(), limits, scheduler=ReadScheduler(limits, Clock(seconds=clock)))

    def times(*messages: object) -> int:
        before = clock.times
        say(transport, *messages)
        return clock.times - before

    assert times(ping(1)) == 2, "its beginning and its end"
    assert times(ping(1), ping(2)) == 4, "and after each message behind which there may be another"
    assert len(codes(transport)) == 3
