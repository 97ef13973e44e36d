"""Refusals in plain text of connections whose handshake has not begun."""

from scoville_server.net.connection_limits import ConnectionLimits
from tests.server.net.doubles import byes
from tests.server.net.tls.test_layer import Port
from tests.support.clock import FakeClock
from tests.support.tls import TlsClient


async def test_a_queued_handshake_is_refused_in_plain_text() -> None:
    port = Port(limits=ConnectionLimits(handshakes_per_address=1))
    port.scheduler.join_network("192.0.2.1:1").charge_use(0.0, 5.0)
    lines = [port.connect("192.0.2.1") for _ in range(2)]
    for line in lines:
        line.send(TlsClient().written())
    assert [line.ended for line in lines] == ["closed", ""]
    assert byes(lines[0]) == ["busy"]
    assert lines[1].take() == b""


async def test_a_late_queued_handshake_is_refused_in_plain_text() -> None:
    clock = FakeClock()
    port = Port(clock=clock.server)
    port.scheduler.join_network("192.0.2.1:1").charge_use(0.0, 5.0)
    waiting, half = port.connect("192.0.2.1"), port.connect("192.0.2.1")
    waiting.send(TlsClient().written())
    half.send(TlsClient().written()[:20])
    clock.advance(port.limits.handshake_seconds)
    assert [waiting.ended, half.ended] == ["closed", "closed"]
    assert byes(waiting) == ["busy"]
    assert half.take() == b""
