"""What docs/protocol.md says of connections, proved over TCP and over TLS: sockets, our own client is not in between.

Handlers have tests in one process; between them and a program stand the port, TLS and the driver, which have rules too.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgpack
import pytest
from msgspec.structs import replace

from scoville_runtime.clock import Clock
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import METHODS
from tests.support.clock import FakeClock
from tests.support.server import CHEAP_HASHING, toy_server
from tests.support.tls import any_certificate

SETTINGS = Settings(host="127.0.0.1", port=0, accounts=CHEAP_HASHING, local_plain_text=True)
WAYS = pytest.mark.parametrize("way", ["tcp", "tls"])


class Program:
    """A program that speaks the protocol by a MessagePack library alone."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._messages = msgpack.Unpacker()

    def send(self, *messages: Any) -> None:
        """Send messages, or bytes as they are."""
        self._writer.write(b"".join(m if isinstance(m, bytes) else msgpack.packb(m) for m in messages))

    async def receive(self) -> list[Any]:
        """The next message; an empty list at the end."""
        while True:
            for message in self._messages:
                return list(message)
            data = await self._reader.read(65_536)
            if not data:
                return []
            self._messages.feed(data)

    async def call(self, method: Any, *params: Any, msgid: int = 7) -> tuple[str | None, Any]:
        """Send a request, and return the code of its error, or None, and the result; notices are passed over."""
        self.send([0, msgid, method, list(params)])
        while (answer := await self.receive()) and answer[:2] != [1, msgid]:
            assert answer[0] == 2, answer
        return (answer[2]["code"], None) if answer[2] is not None else (None, answer[3])

    async def hello(self, **params: Any) -> Any:
        """Say hello; returns the welcome."""
        code, welcome = await self.call("hello", {"protocol": 1, **params})
        assert code is None
        return welcome

    async def bye(self) -> str:
        """Wait for the end; returns the code of the goodbye."""
        code = ""
        while message := await self.receive():
            if message[:2] == [2, "bye"]:
                code = message[2][0]["code"]
        return code

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()


class Served:
    """A server on a port, and the programs that have connected to it."""

    def __init__(self, port: int, way: str) -> None:
        self._port, self._way = port, way
        self._programs: list[Program] = []

    async def connect(self) -> Program:
        """Connect another program."""
        context = any_certificate() if self._way == "tls" else None
        program = Program(*await asyncio.open_connection("127.0.0.1", self._port, ssl=context))
        self._programs.append(program)
        return program

    def close(self) -> None:
        """Close what the programs have left open."""
        for program in self._programs:
            program.close()


@asynccontextmanager
async def served(way: str, clock: Clock | None = None) -> AsyncIterator[Served]:
    """Serve toy games; a test over TLS turns plain text off, so that it cannot pass without."""
    server = toy_server(replace(SETTINGS, local_plain_text=way == "tcp"), clock=clock)
    await server.start()
    port = Served(server.port, way)
    try:
        yield port
    finally:
        port.close()
        await server.close()


@WAYS
async def test_a_ping_is_the_only_request_before_hello(way: str) -> None:
    async with served(way) as port:
        program = await port.connect()
        assert await program.call("ping", {"payload": "there?"}) == (None, {"payload": "there?"})
        for method in METHODS.keys() - {"hello", "ping"}:
            code, _ = await program.call(method)
            assert code in {"hello_first", "bad_params"}, method
        assert (await program.call("table.list"))[0] == "hello_first"
        assert (await program.call("table.dance"))[0] == "unknown_method"
        assert (await program.call("hello", {"protocol": 1, "colour": "red"}))[0] == "bad_params"
        assert (await program.hello(name="Anna"))["name"] == "Anna"
        assert (await program.call("table.list"))[0] is None


@WAYS
async def test_params_are_nothing_nil_or_one_map(way: str) -> None:
    async with served(way) as port:
        program = await port.connect()
        await program.hello()
        for params in ([], [{}], None):
            program.send([0, 9, "ping", params])
            assert await program.receive() == [1, 9, None, {"payload": ""}]
        for params in ([7], [{}, {}], [{"payload": 7}], [{"pay": "x"}], [{"payload": "x" * 1_025}]):
            code, _ = await program.call("ping", *params)
            assert code == "bad_params", params
        assert (await program.call(b"ping"))[0] == "bad_frame", "the method is text"
        assert await program.call("ping") == (None, {"payload": ""}), "no error ends a connection"


