"""A server that refuses in plain text before TLS: the client shows the refusal as unproven."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import msgpack
import pytest

from scoville_client.session.session import Session
from scoville_client.transport.address import Address
from scoville_client.transport.base import DeafListener, LinkError, NobodyServes, WrongServer
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.tls import Places, TlsLink
from scoville_server.net.limits import ConnectionLimits
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.client.transport.test_tls import KEY, LOCAL, connected, serving


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
    with pytest.raises(NobodyServes):
        await TlsLink(Address(LOCAL, gone), known).open(DeafListener())
    async with blurting(goodbye("busy")) as full:
        places = [Address(LOCAL, port) for port in ((full, gone) if full_first else (gone, full))]
        with pytest.raises(LinkError) as refused:
            await TlsLink(places[0], known, places=Places(places[0], places[1:])).open(DeafListener())
    assert not isinstance(refused.value, NobodyServes)


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
