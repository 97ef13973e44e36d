import asyncio
import gc
import logging
import weakref
from collections.abc import Awaitable
from itertools import pairwise

import pytest

from scoville_server.net.limits import Limits
from scoville_server.net.turns import TurnScheduler
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.wire.messages import ByeNotice, Params, Ping, Pong, PresenceNotice, Reply

from .doubles import HELLO, House, Line, Ticking, connected, say, turn

PRESENCE = PresenceNotice(table="t", seat=1, connected=True)


def ping(msgid: int, payload: str = "") -> list[object]:
    return [0, msgid, "ping", [{"payload": payload}]]


def codes(line: Line) -> list[tuple[int, str | None]]:
    """What each request was answered with: its msgid and the error's code, None for a reply."""
    return [(m[1], m[2] and m[2]["code"]) for m in line.messages() if m[0] == 1]


def byes(line: Line) -> list[str]:
    return [m[2][0]["code"] for m in line.messages() if m[:2] == [2, "bye"]]


# --- requests and answers -------------------------------------------------------------------------------


async def test_requests_that_arrive_together_are_answered_in_one_write() -> None:
    line = connected(House())

    say(line, ping(1, "a"), ping(2, "b"), [0, 3, "nonsense", []])

    assert len(line.writes) == 1
    assert codes(line) == [(1, None), (2, None), (3, Code.UNKNOWN_METHOD)]


async def test_nothing_but_hello_is_heard_before_hello() -> None:
    house = House()
    line = connected(house, greeted=False)

    say(line, ping(1), HELLO, ping(2))

    assert codes(line) == [(1, Code.HELLO_FIRST), (0, None), (2, None)]
    assert [type(params).__name__ for params in house.asked] == ["Hello", "Ping"]


async def test_a_hello_that_was_refused_does_not_count() -> None:
    class Strict(House):
        def handle(self, params: Params) -> Reply | Awaitable[Reply]:
            raise ScovilleError(Code.UPGRADE_CLIENT, "Please install scoville 2.")

    line = connected(Strict(), greeted=False)

    say(line, HELLO, ping(1))

    assert codes(line) == [(0, Code.UPGRADE_CLIENT), (1, Code.HELLO_FIRST)]


async def test_a_handlers_fault_is_logged_and_told_as_internal(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Params) -> Reply:
        raise ZeroDivisionError("a secret of the house")

    line = connected(House(broken))
    with caplog.at_level(logging.ERROR):
        say(line, ping(1), ping(2))

    assert codes(line) == [(1, Code.INTERNAL), (2, Code.INTERNAL)]
    assert b"secret" not in b"".join(line.writes)
    assert "a secret of the house" in caplog.text


async def test_a_reply_that_cannot_be_written_is_internal_and_leaves_the_stream_whole() -> None:
    line = connected(House(lambda _: Pong(payload=object())))  # type: ignore[arg-type]

    say(line, ping(1), HELLO)

    assert codes(line) == [(1, Code.INTERNAL), (0, None)]


# --- answers that take time -----------------------------------------------------------------------------


async def test_late_answers_come_when_they_are_done_and_join_what_else_is_sent() -> None:
    futures: list[asyncio.Future[Reply]] = []

    def later(_: Params) -> Awaitable[Reply]:
        futures.append(asyncio.get_running_loop().create_future())
        return futures[-1]

    house = House(later)
    line = connected(house)
    say(line, ping(1), ping(2), ping(3))
    assert line.writes == []

    futures[2].set_result(Pong(payload="third"))
    futures[0].set_exception(ScovilleError(Code.STALE_MOVE, "Too late."))
    futures[1].cancel()
    house.peer.notify(PRESENCE)
    await turn()

    assert sorted(codes(line)) == [(1, Code.STALE_MOVE), (2, Code.SHUTTING_DOWN), (3, None)]
    assert len(line.writes) <= 2


