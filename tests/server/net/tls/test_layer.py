"""TLS between a transport and the driver: handshakes, data, and everything that is not TLS."""

import gc
import ssl
import weakref
from typing import Any

import msgpack
import pytest

from scoville_runtime.clock import Clock
from scoville_server.identity import ServerKey
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.read_scheduler import ReadScheduler
from scoville_server.net.tcp import Security, TcpServer
from scoville_server.net.tls.context import server_context
from scoville_shared.errors import Code
from scoville_shared.networks import write_peer
from scoville_shared.protocol.messages import ByeNotice
from tests.server.net.doubles import HELLO, RecordingService, RecordingTransport, Ticking, byes, codes, ping, turn
from tests.support.clock import FakeClock
from tests.support.tls import TlsClient, any_certificate, shake_hands

KEY = ServerKey(bytes(range(32)))
CONTEXT = server_context(KEY)
ELSEWHERE, HERE = "192.0.2.7", "127.0.0.1"
BYE = ByeNotice(code=Code.RESTARTING, message="The server is restarting.")


class SwitchLine(RecordingTransport):
    """A transport that can be handed from one protocol to another; `taken` counts the bytes a client has received."""

    def __init__(self, host: str = ELSEWHERE) -> None:
        super().__init__(host)
        self._taken = 0

    def set_protocol(self, protocol: Any) -> None:
        self.protocol = protocol

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return _Socket() if name == "socket" else super().get_extra_info(name, default)

    def is_closing(self) -> bool:
        return bool(self.ended)

    def take(self) -> bytes:
        """The output since the last call."""
        data = b"".join(self.writes)[self._taken :]
        self._taken += len(data)
        return data

    def send(self, data: bytes) -> None:
        self.protocol.data_received(data)


class _Socket:
    def setsockopt(self, *_: object) -> None:
        pass


class Port:
    """A server's port without sockets."""

    def __init__(self, *, plain_text: bool = False, limits: ConnectionLimits | None = None, clock: Any = None) -> None:
        self.service = RecordingService()
        self.limits = limits or ConnectionLimits()
        self.scheduler = ReadScheduler(self.limits, clock or Clock(seconds=Ticking()))
        security = Security(lambda: CONTEXT, plain_text=plain_text)
        self.server = TcpServer(self.service, lambda _: False, self.scheduler, security)

    def connect(self, host: str = ELSEWHERE) -> SwitchLine:
        transport = SwitchLine(host)
        transport.connect(self.server._make_protocol(b"", write_peer(host, 5757)))
        return transport

    def by_tls(self, host: str = ELSEWHERE) -> tuple[SwitchLine, TlsClient]:
        transport, client = self.connect(host), TlsClient()
        shake_hands(client, transport.send, transport.take)
        return transport, client

    @property
    def unfinished(self) -> int:
        return len(self.server._tls.handshakes)  # type: ignore[union-attr]


def answers(client: TlsClient, transport: SwitchLine) -> list[Any]:
    unpacker = msgpack.Unpacker()
    unpacker.feed(client.read(transport.take()))
    return list(unpacker)


async def test_requests_are_answered_by_tls() -> None:
    port = Port()
    transport, client = port.by_tls()
    assert port.service.peer.secure
    transport.send(client.encrypted(HELLO, ping(1, "hi")))
    [welcome, pong] = answers(client, transport)
    assert welcome[:3] == [1, 0, None]
    assert pong == [1, 1, None, {"payload": "hi"}]
    assert client.ssl.version() == "TLSv1.3"


async def test_the_certificate_shows_the_server_s_key() -> None:
    from cryptography import x509

    _, client = Port().by_tls()
    found = x509.load_der_x509_certificate(client.ssl.getpeercert(binary_form=True) or b"")
    assert found.public_key().public_bytes_raw() == KEY.public  # type: ignore[union-attr]


@pytest.mark.parametrize("size", [1, 7, 64])
async def test_everything_may_arrive_in_pieces(size: int) -> None:
    port = Port()
    transport, client = port.connect(), TlsClient()

    def trickle(data: bytes) -> None:
        for at in range(0, len(data), size):
            transport.send(data[at : at + size])

    shake_hands(client, trickle, transport.take)
    trickle(client.encrypted(HELLO))
    assert answers(client, transport)[0][:3] == [1, 0, None]


async def test_a_request_may_end_the_handshake() -> None:
    transport, client = Port().connect(), TlsClient()
    transport.send(client.written())
    client.read(transport.take())
    transport.send(client.written() + client.encrypted(HELLO))
    assert answers(client, transport)[0][:3] == [1, 0, None]


