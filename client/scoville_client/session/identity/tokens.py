"""Token storage: a restarted client is the same user on the same server.

Each server has slots, one per client that ran here at the same time. A running client locks its slot, so that four
terminals are four users. Without storage the client is a new guest at each start.

A server is its key, as TLS has proved it: a token is found by the key, so that it is never sent to another server at
the same address. Without encryption nothing proves a key, and a token is found by the address; those two kinds of
tokens never meet.
"""

import errno
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoville_client.crash import find_state_folder
from scoville_client.session.identity.warnings import IDENTITY_DAMAGED
from scoville_runtime.atomic_files import create_file, replacement_of, sync_folder, write_all
from scoville_shared.engine.phrases import Phrase

try:
    import fcntl
except ImportError:  # without locks, a second client would push the first one out of its seat
    _LOCKS = False
else:
    _LOCKS = True

_HOST = "host.json"
"""File name of the slot in the data folder of a host."""
_MOST = 64
"""Slots per server; each client that runs here at the same time takes one, and is a user of its own."""
_LONGEST = 4096
"""Bytes of a slot that are read; this client writes far fewer."""
_NOBODY = b"{}"
"""Content of a new slot."""
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)
"""How file systems without links refuse one."""


class SlotContent(Struct, frozen=True):
    """Stored identity: the token, the name from the server, the name that the user had requested, and a checksum."""

    token: str = ""
    name: str = ""
    requested: str = ""
    check: str = ""

    @property
    def checksum(self) -> str:
        """A checksum of the rest: a token with another letter would only make a guest."""
        return f"{zlib.crc32(msgspec.json.encode((self.token, self.name, self.requested))):08x}"

    def fits_name(self, name: str) -> bool:
        """Whether a token is stored, for this name if it is not empty."""
        return bool(self.token) and (not name or name.casefold() in {self.name.casefold(), self.requested.casefold()})


