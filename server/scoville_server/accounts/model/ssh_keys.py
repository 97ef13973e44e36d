"""Public SSH keys, as in `id_ed25519.pub`, and the proof that a user has the private key.

The proof is a signature by `ssh-keygen -Y sign -n scoville`: the format SSHSIG of OpenSSH's PROTOCOL.sshsig.
"""

import base64
import binascii
import hashlib
from collections.abc import Callable
from hashlib import sha256
from typing import Final, Protocol

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

from scoville_server.accounts.model.account import SshKey
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.proofs import NAMESPACE

_WORD: Final = 4


class Reader:
    """Reads fields one after the other. Raises ValueError if the bytes end too early."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take_bytes(self, count: int) -> bytes:
        """Read that many bytes."""
        end = self._at + count
        if end > len(self._data):
            raise ValueError("it is incomplete")
        taken, self._at = self._data[self._at : end], end
        return taken

    def read_number(self) -> int:
        """Read a uint32."""
        return int.from_bytes(self.take_bytes(_WORD))

    def read_string(self) -> bytes:
        return self.take_bytes(self.read_number())

    def read_integer(self) -> int:
        """Read an mpint."""
        return int.from_bytes(self.read_string(), signed=True)

    def check_end(self) -> None:
        """Check that nothing follows. Raises ValueError."""
        if self._at != len(self._data):
            raise ValueError("there is data after its end")


def write_string(data: bytes) -> bytes:
    return len(data).to_bytes(_WORD) + data


RSA_BITS: Final = range(2048, 8192 + 1)
"""Shorter keys can be broken, longer ones keep the server busy."""

RSA_EXPONENT_BITS: Final = 32
"""A public exponent is a small odd number, usually 65,537. Checking a signature takes longer with each of its bits."""

_CURVES: Final[dict[bytes, tuple[ec.EllipticCurve, hashes.HashAlgorithm]]] = {
    b"nistp256": (ec.SECP256R1(), hashes.SHA256()),
    b"nistp384": (ec.SECP384R1(), hashes.SHA384()),
    b"nistp521": (ec.SECP521R1(), hashes.SHA512()),
}
_RSA_HASHES: Final[dict[bytes, hashes.HashAlgorithm]] = {
    b"rsa-sha2-256": hashes.SHA256(),
    b"rsa-sha2-512": hashes.SHA512(),
}
_TOUCHED: Final = 1
"""The flag of a security key: its user has touched it."""


class Public(Protocol):
    """A public key of any type."""

    def check_signature(self, data: bytes, proof: bytes) -> bool:
        """Whether `proof` is this key's signature of `data`."""


class _Key:
    """Base of all key types: a proof that cannot be read is wrong."""

    def __init__(self, verify: Callable[[bytes, Reader, bytes], None]) -> None:
        self._verify = verify

    def check_signature(self, data: bytes, proof: bytes) -> bool:
        reader = Reader(proof)
        try:
            kind = reader.read_string()
            self._verify(kind, reader, data)
            reader.check_end()
        except (InvalidSignature, UnsupportedAlgorithm, ValueError):
            return False
        return True


def read_public_key(blob: bytes) -> Public:
    """Read a key. Raises ScovilleError `bad_key`."""
    reader = Reader(blob)
    try:
        kind = reader.read_string()
        make = _KINDS.get(kind)
        if make is None:
            raise ScovilleError(Code.BAD_KEY, f"Keys of this type are not supported; use one of {_list_kinds()}.")
        key = make(kind, reader)
        reader.check_end()
    except (ValueError, UnsupportedAlgorithm) as error:
        raise ScovilleError(Code.BAD_KEY, f"That key cannot be used: {error}.") from error
    return key


def _read_ed25519(kind: bytes, reader: Reader) -> Public:
    key = ed25519.Ed25519PublicKey.from_public_bytes(reader.read_string())

    def verify(said: bytes, proof: Reader, data: bytes) -> None:
        _check_type(said, kind)
        key.verify(proof.read_string(), data)

    return _Key(verify)