async def test_long_messages_come_and_go_whole() -> None:
    port = Port()
    transport, client = port.by_tls()
    transport.send(client.encrypted(HELLO))
    answers(client, transport)
    many = [ping(n, "x" * 1000) for n in range(200)]
    transport.send(client.encrypted(*many))
    found = answers(client, transport)
    for _ in range(9):  # the server waits until the client has read
        transport.read_everything()
        found += answers(client, transport)
    assert [each[1] for each in found] == list(range(200))


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2])
async def test_older_versions_are_refused(version: ssl.TLSVersion) -> None:
    transport, client = Port().connect(), TlsClient(any_certificate(version))
    transport.send(client.written())
    client.read(transport.take())
    with pytest.raises(ssl.SSLError):
        client.written()
    assert transport.ended == "closed"


# --- plain text -----------------------------------------------------------------------------------------


async def test_plain_text_is_taken_from_this_machine() -> None:
    for host in (HERE, "::1", "127.8.9.10"):
        port = Port()
        transport = port.connect(host)
        transport.send(msgpack.packb(HELLO))
        assert codes(transport) == [(0, None)]
        assert not port.service.peer.secure


async def test_remote_plain_text_needs_the_hosts_consent() -> None:
    port = Port()
    transport = port.connect(ELSEWHERE)
    transport.send(msgpack.packb(HELLO))
    assert [(m[1], m[2][0]["code"]) for m in transport.messages()] == [("bye", "tls_required")]
    assert (transport.ended, port.service.asked) == ("closed", [])
    transport.send(msgpack.packb(HELLO))  # what was on its way
    assert port.service.asked == []

    transport = Port(plain_text=True).connect(ELSEWHERE)
    transport.send(msgpack.packb(HELLO))
    assert codes(transport) == [(0, None)]


# --- what is not TLS ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x02",
        b"\x16GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x00\x00",
        b"\x16\x03\x01\xff\xff" + b"x" * 100,
        b"\x16\x03\x01\x00\x05hello",
        b"\x16\x03\x01\x00\x04\x01\x00\x00\x00",
    ],
)
async def test_garbage_ends_the_connection(data: bytes) -> None:
    port = Port()
    transport = port.connect()
    transport.send(data)
    assert transport.ended == "closed"
    assert (port.unfinished, port.service.asked) == (0, [])
    transport.send(b"more")
    transport.protocol.connection_lost(None)
    assert port.service.closed_connections == 1


async def test_a_changed_byte_ends_the_connection() -> None:
    port = Port()
    transport, client = port.by_tls()
    data = bytearray(client.encrypted(HELLO))
    data[-1] ^= 1
    transport.send(bytes(data))
    assert (transport.ended, port.service.asked) == ("closed", [])


async def test_plain_text_inside_of_tls_ends_the_connection() -> None:
    port = Port()
    transport, _ = port.by_tls()
    transport.send(msgpack.packb(HELLO))
    assert (transport.ended, port.service.asked) == ("closed", [])


async def test_the_end_of_the_data_closes_the_connection() -> None:
    port = Port()
    transport, client = port.by_tls()
    transport.send(client.encrypted(HELLO) + client.end())
    assert answers(client, transport)[0][:3] == [1, 0, None]
    assert transport.ended == "closed"


async def test_a_truncated_connection_is_released() -> None:
    port = Port()
    transport, client = port.by_tls()
    transport.send(client.encrypted(HELLO)[:-5])
    transport.protocol.connection_lost(None)
    assert (port.service.closed_connections, port.service.asked) == (1, [])


async def test_a_goodbye_is_encrypted() -> None:
    port = Port()
    transport, client = port.by_tls()
    transport.send(client.encrypted(HELLO))
    port.service.peer.close()
    client.read(transport.take())
    assert client.ssl.read() == b""  # not a torn connection: the server's own end of the data
    assert transport.ended == "closed"


async def test_nothing_is_sent_behind_the_goodbye() -> None:
    port = Port()
    transport, client = port.by_tls()
    transport.send(client.encrypted(HELLO))
    port.service.peer.close()
    transport.protocol.write(b"late")
    client.read(transport.take())
    assert client.ssl.read() == b""


async def test_goodbye_before_the_handshake_is_said_in_plain_text() -> None:
    port = Port()
    transport = port.connect()
    transport.send(TlsClient().written()[:50])
    port.service.peer.close(BYE)
    assert (byes(transport), transport.ended) == ([Code.RESTARTING], "closed")


