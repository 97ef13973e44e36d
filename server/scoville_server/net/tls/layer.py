"""TLS below a connection driver: a protocol for the socket's transport, and a transport for the driver.

The event loop hands over up to eight megabytes of one connection in one turn. So what arrives is cut into records here,
and each costs its share of the connection's turn, whether it carries data or not: a new key of a few bytes takes as
long as a request. OpenSSL works on small buffers in memory: one idle connection costs about twenty kilobytes, where the
event loop's own TLS takes up to fifteen times as much.
"""

import asyncio
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, Final, Protocol, cast

from scoville_runtime.clock import Alarm
from scoville_runtime.token_bucket import bucket_of
from scoville_server.limits.rate_budgets import follow_rate, widen_rate
from scoville_server.net.peer import DriverTurns, End
from scoville_server.net.read_scheduler import ReadScheduler, charge_both
from scoville_server.net.tls.records import RECORD, RecordBuffer, is_one_record
from scoville_server.net.unfinished import Unfinished
from scoville_shared.errors import Code
from scoville_shared.networks import networks_of
from scoville_shared.protocol.connection import ServerConnection
from scoville_shared.protocol.messages import ByeNotice

_STEP: Final = 8_192
"""Bytes that OpenSSL is given at a time: its buffers keep the size that they once had."""

_scratch = memoryview(bytearray(RECORD))
"""Decrypted bytes stand here for a moment: a buffer of this size for each read would leave holes in memory."""


class TlsEngine:
    """Handshake, encryption and decryption. Outgoing bytes wait until `take_outgoing`."""

    __slots__ = ("_early", "_incoming", "_is_shaken", "_outgoing", "_ssl", "has_ended")

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._ssl = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._is_shaken = self.has_ended = False
        self._early = b""
        """A goodbye that follows the handshake."""

    def shake_hands(self, record: bytes | bytearray) -> bool:
        """Go on with the handshake by one record; returns whether it is finished. Raises SSLError."""
        self._incoming.write(record)
        try:
            self._ssl.do_handshake()
        except ssl.SSLWantReadError:
            return False
        self._is_shaken = True
        if self._early:
            self._ssl.write(self._early)
        if self.has_ended:
            self.end_data()
        return True

    def decrypt(self, record: bytes | bytearray) -> bytes:
        """Decrypt one record; nothing comes of one that carries no data: a new key, a part of one, a warning.

        Raises SSLError, SSLZeroReturnError at the end of the client's data.
        """
        if len(record) <= _STEP:
            return self._read_part(record)
        return b"".join([self._read_part(part) for part in _cut_into_steps(bytes(record))])

    def _read_part(self, part: bytes | bytearray) -> bytes:
        self._incoming.write(part)
        try:
            size = int(self._ssl.read(RECORD, _scratch))
        except ssl.SSLWantReadError:
            return b""
        if not size:
            raise ssl.SSLZeroReturnError
        return bytes(_scratch[:size])

    def encrypt(self, data: bytes | bytearray | memoryview) -> bytes:
        """Encrypt data, and return all that is to be sent: nothing behind the end of the data.

        During the handshake nothing can be encrypted yet: it then follows the handshake.
        """
        # Requests that arrived together are all answered, though the first answer may have been the goodbye.
        if self.has_ended:
            return b""
        if not self._is_shaken:
            self._early += data
            return b""
        write = self._ssl.write
        if len(data) <= _STEP:
            write(data)
            return self._outgoing.read()
        sent: list[bytes] = []
        for part in _cut_into_steps(bytes(data)):
            write(part)
            sent.append(self._outgoing.read())
        return b"".join(sent)

    def end_data(self) -> bool:
        """End the data, and return whether that can be sent: the end of a handshake has to come first."""
        self.has_ended = True
        if self._is_shaken:
            with suppress(ssl.SSLError):  # the client's own end has not come, and nobody waits for it
                self._ssl.unwrap()
        return self._is_shaken

    def take_outgoing(self) -> bytes:
        """Return the bytes to send; often nothing."""
        return self._outgoing.read() if self._outgoing.pending else b""


