"""What SQLite's errors mean for the host."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from scoville_server.journal.base import CommitFailed, JournalError
from scoville_shared.errors import Code

_REASONS = {
    "SQLITE_FULL": "the disk is full; make room",
    "SQLITE_READONLY": "it may only be read; give this user the right to write there",
    "SQLITE_BUSY": "another program holds it; end that program",
    "SQLITE_LOCKED": "another program holds it; end that program",
    "SQLITE_CANTOPEN": "the file cannot be opened; look at the rights of its folder",
    "SQLITE_PERM": "the file cannot be opened; look at its rights",
    "SQLITE_IOERR": "the disk reports an error; look at the disk",
}
_RESTORE = "bring a back-up back with 'scoville-server restore --force FOLDER'"
_DAMAGED = {"SQLITE_CORRUPT", "SQLITE_NOTADB"}
_BEFORE_THE_END = ("SQLITE_FULL", "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_READONLY", "SQLITE_IOERR_WRITE")
_OF_THE_SOURCE = (*_DAMAGED, "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR_READ", "SQLITE_IOERR_SHORT_READ")
"""Errors of a copy that can only come from reading."""


def unusable(path: Path, error: sqlite3.Error) -> JournalError:
    """Say why the journal cannot be opened, and what its host can do; what SQLite has no name for is damage."""
    return JournalError(f"The journal {path} cannot be used: {reason(error) if _kind(error) else _damage(str(error))}.")


def damaged(path: Path, detail: str) -> JournalError:
    """Say that the file is not what was written."""
    return JournalError(f"The journal {path} cannot be used: {_damage(detail)}.")


def damaged_log(path: Path, detail: str) -> JournalError:
    """Say that the write-ahead log would lose writes that were acknowledged."""
    return JournalError(
        f"The journal's log {path} is damaged ({detail}); {_RESTORE}, or start once with --leave-out-damaged to go on "
        "without the writes that it held."
    )


def protected(path: Path, sentences: Sequence[str]) -> JournalError:
    """Say that rows are damaged without which somebody might do what they may not."""
    return JournalError(
        f"The journal {path} is damaged where it protects players. {' '.join(sentences)} To mend it, {_RESTORE}, or "
        "start once with --leave-out-damaged to go on without these rows."
    )


def not_copied(source: Path, target: Path, error: sqlite3.Error) -> JournalError:
    """Say that a copy failed, and blame the end of it that is at fault: a journal that can be read is not."""
    if getattr(error, "sqlite_errorname", "").startswith(_OF_THE_SOURCE):
        return unusable(source, error)
    return JournalError(f"The copy to {target} failed: {reason(error)} there. The journal {source} is as it was.")


def not_saved() -> CommitFailed:
    """Say to a player that a write was refused; what the host can do about it is in the cause."""
    return CommitFailed("The server cannot save what happens, so this has not happened; try again later.")


def outcome_unknown() -> CommitFailed:
    """Say to a player that a crash may still bring to light what could not be confirmed."""
    sentence = "The server's disk failed while it saved: this may have happened or not; look before you repeat it."
    return CommitFailed(sentence, Code.OUTCOME_UNKNOWN)


def is_everybodys(error: BaseException) -> bool:
    """Tell whether the disk, the file or another program is at fault, and not a write of its own."""
    return isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError


def left_nothing(error: sqlite3.Error) -> bool:
    """Tell whether a failed commit cannot have left a whole transaction in the log: its last frame was not written."""
    return getattr(error, "sqlite_errorname", "").startswith(_BEFORE_THE_END)


def reason(error: sqlite3.Error) -> str:
    """Name what is wrong, and what to do about it, without a full stop."""
    kind = _kind(error)
    if kind in _DAMAGED:
        return _damage(str(error))
    return _REASONS.get(kind, str(error))


def _kind(error: sqlite3.Error) -> str:
    """Returns the name of an error that this page knows, without what follows it."""
    kind = "_".join(getattr(error, "sqlite_errorname", "").split("_")[:2])
    return kind if kind in _DAMAGED or kind in _REASONS else ""


def _damage(detail: str) -> str:
    detail = detail if detail.isprintable() else ascii(detail)
    return f"the file is damaged ({detail}); {_RESTORE}"