async def test_a_coroutine_that_fails_is_internal(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(_: Params) -> Reply:
        raise KeyError("seat")

    line = connected(House(broken))
    say(line, ping(1))
    await turn()

    assert codes(line) == [(1, Code.INTERNAL)]
    assert "KeyError" in caplog.text


async def test_only_so_many_requests_may_wait_at_once() -> None:
    never = asyncio.get_running_loop().create_future()
    house = House(lambda _: asyncio.shield(never))
    line = connected(house, Limits(unanswered=2))

    say(line, ping(1), ping(2), ping(3))

    assert codes(line) == [(3, Code.TOO_MANY)]
    assert len(house.asked) == 3, "hello and two pings; the third was never asked"
    line.abort()
    await turn()


async def test_waiting_requests_are_given_up_when_the_line_is_lost() -> None:
    future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
    house = House(lambda _: future)
    line = connected(house)
    say(line, ping(1))

    line.protocol.connection_lost(None)
    await turn()

    assert future.cancelled()
    assert house.visits_over == 1
    assert line.writes == []


# --- notices --------------------------------------------------------------------------------------------


async def test_an_answer_that_comes_too_late_is_nothing_and_a_fault_in_it_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    complaints: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    futures: list[asyncio.Future[Reply]] = []

    def later(_: Params) -> Awaitable[Reply]:
        futures.append(loop.create_future())
        return futures[-1]

    line = connected(House(later))
    say(line, ping(1), ping(2), "no request")
    assert line.ended == "closed"
    futures[0].set_exception(ScovilleError(Code.UNKNOWN_TABLE, "There is no such table."))
    futures[1].set_exception(ZeroDivisionError())
    await turn()
    futures.clear()
    gc.collect()

    assert complaints == []
    assert ["ping" in record.message for record in caplog.records] == [True]


async def test_notices_of_one_turn_leave_in_one_write_in_order() -> None:
    house = House()
    line = connected(house)

    for seat in range(3):
        house.peer.notify(PresenceNotice(table="t", seat=seat, connected=True))
    assert line.writes == []
    await turn()

    assert len(line.writes) == 1
    assert [m[2][0]["seat"] for m in line.messages()] == [0, 1, 2]


async def test_a_notice_of_a_handler_comes_with_its_reply() -> None:
    house = House()

    def tell(_: Params) -> Reply:
        house.peer.notify(PRESENCE)
        return Pong(payload="")

    house.handler = tell
    line = connected(house)
    say(line, ping(1))
    await turn()

    assert len(line.writes) == 1
    assert [m[0] for m in line.messages()] == [2, 1]


# --- closing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("garbage", "code"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", Code.BAD_FRAME),
        (b"\xc1", Code.BAD_FRAME),
        (b"\x91" * 10_000, Code.BAD_FRAME),
        (b"\xdb\x40\x00\x00\x00", Code.FRAME_TOO_LARGE),
        (b"\xdd\xff\xff\xff\xff", Code.FRAME_TOO_LARGE),
    ],
    ids=["a browser", "no msgpack", "deep nesting", "a gigabyte", "2^32 items"],
)
async def test_unreadable_bytes_get_a_bye_and_a_closed_line(garbage: bytes, code: Code) -> None:
    line = connected(House())

    line.protocol.data_received(garbage)
    line.protocol.data_received(b"\x00" * 1000)

    assert byes(line) == [code]
    assert line.ended == "closed"


async def test_closing_sends_what_is_queued_first_and_nothing_after() -> None:
    house = House()
    line = connected(house)

    house.peer.notify(PRESENCE)
    house.peer.close(ByeNotice(code=Code.TAKEN_OVER, message="You have sat down elsewhere."))
    house.peer.notify(PRESENCE)
    house.peer.close()
    say(line, ping(1))
    await turn()

    assert [m[1] for m in line.messages()] == ["table.presence", "bye"]
    assert line.ended == "closed"


async def test_a_client_that_does_not_read_its_farewell_is_cut_off() -> None:
    house = House()
    line = connected(house, Limits(farewell_seconds=0.001))

    house.peer.close(ByeNotice(code=Code.SHUTTING_DOWN, message="Good night."))
    await line.aborted.wait()

    assert house.visits_over == 1


async def test_a_connection_that_never_says_hello_is_sent_away() -> None:
    line = connected(House(), Limits(hello_seconds=0.001), greeted=False)

    await line.closed.wait()

    assert byes(line) == [Code.HELLO_FIRST]


