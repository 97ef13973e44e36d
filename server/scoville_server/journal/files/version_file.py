"""The file VERSION of a data folder: which version of Scoville has last opened it.

It is outside of the journal because its reader is an older version, which cannot read the journal: it names the version
that can.
"""

import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from scoville_runtime.atomic_files import replace_file
from scoville_shared import __version__

VERSION: Final = "VERSION"
_NUMBER: Final = re.compile(r"[0-9][0-9A-Za-z.+!-]{0,39}\n?")
_MOST_BYTES: Final = 64


def write_version(folder: Path) -> None:
    """Note that this version opens the folder. A full disk is noticed by the journal, which matters more."""
    if read_version(folder) != __version__:
        with suppress(OSError):
            replace_file(folder / VERSION, f"{__version__}\n".encode(), locked=True)


def read_version(folder: Path) -> str:
    """Return the version that has last opened a folder; empty if that is unknown."""
    try:
        with (folder / VERSION).open("rb") as file:
            text = file.read(_MOST_BYTES).decode(errors="replace")
    except OSError:
        return ""
    return text.strip() if _NUMBER.fullmatch(text) else ""


def copy_version(source: Path, target: Path) -> None:
    """Copy the note into a copy of its folder, if there is one. Raises OSError."""
    if number := read_version(source):
        replace_file(target / VERSION, f"{number}\n".encode(), locked=True)
