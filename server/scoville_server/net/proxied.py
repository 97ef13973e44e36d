"""Connections through a configured proxy in TCP mode: its PROXY header says where the user is.

Without it all users would be counted, and banned, as one; and behind a proxy on this machine each would pass for a
user of this machine, whose plain text the server accepts.
"""

import asyncio
import logging
from typing import cast

from scoville_runtime.clock import Alarm, Clock
from scoville_server.limits.live import Live
from scoville_server.net.limits import ConnectionLimits
from scoville_server.net.tls.first_byte import FirstByte
from scoville_shared.networks import Proxies, parse_peer, write_peer
from scoville_shared.proxy_header import NO_HEADER, BadHeaderError, ProxyHeader, read_header

_logger = logging.getLogger(__name__)


class ProxyHeaders:
    """State that the connections of a port share: the headers that have not come yet."""

    def __init__(self, limits: Live[ConnectionLimits], clock: Clock) -> None:
        self.limits = limits
        self.clock = clock
        self.waiting: set[asyncio.Transport] = set()


class ProxiedConnection(asyncio.Protocol):
    """Waits for the header of a proxy, and hands the transport on; that of any other peer it hands on at once."""

    __slots__ = ("_beginning", "_deadline", "_early", "_headers", "_peer", "_proxies", "_transport")

    def __init__(self, headers: ProxyHeaders, proxies: Proxies, beginning: FirstByte) -> None:
        self._proxies = proxies
        self._headers = headers
        self._beginning = beginning
        self._early = b""
        self._deadline: Alarm | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Find out whether the peer is a proxy."""
        made = self._transport = cast("asyncio.Transport", transport)
        peer = made.get_extra_info("peername")
        self._peer = write_peer(*peer[:2])
        headers = self._headers
        # Only a configured proxy is believed: anybody else could claim any address by a header.
        if parse_peer(peer[0]) not in self._proxies:
            made.set_protocol(self._beginning)
            self._beginning.connection_made(made)
        # Bounded here, because admission counts connections only when their header has come.
        elif len(headers.waiting) >= headers.limits.value.total:
            made.abort()
        else:
            headers.waiting.add(made)
            self._deadline = headers.clock.call_later(headers.limits.value.handshake_seconds, self._end_late)

    def data_received(self, data: bytes) -> None:
        """Read the header; what follows it belongs to the user."""
        if self._deadline is None:
            return  # the connection ends
        self._early += data
        try:
            header = read_header(self._early)
        except BadHeaderError as error:
            self._refuse_proxy(str(error))
            return
        if header is NO_HEADER:
            self._refuse_proxy("no PROXY header")
        elif header is not None:
            self._begin_connection(header)

    def connection_lost(self, _reason: Exception | None) -> None:
        """Release the connection, which has never begun."""
        self._end_wait()

    def _begin_connection(self, header: ProxyHeader) -> None:
        self._end_wait()
        address = self._peer if header.address is None else write_peer(str(header.address), header.port)
        beginning, transport, rest = self._beginning, self._transport, self._early[header.size :]
        self._early = b""
        transport.set_protocol(beginning)
        beginning.begin_proxied(transport, address)
        if rest:
            beginning.data_received(rest)

    def _refuse_proxy(self, why: str) -> None:
        _logger.warning(
            "The proxy %s began a connection without a valid header (%s); configure it to send one, as HAProxy does "
            "with send-proxy-v2, or remove it from the setting proxies.",
            self._peer,
            why,
        )
        self._end_wait()
        self._transport.close()

    def _end_late(self) -> None:
        _logger.info("The proxy %s sent no header in time", self._peer)
        self._end_wait()
        self._transport.abort()

    def _end_wait(self) -> None:
        self._headers.waiting.discard(self._transport)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
