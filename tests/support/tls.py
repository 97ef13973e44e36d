"""A TLS client in memory, whose bytes a test can pass on, change or withhold."""

import asyncio
import contextlib
import ssl
from collections.abc import Callable
from typing import Any

import msgpack


def any_certificate(version: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3) -> ssl.SSLContext:
    """A client's TLS context of one version, which accepts any certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = context.maximum_version = version
    return context


class TlsClient:
    """The client's end of a connection in memory: `written` are the bytes that it has not sent yet."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.ssl = (context or any_certificate()).wrap_bio(self._incoming, self._outgoing)
        self.open = False

    def written(self) -> bytes:
        """Take the bytes that are to be sent; the first are the ClientHello."""
        if not self.open:
            try:
                self.ssl.do_handshake()
                self.open = True
            except ssl.SSLWantReadError:
                pass
        return self._outgoing.read()

    def read(self, data: bytes) -> bytes:
        """Decrypt what the server has sent; empty while the handshake lasts."""
        self._incoming.write(data)
        found = b""
        if self.open:
            try:
                while part := self.ssl.read():
                    found += part
            except (ssl.SSLWantReadError, ssl.SSLZeroReturnError):  # the latter is the server's end of the data
                pass
        return found

    def encrypted(self, *messages: object) -> bytes:
        """Encrypt messages."""
        return self.encrypted_bytes(b"".join(map(msgpack.packb, messages)))

    def encrypted_bytes(self, data: bytes) -> bytes:
        self.ssl.write(data)
        return self._outgoing.read()

    def end(self) -> bytes:
        """The notice that no more data will come."""
        with contextlib.suppress(ssl.SSLError):  # the server's end has not come
            self.ssl.unwrap()
        return self._outgoing.read()


def shake_hands(client: TlsClient, send: Callable[[bytes], None], take: Callable[[], bytes]) -> None:
    """Finish a handshake; `send` gives bytes to the server, `take` takes its bytes."""
    send(client.written())
    client.read(take())
    send(client.written())
    assert client.open


async def tls_connection(port: int, context: ssl.SSLContext | None = None) -> tuple[Any, Any]:
    """Connect by TLS to a server on this machine; returns a stream's reader and writer."""
    return await asyncio.open_connection("127.0.0.1", port, ssl=context or any_certificate())
