"""A folder in memory for the files of tests."""

import os
import shutil
from pathlib import Path

FOLDER = Path("/dev/shm")
ROOM = 2 << 30
"""Bytes that have to be free: a run of all tests writes about a tenth of them."""


def memory_folder() -> Path | None:
    """Return a folder in memory that takes big files and programs; None where there is none, as in many containers."""
    if not FOLDER.is_dir() or not os.access(FOLDER, os.W_OK | os.X_OK):
        return None
    runs_programs = not os.statvfs(FOLDER).f_flag & os.ST_NOEXEC
    return FOLDER if runs_programs and shutil.disk_usage(FOLDER).free >= ROOM else None