@WAYS
async def test_requests_may_overlap_with_any_number(way: str) -> None:
    async with served(way) as port:
        program = await port.connect()
        await program.hello()
        numbers = [0, 1, 127, 65_536, 4_294_967_295]
        program.send(*([0, number, "ping", []] for number in numbers))
        assert sorted([(await program.receive())[1] for _ in numbers]) == numbers
        program.send(b"\x94\xd3" + bytes(8) + b"\xcf" + bytes(7) + b"\x05" + msgpack.packb("ping") + b"\x90")
        assert (await program.receive())[1] == 5, "integers of any width"


@WAYS
async def test_notifications_are_ignored_until_there_are_too_many(way: str) -> None:
    async with served(way) as port:
        program = await port.connect()
        await program.hello()
        program.send(*[[2, "ping", []]] * 120)
        assert await program.call("ping") == (None, {"payload": ""})
        program.send([2, "ping", []])
        assert await program.bye() == "too_many"


@WAYS
@pytest.mark.parametrize(
    ("message", "code"),
    [
        ([1, 1, None, {}], "bad_frame"),
        ([3], "bad_frame"),
        ("hello", "bad_frame"),
        (b"\xc1", "bad_frame"),
        (b"\xdb\x00\x01\x00\x01", "frame_too_large"),
    ],
)
async def test_other_messages_end_the_connection(way: str, message: Any, code: str) -> None:
    async with served(way) as port:
        program = await port.connect()
        await program.hello()
        program.send(message)
        assert await program.bye() == code


@WAYS
async def test_other_versions_learn_what_to_install(way: str) -> None:
    async with served(way) as port:
        program = await port.connect()
        assert (await program.call("hello", {"protocol": 0}))[0] == "upgrade_client"
        assert (await program.call("hello", {"protocol": 2, "colour": "red"}))[0] == "upgrade_server"
        await program.hello()
        assert (await program.call("hello", {"protocol": 1}))[0] == "bad_params", "a second one"


@WAYS
async def test_a_token_leads_back_and_the_older_connection_ends(way: str) -> None:
    async with served(way) as port:
        first, second, third = [await port.connect() for _ in range(3)]
        welcome = await first.hello(name="Anna")
        again = await second.hello(token=welcome["token"])
        assert (again["resumed"], again["name"]) == (True, "Anna")
        assert again["token"] != welcome["token"]
        assert await first.bye() == "taken_over"
        assert not (await third.hello(token="0" * 64))["resumed"]


@WAYS
async def test_an_old_token_ends_its_session(way: str) -> None:
    async with served(way) as port:
        programs = [await port.connect() for _ in range(4)]
        tokens = [(await programs[0].hello(name="Anna"))["token"]]
        for program in programs[1:3]:
            tokens.append((await program.hello(token=tokens[-1]))["token"])
        thief = await programs[3].hello(token=tokens[0])
        assert (thief["resumed"], thief["token_reused"]) == (False, True)
        assert await programs[2].bye() == "token_reused"


@WAYS
async def test_hello_comes_in_time(way: str) -> None:
    clock = FakeClock()
    async with served(way, clock.server) as port:
        program = await port.connect()
        assert await program.call("ping") == (None, {"payload": ""})
        clock.advance(10)
        assert await program.bye() == "hello_first"


@WAYS
async def test_pending_requests_are_bounded(way: str) -> None:
    async with served(way) as port:
        program = await port.connect()
        await program.hello()
        [_, made] = await program.call("table.create", {"game": "heap", "seat_count": 2})
        table = made["info"]["table"]
        poll = {"table": table, "since": 1 << 30, "wait_ms": 20_000}
        program.send(*([0, number, "table.poll", [poll]] for number in range(100, 133)))
        [_, number, error, _] = await program.receive()
        assert (number, error["code"]) == (132, "too_many")
        assert (await program.call("ping"))[0] == "too_many"


@WAYS
async def test_no_connection_is_made_without_what_the_host_wants(way: str) -> None:
    server = toy_server(replace(SETTINGS, local_plain_text=False))
    await server.start()
    try:
        port = Served(server.port, way)
        program = await port.connect()
        if way == "tls":
            await program.hello()
        else:
            program.send([0, 1, "hello", [{"protocol": 1}]])
            assert await program.bye() == "tls_required"
        port.close()
    finally:
        await server.close()
