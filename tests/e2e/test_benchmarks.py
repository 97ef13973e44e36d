"""Benchmarks that reach into the program, in a short form: what they fill and follow is still there."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "scripts" / "benchmarks"
REFRESHES = """
import _board_refresh
_board_refresh.MOVES = 1
print(len(_board_refresh.refresh_times()))
"""


def run(*arguments: str) -> str:
    """Run Python in the folder of the benchmarks; return what it prints."""
    done = subprocess.run([sys.executable, *arguments], cwd=BENCHMARKS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="the benchmark reads /proc")
@pytest.mark.parametrize("resource", ["users", "tokens", "careers", "chat", "tables", "settings"])
def test_a_resource_is_filled_and_measured(resource: str) -> None:
    assert float(run("memory.py", "--only", resource, "--share", "0.0005")) >= 0


def test_refreshes_of_a_board_are_counted() -> None:
    assert int(run("-c", REFRESHES)) >= 1
