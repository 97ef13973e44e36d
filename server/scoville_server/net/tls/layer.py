"""TLS below a connection driver: a protocol for the socket's transport, and a transport for the driver."""

import asyncio
import logging
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

from scoville_server.clock import Alarm
from scoville_server.net.read_scheduler import Meter, Network, ReadScheduler, charge
from scoville_server.net.tls.engine import RECORD, TlsEngine
from scoville_server.net.tls.handshakes import Handshakes
from scoville_server.net.tls.wrapped import WrappedTransport
from scoville_shared.errors import Code
from scoville_shared.protocol.connection import ServerConnection
from scoville_shared.protocol.messages import ByeNotice

_TOO_MANY_HANDSHAKES = ByeNotice(code=Code.BUSY, message="Too many connections are being opened; try again later.")
_logger = logging.getLogger(__name__)

HANDSHAKE: Final = 0x16
"""The first byte of TLS: a record of the handshake. No message of the protocol begins with it."""
_HEADER: Final = 5


class Driver(Protocol):
    """The driver above the layer."""

    meter: Meter

    @property
    def shared_meter(self) -> Network:
        """The meter of the connection's network."""

    @property
    def network(self) -> str:
        """The network that the client comes from."""

    @property
    def address(self) -> str:
        """Where the client comes from."""

    def start_tls(self, layer: "TlsLayer") -> None:
        """Use a layer as the transport from now on."""

    def data_received(self, data: bytes) -> None:
        """Read decrypted bytes."""

    def pause_writing(self) -> None:
        """Write nothing more for now."""

    def resume_writing(self) -> None:
        """Write again."""

    def connection_lost(self, reason: Exception | None) -> None:
        """Release everything."""


class Tls:
    """State that a server's connections share: the TLS settings, and the unfinished handshakes."""

    def __init__(self, context: ssl.SSLContext, scheduler: ReadScheduler) -> None:
        self.context = context
        self.scheduler = scheduler
        self.handshakes = Handshakes(scheduler.limits)