class Slot:
    """A locked slot of this client and its stored identity, `kept`; its `token` is empty for a new user.

    `damaged` is where a file was moved that could not be read: this user may have been another one.
    """

    def __init__(self, file: Path, handle: int, kept: SlotContent) -> None:
        self._file = file
        self._handle = handle
        self.damaged: Path | None = None
        self.kept = kept

    @property
    def token(self) -> str:
        """The token that proves the identity to the server of this slot; empty before the first greeting."""
        return self.kept.token

    @property
    def pledges(self) -> Path:
        """The file beside the slot for its user's commitments at tables."""
        return self._file.with_suffix(".pledges.json")

    def store_identity(self, token: str, name: str, requested: str) -> bool:
        """Store the present identity; returns whether it could be written."""
        kept = SlotContent(token, name, requested)
        kept = replace(kept, check=kept.checksum)
        if kept != self.kept:
            try:
                self._replace_file(msgspec.json.encode(kept))
            except OSError:
                return False
            self.kept = kept
        return True

    def _replace_file(self, content: bytes) -> None:
        """Replace the file atomically: after a kill either the old or the new one is there. Raises OSError.

        The new file is locked before it gets the name, so that the slot is locked at all times.
        """
        with ExitStack() as undone:
            with replacement_of(self._file, locked=True) as part:
                fcntl.flock(part.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                write_all(part.handle, content)
                new = os.dup(part.handle)  # keeps the lock when the other one is closed
                undone.callback(os.close, new)
            undone.pop_all()
        old, self._handle = self._handle, new
        os.close(old)
        sync_folder(self._file.parent)

    def unlock_slot(self) -> None:
        """Unlock the slot for other clients."""
        os.close(self._handle)


def by_keys(keys: Sequence[str]) -> tuple[str, ...]:
    """Return the places of a server's tokens: that of its key in hex, then those of the keys that it has replaced."""
    return tuple(f"key_{key}" for key in keys)


def by_address(host: str, port: int) -> tuple[str, ...]:
    """Return the place of the tokens of an address that is reached without encryption."""
    return (f"plain_{quote(host.lower(), safe='')}_{port}",)


def take_slot(places: Sequence[str], name: str, environment: Mapping[str, str] = os.environ) -> Slot | None:
    """Lock the lowest free slot of a server that fits a name (empty: any), else a new one.

    A slot that fits at a place of a replaced key moves to the first place. Returns None when nothing can be stored. The
    environment names the state folder of the user.
    """
    if not _LOCKS:
        return None
    try:
        folder = find_state_folder(environment) / "tokens"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        present, *former = ([folder / f"{place}_{number}.json" for number in range(_MOST)] for place in places)
        found = _fitting_slot(present, name) or _move_slots(former, present, name)
        if found is None:
            # Only where nothing fits, because it may have been this user's.
            damaged = next(filter(None, map(_rename_damaged, present)), None)
            found = _first_slot(present, _is_free)
            if found is not None:
                found.damaged = damaged
        return found
    except (OSError, RuntimeError):  # read-only, no folder, or a user without a home
        return None


def own_slot(folder: Path) -> Slot | None:
    """Lock the slot of a host in its data folder; None if nothing can be stored."""
    if not _LOCKS:
        return None
    try:
        damaged = _rename_damaged(folder / _HOST)
        slot = _lock_slot(folder / _HOST, lambda _: True)
    except OSError:
        return None
    if slot is not None:
        slot.damaged = damaged
    return slot


def _fitting_slot(files: Sequence[Path], name: str) -> Slot | None:
    """Lock a slot that fits the name."""
    return _first_slot(files, lambda kept: kept.fits_name(name))


def _move_slots(former: Sequence[Sequence[Path]], present: Sequence[Path], name: str) -> Slot | None:
    """Lock a slot that fits the name among those of replaced keys, and move it to the present ones."""
    old = next(filter(None, (_fitting_slot(files, name) for files in former)), None)
    new = None if old is None else _first_slot(present, _is_free)
    if old is None or new is None or not new.store_identity(old.kept.token, old.kept.name, old.kept.requested):
        return old
    with suppress(OSError):
        old.pledges.replace(new.pledges)
    # Emptied after the new one is on the disk: a crash leaves the token twice, never not at all.
    old.store_identity("", "", "")
    old.unlock_slot()
    return new


def _first_slot(files: Sequence[Path], suits: Callable[[SlotContent], bool]) -> Slot | None:
    """Lock the first suitable slot that no other client has locked."""
    # Read first without the lock, so that slots of running clients are not touched.
    read = ((file, _read_slot(file)) for file in files)
    held = (_lock_slot(file, suits) for file, kept in read if kept is not None and suits(kept))
    return next((slot for slot in held if slot is not None), None)


def _is_free(kept: SlotContent) -> bool:
    return not kept.token


def _lock_slot(file: Path, suits: Callable[[SlotContent], bool]) -> Slot | None:
    """Open and lock a slot; None if another client has locked it, or it is not suitable any more."""
    if not file.exists():
        _create_slot(file)
    handle = os.open(file, os.O_RDWR)
    with ExitStack() as undone:
        undone.callback(os.close, handle)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another client uses this identity.
        except BlockingIOError:
            return None
        if not os.path.samestat(os.fstat(handle), file.stat()):  # its holder has just replaced it
            return None
        # Asked again under the lock: another client may have taken the slot since it was read.
        kept = _decode_slot(os.pread(handle, _LONGEST, 0))
        if kept is None or not suits(kept):
            return None
        undone.pop_all()
        return Slot(file, handle, kept)


def _create_slot(file: Path) -> None:
    """Create a slot of nobody, unless another client has just done so. Raises OSError."""
    # With content from its first moment: an empty file has lost its contents.
    try:
        create_file(file, _NOBODY)
    except FileExistsError:
        return
    except OSError as error:
        # Where there are no links the moment until it is written is risked; on a full disk it would stay empty.
        if error.errno not in _NO_LINKS:
            raise
        with suppress(FileExistsError):
            file.touch(0o600, exist_ok=False)
            file.write_bytes(_NOBODY)


def _rename_damaged(file: Path) -> Path | None:
    """Rename a file that holds no identity, so that nothing overwrites it; returns its new path, None for others."""
    try:
        with file.open("rb") as content:
            if _decode_slot(content.read(_LONGEST)) is not None:
                return None
        aside = file.with_suffix(".damaged")
        file.replace(aside)
    except OSError:
        return None
    return aside


def _read_slot(file: Path) -> SlotContent | None:
    """Read a slot, one of nobody if there is no file; None for a damaged one."""
    try:
        with file.open("rb") as content:
            return _decode_slot(content.read(_LONGEST))
    except OSError:
        return SlotContent()


def _decode_slot(content: bytes) -> SlotContent | None:
    """Decode a slot; None for a damaged one."""
    try:
        kept = msgspec.json.decode(content, type=SlotContent)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return None if kept.check not in ("", kept.checksum) else kept


FindSlot = Callable[[Sequence[str]], Slot | None]
"""Locks the slot for a server, by its present key in hex and those that it has replaced; no keys without encryption."""


class User(Protocol):
    """The connection as its stored identity needs it: see `UserConnection`."""

    token: str
    choose_token: Callable[[], str]
    store_token: Callable[[str, str, bool], bool]

    def warn_user(self, sentence: Phrase) -> None:
        """Show a sentence about the user's identity once the connection is open."""

    @property
    def server_keys(self) -> Sequence[str]:
        """The server's key and those that it has replaced, in hex; empty if nothing proves them."""


class StoredIdentity:
    """Makes a connection be the user that an earlier client was on this server, and stores each later token.

    Args:
        connection: The connection, before it is opened.
        requested: The requested name; a name that the user logs in to later was not requested under it.
        find_slot: Locks the slot for a server.
        on_slot: Called with each slot that is chosen.
    """

    def __init__(self, connection: User, requested: str, find_slot: FindSlot, on_slot: Callable[[Slot], None]) -> None:
        self._connection = connection
        self._requested = requested
        self._find_slot = find_slot
        self._on_slot = on_slot
        self._slot: Slot | None = None
        self._key: str | None = None
        connection.choose_token = self._choose_token
        connection.store_token = self._store_token

    def release_slot(self) -> None:
        """Unlock the slot for other clients."""
        if self._slot is not None:
            self._slot.unlock_slot()
            self._slot = None

    def _choose_token(self) -> str:
        """Return the token of the server at the other end: the one in memory, unless its key is another one now."""
        keys = self._connection.server_keys
        key = next(iter(keys), "")
        if key != self._key:
            self.release_slot()
            self._key, self._slot = key, self._find_slot(keys)
            self._connection.token = "" if self._slot is None else self._slot.token
            if self._slot is not None:
                self._on_slot(self._slot)
                if self._slot.damaged is not None:
                    self._connection.warn_user(IDENTITY_DAMAGED.with_fields({"path": str(self._slot.damaged)}))
        return self._connection.token

    def _store_token(self, token: str, name: str, again: bool) -> bool:
        if self._slot is None:  # nothing can be stored
            return True
        requested = self._slot.kept.requested if again else self._requested
        self._requested = self._requested if again else ""
        return self._slot.store_identity(token, name, requested)
