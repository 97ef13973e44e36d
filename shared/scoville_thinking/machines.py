"""Machines that run kernels: machine code by numba where that is installed, else plain Python."""

import hashlib
import sys
import types
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from inspect import unwrap
from pathlib import Path
from typing import Any

from scoville_shared.bots.machine import INTERPRETED, Machine


def has_numba() -> bool:
    """Whether numba is installed; it is not imported."""
    return find_spec("numba") is not None


@cache
def fastest_machine() -> Machine:
    """Return the fastest machine there is. The first call imports numba, which takes half a second and 200 MB."""
    try:
        import numba  # noqa: F401 - a numba that does not fit its numpy is as good as none
        import numpy as np
    except ImportError:
        return INTERPRETED

    return Machine(
        load=compile_kernel,
        # One type for all: each other type of an argument would be compiled, and cached, again.
        numbers=lambda numbers: np.fromiter(numbers, dtype=np.int64),
        floats=lambda numbers: np.fromiter(numbers, dtype=np.float64),
        divisor=1,
    )


@cache
def compile_kernel(kernel: types.ModuleType) -> types.SimpleNamespace:
    """Compile the functions of a kernel, each when it is first called; the machine code is cached on disk.

    Functions of a kernel call each other as globals, so each gets a copy whose globals are the compiled ones; those
    that it imports are another kernel's. Results that plain Python remembers (`functools.lru_cache`) are computed every
    time.
    """
    names: dict[str, Any] = {}
    sources = _digest_sources(kernel)
    for name, member in vars(kernel).items():
        value = unwrap(member)
        if not _is_compiled(value):
            names[name] = value
        elif value.__module__ == kernel.__name__:
            copy = types.FunctionType(value.__code__, names, name, value.__defaults__)
            names[name] = _compile_function(copy, sources, inline=_takes_tuple(value))
        else:
            names[name] = getattr(compile_kernel(sys.modules[value.__module__]), name)
    return types.SimpleNamespace(**names)


def _is_compiled(value: object) -> bool:
    """Whether a name of a kernel is a function to compile.

    Names from the standard library serve a kernel's declarations, such as `NamedTuple`, a function.
    """
    return isinstance(value, types.FunctionType) and value.__module__ not in sys.stdlib_module_names


@cache
def _digest_sources(kernel: types.ModuleType) -> str:
    """Return a digest of what a kernel's machine code is made of.

    Functions and constants of other kernels become part of it, and numba looks at the age of its own source only.
    """
    file = getattr(kernel, "__file__", None)
    digest = hashlib.sha256(Path(file).read_bytes() if file else b"")
    for part in (*_list_constants(kernel), *map(_digest_sources, _list_imported_kernels(kernel))):
        digest.update(part.encode())
    return digest.hexdigest()


def _list_constants(kernel: types.ModuleType) -> Iterator[str]:
    for name, value in sorted(vars(kernel).items()):
        if isinstance(value, int | float | tuple):
            yield f"{name}={value!r};"


def _list_imported_kernels(kernel: types.ModuleType) -> list[types.ModuleType]:
    """Return the kernels whose functions a kernel calls, by name."""
    values = (unwrap(member) for member in vars(kernel).values())
    return [
        sys.modules[name]
        for name in sorted({each.__module__ for each in values if _is_compiled(each)} - {kernel.__name__})
    ]


def _takes_tuple(function: types.FunctionType) -> bool:
    return any(isinstance(kind, type) and issubclass(kind, tuple) for kind in function.__annotations__.values())


def _compile_function(function: types.FunctionType, sources: str, *, inline: bool) -> Any:
    """Compile a function; one that takes tuples of sequences is put into its callers.

    Cached machine code is used as long as it was made of the same `sources`, a digest.

    Each call would count the references to all sequences of a tuple, which makes playouts a tenth longer.
    """
    from numba import njit

    try:
        compiled: Any = njit(cache=True, forceinline=inline)(function)
    except RuntimeError:  # there is no folder for a cache: neither beside the source nor of the user
        return njit(forceinline=inline)(function)
    _ignore_unreadable_cache(compiled)
    file = compiled._cache._cache_file  # noqa: SLF001 - numba has no other way
    file._source_stamp = (file._source_stamp, sources)  # noqa: SLF001
    return compiled


def _ignore_unreadable_cache(compiled: Any) -> None:
    """Compile a function and write its cache again where the index of the cache cannot be read.

    numba unpickles an index before it looks at its age: one of an older version, whose types have other names now,
    would fail at each first call until somebody deletes it.
    """
    file = compiled._cache._cache_file  # noqa: SLF001 - numba has no other way
    load_index = file._load_index  # noqa: SLF001

    def load_readable_index() -> Any:
        try:
            return load_index()
        except Exception:  # noqa: BLE001 - unpickling raises whatever it meets
            return {}

    file._load_index = load_readable_index  # noqa: SLF001