class TlsLayer(WrappedTransport, asyncio.Protocol):
    """One connection's TLS.

    A handshake costs about a millisecond. It is charged to the connection and its network like requests, and waits in
    the same queue when the network has used much.
    """

    __slots__ = (
        "_beginning",
        "_deadline",
        "_driver",
        "_engine",
        "_open",
        "_queued",
        "_tls",
        "meter",
        "network",
    )

    def __init__(self, transport: asyncio.Transport, driver: Driver, tls: Tls) -> None:
        super().__init__(transport)
        self._driver: Driver | None = driver
        self._tls = tls
        self.meter = driver.meter
        self.network = driver.network
        self._beginning: bytearray | None = bytearray()
        """The ClientHello, until all of it is there; nothing is computed for half of one."""
        self._engine: TlsEngine | None = None
        self._open = self._queued = False
        seconds = tls.scheduler.limits.handshake_seconds
        self._deadline: Alarm | None = tls.scheduler.clock.call_later(seconds, self._late)
        driver.start_tls(self)
        tls.handshakes.began(self)

    # --- callbacks of the socket's transport --------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Decrypt, or go on with the handshake."""
        if self._open and self._engine is not None:
            self._read(self._engine, data)
        elif self._beginning is not None:
            self._beginning += data
            self._begin_when_whole(self._beginning)
        elif not self._transport.is_closing():
            self._timed(lambda: self._shake(data))

    def pause_writing(self) -> None:
        """Pass it on to the driver."""
        if self._driver is not None:
            self._driver.pause_writing()

    def resume_writing(self) -> None:
        """Pass it on to the driver."""
        if self._driver is not None:
            self._driver.resume_writing()

    def connection_lost(self, reason: Exception | None) -> None:
        """Release the connection; the driver is not known any more, or each would keep the other."""
        self._end_handshake()
        driver, self._driver, self._open = self._driver, None, False
        if driver is not None:
            driver.connection_lost(reason)

    # --- the handshake ------------------------------------------------------------------------------

    def _begin_when_whole(self, beginning: bytearray) -> None:
        """Start the handshake when the first record is complete. Anything but a ClientHello closes the connection."""
        size = int.from_bytes(beginning[3:_HEADER])
        if len(beginning) > 1 and (beginning[1] != 3 or (len(beginning) >= _HEADER and not 0 < size <= RECORD)):
            self._fail("no ClientHello")
        elif len(beginning) >= _HEADER + max(1, size) and not self._queued:
            self._begin_or_queue()
        elif len(beginning) > _HEADER + 2 * RECORD:
            self._transport.pause_reading()

    def _begin_or_queue(self) -> None:
        """Shake hands at once, unless the network has used much of the server lately."""
        assert self._driver is not None
        scheduler, network = self._tls.scheduler, self._driver.shared_meter
        now = scheduler.now()
        if network.until <= now and not network.queued:
            scheduler.is_read_at_once(self, network, now)
        elif scheduler.must_queue(self, network, now, much=True):
            self._queued = True
            scheduler.queue(self, network, heavy=True)
            return
        self._begin()

    def take_turn(self, _seconds: float) -> None:
        """Shake hands: the connection has waited for its turn."""
        self._queued = False
        if self._driver is not None and not self._transport.is_closing():
            self._transport.resume_reading()
            self._begin()

    def _begin(self) -> None:
        beginning, self._beginning = self._beginning, None
        assert beginning is not None
        self._timed(lambda: self._shake(bytes(beginning)))

    def _timed(self, work: Callable[[], None]) -> None:
        """Charge the connection and its network for the time that a step of the handshake takes."""
        if self._driver is None:
            return
        network, now = self._driver.shared_meter, self._tls.scheduler.now
        began = now()
        work()
        charge(network, self.meter, began, now() - began)

    def _shake(self, data: bytes) -> None:
        engine = self._engine = self._engine or TlsEngine(self._tls.context)
        try:
            finished = engine.handshake(data)
        except ssl.SSLError as error:
            self._send(engine)  # the alert, which says what was wrong
            self._fail(error.reason or "bad handshake")
            return
        if finished:
            self._end_handshake()
            self._open = True
        self._send(engine)
        if finished:
            self._read(engine, b"")

    def _end_handshake(self) -> None:
        self._tls.handshakes.ended(self)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _late(self) -> None:
        self._deadline = None
        if self._queued:
            self._transport.write(_goodbye())
        self._fail("handshake not finished in time")

    def _fail(self, why: str) -> None:
        address = "?" if self._driver is None else self._driver.address
        _logger.info("TLS with %s failed: %s", address, why)
        self._end_handshake()
        self._open, self._beginning = False, None
        self._transport.close()

    def drop(self) -> None:
        """Cut off a handshake beyond the limit."""
        if self._beginning is None:
            self._transport.abort()
        else:
            self._transport.write(_goodbye())
            self._fail("too many handshakes")

    # --- reading and writing ------------------------------------------------------------------------

    def _read(self, engine: TlsEngine, data: bytes) -> None:
        """Decrypt what has arrived, and pass it on in one piece."""
        found: list[bytes] = []
        error: ssl.SSLError | None = None
        try:
            engine.decrypt(data, found)
        except ssl.SSLError as broken:
            error = broken
        if found and self._driver is not None:
            self._driver.data_received(found[0] if len(found) == 1 else b"".join(found))
        self._send(engine)
        if isinstance(error, ssl.SSLZeroReturnError):
            self.close()
        elif error is not None and self._open:
            self._fail(error.reason or "bad record")

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Encrypt and send; before the handshake is finished nothing can be sent."""
        if self._open and self._engine is not None:
            self._transport.write(self._engine.encrypt(data))

    def close(self) -> None:
        """Send what is queued and the end of the data, then close."""
        if self._open and self._engine is not None:
            with suppress(ssl.SSLError):  # the client's own end has not come, and nobody waits for it
                self._engine.end()
            self._send(self._engine)
        self._transport.close()

    def _send(self, engine: TlsEngine) -> None:
        if data := engine.take():
            self._transport.write(data)


def _goodbye() -> bytes:
    """Return a refusal in plain text, which can be sent until the ClientHello is answered."""
    connection = ServerConnection()
    connection.notify(_TOO_MANY_HANDSHAKES)
    return connection.take()
