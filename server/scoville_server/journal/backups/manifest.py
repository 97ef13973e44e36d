"""Manifest of a backup: the size and checksum of each of its files, and one of itself.

It is what `verify-backup` and `restore` compare a backup with, and by which the next backup knows that a finished game
is unchanged. A server that starts on a backup makes it a data folder, which has none.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from scoville_runtime.atomic_files import replace_file
from scoville_server.journal.base import JournalError
from scoville_server.journal.files.generations import MANIFEST, UNFINISHED
from scoville_server.journal.files.lock import BACKUP_LOCK

_DIGEST_BYTES: Final = 16
_BLOCK: Final = 1 << 20
_MARKS: Final = (MANIFEST, UNFINISHED, BACKUP_LOCK)

Progress = Callable[[int, int], None]
"""Receives how many files are done, and of how many."""


class Entry(NamedTuple):
    """A file as it was backed up. `mtime_ns` tells whether the file that it was copied from has changed since."""

    size: int
    mtime_ns: int
    digest: str


Entries = Mapping[str, Entry]
"""The files of a backup by their path in it, with slashes."""


def digest_of(path: Path) -> str:
    """Return the checksum of a file. Raises OSError."""
    digest = blake2b(digest_size=_DIGEST_BYTES)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def digest_of_content(content: bytes) -> str:
    """Return the checksum of a file with that content."""
    return blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()


def list_files(folder: Path) -> Iterator[str]:
    """Yield the paths of all files of a backup but its marks. Raises OSError."""
    # Strings instead of paths, which take longer to make and to sort than 20,000 games to read.
    for place, folders, files in os.walk(folder, onerror=_raise_error):
        folders.sort()
        inside = Path(place).relative_to(folder).as_posix()
        for file in sorted(files):
            name = file if inside == "." else f"{inside}/{file}"
            if name not in _MARKS:
                yield name


def _raise_error(error: OSError) -> None:
    raise error


def write_manifest(folder: Path, known: Entries) -> None:
    """Write the manifest of a backup into its folder. Raises OSError.

    Args:
        folder: The folder.
        known: Files of the backup whose checksums are known; those of all others in the folder are computed.
    """
    entries = {**known}
    for name in list_files(folder):
        if name not in known:
            found = (folder / name).stat()
            entries[name] = Entry(found.st_size, found.st_mtime_ns, digest_of(folder / name))
    text = msgspec.json.encode(entries)
    replace_file(folder / MANIFEST, text + b"\n" + _sum_of(text), locked=True)


def read_manifest(folder: Path) -> Entries | None:
    """Read the manifest of a backup; None where there is none. Raises JournalError for one that is damaged."""
    try:
        text, _, check = (folder / MANIFEST).read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalError(f"The file {folder / MANIFEST} cannot be read: {error.strerror}.") from error
    with suppress(msgspec.DecodeError):
        if check == _sum_of(text):
            return msgspec.json.decode(text, type=dict[str, Entry])
    raise JournalError(f"The file {folder / MANIFEST} of this backup is damaged; use another backup.")


def find_faults(folder: Path, entries: Entries, progress: Progress) -> list[str]:
    """Compare a backup with its manifest; return the sentences about what differs. Raises OSError."""
    there = {*list_files(folder)}
    faults = [f"{name} is missing." for name in sorted({*entries} - there)]
    faults += [f"{name} does not belong to this backup." for name in sorted(there - {*entries})]
    compared = sorted(there & {*entries})
    for number, name in enumerate(compared, 1):
        if digest_of(folder / name) != entries[name].digest:
            faults.append(f"{name} has changed since the backup.")
        progress(number, len(compared))
    return faults


def _sum_of(text: bytes) -> bytes:
    return blake2b(text, digest_size=_DIGEST_BYTES).hexdigest().encode() + b"\n"
