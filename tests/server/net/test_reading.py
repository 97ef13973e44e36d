"""Reading from connections: clients that do not read, and clients with many requests."""

import asyncio
import gc
import weakref
from itertools import pairwise

import pytest

from scoville_server.clock import Clock
from scoville_server.net.limits import ConnectionLimits
from scoville_server.net.read_scheduler import ReadScheduler
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import Params, PingRequest, Reply

from .doubles import PRESENCE, House, Ticking, byes, codes, connected, ping, say, turn

# --- clients that do not read ---------------------------------------------------------------------------


async def test_a_client_that_does_not_read_is_not_read_from_and_loses_nothing() -> None:
    core = House()
    line = connected(core, ConnectionLimits(unsent_pause=2_000))

    say(line, *(ping(n, "x" * 100) for n in range(200)))

    assert not line.reading
    assert line.unread < 2 * 2_000 + 200, "what was asked beyond that has not been answered yet"
    while not line.reading:
        line.read_everything()
        await turn()
    assert codes(line) == [(n, None) for n in range(200)]


async def test_who_asks_very_much_lets_others_have_their_turn() -> None:
    core = House()
    line = connected(core, ConnectionLimits(turn=3))

    say(line, *([0, n, "ping", []] for n in range(7)))

    assert codes(line) == [(n, None) for n in range(3)]
    assert not line.reading
    await asyncio.sleep(0)
    assert codes(line) == [(n, None) for n in range(6)]
    await turn()
    assert codes(line) == [(n, None) for n in range(7)]
    assert line.reading


async def test_a_line_that_waits_for_its_turn_can_be_closed_and_paused() -> None:
    core = House()
    line, other = (
        connected(core, ConnectionLimits(turn=2, unsent_pause=1_000)),
        connected(House(), ConnectionLimits(turn=2)),
    )
    for asked in (line, other):
        say(asked, *([0, n, "ping", [{"payload": "x" * 400}]] for n in range(9)))

    other.protocol.close()
    await turn()

    assert not line.reading
    assert len(codes(line)) < 9
    while line.unread:
        line.read_everything()
        await turn()
    assert codes(line) == [(n, None) for n in range(9)]
    assert codes(other) == [(n, None) for n in range(2)]


async def test_malformed_requests_are_paused_like_any_other() -> None:
    line = connected(House(), ConnectionLimits(unsent_pause=2_000))

    say(line, *([0, n, "", []] for n in range(10_000)))

    assert not line.reading
    assert line.unread < 2 * 2_000 + 1_000


async def test_a_client_that_never_reads_is_dropped_at_a_fixed_bound() -> None:
    core = House()
    line = connected(core, ConnectionLimits(unsent_pause=2_000, unsent_drop=10_000))

    notices = 0
    while not line.ended:
        core.peer.notify(PRESENCE)
        notices += 1
        await asyncio.sleep(0)

    assert line.ended == "aborted"
    assert 10_000 < line.unread < 10_100
    assert core.visits_over == 1
    core.peer.notify(PRESENCE)
    await turn()


async def test_a_client_that_reads_in_time_is_never_dropped() -> None:
    core = House()
    line = connected(core, ConnectionLimits(unsent_pause=2_000, unsent_drop=10_000))

    for _ in range(50):
        for _ in range(100):
            core.peer.notify(PRESENCE)
        await turn()
        line.read_everything()

    assert not line.ended
    assert line.reading


async def test_the_address_of_a_line_inside_the_process_is_empty() -> None:
    core = House()
    connected(core)

    assert core.peer.address == ""
    assert isinstance(core.asked[0], Params)
    assert not any(isinstance(params, PingRequest) for params in core.asked)


@pytest.mark.parametrize(
    "message",
    [[2, "ping", []], [2], [0, 1], [0, 1, "ping", ["x"]], [0, 1, "nonsense", []]],
    ids=["a notification", "half a notification", "half a request", "wrong params", "an unknown method"],
)
@pytest.mark.parametrize("greeted", [True, False])
async def test_messages_of_every_kind_cost_their_share_of_a_turn(message: object, greeted: bool) -> None:
    """Found by a flood of notifications, which froze the server: whatever is read counts, before hello as well."""
    limits = ConnectionLimits(turn=3, notifications=1_000)
    line = connected(House(), limits, greeted=greeted)

    say(line, *[message] * 7, ping(9))

    turns = 1
    while not any(msgid == 9 for msgid, _ in codes(line)):
        assert not line.reading
        await asyncio.sleep(0)
        turns += 1
    assert turns == 3


@pytest.mark.parametrize("message", [[2, "ping", []], [2]])
@pytest.mark.parametrize("greeted", [True, False])
async def test_many_notifications_end_the_connection(message: object, greeted: bool) -> None:
    line = connected(House(), ConnectionLimits(notifications=5), greeted=greeted)

    say(line, *[message] * 5)
    assert not line.ended
    say(line, message, ping(1))

    assert byes(line) == [Code.TOO_MANY]
    assert line.ended == "closed"
    assert codes(line) == []


async def test_a_notification_now_and_then_is_no_reason_to_end_a_connection() -> None:
    line = connected(House(), ConnectionLimits(notifications=2, notifications_seconds=0))

    for n in range(100):
        say(line, [2, "heartbeat", []], ping(n))

    assert not line.ended
    assert len(codes(line)) == 100


async def test_who_takes_long_to_answer_lets_others_have_their_turn() -> None:
    limits = ConnectionLimits(turn_seconds=2)
    line = connected(House(), limits, scheduler=ReadScheduler(limits, Clock(seconds=Ticking(1))))

    say(line, *map(ping, range(16)))

    answered = [len(line.messages())]
    while answered[-1] < 16:
        assert not line.reading
        await asyncio.sleep(0)
        answered.append(len(line.messages()))
    assert len(answered) > 4
    assert max(after - before for before, after in pairwise([0, *answered])) <= 4


async def test_a_late_refusal_leaves_no_ring_behind() -> None:
    """A server hardly ever searches for garbage among everything: a flood of refusals would fill its memory."""
    late: list[asyncio.Future[Reply]] = []

    def handler(_: Params) -> asyncio.Future[Reply]:
        late.append(asyncio.get_running_loop().create_future())
        return late[-1]

    line = connected(House(handler))
    say(line, ping(1))
    refusal = ScovilleError(Code.BUSY, "busy")
    gone = weakref.ref(refusal)
    gc.disable()
    try:
        late.pop().set_exception(refusal)
        del refusal
        await turn()
        assert codes(line) == [(1, "busy")]
        assert gone() is None
    finally:
        gc.enable()


class Counting(Ticking):
    """A clock that stands still and counts how often it is read."""

    times = 0

    def __call__(self) -> float:
        self.times += 1
        return super().__call__()


async def test_every_read_is_timed_and_between_requests_only_what_is_left_is() -> None:
    clock = Counting()
    limits = ConnectionLimits()
    line = connected(House(), limits, scheduler=ReadScheduler(limits, Clock(seconds=clock)))

    def times(*messages: object) -> int:
        before = clock.times
        say(line, *messages)
        return clock.times - before

    assert times(ping(1)) == 2, "its beginning and its end"
    assert times(ping(1), ping(2)) == 4, "and after each message behind which there may be another"
    assert len(codes(line)) == 3