async def test_goodbye_during_the_handshake_follows_it() -> None:
    """The client takes the handshake for finished, and its hello is on its way: without a word it would be lost."""
    port = Port()
    transport, client = port.connect(), TlsClient()
    transport.send(client.written())
    client.read(transport.take())
    port.service.peer.close(BYE)
    assert (transport.take(), transport.ended) == (b"", "")

    transport.send(client.written() + client.encrypted(HELLO))
    unpacker = msgpack.Unpacker()
    unpacker.feed(client.read(transport.take()))
    assert [message[2][0]["code"] for message in unpacker] == [Code.RESTARTING]
    assert client.ssl.read() == b""  # the server's own end of the data
    assert (transport.ended, port.unfinished, port.service.asked) == ("closed", 0, [])


async def test_unfinished_handshake_does_not_delay_the_end() -> None:
    clock = FakeClock()
    port = Port(clock=clock.server)
    transport = port.connect()
    transport.send(TlsClient().written())
    port.service.peer.close(BYE)
    clock.advance(port.limits.closing_seconds)
    assert (transport.ended, port.unfinished) == ("aborted", 0)


async def test_lost_connections_are_freed_at_once() -> None:
    port = Port()
    transport, client = port.by_tls()
    transport.send(client.encrypted(HELLO))
    driver = weakref.ref(port.service.peer)
    del port.service.peer
    gc.disable()
    try:
        transport.protocol.connection_lost(None)
        assert transport.protocol._driver is None  # type: ignore[attr-defined]
        del transport, client
        other, guest = port.by_tls()
        other.send(guest.encrypted(HELLO))  # the scheduler knows the connection that was read last
        del port.service.peer
        await turn()
        assert driver() is None
    finally:
        gc.enable()


# --- floods ---------------------------------------------------------------------------------------------


async def test_a_handshake_has_a_time_limit() -> None:
    clock = FakeClock()
    port = Port(clock=clock.server)
    transports = [port.connect() for _ in range(2)]
    transports[0].send(b"\x16")
    hello = TlsClient()
    transports[1].send(hello.written())
    assert port.unfinished == 2
    clock.advance(port.limits.handshake_seconds)
    assert [transport.ended for transport in transports] == ["closed", "closed"]
    assert port.unfinished == 0


async def test_unfinished_handshakes_are_bounded_by_address() -> None:
    port = Port(limits=ConnectionLimits(handshakes=5, handshakes_per_address=3))
    flood = [port.connect("192.0.2.1") for _ in range(4)]
    for transport in flood:
        transport.send(TlsClient().written())
    assert [transport.ended for transport in flood] == ["aborted", "", "", ""]
    others = [port.connect(f"192.0.2.{n}") for n in range(2, 5)]
    for transport in others:
        transport.send(b"\x16")
    assert [transport.ended for transport in flood] == ["aborted", "aborted", "", ""]
    assert [transport.ended for transport in others] == ["", "", ""]
    assert port.unfinished == 5


async def test_a_finished_handshake_leaves_its_place() -> None:
    port = Port(limits=ConnectionLimits(handshakes=1))
    transports = [port.by_tls()[0] for _ in range(3)]
    assert [transport.ended for transport in transports] == ["", "", ""]
    assert port.unfinished == 0


async def test_handshakes_are_charged_and_queue_behind_others() -> None:
    """A busy network waits for its turn; another one is served at once."""
    port = Port()
    transport, client = port.connect("192.0.2.1"), TlsClient()
    port.scheduler.join_network("192.0.2.1:1").charge_use(0.0, 5.0)
    transport.send(client.written())
    assert transport.take() == b""  # queued
    other, guest = port.connect("198.51.100.1"), TlsClient()
    other.send(guest.written())
    assert other.take()
    await turn()
    client.read(transport.take())
    transport.send(client.written())
    assert client.open


async def test_a_handshake_is_charged() -> None:
    ticking = Ticking()
    port = Port(clock=Clock(seconds=ticking))
    transport = port.connect()
    network = port.scheduler.join_network(f"{ELSEWHERE}:1")
    before, ticking.step = network.until, 0.01
    transport.send(TlsClient().written())
    assert network.until > before + 0.01 / port.limits.share_of_network


async def test_half_a_client_hello_is_not_computed() -> None:
    port = Port()
    transport = port.connect()
    transport.send(TlsClient().written()[:-1])
    assert not hasattr(transport.protocol, "_ssl")
    assert port.unfinished == 1
