"""What TLS records cost: new keys, tiny ones, half ones, and those behind a handshake."""

import asyncio
from typing import Any

import msgpack
import pytest

from scoville_runtime.clock import Clock
from scoville_server.limits.throttle import Rate
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.tls.layer import TlsEngine
from tests.server.net.doubles import HELLO, Ticking, byes, ping, turn
from tests.server.net.tls.test_layer import ELSEWHERE, Port, SwitchLine
from tests.support.clock import FakeClock
from tests.support.tls import (
    ALERT,
    CHANGE_CIPHER_SPEC,
    CLIENT_HELLO,
    HANDSHAKE,
    RecordingClient,
    RecordWriter,
    TlsClient,
    plain_record,
)
from tests.support.virtual_time import in_virtual_time

STEP = 0.00001
"""Seconds by which the clock of these tests advances each time it is read, which happens once for each record."""
NEIGHBOUR = "198.51.100.9"
PATIENT = ConnectionLimits(silent_records=1_000_000)


class Attacked:
    """A port, an attacker's connection by TLS, and one of a neighbour who was active lately."""

    def __init__(self, limits: ConnectionLimits | None = None) -> None:
        self.loop, self.clock = asyncio.get_running_loop(), Ticking()
        self.port = Port(limits=limits, clock=Clock(seconds=self.now))
        self.neighbour, _ = self.port.by_tls(NEIGHBOUR)
        self.transport = self.port.connect()
        self.client = RecordingClient()
        self.writer = self.client.shake_hands(self.transport.send, self.transport.take)
        self.transport.send(self.writer.record(msgpack.packb(HELLO)))
        self.answers()
        self.clock.step = STEP

    def now(self) -> float:
        return self.loop.time() + self.clock()

    def answers(self) -> list[Any]:
        unpacker = msgpack.Unpacker()
        unpacker.feed(self.client.read(self.transport.take()))
        return list(unpacker)

    @property
    def charged_until(self) -> float:
        return self.port.scheduler.join_network(ELSEWHERE + ":1").until

    @property
    def asked(self) -> int:
        return len(self.port.service.asked)


def key_updates(writer: RecordWriter, number: int, *, asks: bool = False) -> bytes:
    return b"".join(writer.key_update(asks=asks) for _ in range(number))


@in_virtual_time
async def test_ten_thousand_new_keys_end_their_turn_and_are_charged() -> None:
    attacked = Attacked(PATIENT)
    began, charged = attacked.now(), attacked.charged_until

    attacked.transport.send(key_updates(attacked.writer, 10_000))

    assert attacked.now() - began < 2 * PATIENT.turn_seconds, "a turn's length, not that of ten thousand new keys"
    assert not attacked.transport.reading, "the system holds what comes next"
    assert attacked.charged_until > charged
    assert not attacked.transport.ended


@in_virtual_time
async def test_new_keys_beyond_all_need_end_the_connection() -> None:
    attacked = Attacked()

    attacked.transport.send(key_updates(attacked.writer, 10_000))
    await asyncio.sleep(1)

    assert [(m[1], m[2][0]["code"]) for m in attacked.answers()] == [("bye", "too_many")]
    assert attacked.transport.ended == "closed"


@pytest.mark.parametrize("asks", [False, True])
@in_virtual_time
async def test_a_client_may_change_its_key_now_and_then(asks: bool) -> None:
    attacked = Attacked()

    for number in range(1, 9):
        attacked.transport.send(attacked.writer.key_update(asks=asks))
        attacked.transport.send(attacked.writer.record(msgpack.packb(ping(number))))
        await turn()
        assert [m[:2] for m in attacked.answers()] == [[1, number]]


@in_virtual_time
async def test_key_updates_may_come_in_pieces_with_requests() -> None:
    attacked = Attacked()
    stream = b"".join(
        attacked.writer.record(msgpack.packb(ping(n))) + attacked.writer.key_update() for n in range(1, 9)
    )

    for at in range(0, len(stream), 50):
        attacked.transport.send(stream[at : at + 50])
        await turn()

    assert [m[1] for m in attacked.answers()] == list(range(1, 9))


async def test_new_keys_count_for_a_minute() -> None:
    clock = FakeClock()
    port = Port(limits=ConnectionLimits(silent_records=2), clock=clock.server)
    transport, client = port.connect(), RecordingClient()
    writer = client.shake_hands(transport.send, transport.take)
    transport.send(writer.record(msgpack.packb(HELLO)))
    for _ in range(3):
        transport.send(key_updates(writer, 2))
        assert not transport.ended
        clock.advance(60)
    transport.send(key_updates(writer, 3))
    assert transport.ended == "closed"


async def test_input_behind_a_handshake_is_read_in_portions() -> None:
    clock = Ticking()
    port = Port(limits=PATIENT, clock=Clock(seconds=clock))
    transport, client, sent = port.connect(), RecordingClient(), []
    writer = client.shake_hands(lambda data: sent.append(data) or _pass_on(transport, sent), transport.take)  # type: ignore[func-returns-value]
    clock.step = STEP

    transport.send(sent[-1] + key_updates(writer, 10_000))

    assert clock.seconds < 2 * PATIENT.turn_seconds
    assert not transport.reading


