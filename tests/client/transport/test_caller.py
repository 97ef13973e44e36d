"""A connection in the client: replies match their calls, and every end is one sentence."""

import asyncio

import pytest

from scoville_client.transport.base import ConnectionEnds, LinkError
from scoville_client.transport.caller import Caller
from scoville_client.transport.in_process import connect_in_memory
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.connection import Malformed, ServerConnection
from scoville_shared.protocol.framing import Fault
from scoville_shared.protocol.messages import (
    PROTOCOL,
    ByeNotice,
    HelloRequest,
    Notice,
    Params,
    PingReply,
    PingRequest,
)
from tests.support.client import make_welcome

WELCOME = make_welcome()


class Hearer:
    """Records notices and losses."""

    def __init__(self) -> None:
        self.notices: list[Notice] = []
        self.reasons: list[str] = []

    def receive_notice(self, notice: Notice) -> None:
        self.notices.append(notice)

    def note_loss(self, reason: str) -> None:
        self.reasons.append(reason)


class Echo(asyncio.Protocol):
    """A server that answers pings in pairs, in reverse order."""

    def __init__(self, pair: int = 1) -> None:
        self.connection = ServerConnection()
        self.pair = pair
        self.requests: list[tuple[int, Params]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.connection.feed_bytes(data)
        for request in self.connection.read_incoming():
            assert not isinstance(request, Fault | Malformed)
            msgid, params = request
            if isinstance(params, HelloRequest):
                self.connection.reply(msgid, WELCOME)
                self.transport.write(self.connection.take_bytes())
            else:
                self.requests.append((msgid, params))
        if len(self.requests) >= self.pair:
            while self.requests:
                self.answer(*self.requests.pop())
            self.transport.write(self.connection.take_bytes())

    def answer(self, msgid: int, params: Params) -> None:
        assert isinstance(params, PingRequest)
        if params.payload == "no":
            self.connection.refuse(msgid, ScovilleError(Code.BUSY, "Not now."))
        else:
            self.connection.reply(msgid, PingReply(payload=params.payload))


class Silent(asyncio.Protocol):
    """A server that never replies."""

    transport: asyncio.BaseTransport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport


class Blurting(asyncio.Protocol):
    """A server of another kind."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")


async def greeted(echo: Echo) -> tuple[Caller, Hearer]:
    caller, hearer = joined(echo)
    assert await caller.call(HelloRequest(protocol=PROTOCOL)) == WELCOME
    return caller, hearer


def joined(server: asyncio.BaseProtocol, seconds: float = 20.0) -> tuple[Caller, Hearer]:
    hearer = Hearer()
    caller = Caller(hearer, "example:5757", seconds)
    connect_in_memory(caller, server)
    return caller, hearer


async def test_answers_find_their_calls_in_whatever_order_they_come() -> None:
    caller, _ = await greeted(Echo(pair=2))
    calls = [caller.call(PingRequest(payload=text)) for text in ("one", "two")]
    assert await asyncio.gather(*calls) == [PingReply(payload="one"), PingReply(payload="two")]


async def test_a_refusal_is_raised_with_its_code_and_sentence() -> None:
    caller, _ = await greeted(Echo())
    with pytest.raises(ScovilleError, match=r"^Not now\.$") as refused:
        await caller.call(PingRequest(payload="no"))
    assert refused.value.code == "busy"


async def test_notices_reach_the_listener() -> None:
    echo = Echo()
    _, hearer = await greeted(echo)
    bye = ByeNotice(code="shutting_down", message="Good night.")
    echo.connection.notify(bye)
    echo.transport.write(echo.connection.take_bytes())
    await asyncio.sleep(0)
    assert hearer.notices == [bye]


async def test_a_vanished_server_ends_calls_and_notifies() -> None:
    echo = Echo()
    caller, hearer = await greeted(echo)
    echo.pair = 9
    waiting = asyncio.ensure_future(caller.call(PingRequest()))
    await asyncio.sleep(0)
    echo.transport.close()
    with pytest.raises(LinkError, match=r"^The server at example:5757 has disconnected\.$"):
        await waiting
    assert hearer.reasons == ["The server at example:5757 has disconnected."]
    with pytest.raises(LinkError, match=r"^The server at example:5757 has disconnected\.$"):
        await caller.call(PingRequest())


async def test_something_else_behind_the_port_is_called_so() -> None:
    caller, _ = joined(Blurting())
    with pytest.raises(LinkError, match=r"^example:5757 is not a Scoville server\.$"):
        await caller.call(PingRequest())


async def test_a_user_who_hangs_up_without_a_word_is_doubted() -> None:
    silent = Silent()
    caller, _ = joined(silent)
    waiting = asyncio.ensure_future(caller.call(PingRequest()))
    await asyncio.sleep(0)
    silent.transport.close()
    with pytest.raises(
        LinkError, match=r"^example:5757 closed the connection without an answer\. Is it a Scoville server\?$"
    ):
        await waiting


async def test_early_end_fails_the_first_call() -> None:
    silent = Silent()
    caller, _ = joined(silent)
    silent.transport.close()
    await asyncio.sleep(0)
    with pytest.raises(ConnectionEnds, match="closed the connection without an answer"):
        await caller.call(PingRequest())


async def test_a_silent_user_is_given_up() -> None:
    caller, _ = joined(Silent(), seconds=0.0)
    with pytest.raises(LinkError, match=r"accepts the connection but does not answer"):
        await caller.call(PingRequest())


async def test_after_hanging_up_nothing_is_heard() -> None:
    echo = Echo()
    caller, hearer = await greeted(echo)
    await caller.close()
    echo.transport.close()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert hearer.reasons == []
