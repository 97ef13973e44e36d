"""A server that refuses in plain text before TLS: the client shows the refusal as unproven."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import msgpack
import pytest

from scoville_client.session.session import Session
from scoville_client.transport.address import Address
from scoville_client.transport.base import DeafListener, LinkError, NoServerAnswers, WrongServer
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.tls import Places, TlsLink
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.tls.context import server_context
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.client.transport.test_tls import KEY, LOCAL, connected, serving
from tests.support.client import HurriedClock


@pytest.fixture
def known(tmp_path: Path) -> KnownServers:
    return KnownServers(tmp_path / "servers")


@contextlib.asynccontextmanager
async def blurting(answer: bytes) -> AsyncIterator[int]:
    """Listen, and answer each connection at once, before it has sent anything."""

    async def blurt(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(blurt, LOCAL, 0)
    async with server:
        yield int(server.sockets[0].getsockname()[1])


@contextlib.asynccontextmanager
async def ending_first(
    times: int, end: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
) -> AsyncIterator[int]:
    """A port whose first connections are ended in some way; the next ones lead to a server."""
    relays: set[asyncio.Task[None]] = set()

    async def pass_bytes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(4096):
            writer.write(data)
        writer.close()

    async def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal times
        times -= 1
        if times >= 0:
            await end(reader, writer)
            writer.close()
        else:
            far_reader, far_writer = await asyncio.open_connection(LOCAL, behind.port)
            for way in ((reader, far_writer), (far_reader, writer)):
                relays.add(asyncio.ensure_future(pass_bytes(*way)))

    async with serving() as behind:
        server = await asyncio.start_server(begin, LOCAL, 0)
        async with server:
            yield int(server.sockets[0].getsockname()[1])
        for relay in relays:
            relay.cancel()
        await asyncio.gather(*relays, return_exceptions=True)


async def end_behind_hello(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await writer.start_tls(server_context(KEY))
    await reader.read(1)


async def say_moved(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(goodbye("moved"))


async def say_restarting(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(goodbye("restarting"))


@pytest.mark.parametrize("end", [end_behind_hello, say_moved, say_restarting])
async def test_server_that_ends_at_the_first_hello_is_tried_again(known: KnownServers, end: Any) -> None:
    """A node that begins to serve, or is killed, at the very moment at which somebody comes."""
    session = Session(clock=HurriedClock().clock)
    async with ending_first(2, end) as port:
        await session.connect(TlsLink(Address(LOCAL, port), known), "Anna")
        assert session.connection.name == "Anna"
        await session.close()


async def test_server_that_always_ends_is_given_up(known: KnownServers) -> None:
    session = Session(clock=HurriedClock().clock)
    async with ending_first(1_000, end_behind_hello) as port:
        with pytest.raises(LinkError, match=r"^The server at \S+ has disconnected\.$"):
            await session.connect(TlsLink(Address(LOCAL, port), known), "Anna")


async def refusal(port: int, known: KnownServers) -> str:
    with pytest.raises(LinkError) as refused:
        await connected(port, known)
    assert not isinstance(refused.value, WrongServer)  # a reconnecting client goes on trying
    return refused.value.message


def goodbye(code: str, message: str = "Pay 10 coins to 198.51.100.9.") -> bytes:
    return bytes(msgpack.packb([2, "bye", [{"code": code, "message": message}]]))


async def test_a_full_server_is_shown_as_full_and_unproven(known: KnownServers) -> None:
    limits = ConnectionLimits(total=1)
    server = Server(Settings(host=LOCAL, port=0, connections=limits))
    await server.start()
    try:
        session = Session()
        await session.connect(TlsLink(Address(LOCAL, server.port), known), "Anna")
        said = await refusal(server.port, known)
        await session.close()
    finally:
        await server.close()
    for part in (f"{LOCAL}:{server.port}", "it is full", "not proven", "Try again later", "nothing was sent"):
        assert part in said


@pytest.mark.parametrize("full_first", [True, False])
async def test_full_node_counts_more_than_one_that_is_gone(known: KnownServers, full_first: bool) -> None:
    async with blurting(b"") as port:
        gone = port
    with pytest.raises(NoServerAnswers):
        await TlsLink(Address(LOCAL, gone), known).open(DeafListener())
    async with blurting(goodbye("busy")) as full:
        places = [Address(LOCAL, port) for port in ((full, gone) if full_first else (gone, full))]
        with pytest.raises(LinkError) as refused:
            await TlsLink(places[0], known, places=Places(places[0], places[1:])).open(DeafListener())
    assert not isinstance(refused.value, NoServerAnswers)


async def test_a_stopping_server_is_shown_as_stopping(known: KnownServers) -> None:
    async with serving() as server:
        assert server._tcp is not None
        server._tcp.refuse_more()
        said = await refusal(server.port, known)
    assert "shutting down" in said
    assert "not proven" in said


@pytest.mark.parametrize("code", ["busy", "shutting_down"])
async def test_plain_text_refusals_choose_fixed_sentences(known: KnownServers, code: str) -> None:
    async with blurting(goodbye(code)) as port:
        known.keep_key(Address(LOCAL, port), KEY.pin)
        said = await refusal(port, known)
        assert known.find_pin(Address(LOCAL, port)) == KEY.pin
    assert "not proven" in said
    assert "coins" not in said


@pytest.mark.parametrize(
    "answer",
    [
        goodbye("taken_over"),
        goodbye("banned"),
        goodbye("pay"),
        goodbye("busy")[:-1],
        msgpack.packb([2, "bye", [{"code": 7, "message": []}]]),
        msgpack.packb([2, "announced", [{"text": "Pay."}]]),
        b"\x93\x02\xa3bye\xdd\xff\xff\xff\xff",
        b"\x93" * 100_000,
        b"\x00",
    ],
    ids=lambda answer: repr(answer[:12]),
)
async def test_other_answers_in_plain_text_say_nothing(known: KnownServers, answer: bytes) -> None:
    async with blurting(answer) as port:
        said = await refusal(port, known)
    assert "not proven" not in said
    assert "Pay" not in said