def _pass_on(transport: SwitchLine, sent: list[bytes]) -> None:
    """Pass on the ClientHello, and keep the end of the handshake back."""
    if len(sent) == 1:
        transport.send(sent[0])


@in_virtual_time
async def test_tiny_records_end_their_turn() -> None:
    attacked = Attacked()
    message = msgpack.packb(ping(1, "x" * 50))
    tiny = [attacked.writer.record(bytes([each])) for each in message * 100]
    before = attacked.now()

    attacked.transport.send(b"".join(tiny))

    assert attacked.now() - before < 3 * attacked.port.limits.turn_seconds
    assert attacked.asked < 100
    await asyncio.sleep(5)
    assert attacked.asked == 1 + 100
    assert not attacked.transport.ended


@in_virtual_time
async def test_nothing_is_decrypted_for_a_client_that_does_not_read() -> None:
    attacked = Attacked(ConnectionLimits(unsent_pause=2_000))
    stream = b"".join(attacked.writer.record(msgpack.packb(ping(n, "x" * 900))) for n in range(100))

    attacked.transport.send(stream)
    await turn()

    assert not attacked.transport.reading
    assert attacked.asked < 20
    assert attacked.port.service.peer.buffered_bytes > 80_000, "what waits counts as memory of the connection"  # type: ignore[attr-defined]
    for _ in range(200):
        attacked.transport.read_everything()
        await asyncio.sleep(0.1)
    assert len(attacked.answers()) == 100


@in_virtual_time
async def test_bytes_of_half_a_record_are_charged_and_wait() -> None:
    attacked = Attacked()
    attacked.transport.send(b"\x17\x03\x03\x40\x00")
    for _ in range(10_000):
        if not attacked.transport.reading:
            break
        attacked.transport.send(b"\x00")
    assert not attacked.transport.reading
    assert attacked.charged_until > attacked.now()


@in_virtual_time
async def test_bytes_of_half_a_client_hello_are_charged_and_wait() -> None:
    attacked = Attacked()
    hello = TlsClient().written()
    for other in [attacked.port.connect() for _ in range(20)]:
        for at in range(len(hello) - 1):
            if other.reading:
                other.send(hello[at : at + 1])
    assert not other.reading
    assert attacked.charged_until > attacked.now()


@pytest.mark.parametrize(
    ("content", "kind"), [(b"\x01\x5a", ALERT), (CLIENT_HELLO, HANDSHAKE), (b"\x18\x00", HANDSHAKE), (b"", HANDSHAKE)]
)
@in_virtual_time
async def test_records_without_data_end_the_connection_soon(content: bytes, kind: int) -> None:
    attacked = Attacked()
    for _ in range(30):
        if not attacked.transport.ended:
            attacked.transport.send(attacked.writer.record(content, kind))
            await turn()
    assert attacked.transport.ended == "closed"


async def test_a_handshake_has_few_records() -> None:
    port = Port()
    transport = port.connect()
    transport.send(TlsClient().written())
    transport.send(plain_record(b"\x01", CHANGE_CIPHER_SPEC) * 1_000)
    assert transport.ended == "closed"
    assert port.unfinished == 0


async def test_an_address_begins_few_handshakes_a_minute() -> None:
    clock = FakeClock()
    port = Port(limits=ConnectionLimits(handshake_rate=Rate(3, 60.0)), clock=clock.server)

    def attempt(host: str) -> list[str]:
        transport = port.connect(host)
        transport.send(TlsClient().written())
        return [transport.ended, *(byes(transport) if transport.ended else [])]

    assert [attempt("192.0.2.1") for _ in range(5)] == [[""]] * 3 + [["closed", "busy"]] * 2, "in plain text"
    assert attempt("192.0.2.2") == [""]
    assert [attempt(f"2001:db8:1:2::{n}") for n in range(4)][-1] == ["closed", "busy"], "one /64"
    clock.advance(20)
    assert attempt("192.0.2.1") == [""]


@in_virtual_time
async def test_many_networks_shake_hands_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has used nothing yet; a hundred handshakes in one turn of the loop would take a tenth of a second."""
    worked = 0.0
    shake = TlsEngine.shake_hands

    def work(engine: TlsEngine, record: bytes) -> bool:
        nonlocal worked
        worked += 0.001
        return shake(engine, record)

    monkeypatch.setattr(TlsEngine, "shake_hands", work)
    loop = asyncio.get_running_loop()
    port = Port(clock=Clock(seconds=lambda: loop.time() + worked))
    hello, crowd = TlsClient().written(), [port.connect(f"192.0.2.{n}") for n in range(100)]

    for transport in crowd:
        transport.send(hello)

    assert 1 <= sum(bool(transport.writes) for transport in crowd) <= 3
    await asyncio.sleep(1)
    assert all(transport.writes for transport in crowd)
