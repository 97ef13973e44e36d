"""Trying a mutant: a forked process imports the game with the fault in it and runs the tests of that game.

The fault exists in that process only; no file is changed. What the tests need and the fault cannot touch is imported
once, before the fork, so that a mutant costs a tenth of a second when a golden game gives it away.
"""

import contextlib
import os
import resource
import sys
from enum import IntEnum
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.mutation.mutants import REGISTRY, Mutant, module_name, modules
from tests.support.tree import ROOT

TESTS = ROOT / "tests"
OPTIONS = ("-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist", f"--rootdir={ROOT}")
CPU_SECONDS = 12
"""A fault that makes a test run longer is killed: it loops."""

LONG_TESTS = ("test_every_end", "test_every_sum", "test_invariants", "test_second_opinion")
"""Files of a game that are run after its others."""

EXAMPLES = 3
"""How many random games a property of a game is tried on: enough beside tests that lay their tables out by hand."""

MEMORY_BYTES = 2 * 2**30


class Verdict(IntEnum):
    """The end of a trial as an exit status; any other end counts as killed, signals included."""

    SURVIVED = 0
    KILLED = 1
    NOT_TRIED = 2


def prepare(target: str) -> None:
    """Import everything that no mutant of `target` changes, before forking: pytest, the engine, the other games."""
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    settings.register_profile(
        "mutants",
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=EXAMPLES,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    if target != REGISTRY:
        from scoville_shared.games.registry import list_slugs, load_game

        for slug in list_slugs():
            if slug != target:
                load_game(slug)
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        pytest.main([*OPTIONS, "--collect-only", str(TESTS / "shared/engine/test_dice.py")])
    touched = {module_name(path) for path in modules(target)} & set(sys.modules)
    assert not touched, f"{touched} must be imported by the trials alone"


def tests_of(target: str, *, quick: bool) -> list[str]:
    """List the tests that must detect a target's faults after its golden games, the slow ones last; if quick the first.

    The first one shows that tests are found and pass where there is no fault.
    """
    if target == REGISTRY:
        return [str(TESTS / "shared/games" / name) for name in ("test_registry.py", "test_packages.py")]
    own = sorted(
        (TESTS / "shared/games" / target).glob("test_*.py"), key=lambda path: (path.stem in LONG_TESTS, path.stem)
    )
    return ["-k", target, *map(str, (TESTS / "laws/test_types.py", *([] if quick else own)))]


def start(mutant: Mutant | None, target: str, *, quick: bool = False) -> int:
    """Fork a trial; returns its process id. Without a mutant the rules are tried as they are."""
    child = os.fork()
    if child == 0:
        _try(mutant, target, quick=quick)
    return child


def verdict(status: int) -> Verdict:
    """Judge a trial by the status that `os.wait` gave."""
    code = os.waitstatus_to_exitcode(status)
    return Verdict(code) if code in list(Verdict) else Verdict.KILLED


def _try(mutant: Mutant | None, target: str, *, quick: bool) -> None:
    end = Verdict.KILLED
    try:
        _close_in()
        if mutant is not None:
            sys.meta_path.insert(0, _Faulty(mutant))
        if target == REGISTRY or _goldens_agree(target):
            end = _judged_by_tests(target, quick=quick)
    finally:
        os._exit(end)


def _close_in() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    with contextlib.suppress(ValueError, OSError):  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)


def _goldens_agree(target: str) -> bool:
    from scoville_laws.golden import write_golden
    from tests.golden.files import golden_texts

    return all(write_golden(text) == text for text in golden_texts(target))


def _judged_by_tests(target: str, *, quick: bool) -> Verdict:
    match pytest.main([*OPTIONS, *tests_of(target, quick=quick)]):
        case pytest.ExitCode.OK:
            return Verdict.SURVIVED
        case pytest.ExitCode.USAGE_ERROR | pytest.ExitCode.NO_TESTS_COLLECTED:
            return Verdict.NOT_TRIED
        case _:
            return Verdict.KILLED


class _Faulty(MetaPathFinder, SourceFileLoader):
    """Finds the one module that has the fault."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.module, str(mutant.path))
        self._source = mutant.source

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return spec_from_file_location(fullname, self.path, loader=self) if fullname == self.name else None

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._source, self.path, "exec")
