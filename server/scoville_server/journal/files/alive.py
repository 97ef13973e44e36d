"""When a server was last alive: one small file beside the journal, so that a kill gives nobody thinking time back.

It is written in place and not synced: a kill of the process loses nothing of it, and a crash of the machine gives back
the few seconds since the system wrote it. It belongs to one generation of the journal, because a restored table must
not be charged with time that passed after its backup.
"""

import contextlib
import os
from hashlib import blake2b
from pathlib import Path

ALIVE = "ALIVE"


def note(folder: Path, generation: int, now_ms: int) -> None:
    """Note that the server is alive; a folder that cannot be written is noticed by the next commit."""
    with contextlib.suppress(OSError):
        file = os.open(folder / ALIVE, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.write(file, _line(generation, now_ms))
        finally:
            os.close(file)


def read(folder: Path, generation: int) -> int | None:
    """Return when a server was last alive with this generation, in milliseconds since 1970; None if nobody knows."""
    try:
        line = (folder / ALIVE).read_bytes()
        now_ms = int(line.split()[1])
    except (OSError, IndexError, ValueError):
        return None
    return now_ms if line == _line(generation, now_ms) else None


def _line(generation: int, now_ms: int) -> bytes:
    """Return a line of constant length, which overwrites the former one."""
    text = b"%010d %015d " % (generation, now_ms)
    return text + blake2b(text, digest_size=8).hexdigest().encode() + b"\n"
