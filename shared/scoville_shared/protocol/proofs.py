"""Text that an SSH key signs as a proof of identity. The client composes it; the server composes it again and compares.

A server chooses nothing of it but the nonce, so that a signature for one server, purpose, name or connection is
worthless for every other. docs/protocol.md documents the text.
"""

from typing import Final, Literal

from scoville_shared.protocol.messages import PROTOCOL
from scoville_shared.text import clean_name

NAMESPACE: Final = "scoville"
"""The namespace of valid signatures (`ssh-keygen -Y sign -n scoville`)."""

Purpose = Literal["log-in", "claim", "add-key", "confirm"]
"""Purpose of a signature: `account.login_by_key`, `account.claim_name`, `account.add_key` or `account.confirm`."""


def proof_text(purpose: Purpose, server_key: str, name: str, nonce: str) -> str:
    """Compose the text to sign.

    Args:
        purpose: The purpose of the signature.
        server_key: The server's public key, 64 hex characters. A client takes it from the TLS handshake of this
            connection, or from a server in its own process, and never from a message.
        name: The claimed name to log in to, else the user's present name; it is cleaned as in a request.
        nonce: The nonce of `account.challenge`, 64 hex characters.
    """
    lines = (
        f"Scoville {purpose}",
        f"protocol: {PROTOCOL}",
        f"server: {server_key}",
        f"name: {clean_name(name)}",
        f"nonce: {nonce}",
    )
    return "".join(f"{line}\n" for line in lines)
