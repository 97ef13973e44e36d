"""The server's private key: it signs, and it is replaced by a key that it has signed."""

from typing import Annotated, Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Meta, Struct

from scoville_shared.identity import (
    KEY_BYTES,
    MOST_FORMER,
    SIGNATURE_BYTES,
    SUCCESSOR,
    FormerKey,
    pin_of,
    replaced_keys,
    signed_text,
)

_TITLE: Final = "private key of a Scoville server"

_KeyHex = Annotated[str, Meta(pattern=rf"^[0-9a-f]{{{2 * KEY_BYTES}}}\Z")]
_SignatureHex = Annotated[str, Meta(pattern=rf"^[0-9a-f]{{{2 * SIGNATURE_BYTES}}}\Z")]


class _Former(Struct, frozen=True, forbid_unknown_fields=True):
    public: _KeyHex
    signature: _SignatureHex


class _Stored(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The key as a file. `public` follows from `private`: a flipped bit would otherwise make another key."""

    what: str = _TITLE
    private: _KeyHex
    public: _KeyHex
    former: list[_Former] = []


# Decision 040: one Ed25519 key proves the server in TLS and signs commitments; signatures need no random number.
class ServerKey:
    """An Ed25519 key pair.

    Args:
        private: The private key, 32 bytes.
        former: The public keys that it has replaced, oldest first.
    """

    def __init__(self, private: bytes, former: tuple[FormerKey, ...] = ()) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(private)
        self.public = self._private.public_key().public_bytes_raw()
        self.former = former[-MOST_FORMER:]

    @classmethod
    def new_key(cls) -> "ServerKey":
        """Make a key from the system's randomness."""
        return cls(Ed25519PrivateKey.generate().private_bytes_raw())

    @property
    def private_key(self) -> Ed25519PrivateKey:
        """The private key, for the server's certificate."""
        return self._private

    @property
    def pin(self) -> str:
        """The short form of the public key, as players type it."""
        return pin_of(self.public)

    def sign(self, purpose: str, content: bytes) -> bytes:
        """Sign a content for one purpose; returns 64 bytes, always the same for the same content."""
        return self._private.sign(signed_text(purpose, self.public, content))

    def next_key(self) -> "ServerKey":
        """Make the next key, signed by this one."""
        new = ServerKey.new_key()
        passed_on = FormerKey(self.public, self.sign(SUCCESSOR, new.public))
        return ServerKey(new._private.private_bytes_raw(), (*self.former, passed_on))  # noqa: SLF001 - of its own class

    def former_since(self, public: bytes) -> tuple[FormerKey, ...]:
        """Return the keys replaced since another one, oldest first, that one included; none if it is unknown."""
        at = next((number for number, each in enumerate(self.former) if each.key == public), len(self.former))
        return self.former[at:]

    def has_replaced(self, other: "ServerKey") -> bool:
        """Return whether this is another key or has replaced it."""
        return other.public == self.public or other.public in replaced_keys(self.public, self.former)

    def as_file(self) -> bytes:
        """Encode the private key as the content of a file."""
        former = [_Former(each.key.hex(), each.signature.hex()) for each in self.former]
        private = self._private.private_bytes_raw().hex()
        stored = _Stored(private=private, public=self.public.hex(), former=former)
        return msgspec.json.format(msgspec.json.encode(stored)) + b"\n"

    @classmethod
    def from_file(cls, data: bytes) -> "ServerKey":
        """Decode the content of a file. Raises ValueError when it is damaged."""
        try:
            stored = msgspec.json.decode(data, type=_Stored)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ValueError("it is not the key of a server") from error
        former = tuple(FormerKey(bytes.fromhex(each.public), bytes.fromhex(each.signature)) for each in stored.former)
        key = cls(bytes.fromhex(stored.private), former)
        if stored.what != _TITLE or key.public.hex() != stored.public:
            raise ValueError("its private and its public part do not belong together")
        if len(replaced_keys(key.public, key.former)) != len(stored.former):
            raise ValueError("a signature of a former key is wrong")
        return key


class ServerIdentity:
    """The key of a server: a new one until the journal, which keeps it, is open."""

    def __init__(self) -> None:
        self.key = ServerKey.new_key()
