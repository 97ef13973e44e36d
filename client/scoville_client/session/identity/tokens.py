"""Who I was at a server, kept from one run to the next: a client that was killed comes back as the same person.

For each server there are slots, one for each client that has run here at the same time. A running client holds the lock
of its slot, so that four terminals are four people. Nothing depends on it: where it cannot be kept, one is a stranger.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import quote

import msgspec
from msgspec import Struct

from scoville_client.crash import state_folder

try:
    import fcntl
except ImportError:  # without locks, a second client would push the first one out of its seat
    _LOCKS = False
else:
    _LOCKS = True

_HOST = "host.json"
"""The slot in a data folder of one's own."""
_MOST = 64
"""Slots for each server."""
_LONGEST = 4096
"""Bytes of a slot that are looked at; what we write is far shorter."""


class Kept(Struct, frozen=True):
    """The token of a person, the name the server gave them, and the one they had asked for."""

    token: str = ""
    name: str = ""
    wished: str = ""

    def fits(self, name: str) -> bool:
        """Say whether this is somebody, of that `name` if it is not empty."""
        return bool(self.token) and (not name or name.casefold() in {self.name.casefold(), self.wished.casefold()})


class Slot:
    """A slot that this client holds until `release`, and what is `kept` there; `token` is empty in a fresh one."""

    def __init__(self, file: Path, handle: int) -> None:
        self._file = file
        self._handle = handle
        self.kept = _decoded(os.pread(handle, _LONGEST, 0))

    @property
    def token(self) -> str:
        """The proof of who I was."""
        return self.kept.token

    def keep(self, token: str, name: str, wished: str) -> None:
        """Write down who I am now; where that cannot be done, it is forgotten."""
        kept = Kept(token, name, wished)
        if kept == self.kept:
            return
        with suppress(OSError):
            self._replace(msgspec.json.encode(kept))
            self.kept = kept

    def _replace(self, content: bytes) -> None:
        """Put a new file in the place of the old one at once: a kill leaves one of both, whole. Raises OSError.

        The new file is locked before it has the name, so the slot is held all the time.
        """
        part = self._file.with_name(self._file.name + ".part")
        new = os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.fchmod(new, 0o600)
            fcntl.flock(new, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _write(new, content)
            part.replace(self._file)
        except OSError:
            os.close(new)
            with suppress(OSError):
                part.unlink()
            raise
        old, self._handle = self._handle, new
        os.close(old)
        _sync_folder(self._file.parent)

    def release(self) -> None:
        """Let another client be this person."""
        os.close(self._handle)


def take(host: str, port: int, name: str, environment: Mapping[str, str] = os.environ) -> Slot | None:
    """Hold the lowest free slot of a server that fits `name` (empty: anybody), else a fresh one; None if there is none.

    The environment says where the state of this user is.
    """
    if not _LOCKS:
        return None
    try:
        folder = state_folder(environment) / "tokens"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        server = f"{quote(host.lower(), safe='')}_{port}"
        return _slot([folder / f"{server}_{number}.json" for number in range(_MOST)], name)
    except (OSError, RuntimeError):  # read-only, no folder, or nobody's home
        return None


def own(folder: Path) -> Slot | None:
    """Hold the slot of whoever hosts from a data folder, which no other server uses now; None if it cannot be kept."""
    if not _LOCKS:
        return None
    try:
        return _held(folder / _HOST, lambda _: True)
    except OSError:
        return None


def _slot(files: Sequence[Path], name: str) -> Slot | None:
    """Hold a slot that fits, else one that is nobody's."""

    def fits(kept: Kept) -> bool:
        return kept.fits(name)

    return _first(files, fits) or _first(files, _nobody)


def _first(files: Sequence[Path], suits: Callable[[Kept], bool]) -> Slot | None:
    """Hold the first slot that suits and that no other client holds; the others are not touched."""
    held = (_held(file, suits) for file in files if suits(_read(file)))
    return next((slot for slot in held if slot is not None), None)


def _nobody(kept: Kept) -> bool:
    return not kept.token


def _held(file: Path, suits: Callable[[Kept], bool]) -> Slot | None:
    """Open a slot and lock it; None while another client holds it, or when it does not suit any more."""
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    with ExitStack() as undone:
        undone.callback(os.close, handle)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        if not os.path.samestat(os.fstat(handle), file.stat()):  # its holder has just replaced it
            return None
        slot = Slot(file, handle)
        if not suits(slot.kept):
            return None
        undone.pop_all()
        return slot


def _write(handle: int, content: bytes) -> None:
    """Write all of a file, and wait until it is on the disk. Raises OSError."""
    while content:
        content = content[os.write(handle, content) :]
    os.fsync(handle)


def _sync_folder(folder: Path) -> None:
    """Wait until a folder's names are on the disk. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read(file: Path) -> Kept:
    try:
        with file.open("rb") as content:
            return _decoded(content.read(_LONGEST))
    except OSError:
        return Kept()


def _decoded(content: bytes) -> Kept:
    try:
        return msgspec.json.decode(content, type=Kept)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Kept()
