"""Connections before HTTP: shares, time limits, PROXY headers and the door's own certificate."""

import asyncio
import re
import ssl
import struct
from pathlib import Path

import pytest

from scoville_client.doors.hosting.session_limits import CPU_OF_CONNECTION, CPU_OF_CONNECTION_RATE
from scoville_client.doors.web.certificate import DoorCertificate
from scoville_client.doors.web.options import FRAME_SECONDS, WebDoorOptions, WebLimits
from scoville_shared.networks import Proxies, parse_network
from tests.client.doors.web.browser import SECRET, Browser, Sessions, door
from tests.support.clock import FakeClock
from tests.support.idle import eventually, wait_until_idle
from tests.support.process import CROWD, connect_at_once
from tests.support.tls import write_certificate

BEHIND = WebDoorOptions(SECRET, proxies=Proxies([parse_network("127.0.0.1")]))
ASK = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


class Raw:
    """A connection that says what it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, port: int, tls: ssl.SSLContext | None = None) -> "Raw":
        return cls(*await asyncio.open_connection("127.0.0.1", port, ssl=tls))

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def status(self) -> bytes:
        """Return the status of the next response."""
        return (await self.reader.readline())[9:12]

    async def rest(self) -> None:
        """Read the rest of the response."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        (size,) = re.findall(rb"Content-Length: (\d+)", head)
        await self.reader.readexactly(int(size))

    async def is_closed(self) -> bool:
        """Return whether the other end closes, without a further answer."""
        try:
            return await self.reader.read(1) == b""
        except ConnectionError:
            return True
        finally:
            self.writer.close()


async def test_a_crowd_of_connections_waits_to_be_accepted() -> None:
    async with door(Sessions()) as served:
        assert connect_at_once(served.port) == CROWD


async def test_a_connection_that_says_nothing_is_closed() -> None:
    clock = FakeClock()
    async with door(Sessions(), clock=clock.clock) as served:
        silent, half = await Raw.open(served.port), await Raw.open(served.port)
        half.send(ASK[:20])
        await clock.elapse(14)
        half.send(ASK[20:30])
        await clock.elapse(2)
        assert await silent.is_closed()
        assert await half.is_closed()


async def test_between_two_requests_there_is_a_limit_too() -> None:
    clock = FakeClock()
    async with door(Sessions(), clock=clock.clock) as served:
        raw = await Raw.open(served.port)
        for _ in range(2):
            raw.send(ASK)
            assert await raw.status() == b"200"
            await raw.rest()
            await clock.elapse(10)
        await clock.elapse(10)
        assert await raw.is_closed()


async def test_an_open_page_has_no_limit_of_that_kind() -> None:
    clock, sessions = FakeClock(), Sessions()
    async with door(sessions, clock=clock.clock) as served, Browser(served.port) as browser:
        tab = await (await browser.open()).hello()
        await clock.elapse(1000)
        await tab.socket.send_bytes(b"x")
        assert await tab.output() == b"echo:x"


async def test_one_address_has_a_share_of_the_connections() -> None:
    options = WebDoorOptions(SECRET, limits=WebLimits(connections_each=3))
    async with door(Sessions(), options) as served:
        several = [await Raw.open(served.port) for _ in range(3)]
        several[0].send(ASK)
        assert await several[0].status() == b"200"
        assert await (await Raw.open(served.port)).is_closed()
        for raw in several:
            raw.writer.close()
            await raw.writer.wait_closed()


async def test_a_proxy_has_no_share_but_the_total_holds() -> None:
    options = BEHIND._replace(limits=WebLimits(connections_each=1, connections=3))
    async with door(Sessions(), options) as served:
        several = [await Raw.open(served.port) for _ in range(3)]
        for raw in several:
            raw.send(ASK)
            assert await raw.status() == b"200"
        assert await (await Raw.open(served.port)).is_closed()
        for raw in several:
            raw.writer.close()


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PROXY TCP4 198.51.100.1 192.0.2.1 5000 80\r\n" + ASK,
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 100 + b"\r\n",
        b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n",
        b"\x00" * 100 + b"\r\n\r\n",
    ],
)
async def test_bytes_without_http_are_refused(garbage: bytes) -> None:
    async with door(Sessions()) as served:
        raw = await Raw.open(served.port)
        raw.send(garbage)
        assert await raw.status() in {b"400", b"421", b""}
        raw.writer.close()


# --- PROXY headers ------------------------------------------------------------------------------------------


