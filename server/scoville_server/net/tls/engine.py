"""One connection's OpenSSL, on buffers in memory: encrypted bytes on one side, plain bytes on the other.

The buffers are kept small: one idle connection costs about twenty kilobytes, where the event loop's own TLS takes up to
fifteen times as much.
"""

import ssl
from collections.abc import Iterator
from typing import Final

from scoville_server.net.tls.records import RECORD

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

    def shake_hands(self, record: bytes | bytearray) -> bool:
        """Go on with the handshake by one record; returns whether it is finished. Raises SSLError."""
        self._incoming.write(record)
        try:
            self._ssl.do_handshake()
        except ssl.SSLWantReadError:
            return False
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
        """Encrypt data, and return all that is to be sent."""
        write = self._ssl.write
        if len(data) <= _STEP:
            write(data)
            return self._outgoing.read()
        sent: list[bytes] = []
        for part in _cut_into_steps(bytes(data)):
            write(part)
            sent.append(self._outgoing.read())
        return b"".join(sent)

    def end_data(self) -> None:
        """End the data. Raises SSLError while the client has not ended its own."""
        self._ssl.unwrap()

    def take_outgoing(self) -> bytes:
        """Return what is to be sent; often nothing."""
        return self._outgoing.read() if self._outgoing.pending else b""


def _cut_into_steps(data: bytes) -> Iterator[bytes]:
    """Cut data into pieces; empty data is one piece."""
    if len(data) <= _STEP:
        yield data
    else:
        for at in range(0, len(data), _STEP):
            yield data[at : at + _STEP]