def _read_security_key(kind: bytes, reader: Reader) -> Public:
    """Read a key that lives in a device, which signs a hash of the data together with its own flags and counter."""
    key = ed25519.Ed25519PublicKey.from_public_bytes(reader.read_string())
    application = sha256(reader.read_string()).digest()

    def verify(said: bytes, proof: Reader, data: bytes) -> None:
        _check_type(said, kind)
        # A byte of flags, and the device's counter of four.
        signature, seen = proof.read_string(), proof.take_bytes(5)
        if not seen[0] & _TOUCHED:
            raise ValueError("the security device was not touched")
        key.verify(signature, application + seen + sha256(data).digest())

    return _Key(verify)


def _read_ecdsa(kind: bytes, reader: Reader) -> Public:
    name = reader.read_string()
    _check_type(kind, b"ecdsa-sha2-" + name)
    curve, algorithm = _CURVES[name]
    key = ec.EllipticCurvePublicKey.from_encoded_point(curve, reader.read_string())

    def verify(said: bytes, proof: Reader, data: bytes) -> None:
        _check_type(said, kind)
        numbers = Reader(proof.read_string())
        r, s = numbers.read_integer(), numbers.read_integer()
        numbers.check_end()
        if r < 0 or s < 0:
            raise ValueError("a signature has no negative numbers")
        # SSH writes the two numbers one after the other, the library takes them in DER.
        key.verify(utils.encode_dss_signature(r, s), data, ec.ECDSA(algorithm))

    return _Key(verify)


def _read_rsa(_: bytes, reader: Reader) -> Public:
    exponent, modulus = reader.read_integer(), reader.read_integer()
    if modulus.bit_length() not in RSA_BITS:
        raise ValueError(f"it has {modulus.bit_length()} bits; RSA keys must have {RSA_BITS[0]} to {RSA_BITS[-1]}")
    if exponent < 3 or exponent % 2 == 0 or exponent.bit_length() > RSA_EXPONENT_BITS:
        raise ValueError(f"its exponent is not an odd number from 3 on of at most {RSA_EXPONENT_BITS} bits")
    key = rsa.RSAPublicNumbers(exponent, modulus).public_key()

    def verify(said: bytes, proof: Reader, data: bytes) -> None:
        algorithm = _RSA_HASHES.get(said)
        if algorithm is None:
            raise ValueError("signatures with SHA-1 are not supported")
        key.verify(proof.read_string(), data, padding.PKCS1v15(), algorithm)

    return _Key(verify)


def _check_type(said: bytes, kind: bytes) -> None:
    if said != kind:
        raise ValueError("its type differs from the key's")


def _list_kinds() -> str:
    return ", ".join(kind.decode() for kind in _KINDS)


_KINDS: Final[dict[bytes, Callable[[bytes, Reader], Public]]] = {
    b"ssh-ed25519": _read_ed25519,
    b"sk-ssh-ed25519@openssh.com": _read_security_key,
    b"ecdsa-sha2-nistp256": _read_ecdsa,
    b"ecdsa-sha2-nistp384": _read_ecdsa,
    b"ecdsa-sha2-nistp521": _read_ecdsa,
    b"ssh-rsa": _read_rsa,
}


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
    read_public_key(blob)  # refuses a kind that the server cannot check
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
    return blob, SshKey(fingerprint=write_fingerprint(blob), line=f"{kind} {encoded}", comment=_one_line(comment))


def write_fingerprint(blob: bytes) -> str:
    """Write a key's fingerprint in the format of `ssh-keygen -l`."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


def check_signature(key: SshKey, signature: str, text: str) -> None:
    """Check that a key has signed a text. Raises BadKey."""
    _check_length(signature, "signature")
    blob = _decode_base64(key.line.partition(" ")[2])
    try:
        signed, proof = _split_signature(_strip_armor(signature), blob, text.encode())
    except ValueError as error:
        raise BadKey(f"This is not a signature of ssh-keygen -Y sign -n scoville: {error}.") from error
    if not read_public_key(blob).check_signature(signed, proof):
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
