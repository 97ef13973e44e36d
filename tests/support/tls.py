"""A TLS client in memory, whose bytes a test can pass on, change or withhold."""

import contextlib
import hashlib
import hmac
import os
import ssl
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgpack
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


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


def write_certificate(
    folder: Path, years: tuple[int, int] = (2020, 2100), end: datetime | None = None
) -> tuple[Path, Path]:
    """Write a new certificate of localhost, valid in some years or until `end`, and its key; returns their paths."""
    key = generate_private_key(SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(datetime(years[0], 1, 1, tzinfo=UTC))
        .not_valid_after(end or datetime(years[1], 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, SHA256())
    )
    certificate, private = folder / "cert.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(Encoding.PEM))
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return certificate, private


CHANGE_CIPHER_SPEC, ALERT, HANDSHAKE, DATA = 20, 21, 22, 23
"""Types of records, and of what an encrypted record carries."""
KEY_UPDATE: Final = b"\x18\x00\x00\x01"
CLIENT_HELLO: Final = b"\x01\x00\x00\x00"
_SUITES: Final[dict[str, tuple[str, int, Any]]] = {
    "TLS_AES_256_GCM_SHA384": ("sha384", 32, AESGCM),
    "TLS_AES_128_GCM_SHA256": ("sha256", 16, AESGCM),
    "TLS_CHACHA20_POLY1305_SHA256": ("sha256", 32, ChaCha20Poly1305),
}
_VERSION: Final = b"\x03\x03"


def plain_record(content: bytes, kind: int = HANDSHAKE) -> bytes:
    """A record without encryption, as it stands before the keys are agreed on."""
    return bytes([kind]) + _VERSION + len(content).to_bytes(2) + content


class RecordWriter:
    """Encrypts records with a traffic secret, and goes on to the next one when it says so itself."""

    def __init__(self, secret: bytes, suite: str) -> None:
        self._hash, self._key_size, self._cipher = _SUITES[suite]
        self._use(secret)

    def record(self, content: bytes, kind: int = DATA) -> bytes:
        """Encrypt content of a type in one record."""
        size = len(content) + 1 + 16
        head = bytes([DATA]) + _VERSION + size.to_bytes(2)
        nonce = (self._iv ^ self._number).to_bytes(12)
        self._number += 1
        sealed: bytes = self._aead.encrypt(nonce, content + bytes([kind]), head)
        return head + sealed

    def key_update(self, *, asks: bool = False) -> bytes:
        """Announce a new key, and use it from now on; `asks` wants one of the other end too."""
        record = self.record(KEY_UPDATE + bytes([asks]), HANDSHAKE)
        self._use(self._expand(self._secret, b"traffic upd", len(self._secret)))
        return record

    def _use(self, secret: bytes) -> None:
        self._secret, self._number = secret, 0
        self._aead = self._cipher(self._expand(secret, b"key", self._key_size))
        self._iv = int.from_bytes(self._expand(secret, b"iv", 12))

    def _expand(self, secret: bytes, label: bytes, size: int) -> bytes:
        """HKDF-Expand-Label of RFC 8446, section 7.1, for at most one block of the hash."""
        label = b"tls13 " + label
        info = size.to_bytes(2) + bytes([len(label)]) + label + b"\x00\x01"
        return hmac.digest(secret, info, getattr(hashlib, self._hash))[:size]


class RecordingClient:
    """A client that shakes hands like any other, and then writes its own records."""

    def __init__(self) -> None:
        handle, name = tempfile.mkstemp(prefix="tls-")
        os.close(handle)
        self._secrets = Path(name)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.keylog_filename = name
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.ssl = context.wrap_bio(self._incoming, self._outgoing)

    def shake_hands(self, send: Callable[[bytes], object], receive: Callable[[], bytes]) -> RecordWriter:
        """Finish a handshake, and return the writer of what follows."""
        try:
            while True:
                try:
                    self.ssl.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    send(self._outgoing.read())
                    self._incoming.write(receive())
            send(self._outgoing.read())
            [line] = [each for each in self._secrets.read_text().splitlines() if each.startswith("CLIENT_TRAFFIC_")]
        finally:
            self._secrets.unlink()
        suite = self.ssl.cipher()
        assert suite is not None
        return RecordWriter(bytes.fromhex(line.split()[2]), suite[0])

    def read(self, data: bytes) -> bytes:
        """Decrypt what the server has sent."""
        self._incoming.write(data)
        found = b""
        try:
            while part := self.ssl.read():
                found += part
        except (ssl.SSLWantReadError, ssl.SSLZeroReturnError):
            pass
        return found