async def address_behind(header: bytes) -> str:
    """Return the address of a page that comes through a proxy with a header."""
    sessions = Sessions()
    async with door(sessions, BEHIND) as served, Browser(served.port) as browser:
        await browser.get()
        raw = await Raw.open(served.port)
        raw.send(
            header
            + f"GET /socket HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nCookie: {browser.cookie}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: MTIzNDU2Nzg5MDEyMzQ1Ng==\r\n\r\n".encode()
        )
        assert await raw.status() == b"101"
        await raw.reader.readuntil(b"\r\n\r\n")
        hello = b'{"type":"hello","columns":80,"rows":24}'
        raw.send(bytes([0x81, 0x80 | len(hello)]) + bytes(4) + hello)
        assert await raw.reader.readexactly(9) == b"\x82\x07welcome"
        raw.writer.close()
        return str(sessions.last.visit.address)


async def test_a_proxy_in_tcp_mode_says_who_asks() -> None:
    assert await address_behind(b"PROXY TCP4 198.51.100.1 192.0.2.1 5000 80\r\n") == "198.51.100.1"
    body = bytes([198, 51, 100, 2, 192, 0, 2, 1]) + struct.pack("!HH", 5000, 80)
    binary = b"\r\n\r\n\x00\r\nQUIT\n" + struct.pack("!BBH", 0x21, 0x11, len(body)) + body
    assert await address_behind(binary) == "198.51.100.2"
    assert await address_behind(b"") == "127.0.0.1"


async def test_a_bad_header_of_a_proxy_ends_the_connection() -> None:
    async with door(Sessions(), BEHIND) as served:
        raw = await Raw.open(served.port)
        raw.send(b"PROXY TCP4 nonsense\r\n" + ASK)
        assert await raw.is_closed()


# --- HTTPS --------------------------------------------------------------------------------------------------


async def test_the_door_s_own_certificate(tmp_path: Path) -> None:
    sessions = Sessions()
    options = WebDoorOptions(SECRET, tls=DoorCertificate(*write_certificate(tmp_path)))
    async with door(sessions, options) as served, Browser(served.port, scheme="https") as browser:
        _, headers, _ = await browser.get()
        assert headers["set-cookie"].startswith("__Host-scoville=")
        await (await browser.open()).hello()
        assert sessions.last.visit.secure


async def test_half_a_handshake_is_closed(tmp_path: Path) -> None:
    clock = FakeClock()
    options = WebDoorOptions(
        SECRET, tls=DoorCertificate(*write_certificate(tmp_path)), limits=WebLimits(connections_each=2)
    )
    async with door(Sessions(), options, clock.clock) as served:
        half, plain = await Raw.open(served.port), await Raw.open(served.port)
        half.send(b"\x16\x03\x01")
        plain.send(ASK)
        assert await plain.is_closed()
        await clock.elapse(20)
        assert await half.is_closed()


@pytest.mark.parametrize("kind", ["ping", "pong", "json"])
async def test_frames_of_all_kinds_are_answered_within_budget(kind: str) -> None:
    clock = FakeClock()
    sessions = Sessions()
    async with (
        door(sessions, clock=clock.clock) as served,
        Browser(served.port) as flood,
        Browser(served.port) as other,
    ):
        tab = await (await flood.open()).hello()
        may = round(CPU_OF_CONNECTION / FRAME_SECONDS)
        for _ in range(2 * may):
            if kind == "ping":
                await tab.socket.ping()
            elif kind == "pong":
                await tab.socket.pong()
            else:
                await tab.send(type="ping")
        await wait_until_idle()
        await tab.socket.send_bytes(b"key")
        await wait_until_idle()
        assert sessions.last.received == b""
        beside = await (await other.open()).hello()
        await beside.socket.send_bytes(b"key")
        assert await beside.output() == b"echo:key"
        await clock.elapse(2 * CPU_OF_CONNECTION / CPU_OF_CONNECTION_RATE)
        await eventually(lambda: sessions.opened[0].received == b"key")


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"NONSENSE\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : x\r\n\r\n",
    ],
)
async def test_a_malformed_request_is_not_told_what_answers(request_bytes: bytes) -> None:
    async with door(Sessions()) as served:
        raw = await Raw.open(served.port)
        raw.send(request_bytes)
        answer = await raw.reader.read()
        raw.writer.close()
    assert answer.startswith(b"HTTP/1.")
    assert b"Server: scoville" in answer
    for word in (b"aiohttp", b"Python", b"Traceback"):
        assert word not in answer
