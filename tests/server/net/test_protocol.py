import asyncio
import gc
import logging
from collections.abc import Awaitable

import pytest

from scoville_server.net.limits import ConnectionLimits
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import ByeNotice, Params, PingReply, PresenceNotice, Reply

from .doubles import HELLO, PRESENCE, House, byes, codes, connected, ping, say, turn

# --- requests and answers -------------------------------------------------------------------------------


async def test_requests_that_arrive_together_are_answered_in_one_write() -> None:
    line = connected(House())

    say(line, ping(1, "a"), ping(2, "b"), [0, 3, "nonsense", []])

    assert len(line.writes) == 1
    assert codes(line) == [(1, None), (2, None), (3, Code.UNKNOWN_METHOD)]


async def test_nothing_but_hello_is_heard_before_hello() -> None:
    core = House()
    line = connected(core, greeted=False)

    say(line, ping(1), HELLO, ping(2))

    assert codes(line) == [(1, Code.HELLO_FIRST), (0, None), (2, None)]
    assert [type(params).__name__ for params in core.asked] == ["HelloRequest", "PingRequest"]


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
    line = connected(House(lambda _: PingReply(payload=object())))  # type: ignore[arg-type]

    say(line, ping(1), HELLO)

    assert codes(line) == [(1, Code.INTERNAL), (0, None)]


# --- answers that take time -----------------------------------------------------------------------------


async def test_late_answers_come_when_they_are_done_and_join_what_else_is_sent() -> None:
    futures: list[asyncio.Future[Reply]] = []

    def later(_: Params) -> Awaitable[Reply]:
        futures.append(asyncio.get_running_loop().create_future())
        return futures[-1]

    core = House(later)
    line = connected(core)
    say(line, ping(1), ping(2), ping(3))
    assert line.writes == []

    futures[2].set_result(PingReply(payload="third"))
    futures[0].set_exception(ScovilleError(Code.STALE_MOVE, "Too late."))
    futures[1].cancel()
    core.peer.notify(PRESENCE)
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
    core = House(lambda _: asyncio.shield(never))
    line = connected(core, ConnectionLimits(pending_requests=2))

    say(line, ping(1), ping(2), ping(3))

    assert codes(line) == [(3, Code.TOO_MANY)]
    assert len(core.asked) == 3, "hello and two pings; the third was never asked"
    line.abort()
    await turn()


async def test_waiting_requests_are_given_up_when_the_line_is_lost() -> None:
    future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
    core = House(lambda _: future)
    line = connected(core)
    say(line, ping(1))

    line.protocol.connection_lost(None)
    await turn()

    assert future.cancelled()
    assert core.visits_over == 1
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
    core = House()
    line = connected(core)

    for seat in range(3):
        core.peer.notify(PresenceNotice(table="t", seat=seat, connected=True))
    assert line.writes == []
    await turn()

    assert len(line.writes) == 1
    assert [m[2][0]["seat"] for m in line.messages()] == [0, 1, 2]


async def test_a_notice_of_a_handler_comes_with_its_reply() -> None:
    core = House()

    def tell(_: Params) -> Reply:
        core.peer.notify(PRESENCE)
        return PingReply(payload="")

    core.handler = tell
    line = connected(core)
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
    core = House()
    line = connected(core)

    core.peer.notify(PRESENCE)
    core.peer.close(ByeNotice(code=Code.TAKEN_OVER, message="You have sat down elsewhere."))
    core.peer.notify(PRESENCE)
    core.peer.close()
    say(line, ping(1))
    await turn()

    assert [m[1] for m in line.messages()] == ["table.presence", "bye"]
    assert line.ended == "closed"


async def test_a_client_that_does_not_read_its_farewell_is_cut_off() -> None:
    core = House()
    line = connected(core, ConnectionLimits(closing_seconds=0.001))

    core.peer.close(ByeNotice(code=Code.SHUTTING_DOWN, message="Good night."))
    await line.aborted.wait()

    assert core.visits_over == 1


async def test_a_connection_that_never_says_hello_is_sent_away() -> None:
    line = connected(House(), ConnectionLimits(hello_seconds=0.001), greeted=False)

    await line.closed.wait()

    assert byes(line) == [Code.HELLO_FIRST]


async def test_a_connection_that_has_said_hello_may_be_silent() -> None:
    line = connected(House(), ConnectionLimits(hello_seconds=0.001), greeted=False)
    other = connected(House(), ConnectionLimits(hello_seconds=0.001), greeted=False)

    say(line, HELLO)
    await other.closed.wait()  # whose time began later, and is over

    assert not line.ended
