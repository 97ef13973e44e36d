"""Machines: numba where it works, else plain Python."""

import sys

import pytest

from scoville_shared.bots.machine import INTERPRETED
from scoville_thinking import machines


def test_without_a_numba_that_works_kernels_run_as_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    assert machines.fastest_machine.__wrapped__() is INTERPRETED


def test_with_numba_there_is_time_for_all_playouts() -> None:
    assert machines.has_numba()
    assert machines.fastest_machine().divisor == 1
