"""SQLite errors as sentences for the host, with the cause and the remedy."""

import errno
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scoville_server.journal.base import CommitFailed, JournalError
from scoville_shared.errors import Code

_REASONS = {
    "SQLITE_FULL": "the disk is full; free some space",
    "SQLITE_READONLY": "it is read-only; allow this user to write there",
    "SQLITE_BUSY": "another program has locked it; stop that program",
    "SQLITE_LOCKED": "another program has locked it; stop that program",
    "SQLITE_CANTOPEN": "the file cannot be opened; check the permissions of its folder",
    "SQLITE_PERM": "the file cannot be opened; check its permissions",
    "SQLITE_IOERR": "the disk reports an error; check the disk",
}
_RESTORE = "restore a backup with 'scoville-server restore --force FOLDER'"
_OTHER = "use another backup"
_MANIFEST = "MANIFEST"
"""The file that only a backup has."""
_DAMAGED = {"SQLITE_CORRUPT", "SQLITE_NOTADB"}
_BEFORE_THE_END = ("SQLITE_FULL", "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_READONLY", "SQLITE_IOERR_WRITE")
_OF_THE_SOURCE = (*_DAMAGED, "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR_READ", "SQLITE_IOERR_SHORT_READ")
"""Errors of a copy that can only come from reading."""


class HalfCopy(JournalError):
    """A journal lacks commits that its server has acknowledged, as a copy of some of its files does."""


def _remedy_of(path: Path, *, or_start: str = "") -> str:
    """Return the remedies for damage of a journal, or of a file beside it. In a backup, no backup is restored."""
    if (path.parent / _MANIFEST).exists():
        return _OTHER
    return f"{_RESTORE}{or_start}"


def unusable_error(path: Path, error: sqlite3.Error) -> JournalError:
    """Return the error for a journal that cannot be opened; an error without a name in SQLite counts as damage."""
    return JournalError(
        f"The journal {path} cannot be used: "
        f"{reason_of(error, path) if _kind_of(error) else _damage_sentence(str(error), path)}."
    )


def damage_error(path: Path, detail: str) -> JournalError:
    """Return the error for a file that is not as it was written."""
    return JournalError(f"The journal {path} cannot be used: {_damage_sentence(detail, path)}.")


@contextmanager
def convert_errors(path: Path) -> Iterator[None]:
    """Raise SQLite's errors about a file that it cannot read as a JournalError."""
    try:
        yield
    except sqlite3.Error as error:
        raise unusable_error(path, error) from error
    except (TypeError, ValueError, OverflowError, MemoryError) as error:  # SQLite answers nonsense
        raise damage_error(path, str(error) or type(error).__name__) from error


def damaged_log(path: Path, detail: str, missing: str = "") -> JournalError:
    """Return the error for a write-ahead log that would lose acknowledged writes; `missing` says how many."""
    after = f": {missing}" if missing else ""
    return JournalError(
        f"The journal's log {path} is damaged ({detail}){after}; "
        + _remedy_of(path, or_start=", or start once with --leave-out-damaged to continue without the writes in it")
        + "."
    )


def empty_error(path: Path) -> JournalError:
    """Return the error for a journal without tables: no start leaves one, the file gets its name later."""
    return behind_error(
        path, "it has no tables yet, so everything is in its write-ahead log, which is missing or empty"
    )


def behind_error(path: Path, missing: str) -> JournalError:
    """Return the error for a journal that lacks commits which its server has acknowledged."""
    return HalfCopy(
        f"The journal {path} is not all there: {missing}. Its files belong together: of a server that is stopped or "
        f"was killed, copy the whole folder with {path.name}-wal and ALIVE; of a running one, take a backup. Put the "
        "missing files back, "
        + _remedy_of(path, or_start=", or start once with --leave-out-damaged to continue without what is missing")
        + "."
    )


def incomplete_error(path: Path, detail: str) -> JournalError:
    """Return the error for a journal that lacks rows, or whose files are of different moments."""
    return JournalError(
        f"The journal {path} is incomplete: {detail}. This happens to files that are copied while their server runs: "
        "take a backup instead. To go on, "
        + _remedy_of(path, or_start=", or start once with --leave-out-damaged to continue without what is missing")
        + "."
    )


def protected_error(path: Path, sentences: Sequence[str]) -> JournalError:
    """Return the error for damaged rows that protect players, such as bans and passwords."""
    return JournalError(
        f"The journal {path} has damaged rows that protect players. {' '.join(sentences)} To go on, "
        + _remedy_of(path, or_start=", or start once with --leave-out-damaged to continue without these rows")
        + "."
    )


def not_copied(source: Path, target: Path, error: sqlite3.Error) -> JournalError:
    """Return the error for a failed copy, about its source or its target, whichever is at fault."""
    if getattr(error, "sqlite_errorname", "").startswith(_OF_THE_SOURCE):
        return unusable_error(source, error)
    return JournalError(f"The copy to {target} failed: {reason_of(error)} there. The journal {source} is unchanged.")


def not_saved() -> CommitFailed:
    """Return the player's error for a refused write; the host's advice is in its cause."""
    return CommitFailed("The server cannot save right now, so nothing was changed; try again later.")


def outcome_unknown() -> CommitFailed:
    """Return the player's error for a write that could not be confirmed, but may have been kept."""
    sentence = "The server's disk failed while saving: the change may or may not be saved; check before you repeat it."
    return CommitFailed(sentence, Code.OUTCOME_UNKNOWN)


def hinders_all_writes(error: BaseException) -> bool:
    """Return whether the disk, the file or another program is at fault, and not the write itself."""
    # The class itself is that of damage; its other subclasses are faults of one write, such as a broken constraint.
    return isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError


def is_full(error: BaseException | None) -> bool:
    """Return whether a disk is full, or the failure of a write has that as its cause."""
    if isinstance(error, JournalError):
        return is_full(error.__cause__)
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    return getattr(error, "sqlite_errorname", "") in ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE")


def left_nothing(error: sqlite3.Error) -> bool:
    """Return whether a failed commit cannot have left a whole transaction in the log: its last frame is missing."""
    return getattr(error, "sqlite_errorname", "").startswith(_BEFORE_THE_END)


def reason_of(error: sqlite3.Error, path: Path | None = None) -> str:
    """Name the cause and the remedy for a journal, without a full stop."""
    kind = _kind_of(error)
    if kind in _DAMAGED:
        return _damage_sentence(str(error), path)
    return _REASONS.get(kind, str(error))


def sentence_of(error: JournalError) -> str:
    """Name the cause of a refused write and the remedy, without a full stop."""
    cause = error.__cause__
    return reason_of(cause) if isinstance(cause, sqlite3.Error) else error.message.rstrip(".")


def _kind_of(error: sqlite3.Error) -> str:
    """Return the main name of an error that this module knows, without its suffix; otherwise an empty text."""
    kind = "_".join(getattr(error, "sqlite_errorname", "").split("_")[:2])
    return kind if kind in _DAMAGED or kind in _REASONS else ""


def _damage_sentence(detail: str, path: Path | None) -> str:
    # SQLite quotes the contents of a damaged file.
    detail = detail if detail.isprintable() else ascii(detail)
    return f"the file is damaged ({detail}); {_RESTORE if path is None else _remedy_of(path)}"
