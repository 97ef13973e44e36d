"""Runtimes of playout kernels: plain Python here; machine code comes from `scoville_thinking`."""

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, NamedTuple


class Machine(NamedTuple):
    """A runtime of kernels: plain Python or machine code.

    `load` returns the functions of a kernel; `numbers` and `floats` make its sequences, lists or arrays.
    `divisor` divides the playouts of a machine that is too slow for all of them.
    """

    load: Callable[[ModuleType], Any]
    numbers: Callable[[Iterable[int]], Any]
    floats: Callable[[Iterable[float]], Any]
    divisor: int


INTERPRETED = Machine(lambda kernel: kernel, list, list, 20)
"""Plain Python: the same results from the same playouts, but there is only time for a twentieth of them."""
