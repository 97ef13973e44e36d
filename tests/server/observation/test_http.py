"""The responder for monitoring: what it refuses, whom it lets wait, and that the event loop may stand still."""

import asyncio
import random
import socket
import threading
from collections.abc import Iterator
from http import HTTPStatus

import pytest

from scoville_server.observation.metrics_settings import MetricsSettings
from scoville_server.observation.monitoring import Page, Responder, text_page
from tests.server.observation.scrape import request_page, send_bytes

BOUNDS = MetricsSettings(connections=12, connections_per_address=4, header_bytes=2_048, request_seconds=5.0)
LARGE = b"x" * 30_000_000
"""More than the buffers of the system take."""


class Time:
    """Monotonic seconds that a test advances."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def broken_page() -> Page:
    raise ZeroDivisionError("a secret")


class Port:
    """A responder with a few pages."""

    def __init__(self) -> None:
        self.now = Time()
        pages = {
            "/healthz": lambda: text_page(HTTPStatus.OK, "fine"),
            "/broken": broken_page,
            "/large": lambda: Page(HTTPStatus.OK, "text/plain", LARGE),
        }
        self.responder = Responder(BOUNDS, pages, self.now)
        self.port = self.responder.open_port("127.0.0.1", 0)


@pytest.fixture
def port() -> Iterator[Port]:
    port = Port()
    yield port
    port.responder.close_port()


def connect(port: Port, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port.port), source_address=(source, 0))


def is_cut(line: socket.socket) -> bool:
    """Wait for the end of a connection that gets no answer."""
    try:
        return line.recv(100) == b""
    except ConnectionError:
        return True


def is_answered(port: Port, source: str = "127.0.0.1") -> bool:
    with connect(port, source) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        return line.recv(15) == b"HTTP/1.1 200 OK"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
        (b"GET /healthz?verbose HTTP/1.1\r\nHost: LOCALHOST.:9757\r\n\r\n", 200),
        (b"GET /healthz HTTP/1.1\r\nhost: [::1]:9757\r\n\r\n", 200),
        (b"GET /healthz HTTP/1.0\r\n\r\n", 200),
        (b"GET /healthz HTTP/1.0\n\n", 200),
        (b"GET /healthz HTTP/1.1\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n", 400),
        (b"GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n", 400),
        (b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET\r\n\r\n", 400),
        (b"\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\r\n\r\n", 400),
        (b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nall of it", 405),
        (b"TRACE /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        (b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        (b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n", 421),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost.evil.example:9757\r\n\r\n", 421),
        (b"GET /../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /healthz/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /broken HTTP/1.1\r\nHost: localhost\r\n\r\n", 500),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 5_000, 431),
        (b"x" * 5_000, 431),
    ],
)
async def test_each_request_has_its_status(port: Port, data: bytes, status: int) -> None:
    found, body = await send_bytes(port.port, data)
    assert found == status
    assert "secret" not in body


async def test_head_has_no_body(port: Port) -> None:
    assert await request_page(port.port, "/healthz", method="HEAD") == (200, "")
    assert await request_page(port.port, "/healthz") == (200, "fine\n")


async def test_a_request_may_come_byte_by_byte(port: Port) -> None:
    with connect(port) as line:
        for byte in b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n":
            line.sendall(bytes([byte]))
        assert line.recv(15) == b"HTTP/1.1 200 OK"


def test_the_newest_connection_of_an_address_replaces_the_oldest(port: Port) -> None:
    lines = [connect(port) for _ in range(BOUNDS.connections_per_address)]
    newest = connect(port)
    assert is_cut(lines[0])
    assert is_answered(port)
    for line in (*lines, newest):
        line.close()


def test_a_full_port_drops_those_who_have_most(port: Port) -> None:
    lines = [connect(port, f"127.0.0.{10 + n // 4}") for n in range(BOUNDS.connections)]
    assert is_answered(port, "127.0.0.99")
    assert is_cut(lines[0])
    for line in lines:
        line.close()


def test_slow_clients_are_cut_off(port: Port) -> None:
    with connect(port) as silent, connect(port) as lazy:
        silent.sendall(b"GET /healthz HT")
        lazy.sendall(b"GET /large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        lazy.recv(10)
        port.now.seconds = 10.0
        assert is_answered(port)
        assert is_cut(silent)
        read = 0
        while data := lazy.recv(1_000_000):
            read += len(data)
        assert read < len(LARGE)


async def test_hostile_bytes_change_nothing(port: Port) -> None:
    chance = random.Random(4)
    whole = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n"
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.3:
            data = bytearray(chance.randbytes(chance.randint(1, 3_000)))
        with connect(port) as line:
            line.sendall(bytes(data))
            line.shutdown(socket.SHUT_WR)
            assert line.recv(9) in (b"HTTP/1.1 ", b"")
    assert is_answered(port)


async def test_it_answers_while_the_event_loop_stands_still(port: Port) -> None:
    # Called on the loop and blocking: nothing else of this process runs but the responder's own thread.
    assert is_answered(port)
    await asyncio.sleep(0)


def test_closing_ends_the_thread_and_the_port() -> None:
    port = Port()
    open_line = connect(port)
    port.responder.close_port()
    assert "monitoring" not in {thread.name for thread in threading.enumerate()}
    assert is_cut(open_line)
    with pytest.raises(ConnectionError):
        connect(port)
    open_line.close()
