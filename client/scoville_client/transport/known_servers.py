"""Known servers: the pin of each server's key, kept at the first use of its address."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from scoville_client.transport.address import Address
from scoville_shared.identity import FORMER_KEYS_OID, is_weak, pin_of, replaced_keys, unpack_former

_LONGEST: Final = 100
"""Characters of a file that are read; a pin has 20."""


class ServerIdentity(NamedTuple):
    """The key that a server has shown (32 bytes), and the keys that it has replaced, newest first."""

    key: bytes
    replaced: tuple[bytes, ...]

    @property
    def pin(self) -> str:
        """The pin of the key."""
        return pin_of(self.key)

    def is_known_by(self, pin: str) -> bool:
        """Whether a pin is that of this key or of one that it has replaced."""
        return any(pin_of(key) == pin for key in (self.key, *self.replaced))


def identity_of(certificate: bytes) -> ServerIdentity:
    """Read the identity in a server's certificate (DER). Raises ValueError when it has none."""
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        found = x509.load_der_x509_certificate(certificate)
        key = found.public_key()
        extensions = {each.oid.dotted_string: each.value for each in found.extensions}
    except (UnsupportedAlgorithm, x509.DuplicateExtension) as error:
        raise ValueError(str(error)) from error
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("the key is not Ed25519")
    public, former = key.public_bytes_raw(), extensions.get(FORMER_KEYS_OID)
    if is_weak(public):
        raise ValueError("anybody can sign with this key")
    packed = former.value if isinstance(former, x509.UnrecognizedExtension) else b""
    return ServerIdentity(public, replaced_keys(public, unpack_former(packed)))


class KnownServers:
    """Pins by address, each in a file of its own that only the user can read; None as folder stores nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._unsaved: dict[str, str] = {}

    @classmethod
    def of_user(cls) -> "KnownServers":
        """Return the servers that the present user knows."""
        from platformdirs import user_data_path

        try:
            return cls(user_data_path("scoville", appauthor=False) / "servers")
        except RuntimeError:  # nobody's home
            return cls(None)

    def pin(self, address: Address) -> str:
        """Return the pin of an address; empty for an unknown one. Raises OSError when it cannot be read."""
        name = _name(address)
        if name in self._unsaved or self._folder is None:
            return self._unsaved.get(name, "")
        try:
            with (self._folder / name).open("rb") as file:
                return file.read(_LONGEST).decode("ascii", "replace").strip() or "?"
        except FileNotFoundError:
            return ""

    def keep(self, address: Address, pin: str) -> None:
        """Store a pin; where nothing can be written it is known until this program ends."""
        name = _name(address)
        self._unsaved[name] = pin
        if self._folder is not None:
            with suppress(OSError):
                _write(self._folder, name, f"{pin}\n".encode())
                del self._unsaved[name]


def _name(address: Address) -> str:
    return f"{quote(address.host.lower(), safe='')}_{address.port}.pin"


def _write(folder: Path, name: str, content: bytes) -> None:
    """Replace a file at once: a reader finds the former pin or the new one. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = folder / f"{name}.{os.getpid()}.part"
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(handle, content)
        os.fsync(handle)
    finally:
        os.close(handle)
    part.replace(folder / name)