def _cut_into_steps(data: bytes) -> Iterator[bytes]:
    """Cut data into pieces; empty data is one piece."""
    if len(data) <= _STEP:
        yield data
    else:
        for at in range(0, len(data), _STEP):
            yield data[at : at + _STEP]


_TOO_MANY_HANDSHAKES = ByeNotice(code=Code.BUSY, message="Too many connections are being opened; try again later.")
_SILENT = ByeNotice(
    code=Code.TOO_MANY, message="The connection sent too many TLS records without data, such as updates of its keys."
)

_LITTLE: Final = 1024
"""Bytes that are a request or two."""
_MOST_SHAKING: Final = 64
"""Records of a client in a handshake. Usually there are three; a cautious client cuts its ClientHello into more."""
_QUEUED: Final = 1
_PAUSED: Final = 2
"""Reasons why nothing is decrypted: others come first, the driver wants nothing."""


class TlsDriver(Protocol):
    """The driver above the layer."""

    end: End | None
    """Why the connection ends; the first reason counts."""

    @property
    def turns(self) -> DriverTurns:
        """The turns in which it is read."""

    @property
    def network(self) -> str:
        """The network that the client comes from."""

    @property
    def address(self) -> str:
        """Where the client comes from."""

    def start_tls(self, layer: "TlsLayer") -> None:
        """Use a layer as the transport from now on."""

    @property
    def buffered_bytes(self) -> int:
        """Bytes in the buffers of the connection."""

    def drop(self) -> None:
        """Cut off the connection."""

    def close(self, bye: ByeNotice | None = None) -> None:
        """Send a goodbye and close."""

    def data_received(self, data: bytes, began: float | None = None) -> None:
        """Read decrypted bytes; decrypting them began at `began`."""

    def receive_in_turn(self, data: bytes, began: float, seconds: float) -> None:
        """Read decrypted bytes in a turn of so many seconds that began at `began`."""

    def pause_writing(self) -> None:
        """Write nothing more for now."""

    def resume_writing(self) -> None:
        """Write again."""

    def connection_lost(self, reason: Exception | None) -> None:
        """Release everything."""


class Tls:
    """State that a server's connections share: the TLS settings, the unfinished handshakes, and those begun lately.

    Handshakes of an address are counted before anything is computed for them: one costs the server a thousand times as
    much as a client that sends the same ClientHello again and again.
    """

    def __init__(self, make_context: Callable[[], ssl.SSLContext], scheduler: ReadScheduler) -> None:
        self._make_context = make_context
        self.scheduler = scheduler
        limits = scheduler.live_limits
        self.handshakes: Unfinished[TlsLayer] = Unfinished(
            limits.select(lambda limits: limits.handshakes), limits.select(lambda limits: limits.handshakes_per_address)
        )
        rate = limits.select(lambda limits: limits.handshake_rate)
        self._begun = [follow_rate(rate), follow_rate(rate.select(widen_rate))]

    @cached_property
    def context(self) -> ssl.SSLContext:
        """The TLS settings, made for the first connection."""
        return self._make_context()

    def renew_context(self) -> None:
        """Make new settings for the next connection: the server has another key."""
        self.__dict__.pop("context", None)

    def may_begin_handshake(self, address: str, now: float) -> bool:
        """Count a handshake of a "host:port" that begins at `now` (seconds); False if there were too many."""
        pairs = tuple(zip(self._begun, networks_of(address), strict=False))
        # Checked for all networks before any is counted: a refused handshake is not counted itself.
        if any(begun.seconds_to_wait(network, now) is not None for begun, network in pairs):
            return False
        for begun, network in pairs:
            begun.count_use(network, now)
        return True

    def charge_work(self, driver: TlsDriver, began: float, *, arrives: bool = False) -> None:
        """Charge a connection and its network for work since `began`; during the handshake all arrivals, too."""
        cost = self.scheduler.cost_since(began)
        charge_both(driver.turns.shared_meter, driver.turns.meter, began, cost)
        if arrives:
            self.scheduler.arrivals.charge_use(began, cost)


