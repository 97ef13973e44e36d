"""The credential of a server's doors beside the journal: made at the first start, readable by its owner only."""

import base64
import binascii
import logging
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from scoville_runtime.atomic_files import replace_file
from scoville_server.journal.base import JournalError

_log = logging.getLogger(__name__)

CREDENTIAL: Final = "door.credential"
_BYTES: Final = 32
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def make_credential() -> str:
    """Make a credential."""
    return base64.urlsafe_b64encode(secrets.token_bytes(_BYTES)).decode()


def find_credential(path: Path) -> str | None:
    """Read the credential, None if there is none, and change nothing. Raises JournalError."""
    try:
        return _check_credential(path, path.read_text(encoding="ascii"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise JournalError(f"The door credential {path} cannot be read: {error}.") from error


def write_credential(path: Path, credential: str, *, shared: bool = False) -> None:
    """Write a new credential, or protect the one that is there; a `shared` one is for its group too.

    Raises JournalError.
    """
    try:
        if path.exists():
            _protect_file(path, stat.S_IRWXO if shared else _OTHERS)
        else:
            replace_file(path, f"{credential}\n".encode(), locked=True)
    except OSError as error:
        raise JournalError(f"The door credential {path} cannot be written: {error.strerror}.") from error


def _check_credential(path: Path, text: str) -> str:
    credential = text.strip()
    try:
        whole = len(base64.b64decode(credential, altchars=b"-_", validate=True)) == _BYTES
    except (binascii.Error, ValueError):
        whole = False
    if not whole:
        raise JournalError(f"The door credential {path} is damaged; delete it, and the server makes another one.")
    return credential


def _protect_file(path: Path, others: int) -> None:
    """Take the credential away from other users of the machine, and warn: they may have copied it."""
    if os.name != "nt" and stat.S_IMODE(path.stat().st_mode) & others:
        _log.warning(
            "Other users of this machine could read %s; now only its owner can. If one of them may have copied it, "
            "stop the server and its doors and delete the file: the server makes another one.",
            path,
        )
        with suppress(OSError):  # the warning remains
            path.chmod(0o600)
