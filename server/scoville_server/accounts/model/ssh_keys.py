"""Public SSH keys, as in `id_ed25519.pub`, and the proof that a user has the private key.

The proof is a signature by `ssh-keygen -Y sign -n scoville`: the format SSHSIG of OpenSSH's PROTOCOL.sshsig.
"""

import base64
import binascii
import hashlib
from typing import Final

from scoville_server.accounts.model.account import SshKey
from scoville_server.accounts.model.signatures import Reader, write_string
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.proofs import NAMESPACE

_MAGIC: Final = b"SSHSIG"
_HASHES: Final = {b"sha256": hashlib.sha256, b"sha512": hashlib.sha512}
_LONGEST_COMMENT: Final = 64
_LONGEST: Final = 16 * 1024
"""Most characters of a key or a signature: those of the longest RSA key take a quarter of it."""


class BadKey(ScovilleError):
    """A key or a signature that cannot be used; the sentence says why."""

    def __init__(self, message: str) -> None:
        super().__init__(Code.BAD_KEY, message)


def read_key(line: str) -> SshKey:
    """Read one line: the type, the key in base64, and perhaps a comment. Raises BadKey."""
    blob, key = _parse_line(line)
    _check_kind(blob)
    return key


def fingerprint_of(line: str) -> str:
    """Return the fingerprint of a key of any kind, at little cost. Raises BadKey."""
    return _parse_line(line)[1].fingerprint


def _parse_line(line: str) -> tuple[bytes, SshKey]:
    _check_length(line, "key")
    kind, _, rest = line.strip().partition(" ")
    encoded, _, comment = rest.strip().partition(" ")
    blob = _decode_base64(encoded)
    try:
        said = Reader(blob).read_string()
    except ValueError:
        said = b""
    if not blob or said != kind.encode():
        raise BadKey("This is not a public SSH key; a key is one line, as in id_ed25519.pub.")
    return blob, SshKey(fingerprint=fingerprint(blob), line=f"{kind} {encoded}", comment=_one_line(comment))


def fingerprint(blob: bytes) -> str:
    """Return a key's fingerprint in the format of `ssh-keygen -l`."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


def check_signature(key: SshKey, signature: str, text: str) -> None:
    """Check that a key has signed a text. Raises BadKey."""
    _check_length(signature, "signature")
    blob = _decode_base64(key.line.partition(" ")[2])
    try:
        signed, proof = _split_signature(_strip_armor(signature), blob, text.encode())
    except ValueError as error:
        raise BadKey(f"This is not a signature of ssh-keygen -Y sign -n scoville: {error}.") from error
    if not _is_signed_by(blob, signed, proof):
        raise BadKey("The signature does not match the key, the server, the name and the nonce.")


def _split_signature(signature: bytes, blob: bytes, message: bytes) -> tuple[bytes, bytes]:
    """Split a signature: the bytes that must have been signed, and the proof itself. Raises ValueError."""
    reader = Reader(signature)
    if reader.take_bytes(len(_MAGIC)) != _MAGIC or reader.read_number() != 1:
        raise ValueError("it does not begin like one")
    by, namespace, reserved, hash_name, proof = (reader.read_string() for _ in range(5))
    reader.check_end()
    if by != blob:
        raise ValueError("it was made with another key")
    if namespace != NAMESPACE.encode():
        raise ValueError("it was made for another purpose than scoville")
    if hash_name not in _HASHES:
        raise ValueError("its hash is neither sha256 nor sha512")
    digest = _HASHES[hash_name](message).digest()
    return _MAGIC + b"".join(write_string(part) for part in (namespace, reserved, hash_name, digest)), proof


def _check_length(text: str, what: str) -> None:
    if len(text) > _LONGEST:
        raise BadKey(f"A {what} has at most {_LONGEST} characters; this one has {len(text)}.")


def _check_kind(blob: bytes) -> None:
    """Check that the server supports the key. Raises BadKey."""
    from scoville_server.accounts.model import signatures

    signatures.read_public_key(blob)


def _is_signed_by(blob: bytes, signed: bytes, proof: bytes) -> bool:
    from scoville_server.accounts.model import signatures

    return signatures.read_public_key(blob).check_signature(signed, proof)


def _strip_armor(signature: str) -> bytes:
    """Read a signature with or without its first and last line."""
    return _decode_base64("".join(line for line in signature.split("\n") if not line.startswith("-----")))


def _decode_base64(text: str) -> bytes:
    """Decode base64, with whatever white space a terminal has inserted; b"" if it is invalid."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _one_line(comment: str) -> str:
    return "".join(char for char in comment if char.isprintable())[:_LONGEST_COMMENT].strip()
