import asyncio
import gc
import logging
from collections.abc import Awaitable

import pytest

from scoville_server.net.connection_limits import ConnectionLimits
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import ByeNotice, Params, PingReply, PresenceNotice, Reply

from .doubles import HELLO, PRESENCE, RecordingService, byes, codes, connected, ping, say, turn

# --- requests and answers -------------------------------------------------------------------------------


async def test_requests_that_arrive_together_are_answered_in_one_write() -> None:
    transport = connected(RecordingService())

    say(transport, ping(1, "a"), ping(2, "b"), [0, 3, "nonsense", []])

    assert len(transport.writes) == 1
    assert codes(transport) == [(1, None), (2, None), (3, Code.UNKNOWN_METHOD)]


async def test_nothing_but_pings_is_answered_before_hello() -> None:
    service = RecordingService()
    transport = connected(service, greeted=False)

    say(transport, ping(1), [0, 2, "table.list", []], HELLO, ping(3))

    assert codes(transport) == [(1, None), (2, Code.HELLO_FIRST), (0, None), (3, None)]
    assert [type(params).__name__ for params in service.asked] == ["PingRequest", "HelloRequest", "PingRequest"]


async def test_a_ping_that_is_answered_late_is_no_hello() -> None:
    answers: list[asyncio.Future[Reply]] = []

    def later(_: Params) -> Awaitable[Reply]:
        answers.append(asyncio.get_running_loop().create_future())
        return answers[-1]

    transport = connected(RecordingService(later), greeted=False)
    say(transport, ping(1))
    answers[0].set_result(PingReply(payload=""))
    await turn()
    say(transport, [0, 2, "table.list", []])
    assert codes(transport) == [(1, None), (2, Code.HELLO_FIRST)]


async def test_a_hello_that_was_refused_does_not_count() -> None:
    class Strict(RecordingService):
        def handle_request(self, params: Params) -> Reply | Awaitable[Reply]:
            raise ScovilleError(Code.UPGRADE_CLIENT, "Please install scoville 2.")

    transport = connected(Strict(), greeted=False)

    say(transport, HELLO, [0, 1, "table.list", []])

    assert codes(transport) == [(0, Code.UPGRADE_CLIENT), (1, Code.HELLO_FIRST)]


async def test_a_handlers_fault_is_logged_and_reported_as_internal(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Params) -> Reply:
        raise ZeroDivisionError("a secret of the house")

    transport = connected(RecordingService(broken))
    with caplog.at_level(logging.ERROR):
        say(transport, ping(1), ping(2))

    assert codes(transport) == [(1, Code.INTERNAL), (2, Code.INTERNAL)]
    assert b"secret" not in b"".join(transport.writes)
    assert "a secret of the house" in caplog.text


async def test_an_unwritable_reply_is_internal() -> None:
    transport = connected(RecordingService(lambda _: PingReply(payload=object())))  # type: ignore[arg-type]

    say(transport, ping(1), HELLO)

    assert codes(transport) == [(1, Code.INTERNAL), (0, None)]


# --- answers that take time -----------------------------------------------------------------------------


async def test_late_answers_join_other_output() -> None:
    futures: list[asyncio.Future[Reply]] = []

    def later(_: Params) -> Awaitable[Reply]:
        futures.append(asyncio.get_running_loop().create_future())
        return futures[-1]

    service = RecordingService(later)
    transport = connected(service)
    say(transport, ping(1), ping(2), ping(3))
    assert transport.writes == []

    futures[2].set_result(PingReply(payload="third"))
    futures[0].set_exception(ScovilleError(Code.STALE_MOVE, "Too late."))
    futures[1].cancel()
    service.peer.notify(PRESENCE)
    await turn()

    assert sorted(codes(transport)) == [(1, Code.STALE_MOVE), (2, Code.SHUTTING_DOWN), (3, None)]
    assert len(transport.writes) <= 2


