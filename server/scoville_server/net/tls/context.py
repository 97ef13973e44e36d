"""The TLS settings of a server: version 1.3 alone, its own certificate, nothing kept for later sessions."""

import secrets
import ssl
from pathlib import Path
from tempfile import TemporaryDirectory

from scoville_server.identity.certificate import certificate_of, encrypted_private_key
from scoville_server.identity.key import ServerKey


def server_context(key: ServerKey) -> ssl.SSLContext:
    """Return the context for all connections of a server.

    TLS 1.3 has no renegotiation, and every library that knows Ed25519 certificates knows it. Without tickets a session
    ends with its connection: a ticket would cost its key's secrecy and memory, and save a handshake of a millisecond.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.num_tickets = 0
    password = secrets.token_urlsafe()
    with TemporaryDirectory(prefix="scoville-") as folder:  # readable by this user only
        file = Path(folder, "certificate.pem")
        file.write_bytes(certificate_of(key) + encrypted_private_key(key, password.encode()))
        context.load_cert_chain(file, password=password)
    return context
