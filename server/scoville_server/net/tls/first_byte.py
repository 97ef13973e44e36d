"""The first byte of a connection decides: TLS, or plain text where that is accepted."""

import asyncio
from typing import Protocol, cast

from scoville_server.net.tls.layer import Tls, TlsDriver, TlsLayer
from scoville_server.net.tls.records import HANDSHAKE
from scoville_shared.errors import Code
from scoville_shared.protocol.messages import ByeNotice

_TLS_REQUIRED = ByeNotice(code=Code.TLS_REQUIRED, message="This server takes no plain text here; connect by TLS.")


class NewDriver(TlsDriver, Protocol):
    """The driver of a connection that has sent nothing yet."""

    @property
    def closing(self) -> bool:
        """Whether the connection is being closed: nothing is read any more."""

    @property
    def local(self) -> bool:
        """Whether the connection comes from this machine, through no proxy."""

    def use_proxied_address(self, address: str) -> None:
        """Take the "host:port" that a proxy has named for the connection's; before `connection_made`."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin with a transport."""

    def close(self, bye: ByeNotice | None = None) -> None:
        """Send a goodbye in plain text and close."""


class Following(Protocol):
    """A driver that follows a transport which something else still reads."""

    def pause_writing(self) -> None:
        """Note that the client does not read."""

    def resume_writing(self) -> None:
        """Note that the client reads again."""

    def connection_lost(self, reason: Exception | None) -> None:
        """Release everything."""


class BeforeDriver(asyncio.Protocol):
    """Reads a transport until its driver may, which already follows all else that the transport reports."""

    __slots__ = ("_follower",)

    def __init__(self, follower: Following) -> None:
        self._follower = follower

    def pause_writing(self) -> None:
        self._follower.pause_writing()

    def resume_writing(self) -> None:
        self._follower.resume_writing()

    def connection_lost(self, reason: Exception | None) -> None:
        self._follower.connection_lost(reason)


class FirstByte(BeforeDriver):
    """Waits for the first byte, then hands the transport to the driver, with TLS between them or without.

    Args:
        driver: The driver of the connection.
        tls: The TLS settings; None for plain text alone.
        plain_text: Whether plain text is accepted from other machines.
        local_plain_text: Whether it is accepted from this machine.
        early: Bytes that have been received before the transport was made.
    """

    __slots__ = ("_driver", "_early", "_local_plain_text", "_plain_text", "_tls", "_transport")

    def __init__(
        self,
        driver: NewDriver,
        tls: Tls | None,
        *,
        plain_text: bool,
        local_plain_text: bool = True,
        early: bytes = b"",
    ) -> None:
        super().__init__(driver)
        self._driver = driver
        self._early = early
        self._tls = tls
        self._plain_text = plain_text or tls is None
        self._local_plain_text = local_plain_text or tls is None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin: the driver's time limits run from now on."""
        self._transport = cast("asyncio.Transport", transport)
        self._driver.connection_made(transport)
        if self._early:
            # Only then is the transport ready for another protocol, or for one that reads nothing more for now.
            self._transport.pause_reading()
            asyncio.get_running_loop().call_soon(self._read_early)

    def _read_early(self) -> None:
        if self._early and not self._transport.is_closing():
            self._transport.resume_reading()
            self.data_received(b"")

    def begin_proxied(self, transport: asyncio.Transport, address: str) -> None:
        """Begin with the "host:port" that a proxy has named."""
        self._driver.use_proxied_address(address)
        self.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Decide, and pass the bytes on."""
        driver, tls = self._driver, self._tls
        if driver.closing:
            return
        # uvloop reads from `connection_made` on, whatever that pauses: more bytes may come before the early ones.
        data, self._early = self._early + data, b""
        # No message of the protocol begins with this byte, so one port serves both.
        if tls is not None and data[0] == HANDSHAKE:
            layer = TlsLayer(self._transport, driver, tls)
            self._transport.set_protocol(layer)
            layer.data_received(data)
        elif self._local_plain_text if driver.local else self._plain_text:  # passwords count as safe from this machine
            self._transport.set_protocol(cast("asyncio.Protocol", driver))
            driver.data_received(data)
        else:
            driver.close(_TLS_REQUIRED)