async def test_a_coroutine_that_fails_is_internal(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(_: Params) -> Reply:
        raise KeyError("seat")

    transport = connected(RecordingService(broken))
    say(transport, ping(1))
    await turn()

    assert codes(transport) == [(1, Code.INTERNAL)]
    assert "KeyError" in caplog.text


async def test_only_so_many_requests_may_wait_at_once() -> None:
    never = asyncio.get_running_loop().create_future()
    service = RecordingService(lambda _: asyncio.shield(never))
    transport = connected(service, ConnectionLimits(pending_requests=2))

    say(transport, ping(1), ping(2), ping(3))

    assert codes(transport) == [(3, Code.TOO_MANY)]
    assert len(service.asked) == 3, "hello and two pings; the third was never asked"
    transport.abort()
    await turn()


async def test_waiting_requests_are_given_up_when_the_connection_is_lost() -> None:
    future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
    service = RecordingService(lambda _: future)
    transport = connected(service)
    say(transport, ping(1))

    transport.protocol.connection_lost(None)
    await turn()

    assert future.cancelled()
    assert service.closed_connections == 1
    assert transport.writes == []


# --- notices --------------------------------------------------------------------------------------------


async def test_too_late_answers_are_dropped_and_faults_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    complaints: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    futures: list[asyncio.Future[Reply]] = []

    def later(_: Params) -> Awaitable[Reply]:
        futures.append(loop.create_future())
        return futures[-1]

    transport = connected(RecordingService(later))
    say(transport, ping(1), ping(2), "no request")
    assert transport.ended == "closed"
    futures[0].set_exception(ScovilleError(Code.UNKNOWN_TABLE, "There is no such table."))
    futures[1].set_exception(ZeroDivisionError())
    await turn()
    futures.clear()
    gc.collect()

    assert complaints == []
    assert ["ping" in record.message for record in caplog.records] == [True]


async def test_notices_of_one_turn_leave_in_one_write_in_order() -> None:
    service = RecordingService()
    transport = connected(service)

    for seat in range(3):
        service.peer.notify(PresenceNotice(table="t", seat=seat, connected=True))
    assert transport.writes == []
    await turn()

    assert len(transport.writes) == 1
    assert [m[2][0]["seat"] for m in transport.messages()] == [0, 1, 2]


async def test_a_notice_of_a_handler_comes_with_its_reply() -> None:
    service = RecordingService()

    def answer(_: Params) -> Reply:
        service.peer.notify(PRESENCE)
        return PingReply(payload="")

    service.handler = answer
    transport = connected(service)
    say(transport, ping(1))
    await turn()

    assert len(transport.writes) == 1
    assert [m[0] for m in transport.messages()] == [2, 1]


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
    transport = connected(RecordingService())

    transport.protocol.data_received(garbage)
    transport.protocol.data_received(b"\x00" * 1000)

    assert byes(transport) == [code]
    assert transport.ended == "closed"


async def test_closing_sends_what_is_queued_first_and_nothing_after() -> None:
    service = RecordingService()
    transport = connected(service)

    service.peer.notify(PRESENCE)
    service.peer.close(ByeNotice(code=Code.TAKEN_OVER, message="You have sat down elsewhere."))
    service.peer.notify(PRESENCE)
    service.peer.close()
    say(transport, ping(1))
    await turn()

    assert [m[1] for m in transport.messages()] == ["table.presence", "bye"]
    assert transport.ended == "closed"


async def test_a_client_ignoring_its_farewell_is_cut_off() -> None:
    service = RecordingService()
    transport = connected(service, ConnectionLimits(closing_seconds=0.001))

    service.peer.close(ByeNotice(code=Code.SHUTTING_DOWN, message="Good night."))
    await transport.aborted.wait()

    assert service.closed_connections == 1


async def test_a_connection_that_never_says_hello_is_closed() -> None:
    transport = connected(RecordingService(), ConnectionLimits(hello_seconds=0.001), greeted=False)

    await transport.closed.wait()

    assert byes(transport) == [Code.HELLO_FIRST]


async def test_a_connection_that_has_said_hello_may_be_silent() -> None:
    transport = connected(RecordingService(), ConnectionLimits(hello_seconds=0.001), greeted=False)
    other = connected(RecordingService(), ConnectionLimits(hello_seconds=0.001), greeted=False)

    say(transport, HELLO)
    await other.closed.wait()  # whose time began later, and is over

    assert not transport.ended
