"""Known servers: the pin of each server's key, kept at the first use of its address, and the pins of replaced keys."""

import re
from collections.abc import Sequence
from contextlib import suppress
from errno import EILSEQ
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from scoville_client.transport.address import Address
from scoville_runtime.atomic_files import replace_file
from scoville_shared.identity import FORMER_KEYS_OID, is_weak, pin_of, replaced_keys, unpack_former

_LONGEST: Final = 100
"""Characters of a pin's file that are read; a pin has 20."""
_MOST_REPLACED: Final = 64
"""Replaced keys that are remembered by address, the newest ones: a hostile server could show new ones at each visit."""
_LONGEST_LIST: Final = 4096
"""Characters of a list of replaced pins that are read."""


class DamagedPin(OSError):
    """A file of stored pins that holds something else, such as half a pin; `path` is where it is."""

    def __init__(self, path: Path) -> None:
        super().__init__(EILSEQ, "it is damaged", str(path))
        self.path = path


class ServerIdentity(NamedTuple):
    """The key that a server has shown (32 bytes), and the keys that it has replaced, newest first."""

    key: bytes
    replaced: tuple[bytes, ...]

    @property
    def pin(self) -> str:
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
    # Of low order: signatures can be made for it without a private key.
    if is_weak(public):
        raise ValueError("anybody can sign with this key")
    packed = former.value if isinstance(former, x509.UnrecognizedExtension) else b""
    return ServerIdentity(public, replaced_keys(public, unpack_former(packed)))


class KnownServers:
    """Pins by address, each in a file of its own that only the user can read; None as folder stores nothing.

    Beside the pin of an address are the pins of the keys that its server has replaced, as their signatures proved. Such
    a key may be in other hands: that it could leak is a reason to replace it.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._unsaved: dict[str, str] = {}
        self._unsaved_replaced: dict[str, tuple[str, ...]] = {}

    @classmethod
    def of_user(cls) -> "KnownServers":
        """Return the servers that the present user knows."""
        from platformdirs import user_data_path

        try:
            return cls(user_data_path("scoville", appauthor=False) / "servers")
        except RuntimeError:  # a user without a home folder
            return cls(None)

    def find_pin(self, address: Address) -> str:
        """Return the pin of an address; empty for an unknown one. Raises OSError when it cannot be read, DamagedPin."""
        return self._pin_of(_file_name(address))

    def keep_key(self, address: Address, pin: str, replaced: Sequence[str] = ()) -> None:
        """Store a pin, and those of the keys that it has replaced, newest first.

        Where nothing can be written they are known until this program ends.
        """
        name = _file_name(address)
        try:
            before = self._replaced_at(name)
        except OSError:
            before = ()
        # Newest first, so that the bound drops the oldest ones.
        all_replaced = tuple(dict.fromkeys(each for each in (*replaced, *before) if each != pin))[:_MOST_REPLACED]
        # Known in memory first: where nothing can be written this program at least is safe.
        self._unsaved[name], self._unsaved_replaced[name] = pin, all_replaced
        if self._folder is None:
            return
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if all_replaced != before:  # first: a crash between the two leaves the former pin, which then leads to none
                lines = "".join(f"{each}\n" for each in all_replaced)
                replace_file(self._folder / f"{name}{_REPLACED}", lines.encode())
            del self._unsaved_replaced[name]
            replace_file(self._folder / f"{name}{_PIN}", f"{pin}\n".encode())
            del self._unsaved[name]

    def present_pins(self, pin: str) -> frozenset[str]:
        """Return the pins of the keys that have replaced the one with `pin`, at any address; `pin` itself if none has.

        Raises OSError when a file cannot be read.
        """
        present, passed, open_pins = set[str](), set[str](), [pin]
        while open_pins:
            each = open_pins.pop()
            passed.add(each)
            names = [name for name in self._list_names() if each in self._replaced_at(name)]
            if not names:
                present.add(each)
            # Without those that were passed: two servers that name each other would lead in a circle.
            open_pins += {self._pin_of(name) for name in names} - passed
        return frozenset(present)

    def is_replaced(self, pin: str) -> bool:
        """Return whether the key with `pin` was replaced by one that it has signed. Raises OSError like `pin`."""
        return any(pin in self._replaced_at(name) for name in self._list_names())

    def _list_names(self) -> set[str]:
        """Return the addresses with replaced keys, by the names of their files."""
        names = {*self._unsaved_replaced}
        if self._folder is not None:
            # No server has been used yet.
            with suppress(FileNotFoundError, NotADirectoryError):
                names |= {file.name.removesuffix(_REPLACED) for file in self._folder.glob(f"*{_REPLACED}")}
        return names

    def _pin_of(self, name: str) -> str:
        if name in self._unsaved or self._folder is None:
            return self._unsaved.get(name, "")
        try:
            with (self._folder / f"{name}{_PIN}").open("rb") as file:
                content = file.read(_LONGEST).decode("ascii", "replace")
        except FileNotFoundError:
            return ""
        # Never taken for an unknown server: an attacker who can damage a file could then show a new key.
        if _STORED_PIN.fullmatch(content) is None:
            raise DamagedPin(self._folder / f"{name}{_PIN}")
        return content.strip()

    def _replaced_at(self, name: str) -> tuple[str, ...]:
        if name in self._unsaved_replaced or self._folder is None:
            return self._unsaved_replaced.get(name, ())
        try:
            with (self._folder / f"{name}{_REPLACED}").open("rb") as file:
                lines = file.read(_LONGEST_LIST).decode("ascii", "replace").splitlines(keepends=True)
        except FileNotFoundError:
            return ()
        if not all(map(_STORED_PIN.fullmatch, lines)):
            raise DamagedPin(self._folder / f"{name}{_REPLACED}")
        return tuple(line.strip() for line in lines)


_PIN: Final = ".pin"
_STORED_PIN: Final = re.compile(r"[A-Z2-7]{20}\n")
_REPLACED: Final = ".replaced"


def _file_name(address: Address) -> str:
    # Names of hosts ignore case. A colon of IPv6, or a slash that somebody typed, cannot be in the name of a file.
    return f"{quote(address.host.lower(), safe='')}_{address.port}"