class WrappedTransport(asyncio.Transport):
    """Passes on events of the whole connection to the driver above it; a subclass writes and closes."""

    __slots__ = ("_driver", "_transport")

    def __init__(self, transport: asyncio.Transport, driver: TlsDriver) -> None:
        self._transport = transport
        self._driver: TlsDriver | None = driver

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Let another driver read from now on."""
        self._driver = cast("TlsDriver", protocol)

    def abort(self) -> None:
        self._transport.abort()

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()

    def get_write_buffer_size(self) -> int:
        return self._transport.get_write_buffer_size()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)


class TlsLayer(WrappedTransport, asyncio.Protocol):
    """One connection's TLS.

    Handshakes and records are charged to the connection and its network like requests, and wait in the same queue when
    the network has used much. Records that the driver does not want to read yet are not decrypted.
    """

    __slots__ = (
        "_deadline",
        "_engine",
        "_held_back",
        "_is_counted",
        "_open",
        "_shaken",
        "_silent",
        "_tls",
        "_unread",
        "meter",
        "network",
    )

    def __init__(self, transport: asyncio.Transport, driver: TlsDriver, tls: Tls) -> None:
        super().__init__(transport, driver)
        self._tls = tls
        self.meter = driver.turns.meter
        self.network = driver.network
        self._unread = RecordBuffer()
        self._engine: TlsEngine | None = None
        self._open = self._is_counted = False
        """Whether the handshake is finished, and whether it was counted as one of its network."""
        self._held_back = 0
        """Why nothing is decrypted: the bits _QUEUED and _PAUSED."""
        limits = tls.scheduler.limits
        self._shaken = 0
        self._silent = bucket_of(limits.silent_records, limits.silent_records_seconds, tls.scheduler.now())
        self._deadline: Alarm | None = tls.scheduler.clock.call_later(limits.handshake_seconds, self._end_late)
        driver.start_tls(self)
        tls.handshakes.add(self)

    # --- callbacks of the socket's transport --------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        driver = self._driver
        if driver is None:
            return
        began = self._tls.scheduler.begin_read()
        # The usual case: one whole record with nothing before it goes through no buffer.
        if self._open and not self._unread and not self._held_back and is_one_record(data):
            if self._tls.scheduler.may_read(driver.turns, driver.turns.shared_meter, began, much=len(data) > _LITTLE):
                self._read_one(driver, data, began)
                return
            self._unread.add(data)
            self._queue_reading(driver)  # the network has used much
        elif self._transport.is_closing():
            return
        else:
            self._unread.add(data)
            if self._read_or_wait(driver, began):
                return
        self._tls.charge_work(driver, began, arrives=not self._open)
        if self._driver is not None:
            self._tls.scheduler.buffers.note_buffers(driver)

    def pause_writing(self) -> None:
        if self._driver is not None:
            self._driver.pause_writing()

    def resume_writing(self) -> None:
        if self._driver is not None:
            self._driver.resume_writing()

    def connection_lost(self, reason: Exception | None) -> None:
        """Release the connection and the driver, which would keep each other in memory."""
        self._end_handshake()
        driver, self._driver, self._open = self._driver, None, False
        self._unread.clear()
        if driver is not None:
            driver.connection_lost(reason)

    # --- the handshake ------------------------------------------------------------------------------

    def _is_hello_admitted(self, driver: TlsDriver, now: float) -> bool:
        """Return whether the ClientHello is complete and may be answered; anything else closes the connection."""
        if not self._unread.may_be_hello:
            self._fail_connection("no ClientHello")
        if not self._unread.next_size:
            return False
        # Once for each connection: a hello in pieces comes here with every piece.
        if not self._is_counted:
            self._is_counted = True
            if not self._tls.may_begin_handshake(driver.address, now):
                self._refuse_handshake("too many handshakes of its network")
                return False
        return True

    def _begin_or_queue(self, driver: TlsDriver, now: float) -> bool:
        """Shake hands at once, unless the network has used much of the server lately, or many others arrive."""
        scheduler, network = self._tls.scheduler, driver.turns.shared_meter
        if scheduler.may_arrive(network, now):
            scheduler.note_read_at_once(driver.turns, network, now)
        elif scheduler.must_queue(driver.turns, network, now, much=True):
            self._queue_reading(driver, heavy=True)
            return False
        self._engine = TlsEngine(self._tls.context)
        self._read_records(driver, self._engine, now, scheduler.limits.turn_seconds)
        return True

    def _shake_hands(self, engine: TlsEngine, record: bytearray) -> None:
        """Continue the handshake. Raises SSLError."""
        self._shaken += 1
        if self._shaken > _MOST_SHAKING:
            raise ssl.SSLError("too many records")
        if engine.shake_hands(record):
            self._end_handshake()
            self._open = True
            if engine.has_ended:  # the server has closed the connection meanwhile
                self.close()

    def _end_handshake(self) -> None:
        self._tls.handshakes.remove(self)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end_late(self) -> None:
        self._deadline = None
        # A connection that has only waited for its turn gets a sentence: the server was busy, and the client not slow.
        end = self._refuse_handshake if self._engine is None and self._held_back else self._fail_connection
        end("handshake not finished in time")

    def _fail_connection(self, why: str) -> None:
        if self._driver is not None:
            self._driver.end = self._driver.end or End("tls_failed", why)
        self._end_handshake()
        self._open = False
        self._unread.clear()
        self._transport.close()

    def _refuse_handshake(self, why: str) -> None:
        """Say in plain text that the server is busy, which can be done until the ClientHello is answered."""
        self._transport.write(_refusal_bytes())
        self._fail_connection(why)

    def drop(self) -> None:
        if self._engine is not None:
            self._transport.abort()
        else:
            self._refuse_handshake("too many handshakes")

    # --- turns --------------------------------------------------------------------------------------

    def _read_or_wait(self, driver: TlsDriver, now: float) -> bool:
        """Go on with what has arrived, unless it is the driver or others who come first; return whether it was read.

        Half a record waits like a whole one: a client that sends a byte at a time gets no further for that.
        """
        if self._held_back:
            self._transport.pause_reading()
        elif self._engine is None and self._is_hello_admitted(driver, now):
            return self._begin_or_queue(driver, now)
        elif self._transport.is_closing():
            return False
        elif not self._tls.scheduler.may_read(
            driver.turns, driver.turns.shared_meter, now, much=len(self._unread) > _LITTLE, arrives=not self._open
        ):
            self._queue_reading(driver)
        elif self._engine is not None and self._unread.next_size:
            self._read_records(driver, self._engine, now, self._tls.scheduler.limits.turn_seconds)
            return True
        return False

    def _queue_reading(self, driver: TlsDriver, *, heavy: bool = False) -> None:
        self._held_back |= _QUEUED
        self._transport.pause_reading()
        self._tls.scheduler.queue_reader(self, driver.turns.shared_meter, heavy=heavy)

    def take_turn(self, seconds: float) -> None:
        """Decrypt arrived records, or begin the handshake: the connection has waited for its turn."""
        self._held_back &= ~_QUEUED
        driver = self._driver
        if driver is None or self._held_back or self._transport.is_closing():
            return
        began = self._tls.scheduler.begin_read()
        if self._engine is None and self._is_hello_admitted(driver, began):
            self._engine = TlsEngine(self._tls.context)
        if self._engine is not None:
            self._read_records(driver, self._engine, began, seconds, in_turn=True)
        if not self._held_back and not self._transport.is_closing():
            self._transport.resume_reading()

    def pause_reading(self) -> None:
        self._held_back |= _PAUSED
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Decrypt again, in a turn where something waits for that."""
        self._held_back &= ~_PAUSED
        if self._held_back:
            return
        if self._driver is not None and self._unread.next_size:
            self._queue_reading(self._driver)
        else:
            self._transport.resume_reading()

    # --- reading and writing ------------------------------------------------------------------------

    def _read_one(self, driver: TlsDriver, record: bytes, began: float) -> None:
        """Decrypt one record and pass it on. The hot path."""
        engine = self._engine
        assert engine is not None
        try:
            plain = engine.decrypt(record)
        except ssl.SSLError as broken:
            self._end_connection(engine, broken)
            return
        if plain:
            driver.data_received(plain, began)
        else:
            self._take_silence(driver, engine)
            self._tls.charge_work(driver, began)

    def _read_records(
        self, driver: TlsDriver, engine: TlsEngine, began: float, seconds: float, *, in_turn: bool = False
    ) -> None:
        """Go through records for so many seconds, and pass on their data in one piece."""
        scheduler, was_open = self._tls.scheduler, self._open
        found: list[bytes] = []
        broken = self._open_records(driver, engine, began + seconds, found)
        if not was_open or not found:  # with data the driver charges for all of it, from `began` on
            self._tls.charge_work(driver, began, arrives=not was_open)
            began = scheduler.begin_read()
        self._send_outgoing(engine)
        if found:
            plain = found[0] if len(found) == 1 else b"".join(found)
            if in_turn:
                driver.receive_in_turn(plain, began, seconds)
            else:
                driver.data_received(plain, began)
        if broken is not None:
            self._end_connection(engine, broken)
        elif not self._held_back and self._unread.next_size and not self._transport.is_closing():
            self._queue_reading(driver, heavy=True)

    def _open_records(self, driver: TlsDriver, engine: TlsEngine, end: float, data: list[bytes]) -> ssl.SSLError | None:
        """Decrypt records until `end`, and add their bytes to `data`; return why the connection ends."""
        try:
            while record := self._unread.take_record():
                if not self._open:
                    self._shake_hands(engine, record)
                elif plain := engine.decrypt(record):
                    data.append(plain)
                elif self._take_silence(driver, engine):
                    break
                if self._tls.scheduler.now() >= end:
                    break
        except ssl.SSLError as broken:
            return broken
        return None

    def _take_silence(self, driver: TlsDriver, engine: TlsEngine) -> bool:
        """Count a record that carried nothing; too many end the connection, which is returned."""
        self._send_outgoing(engine)  # the new key of this end, where one was asked for
        if self._silent.take_if_enough(1, self._tls.scheduler.now()):
            return False
        driver.close(_SILENT)
        return True

    def _end_connection(self, engine: TlsEngine, reason: ssl.SSLError) -> None:
        """End the connection because of the client's end of the data, or of a mistake."""
        self._send_outgoing(engine)  # the alert, which says what was wrong
        if isinstance(reason, ssl.SSLZeroReturnError):
            self.close()
        elif not self._transport.is_closing():
            self._fail_connection(reason.reason or str(reason))

    @property
    def buffered_bytes(self) -> int:
        """Bytes that have arrived and wait."""
        return len(self._unread)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Encrypt and send; a goodbye during the handshake follows it, and one before it is sent in plain text."""
        may_send = self._open or not self._transport.is_closing()  # the handshake may have failed
        if may_send and (sent := data if self._engine is None else self._engine.encrypt(data)):
            self._transport.write(sent)

    def close(self) -> None:
        """Send queued bytes and the end of the data, then close; a handshake is finished before that."""
        if (engine := self._engine) is not None and not self._transport.is_closing():
            # The client counts it as finished earlier: cut off behind its hello, it would take this for no server.
            if not engine.end_data():
                return
            self._send_outgoing(engine)
        self._transport.close()

    def _send_outgoing(self, engine: TlsEngine) -> None:
        if data := engine.take_outgoing():
            self._transport.write(data)


def _refusal_bytes() -> bytes:
    """Return a refusal in plain text, which can be sent until the ClientHello is answered."""
    connection = ServerConnection()
    connection.notify(_TOO_MANY_HANDSHAKES)
    return connection.take_bytes()
