"""The TLS settings of a server: version 1.3 alone, its own certificate, nothing kept for later sessions.

The certificate shows the server's key: self-signed, without an end; clients pin the key, not it. An extension of its
own names the former keys with their signatures, so that a client that has pinned one of them accepts the present one
before it sends a byte.
"""

import secrets
import ssl
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat
from cryptography.x509.oid import NameOID

from scoville_server.identity import ServerKey
from scoville_shared.identity import FORMER_KEYS_OID, pack_former

_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Scoville server")])
_BEGIN, _END = datetime(2000, 1, 1), datetime(9999, 12, 31, 23, 59, 59)
"""Valid for ever: the end is the one that RFC 5280 gives for certificates without any."""


def certificate_of(key: ServerKey) -> bytes:
    """Return a key's certificate in PEM."""
    builder = (
        x509.CertificateBuilder()
        .subject_name(_NAME)
        .issuer_name(_NAME)
        .public_key(key.private_key.public_key())
        .serial_number(1)
        .not_valid_before(_BEGIN)
        .not_valid_after(_END)
    )
    if key.former:
        former = x509.UnrecognizedExtension(x509.ObjectIdentifier(FORMER_KEYS_OID), pack_former(key.former))
        builder = builder.add_extension(former, critical=False)
    return builder.sign(key.private_key, None).public_bytes(Encoding.PEM)


def encrypted_private_key(key: ServerKey, password: bytes) -> bytes:
    """Return the private key in PEM, encrypted: TLS reads it from a file only, which another program may see."""
    return key.private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password))


def server_context(key: ServerKey) -> ssl.SSLContext:
    """Return the context for all connections of a server.

    TLS 1.3 has no renegotiation, and every library that knows Ed25519 certificates knows it. Without tickets a session
    ends with its connection: a ticket would cost its key's secrecy and memory, and save a handshake of a millisecond.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.num_tickets = 0
    _load_key(context, key)
    return context


def _load_key(context: ssl.SSLContext, key: ServerKey) -> None:
    """Let a context show a key."""
    password = secrets.token_urlsafe()
    with TemporaryDirectory(prefix="scoville-") as folder:  # readable by this user only
        file = Path(folder, "certificate.pem")
        file.write_bytes(certificate_of(key) + encrypted_private_key(key, password.encode()))
        context.load_cert_chain(file, password=password)


class LinkContexts(NamedTuple):
    """The TLS settings of a node for its links: both ends show the key of the cluster, and accept no other one."""

    accepting: ssl.SSLContext
    dialing: ssl.SSLContext


def link_contexts(key: ServerKey) -> LinkContexts:
    """Return the TLS settings of a node that has the key of its cluster."""
    # Without the former keys, of which nodes may know more or fewer: the same bytes at all nodes.
    own = ServerKey(key.private_key.private_bytes_raw())
    certificate = certificate_of(own)
    accepting, dialing = server_context(own), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    dialing.minimum_version = ssl.TLSVersion.TLSv1_3
    # Only the key counts: a node may have any name and address.
    dialing.check_hostname = False
    _load_key(dialing, own)
    for context in (accepting, dialing):
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=certificate.decode())
    return LinkContexts(accepting, dialing)
