"""Runs a program of this project apart from its user: `apart.py FILE ARG...`, or `apart.py -m MODULE ARG...`.

What the client keeps of who plays on this machine (games, settings, log-ins) is neither read nor changed: a benchmark
that practises would else deal over the game that its user means to continue.
"""

import os
import runpy
import sys
from pathlib import Path
from tempfile import TemporaryDirectory


def run_apart(program: list[str]) -> None:
    """Run the program in this process, with folders of its own that go with it."""
    with TemporaryDirectory(prefix="scoville-", ignore_cleanup_errors=True) as folder:
        for kind in ("DATA", "STATE", "CONFIG"):
            os.environ[f"XDG_{kind}_HOME"] = str(Path(folder, kind.lower()))
        if program[0] == "-m":
            sys.argv[:] = program[1:]
            sys.path[0] = str(Path.cwd())
            runpy.run_module(program[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv[:] = program
            sys.path[0] = str(Path(program[0]).resolve().parent)
            runpy.run_path(program[0], run_name="__main__")


if __name__ == "__main__":
    run_apart(sys.argv[1:])
