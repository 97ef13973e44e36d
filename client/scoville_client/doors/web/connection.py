"""Connections: what happens before HTTP. Places of each address, the PROXY header, TLS, and time limits."""

import asyncio
import ssl
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

from scoville_client.doors.hosting.metering import Meter, MeteredReader, Meters
from scoville_client.doors.web.certificate import DoorCertificate
from scoville_client.doors.web.options import WebLimits
from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_runtime.places import Places
from scoville_shared.networks import Address, Proxies, network_of_host, parse_peer
from scoville_shared.proxy_header import NO_HEADER, BadHeaderError, ProxyHeader, read_header

_EARLY_BYTES: Final = 65_536
"""Bytes that may come before HTTP can begin."""


class Listening(NamedTuple):
    """State that all connections of a door share.

    Attributes:
        http: Makes the protocol that speaks HTTP.
        proxies: The configured proxies, which may send a PROXY header.
        places: Open connections by address.
        limits: The limits of the door.
        meters: The allowances of connections.
        tls: The door's certificate; None for plain HTTP.
    """

    http: Callable[[], asyncio.Protocol]
    proxies: Proxies
    places: Places
    limits: WebLimits
    meters: Meters
    tls: DoorCertificate | None = None
    clock: Clock = SYSTEM


class _Encrypted(asyncio.Protocol):
    """The layer between the transport and asyncio's TLS: records are read as fast as their sender may cost.

    Updates of keys, alerts and handshakes never come up to `Connection`.
    """

    def __init__(self, tls: asyncio.BufferedProtocol, reader: MeteredReader) -> None:
        self._tls = tls
        self._reader = reader

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin TLS."""
        self._tls.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Meter encrypted bytes before TLS gets them: to decrypt a flood would cost too."""
        self._reader.receive_bytes(data)

    def eof_received(self) -> bool | None:
        """Pass the end of the bytes on."""
        return self._tls.eof_received()

    def pause_writing(self) -> None:
        """Pass on that the peer does not read; then its own records are not read either."""
        self._tls.pause_writing()
        self._reader.hold_reading(held=True)

    def resume_writing(self) -> None:
        """Pass on that the peer reads again."""
        self._tls.resume_writing()
        self._reader.hold_reading(held=False)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell TLS that the connection is lost."""
        self._tls.connection_lost(exc)


def _fill_buffer(tls: asyncio.BufferedProtocol, data: bytes) -> None:
    """Write bytes into the buffer of a protocol."""
    rest = memoryview(data)
    while rest:
        buffer = memoryview(tls.get_buffer(len(rest)))
        size = min(len(buffer), len(rest))
        buffer[:size] = rest[:size]
        tls.buffer_updated(size)
        rest = rest[size:]


class Connection(asyncio.Protocol):
    """One TCP connection. `user` is the address that its PROXY header names, or else the peer's."""

    def __init__(self, listening: Listening) -> None:
        self._listening = listening
        self._transport: asyncio.Transport | None = None
        self._http: asyncio.Protocol | None = None
        self._early = b""
        self._network: str | None = None
        self._is_counted = False
        self.is_encrypted = False
        self._limit: Alarm | None = None
        self._handshake: asyncio.Task[None] | None = None
        self.peer: Address | None = None
        self.user: Address | None = None
        self.is_secure = False
        self._reader = MeteredReader(listening.clock, listening.meters.open_meter(""), self._take_slice)

    @property
    def meter(self) -> Meter:
        """The allowance of this connection."""
        return self._reader.meter

    @property
    def cpu(self) -> Callable[[], float]:
        """Returns the processor time that the door has used."""
        return self._listening.clock.working_seconds

    def charge_to(self, address: str) -> None:
        """Charge a user behind a proxy from now on, instead of the proxy."""
        self._reader.meter = self._listening.meters.open_meter(address)

    # --- how busy it is -------------------------------------------------------------------------------------

    def expect_request(self) -> None:
        """Close the connection unless a request comes soon."""
        self.forget_limit()
        self._limit = self._listening.clock.call_later(self._listening.limits.head_seconds, self._end_late)

    def forget_limit(self) -> None:
        """Keep the connection open: a request is being answered."""
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _end_late(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # --- asyncio ------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection; wait for a PROXY header from a proxy, or begin TLS or HTTP."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peername = transport.get_extra_info("peername")
        self.peer = self.user = parse_peer(peername[0]) if peername else None
        is_proxy = self.peer in self._listening.proxies
        self._network = None if is_proxy or self.peer is None else network_of_host(str(self.peer))
        self._is_counted = self.peer is not None and self._listening.places.take_place(self._network)
        if not self._is_counted:
            transport.abort()
            return
        # A proxy is not charged: its users are, once a header names them.
        if self.peer is not None and not is_proxy:
            self.charge_to(str(self.peer))
        self._reader.start_reading(transport)
        self.expect_request()
        if self._listening.tls is not None:
            # Nothing is read before TLS is between, or its first record would come up here.
            transport.pause_reading()
            self._handshake = asyncio.get_running_loop().create_task(self._begin_tls(self._listening.tls.context))
        elif not is_proxy:
            self._begin_http(NO_HEADER)

    def data_received(self, data: bytes) -> None:
        """Pass on arrived bytes, as fast as their sender may cost; what TLS has decrypted is charged already."""
        if self.is_encrypted:
            self._take_slice(data)
        else:
            self._reader.receive_bytes(data)

    def _take_slice(self, data: bytes) -> None:
        """Pass on a slice, once its PROXY header is read."""
        if self._http is not None:
            self._http.data_received(data)
            return
        self._early += data
        if len(self._early) > _EARLY_BYTES:
            self._end_late()
        elif self._handshake is None:
            try:
                header = read_header(self._early)
            except BadHeaderError:
                self._end_late()
            else:
                if header is not None:
                    self._begin_http(header)

    def eof_received(self) -> bool | None:
        """Pass the end of the bytes on."""
        return None if self._http is None else self._http.eof_received()

    def pause_writing(self) -> None:
        """Pass on that the peer does not read."""
        if self._http is not None:
            self._http.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the peer reads again."""
        if self._http is not None:
            self._http.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the connection's place back."""
        self.forget_limit()
        self._reader.stop_reading()
        if self._handshake is not None:
            self._handshake.cancel()
        if self._is_counted:
            self._is_counted = False
            self._listening.places.give_back(self._network)
        if self._http is not None:
            self._http.connection_lost(exc)

    # --- the beginning --------------------------------------------------------------------------------------

    async def _begin_tls(self, context: ssl.SSLContext) -> None:
        assert self._transport is not None
        loop, raw = asyncio.get_running_loop(), self._transport
        # Python 3.11.2 reads all the same when it is paused while the connection is made; told again, it stops.
        raw.resume_reading()
        raw.pause_reading()
        self.is_encrypted = True
        starting = loop.create_task(
            loop.start_tls(
                raw, self, context, server_side=True, ssl_handshake_timeout=self._listening.limits.head_seconds
            )
        )
        await asyncio.sleep(0)  # by now TLS is the protocol of the transport, and has read nothing
        tls: Any = raw.get_protocol()
        self._reader.take = partial(_fill_buffer, tls)
        raw.set_protocol(_Encrypted(tls, self._reader))
        try:
            made: Any = await starting
        except (OSError, TimeoutError):
            made = None
        if made is None:
            self._end_late()
            return
        self._transport = made
        self._handshake = None
        self._begin_http(ProxyHeader(None, tls=True, size=0))

    def _begin_http(self, header: ProxyHeader) -> None:
        """Begin HTTP with the bytes after a header."""
        assert self._transport is not None
        self.user = header.address or self.user
        self.is_secure = header.tls
        self._http = self._listening.http()
        self._http.connection_made(self._transport)
        rest, self._early = self._early[header.size :], b""
        if rest:
            self._http.data_received(rest)
