"""Kills a function at each of its file operations, in a process and a folder of its own.

A kill comes before an operation, which is as good as after the one before it; a write is also killed half-way. What a
process leaves behind when it is killed is not tidied up by anything.
"""

import os
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

_STEPS = (
    *("open", "mkdir", "rmdir", "unlink", "remove", "rename", "replace"),
    *("fsync", "sync", "truncate", "utime", "link", "chown"),
)


def kill_at_each_step(script: str, template: Path, into: Path) -> list[Path]:
    """Run `script` on copies of a folder, the first killed before its first operation, and so on; the last one lives.

    Args:
        script: Python that works on the folder `here`.
        template: The folder to copy.
        into: Where the copies go, numbered from 0.

    Returns:
        The copies.
    """
    import subprocess

    call = [sys.executable, "-c", "from tests.server.journal.crashing import _main; _main()", str(template), str(into)]
    done = subprocess.run(call, input=script, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    copies = sorted(into.iterdir(), key=lambda path: int(path.name))
    assert len(copies) > 5, "there was hardly anything to kill"
    return copies


def _main() -> None:
    """Fork once for each operation, until a child lives to the end."""
    template, into, script = Path(sys.argv[1]), Path(sys.argv[2]), sys.stdin.read()
    exec(compile("import scoville_server.journal.backups.copying, scoville_server.journal.store", "warm up", "exec"))
    into.mkdir()
    for step in range(1000):
        here = into / str(step)
        shutil.copytree(template, here)
        child = os.fork()
        if child == 0:
            _child(script, here, step)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, f"it failed by itself before step {step}"
            return
    raise AssertionError("it never ends")


def _child(script: str, here: Path, step: int) -> None:
    status = 1
    try:
        _arm(step)
        exec(compile(script, "script", "exec"), {"here": here})
        status = 0
    finally:
        os._exit(status)


def _arm(step: int) -> None:
    """Let the process kill itself before its operation number `step`."""
    left = [step]

    def count() -> None:
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def stepping(real: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        count()
        return real(*arguments, **named)

    def writing(real: Callable[..., int], file: int, data: bytes) -> int:
        count()
        half = real(file, data[: len(data) // 2])
        count()
        return half + real(file, data[half:])

    for name in _STEPS:
        setattr(os, name, partial(stepping, getattr(os, name)))
    os.write = partial(writing, os.write)
    import sqlite3

    sqlite3.connect = partial(stepping, sqlite3.connect)
    shutil.copyfile = partial(stepping, shutil.copyfile)
