"""Connections through a proxy in TCP mode: whom they belong to, and what is not believed."""

import struct
from typing import Any

import msgpack
import pytest

from scoville_server.limits.throttle import Rate
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.read_scheduler import ReadScheduler
from scoville_server.net.tcp import Security, TcpServer
from scoville_shared.networks import Proxies, parse_network, write_peer
from tests.server.net.doubles import HELLO, RecordingService, byes, codes, ping
from tests.server.net.tls.test_layer import CONTEXT, ELSEWHERE, SwitchLine, answers
from tests.support.clock import FakeClock
from tests.support.tls import TlsClient, shake_hands

PROXY, USER = "127.0.0.1", "203.0.113.9"
PROXIES = Proxies([parse_network(PROXY), parse_network("10.0.0.0/8")])
SIGNATURE = b"\r\n\r\n\x00\r\nQUIT\n"
TEXT = b"PROXY TCP4 203.0.113.9 192.0.2.1 50412 5757\r\n"
ADDRESSES = bytes([203, 0, 113, 9, 192, 0, 2, 1]) + struct.pack("!HH", 50412, 5757)
BINARY = SIGNATURE + struct.pack("!BBH", 0x21, 0x11, len(ADDRESSES)) + ADDRESSES
LOCAL = SIGNATURE + struct.pack("!BBH", 0x20, 0, 0)
HELLO_BYTES: bytes = msgpack.packb(HELLO)


class ProxiedPort:
    """A port behind a proxy on the same machine."""

    def __init__(self, limits: ConnectionLimits | None = None, **security: Any) -> None:
        self.service, self.clock = RecordingService(), FakeClock()
        self.limits = limits or ConnectionLimits()
        self.scheduler = ReadScheduler(self.limits, self.clock.server)
        given = Security(lambda: CONTEXT, proxies=PROXIES)._replace(**security)
        self.server = TcpServer(self.service, lambda _: False, self.scheduler, given)

    def connect(self, host: str = PROXY) -> SwitchLine:
        transport = SwitchLine(host)
        transport.connect(self.server._make_protocol(b"", write_peer(host, 5757)))
        return transport

    def by_tls(self, header: bytes) -> tuple[SwitchLine, TlsClient]:
        transport, client = self.connect(), TlsClient()
        transport.send(header)
        shake_hands(client, transport.send, transport.take)
        return transport, client


@pytest.mark.parametrize("header", [TEXT, BINARY])
async def test_users_have_the_address_that_the_proxy_names(header: bytes) -> None:
    port = ProxiedPort()
    transport, client = port.by_tls(header)
    transport.send(client.encrypted(HELLO, ping(1)))
    assert [m[:3] for m in answers(client, transport)] == [[1, 0, None], [1, 1, None]]
    assert port.service.peer.address == f"{USER}:50412"
    assert port.service.peer.network == USER  # type: ignore[attr-defined]
    assert port.service.peer.secure


@pytest.mark.parametrize("header", [TEXT, BINARY])
async def test_a_header_may_come_in_pieces_or_with_what_follows(header: bytes) -> None:
    hello = TlsClient().written()
    whole, pieces = ProxiedPort(), ProxiedPort()
    one, other = whole.connect(), pieces.connect()
    one.send(header + hello)
    for at in range(len(header)):
        assert pieces.server.connections == 0
        other.send(header[at : at + 1])
    other.send(hello)
    assert one.writes
    assert other.writes
    assert whole.service.peer.address == pieces.service.peer.address == f"{USER}:50412"


@pytest.mark.parametrize(
    "begin", [HELLO_BYTES, b"\x16\x03\x01\x00\x05", b"PROXY TCP4 nobody\r\n", SIGNATURE + b"\x31\x11\x00\x00"]
)
async def test_a_proxy_without_a_header_is_refused(begin: bytes) -> None:
    port = ProxiedPort(plain_text=True)
    transport = port.connect()
    transport.send(begin)
    assert (transport.ended, transport.writes, port.service.asked) == ("closed", [], [])
    transport.send(TEXT + HELLO_BYTES)  # what was on its way
    assert port.service.asked == []


@pytest.mark.parametrize("header", [TEXT, BINARY])
async def test_nobody_else_s_header_is_believed(header: bytes) -> None:
    port = ProxiedPort()
    transport = port.connect(ELSEWHERE)
    transport.send(header + HELLO_BYTES)
    assert (byes(transport), transport.ended, port.service.asked) == (["tls_required"], "closed", [])
    assert port.service.peer.address.startswith(ELSEWHERE)


@pytest.mark.parametrize("header", [TEXT, LOCAL, b"PROXY UNKNOWN\r\n", b"PROXY TCP4 127.0.0.1 127.0.0.1 5000 5757\r\n"])
async def test_through_a_proxy_nobody_is_on_this_machine(header: bytes) -> None:
    port = ProxiedPort()
    transport = port.connect()
    transport.send(header + HELLO_BYTES)
    assert byes(transport) == ["tls_required"]

    open_port = ProxiedPort(plain_text=True)
    transport = open_port.connect()
    transport.send(header + HELLO_BYTES)
    assert codes(transport) == [(0, None)]
    assert not open_port.service.peer.local


async def test_plain_text_of_this_machine_can_be_turned_off() -> None:
    port = ProxiedPort(proxies=None, local_plain_text=False)
    transport = port.connect()
    transport.send(HELLO_BYTES)
    assert byes(transport) == ["tls_required"]
    transport = ProxiedPort(proxies=None).connect()
    transport.send(HELLO_BYTES)
    assert codes(transport) == [(0, None)]


async def test_remote_plain_text_does_not_restore_local_plain_text() -> None:
    port = ProxiedPort(proxies=None, plain_text=True, local_plain_text=False)
    transport = port.connect()
    transport.send(HELLO_BYTES)
    assert byes(transport) == ["tls_required"], "a relay's users would send passwords in plain text"
    elsewhere = port.connect(ELSEWHERE)
    elsewhere.send(HELLO_BYTES)
    assert codes(elsewhere) == [(0, None)]


async def test_limits_count_the_user_and_not_the_proxy() -> None:
    port = ProxiedPort(ConnectionLimits(handshake_rate=Rate(2, 60.0)))

    def attempt(host: bytes) -> str:
        transport = port.connect()
        transport.send(b"PROXY TCP4 " + host + b" 192.0.2.1 5000 5757\r\n" + TlsClient().written())
        return transport.ended

    assert [attempt(b"203.0.113.9") for _ in range(3)] == ["", "", "closed"]
    assert attempt(b"203.0.113.10") == ""


async def test_a_header_that_does_not_come_is_not_waited_for() -> None:
    port = ProxiedPort(ConnectionLimits(total=2))
    first, second, third = (port.connect() for _ in range(3))
    assert (first.ended, second.ended, third.ended) == ("", "", "aborted")
    port.clock.advance(port.limits.handshake_seconds)
    assert (first.ended, second.ended) == ("aborted", "aborted")
    fourth = port.connect()
    fourth.send(TEXT)
    port.clock.advance(port.limits.handshake_seconds)
    assert fourth.ended == "", "from here on hello is waited for"


async def test_a_server_that_closes_ends_connections_without_a_header() -> None:
    port = ProxiedPort()
    waiting = port.connect()
    await port.server.close()
    assert waiting.ended == "aborted"
