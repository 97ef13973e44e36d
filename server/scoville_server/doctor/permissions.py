"""Checks of owners and modes: the data folder, everything in it, and the folders above."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from scoville_server.doctor.findings import Finding
from scoville_server.doctor.patient import Owner, Patient, may_use
from scoville_server.journal.files.credential_file import CREDENTIAL
from scoville_server.journal.files.disk import LOST_AND_FOUND

_OTHERS: Final = stat.S_IRWXO
_NOT_OWNER: Final = stat.S_IRWXG | stat.S_IRWXO
_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_NAMED: Final = 5
"""Files that a sentence names; of more it says how many."""
_ENTER: Final = 1
_READ_WRITE: Final = 6
_ALL: Final = 7


def check_permissions(patient: Patient) -> Iterator[Finding]:
    """Check owners and permissions of all files."""
    data = patient.settings.data
    if data is None or os.name == "nt":
        return
    yield from _check_link(data)
    yield from _check_parents(data, patient.owner)
    yield from _check_settings_files(patient)
    if patient.folder is None or patient.owner is None:
        return
    yield from check_folder_mode(data)
    files = [*_list_files(data)]
    yield from _check_owners(data, patient.owner, files)
    yield from _check_modes(data, patient, files)


def check_folder_mode(data: Path) -> Iterator[Finding]:
    """Check that only the owner, and the group that may use the control socket, can look into the data folder."""
    if os.name == "nt":
        return
    try:
        mode = stat.S_IMODE(data.stat().st_mode)
    except OSError:
        return
    wanted = mode & ~(_OTHERS | stat.S_IWGRP)
    if mode != wanted:
        yield Finding(
            code="folder_open",
            text=f"{data} has the mode {mode:04o}, so that other users of this machine can use it.",
            fix=partial(os.chmod, data, wanted),
        )


def _check_link(data: Path) -> Iterator[Finding]:
    """Check that a link to the data leads to them: the disk behind it may not be mounted."""
    try:
        data.stat()
    except FileNotFoundError:
        if data.is_symlink():
            text = f"{data} is a link to {data.readlink()}, which is not there."
            yield Finding(code="folder_unreachable", text=text)
    # A folder above has a check of its own.
    except OSError:
        pass


def _check_parents(data: Path, owner: Owner | None) -> Iterator[Finding]:
    # Where the folder cannot even be looked at, this user is the one who cannot get in.
    uid, groups, name = (
        (os.geteuid(), frozenset(os.getgroups()) | {os.getegid()}, "This user")
        if owner is None
        else (owner.uid, owner.groups, f"The user {owner.name}")
    )
    for folder in reversed(data.absolute().parents):
        try:
            found = folder.stat()
        except FileNotFoundError:
            return
        except OSError as error:
            yield Finding(code="folder_unreachable", text=f"{folder} cannot be reached: {error.strerror}.")
            return
        if not may_use(found, uid, groups, _ENTER):
            mode = stat.S_IMODE(found.st_mode)
            yield Finding(
                code="folder_unreachable",
                text=f"{name} cannot enter {folder} (mode {mode:04o}), which {data} is in.",
            )
            return


def _check_settings_files(patient: Patient) -> Iterator[Finding]:
    """Check that the server's user may use the files that root may: the settings file, and the files that it names."""
    owner, log = patient.owner, patient.settings.log.file
    if owner is None or owner.uid == 0 or os.geteuid() != 0:
        return
    # A file that is missing is a fault of the settings; a log is made where its folder lets the user.
    wanted = [(path, path, os.R_OK, "read") for path in (patient.file, *patient.texts) if path and path.exists()]
    if log is not None:
        wanted.append((log, log, os.W_OK, "write") if log.exists() else (log, log.parent, os.W_OK | os.X_OK, "make"))
    for path, used, rights, verb in wanted:
        with _use_rights(owner):
            allowed = os.access(used, rights, effective_ids=True)
        if not allowed:
            yield Finding(code="file_denied", text=f"The user {owner.name} may not {verb} {path}.")


@contextmanager
def _use_rights(owner: Owner) -> Iterator[None]:
    """Act with the rights of another user, as root: the system also knows access lists, which modes do not show."""
    group, groups = os.getegid(), os.getgroups()
    try:
        os.setgroups([*owner.groups])
        os.setegid(owner.gid)
        os.seteuid(owner.uid)
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)


def _list_files(data: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield everything of the server in its folder, except for what vanishes meanwhile; links are not followed."""
    for folder, folders, names in os.walk(data):
        # Root's, where the folder is a disk of its own: the server has nothing there.
        if folder == str(data) and LOST_AND_FOUND in folders:
            folders.remove(LOST_AND_FOUND)
        for name in (*folders, *names):
            path = Path(folder, name)
            try:
                yield path, path.lstat()
            # A running server deletes files meanwhile.
            except OSError:
                continue


def _check_owners(data: Path, owner: Owner, files: list[tuple[Path, os.stat_result]]) -> Iterator[Finding]:
    foreign = [path for path, found in files if found.st_uid != owner.uid]
    if foreign:
        yield Finding(
            code="foreign_owner",
            text=f"{data} belongs to {owner.name}, but {_name_files(data, foreign)} to another user.",
            # Links themselves: one may lead to a file of somebody else.
            fix=_for_each(foreign, lambda path: os.chown(path, owner.uid, owner.gid, follow_symlinks=False)),
        )


def _check_modes(data: Path, patient: Patient, files: list[tuple[Path, os.stat_result]]) -> Iterator[Finding]:
    credential = patient.settings.doors.credential_file or data / CREDENTIAL
    locked, shared = [], []
    for path, found in files:
        if stat.S_ISLNK(found.st_mode) or stat.S_ISSOCK(found.st_mode):
            continue
        bits = _ALL if stat.S_ISDIR(found.st_mode) else _READ_WRITE
        if (found.st_mode >> 6) & bits != bits:
            locked.append(path)
        # Names of files in a folder are no secret. The credential has a check of its own, and a log is for its readers.
        open_to = found.st_mode & (_WRITE if stat.S_ISDIR(found.st_mode) else _NOT_OWNER)
        if open_to and path != credential and path.suffix != ".log":
            shared.append(path)
    if locked:
        yield Finding(
            code="owner_locked_out",
            text=f"The owner may not read and write {_name_files(data, locked)} in {data}.",
            fix=_for_each(locked, lambda path: path.chmod(path.stat().st_mode | (0o700 if path.is_dir() else 0o600))),
        )
    if shared:
        yield Finding(
            code="file_open",
            text=f"Other users of this machine can read {_name_files(data, shared)} in {data}.",
            fix=_for_each(shared, lambda path: path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_NOT_OWNER)),
        )


def _for_each(paths: list[Path], mend: Callable[[Path], object]) -> Callable[[], None]:
    def mend_all() -> None:
        for path in paths:
            mend(path)

    return mend_all


def _name_files(data: Path, paths: list[Path]) -> str:
    names = [path.relative_to(data).as_posix() for path in paths[:_NAMED]]
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(names) + more
