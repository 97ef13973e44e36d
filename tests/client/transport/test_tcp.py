"""Connecting over TCP; every failure is one sentence."""

import asyncio
import socket

import pytest

from scoville_client.session.session import Session
from scoville_client.transport.base import LinkError
from scoville_client.transport.tcp import TcpLink


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


async def test_nobody_at_the_address() -> None:
    port = free_port()
    with pytest.raises(LinkError, match=rf"^No server answers at 127\.0\.0\.1:{port}\. Is it running\?$"):
        await Session().connect(TcpLink("127.0.0.1", port))


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 64 + ".example", "a..b"])
async def test_no_such_host(host: str) -> None:
    with pytest.raises(LinkError, match=r"^There is no computer called '"):
        await Session().connect(TcpLink(host, 5757))


@pytest.mark.parametrize("junk", [b"SSH-2.0-OpenSSH_9.9\r\n", b"\xc1\xff\x00" * 9, b"\x93\x01\x07"], ids=repr)
async def test_garbage_behind_the_port(junk: bytes) -> None:
    over = asyncio.Event()

    async def blurt(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(junk)
        writer.write_eof()
        await reader.read()
        writer.close()
        await writer.wait_closed()
        over.set()

    server = await asyncio.start_server(blurt, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        session = Session()
        with pytest.raises(LinkError, match="Scoville server"):
            await session.connect(TcpLink("127.0.0.1", port))
        assert session.connection.offline
        await over.wait()
