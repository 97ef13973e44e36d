"""Server identity: the public key, its pin, what the key signs, and the keys that it has replaced.

The key is Ed25519 (RFC 8032). docs/fairness.md and docs/security.md document every signed text with test vectors.
"""

from base64 import b32encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from msgspec import Struct

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
PIN_CHARS: Final = 20
"""Characters of a pin: 100 bits, too many to find a second key with the same pin."""
MOST_FORMER: Final = 16
"""Former keys that a server names: a client that was away for more rotations has to learn the new pin."""

_INFO: Final = bytes.fromhex("302a300506032b6570032100")
"""The bytes before the 32 of an Ed25519 key in its SubjectPublicKeyInfo (RFC 8410)."""

SUCCESSOR: Final = "successor"
"""Purpose of a former key's signature: the content is the public key that replaces it."""


FORMER_KEYS_OID: Final = "2.25.152547178982301209853845150320528345089"
"""The extension of a server's certificate that holds `pack_former`. Below 2.25 every UUID has a number of its own."""


COMMITMENT: Final = "signed-commitment"
"""Purpose of the signature of a commitment: the content is the commitment (32 bytes) and the terms as JSON."""

RESULT: Final = "signed-result"
"""Purpose of the signature of a finished game: the content is the SHA-256 of its lines, each with a line feed."""


_P: Final = 2**255 - 19
_ORDER_8: Final = (
    0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826,
    0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7,
)
_WEAK: Final = frozenset((0, 1, _P - 1, _P, _P + 1, *_ORDER_8))
"""The y-coordinates of the Ed25519 points of order 1, 2, 4 and 8, as keys may write them (RFC 8032, section 5.1)."""


def is_weak(public: bytes) -> bool:
    """Return whether a public key is weak: anybody can make its signatures, so they prove nothing about its server."""
    # Without the topmost bit, which is the sign of x: these points are weak with either.
    return int.from_bytes(public, "little") % 2**255 in _WEAK


class FormerKey(Struct, frozen=True):
    """A public key (32 bytes) that was replaced, and its signature of the key that replaced it (64 bytes)."""

    key: bytes
    signature: bytes


def pack_former(former: Sequence[FormerKey]) -> bytes:
    """Join former keys with their signatures, oldest first: 96 bytes each."""
    return b"".join(each.key + each.signature for each in former)


def unpack_former(packed: bytes) -> tuple[FormerKey, ...]:
    """Split the bytes of `pack_former`; bytes that are no whole key are left out."""
    size = KEY_BYTES + SIGNATURE_BYTES
    parts = [packed[at : at + size] for at in range(0, len(packed) - size + 1, size)]
    return tuple(FormerKey(part[:KEY_BYTES], part[KEY_BYTES:]) for part in parts)


def pin_of(public: bytes) -> str:
    """Return the pin of a public key: 20 characters, base32 of the SHA-256 of its SubjectPublicKeyInfo."""
    return b32encode(sha256(_INFO + public).digest())[:PIN_CHARS].decode()


def signed_text(purpose: str, public: bytes, content: bytes) -> bytes:
    """Compose the text that a server signs: the purpose, its own public key and what it is about.

    Keys have a fixed length and purposes no zero byte, so no two different claims have the same text.
    """
    return f"scoville/{purpose}/1".encode() + b"\0" + public + content


def is_signed(public: bytes, purpose: str, content: bytes, signature: bytes) -> bool:
    """Return whether a signature is that of a public key for this purpose and content; none is that of a weak key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if is_weak(public):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed_text(purpose, public, content))
    except (InvalidSignature, ValueError):
        return False
    return True


def replaced_keys(public: bytes, former: Sequence[FormerKey]) -> tuple[bytes, ...]:
    """Return the former keys, newest first, whose signatures lead to a public key without a gap.

    Args:
        public: The present key.
        former: The former keys by its server's account, oldest first; the first invalid signature ends the chain.
    """
    found: list[bytes] = []
    # From the newest on, and never more than a server may name: each costs the check of a signature.
    for each in former[: -MOST_FORMER - 1 : -1]:
        if not is_signed(each.key, SUCCESSOR, public, each.signature):
            break
        found.append(each.key)
        public = each.key
    return tuple(found)
