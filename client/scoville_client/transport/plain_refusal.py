"""Refusals in plain text where TLS is expected: a server that is full answers before the handshake.

Nothing proves who has sent them, so they choose one of our sentences, and no text of theirs is shown.
"""

import ssl
from typing import Any, Final

from scoville_client.i18n.language import tr
from scoville_shared.errors import Code
from scoville_shared.protocol.connection import ClientConnection
from scoville_shared.protocol.messages import ByeNotice

_MOST: Final = 1_024
"""Bytes of the first answer that are looked at; a goodbye has about a hundred."""


class _PeekingObject(ssl.SSLObject):
    """One end of a TLS connection that keeps the first bytes of the other end before OpenSSL takes them."""

    incoming: ssl.MemoryBIO
    first: bytearray

    def do_handshake(self) -> None:
        """Go on with the handshake. Raises SSLError."""
        if not self.first and self.incoming.pending:
            data = self.incoming.read()
            self.incoming.write(data)
            self.first += data[:_MOST]
        super().do_handshake()


class PeekingContext(ssl.SSLContext):
    """The TLS settings of one connection, whose answer begins with `first_bytes`."""

    sslobject_class = _PeekingObject
    _first = bytearray()

    @property
    def first_bytes(self) -> bytes:
        """The first bytes that the other end has sent; empty before they arrive."""
        return bytes(self._first)

    def wrap_bio(self, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO, *args: Any, **options: Any) -> ssl.SSLObject:
        """Return one end of a connection over two buffers."""
        wrapped = super().wrap_bio(incoming, outgoing, *args, **options)
        assert isinstance(wrapped, _PeekingObject)
        self._first = bytearray()
        wrapped.incoming, wrapped.first = incoming, self._first
        return wrapped


def plain_refusal(first_bytes: bytes, address: str) -> str:
    """Return what a refusal in plain text says, in our words; empty if the bytes are none that we know."""
    connection = ClientConnection()
    connection.feed(first_bytes)
    notice = next(connection.incoming(), None)
    code = notice.code if isinstance(notice, ByeNotice) else ""
    if code == Code.BUSY:
        says = tr(
            "{address} refuses the connection: it is full, or it has too many connections from your address. "
            "Try again later.",
            address=address,
        )
    elif code == Code.SHUTTING_DOWN:
        says = tr(
            "{address} refuses the connection: it is shutting down. Try again when it has been restarted.",
            address=address,
        )
    else:
        return ""
    unproven = tr("The answer came without encryption, so it is not proven to be from the server; nothing was sent.")
    return f"{says} {unproven}"
