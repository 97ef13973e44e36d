"""Machines: numba where it works, else plain Python."""

import pickle
import sys
from collections.abc import Callable
from importlib import import_module
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


@pytest.fixture
def compile_scaling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Compile a kernel that imports from another one with the given source, as if nothing had been compiled yet."""
    using = tmp_path / "scaling.py"
    using.write_text(
        "from factors import OFFSET, factor_of\ndef scale(number):\n    return factor_of() * number + OFFSET\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def compile_kernels(source: str) -> Any:
        (tmp_path / "factors.py").write_text(source)
        for name in ("factors", "scaling"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        return machines.compile_kernel.__wrapped__(import_module("scaling")).scale

    return compile_kernels


def test_machine_code_is_made_again_when_another_kernel_has_changed(compile_scaling: Callable[[str], Any]) -> None:
    assert compile_scaling("OFFSET = 0\ndef factor_of():\n    return 2\n")(21) == 42
    cached = compile_scaling("OFFSET = 0\ndef factor_of():\n    return 2\n")
    assert cached(21) == 42
    assert sum(cached.stats.cache_hits.values()) == 1
    assert compile_scaling("OFFSET = 0\ndef factor_of():\n    return 3\n")(21) == 63
    assert compile_scaling("OFFSET = 7\ndef factor_of():\n    return 3\n")(21) == 70


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
