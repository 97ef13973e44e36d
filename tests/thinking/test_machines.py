"""Machines: numba where it works, else plain Python."""

import pickle
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import pytest

from scoville_shared.bots.machine import INTERPRETED
from scoville_thinking import machines


def test_without_a_numba_that_works_kernels_run_as_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    assert machines.fastest_machine.__wrapped__() is INTERPRETED


def test_with_numba_there_is_time_for_all_playouts() -> None:
    assert machines.has_numba()
    assert machines.fastest_machine().divisor == 1


def _compile_doubling(folder: Path) -> Any:
    """Compile a kernel of one function, whose source is in `folder`, as if nothing had been compiled yet."""
    source = folder / "doubling.py"
    if not source.exists():
        source.write_text("def double(number):\n    return 2 * number\n")
    module = ModuleType("doubling")
    exec(compile(source.read_text(), str(source), "exec"), vars(module))
    return machines.compile_kernel.__wrapped__(module).double


@pytest.mark.parametrize(
    "left",
    [
        b"cscoville_shared.errors\nGoneSince\n.",  # a type that a newer version has renamed
        b"cgone_since\nType\n.",
        b"\x80",
        b"",
    ],
)
def test_a_cache_that_cannot_be_read_is_written_anew(tmp_path: Path, left: bytes) -> None:
    assert _compile_doubling(tmp_path)(21) == 42
    [index] = tmp_path.rglob("*.nbi")
    index.write_bytes(pickle.dumps(numba.__version__) + left)
    assert _compile_doubling(tmp_path)(21) == 42
    compiled = _compile_doubling(tmp_path)
    assert compiled(21) == 42
    assert sum(compiled.stats.cache_hits.values()) == 1