async def test_a_connection_that_has_said_hello_may_be_silent() -> None:
    line = connected(House(), Limits(hello_seconds=0.001))

    await asyncio.sleep(0.01)

    assert not line.ended


# --- clients that do not read ---------------------------------------------------------------------------


async def test_a_client_that_does_not_read_is_not_read_from_and_loses_nothing() -> None:
    house = House()
    line = connected(house, Limits(ahead=2_000))

    say(line, *(ping(n, "x" * 100) for n in range(200)))

    assert not line.reading
    assert line.unread < 2 * 2_000 + 200, "what was asked beyond that has not been answered yet"
    while not line.reading:
        line.read_everything()
        await turn()
    assert codes(line) == [(n, None) for n in range(200)]


async def test_who_asks_very_much_lets_others_have_their_turn() -> None:
    house = House()
    line = connected(house, Limits(turn=3))

    say(line, *([0, n, "ping", []] for n in range(7)))

    assert codes(line) == [(n, None) for n in range(3)]
    assert not line.reading
    await asyncio.sleep(0)
    assert codes(line) == [(n, None) for n in range(6)]
    await turn()
    assert codes(line) == [(n, None) for n in range(7)]
    assert line.reading


async def test_a_line_that_waits_for_its_turn_can_be_closed_and_paused() -> None:
    house = House()
    line, other = connected(house, Limits(turn=2, ahead=1_000)), connected(House(), Limits(turn=2))
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
    line = connected(House(), Limits(ahead=2_000))

    say(line, *([0, n, "", []] for n in range(10_000)))

    assert not line.reading
    assert line.unread < 2 * 2_000 + 1_000


async def test_a_client_that_never_reads_is_dropped_at_a_fixed_bound() -> None:
    house = House()
    line = connected(house, Limits(ahead=2_000, unsent=10_000))

    notices = 0
    while not line.ended:
        house.peer.notify(PRESENCE)
        notices += 1
        await asyncio.sleep(0)

    assert line.ended == "aborted"
    assert 10_000 < line.unread < 10_100
    assert house.visits_over == 1
    house.peer.notify(PRESENCE)
    await turn()


async def test_a_client_that_reads_in_time_is_never_dropped() -> None:
    house = House()
    line = connected(house, Limits(ahead=2_000, unsent=10_000))

    for _ in range(50):
        for _ in range(100):
            house.peer.notify(PRESENCE)
        await turn()
        line.read_everything()

    assert not line.ended
    assert line.reading


async def test_the_address_of_a_line_inside_the_process_is_empty() -> None:
    house = House()
    connected(house)

    assert house.peer.address == ""
    assert isinstance(house.asked[0], Params)
    assert not any(isinstance(params, Ping) for params in house.asked)


@pytest.mark.parametrize(
    "message",
    [[2, "ping", []], [2], [0, 1], [0, 1, "ping", ["x"]], [0, 1, "nonsense", []]],
    ids=["a notification", "half a notification", "half a request", "wrong params", "an unknown method"],
)
@pytest.mark.parametrize("greeted", [True, False])
async def test_messages_of_every_kind_cost_their_share_of_a_turn(message: object, greeted: bool) -> None:
    """Found by a flood of notifications, which froze the server: whatever is read counts, before hello as well."""
    limits = Limits(turn=3, notifications=1_000)
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
    line = connected(House(), Limits(notifications=5), greeted=greeted)

    say(line, *[message] * 5)
    assert not line.ended
    say(line, message, ping(1))

    assert byes(line) == [Code.TOO_MANY]
    assert line.ended == "closed"
    assert codes(line) == []


async def test_a_notification_now_and_then_is_no_reason_to_end_a_connection() -> None:
    line = connected(House(), Limits(notifications=2, notifications_seconds=0))

    for n in range(100):
        say(line, [2, "heartbeat", []], ping(n))

    assert not line.ended
    assert len(codes(line)) == 100


async def test_who_takes_long_to_answer_lets_others_have_their_turn() -> None:
    limits = Limits(turn_seconds=2)
    line = connected(House(), limits, scheduler=TurnScheduler(limits, Ticking(1)))

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
