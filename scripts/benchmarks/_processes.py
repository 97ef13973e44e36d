"""Servers of benchmarks, each in a process of its own, of this version or of another checkout."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
_PACKAGES: Final = ("shared", "server", "client")


def start_server(tree: Path, script: str, *arguments: str) -> "subprocess.Popen[str]":
    """Start a script of a checkout's scripts/benchmarks on this Python, with the code of that checkout."""
    path = os.pathsep.join(str(tree / package) for package in _PACKAGES)
    return subprocess.Popen(
        [sys.executable, str(tree / "scripts" / "benchmarks" / script), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
