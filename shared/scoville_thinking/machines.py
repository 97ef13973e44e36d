"""Machines that run kernels: machine code by numba where that is installed, else plain Python."""

import types
from functools import cache
from importlib.util import find_spec
from typing import Any

from scoville_shared.bots.machine import INTERPRETED, Machine


def has_numba() -> bool:
    """Whether numba is installed; it is not imported."""
    return find_spec("numba") is not None


@cache
def machine() -> Machine:
    """Return the fastest machine there is. The first call imports numba, which takes half a second and 200 MB."""
    if not has_numba():
        return INTERPRETED
    import numpy as np

    return Machine(
        load=compiled,
        numbers=lambda numbers: np.fromiter(numbers, dtype=np.int64),
        floats=lambda numbers: np.fromiter(numbers, dtype=np.float64),
        divisor=1,
    )


@cache
def compiled(kernel: types.ModuleType) -> types.SimpleNamespace:
    """Compile the functions of a kernel, each when it is first called; the machine code is cached on disk.

    Functions of a kernel call each other as globals, so each gets a copy whose globals are the compiled ones.
    """
    from numba import njit

    names: dict[str, Any] = {}
    for name, value in vars(kernel).items():
        if isinstance(value, types.FunctionType) and value.__module__ == kernel.__name__:
            names[name] = njit(cache=True)(types.FunctionType(value.__code__, names, name, value.__defaults__))
        else:
            names[name] = value
    return types.SimpleNamespace(**names)
