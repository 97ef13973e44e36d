"""The server's private key beside the journal: made at the first start, readable by its owner only."""

import logging
import os
import stat
from contextlib import suppress
from pathlib import Path

from scoville_runtime.atomic_files import replace_file, sync_folder
from scoville_server.identity import ServerKey
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import disk

_log = logging.getLogger(__name__)

KEY = "server.key"
_OWNER_ONLY = 0o600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def load_key(folder: Path) -> ServerKey:
    """Read the key of a folder that has a journal. Raises JournalError, also when there is none.

    A new key in place of a lost one would look to every player like another server.
    """
    key = find_key(folder)
    if key is None:
        raise JournalError(
            f"The server's key {folder / KEY} is missing; restore it from a backup. If it is lost, 'scoville-server "
            "rotate-key --unsigned' makes another one, and the clients of your players will warn of it."
        )
    return key


def find_key(folder: Path) -> ServerKey | None:
    """Read a key, None if there is none, and change nothing. Raises JournalError when it cannot be used."""
    path = folder / KEY
    try:
        return ServerKey.from_file(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalError(f"The server's key {path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise JournalError(
            f"The server's key {path} is damaged: {error}. Restore it from a backup; do not start without it, or the "
            "clients of your players will warn of another server."
        ) from error


def write_key(folder: Path, key: ServerKey) -> None:
    """Put a key into its place at once. Raises JournalError."""
    try:
        replace_file(folder / KEY, key.as_file(), locked=True)
    except OSError as error:
        raise JournalError(f"The server's key cannot be written to {folder}: {error.strerror}.") from error


def copy_key(source: Path, target: Path) -> None:
    """Copy the key of a folder. Raises JournalError when there is none, OSError."""
    load_key(source)
    disk.copy_file(source / KEY, target / KEY)


def expected_key(source: Path, data: Path) -> ServerKey:
    """Return the key that a folder will have after `bring_key`, if there is anything to bring. Raises JournalError."""
    if (source / KEY).exists() and source != data:
        brought = load_key(source)
        if not _replaces_key(data, brought):
            return brought
    return load_key(data)


def bring_key(source: Path, data: Path, number: int) -> None:
    """Make the restored key of generation `number` that of its data folder. Raises JournalError, OSError.

    A key that has replaced the restored one stays, since clients know it already. Another server's key makes way, and
    stays beside it as `server.key.before-N`.
    """
    if not (source / KEY).exists():
        return
    brought = load_key(source)
    if not _replaces_key(data, brought):
        # A folder without a key has none to keep.
        with suppress(FileNotFoundError):
            disk.copy_file(data / KEY, data / f"{KEY}.before-{number}")
        disk.copy_file(source / KEY, data / KEY)
        sync_folder(data)
    (source / KEY).unlink()


def _replaces_key(data: Path, brought: ServerKey) -> bool:
    """Return whether the key of a folder is a restored one or has replaced it; a damaged one has not."""
    try:
        present = find_key(data)
    except JournalError:
        return False
    return present is not None and present.has_replaced(brought)


def protect_key(folder: Path, name: str = KEY) -> None:
    """Take a key away from other users of the machine, and warn: they may have copied it. Raises OSError."""
    path = folder / name
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name != "nt" and mode & _OTHERS:
        _log.warning(
            "Other users of this machine could read %s; now only its owner can. If one of them may have copied it, "
            "make another key with 'scoville-server rotate-key --unsigned'.",
            path,
        )
        with suppress(OSError):  # the warning remains
            path.chmod(_OWNER_ONLY)
