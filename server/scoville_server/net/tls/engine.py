"""One connection's OpenSSL, on buffers in memory: encrypted bytes on one side, plain bytes on the other.

The buffers are kept small: one idle connection costs about twenty kilobytes, where the event loop's own TLS takes up to
fifteen times as much.
"""

import ssl
from collections.abc import Iterator
from typing import Final

RECORD: Final = 2**14
"""Bytes of the longest record without its header."""
_STEP: Final = 8_192
"""Bytes that OpenSSL is given at a time: its buffers keep the size that they once had."""

_scratch = memoryview(bytearray(RECORD))
"""What is decrypted stands here for a moment: a buffer of this size for each read would leave holes in memory."""


class TlsEngine:
    """Handshake, encryption and decryption. What is to be sent waits until `take`."""

    __slots__ = ("_incoming", "_outgoing", "_ssl")

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._ssl = context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    def handshake(self, data: bytes) -> bool:
        """Go on with the handshake; returns whether it is finished. Raises SSLError."""
        self._incoming.write(data)
        try:
            self._ssl.do_handshake()
        except ssl.SSLWantReadError:
            return False
        return True

    def decrypt(self, data: bytes, found: list[bytes]) -> None:
        """Add what can be decrypted to `found`. Raises SSLError, SSLZeroReturnError at the end of the client's data."""
        for part in _steps(data):
            self._incoming.write(part)
            self._read(found)

    def _read(self, found: list[bytes]) -> None:
        read, incoming = self._ssl.read, self._incoming
        try:
            while size := int(read(RECORD, _scratch)):
                found.append(bytes(_scratch[:size]))
                if not incoming.pending:  # saves an exception: a record is read as a whole
                    return
        except ssl.SSLWantReadError:
            return
        raise ssl.SSLZeroReturnError

    def encrypt(self, data: bytes | bytearray | memoryview) -> bytes:
        """Encrypt data, and return all that is to be sent."""
        write = self._ssl.write
        if len(data) <= _STEP:
            write(data)
            return self._outgoing.read()
        sent: list[bytes] = []
        for part in _steps(bytes(data)):
            write(part)
            sent.append(self._outgoing.read())
        return b"".join(sent)

    def end(self) -> None:
        """End the data. Raises SSLError while the client has not ended its own."""
        self._ssl.unwrap()

    def take(self) -> bytes:
        """Return what is to be sent; often nothing."""
        return self._outgoing.read() if self._outgoing.pending else b""


def _steps(data: bytes) -> Iterator[bytes]:
    """Cut data into pieces; empty data is one piece."""
    if len(data) <= _STEP:
        yield data
    else:
        for at in range(0, len(data), _STEP):
            yield data[at : at + _STEP]
