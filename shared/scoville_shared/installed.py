"""Installed extensions: the entry points of Scoville's groups, such as games and bots, in every distribution.

Their files are read here, because importing importlib.metadata takes as long as the first picture of a board. It is
used where the path has no such files, such as in an archive.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, reduce
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

_PREFIX = "scoville."
_GAMES = "scoville.games"
_FOLDERS = (".dist-info", ".egg-info")
"""Endings of the folders that describe distributions."""


class Package(NamedTuple):
    """A distribution, as its folder names it."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


OURS: Final = "scoville"
"""The name of the distribution that this module belongs to."""

_ADDING: Final = frozenset({"scoville.reference_bots"})
"""Groups in which others may add something to a game of ours."""


Run = Callable[[Callable[[], Any]], Any]
_run_import: Run = lambda work: work()  # noqa: E731 - replaced by `bound_imports`


def bound_imports(run: Run) -> None:
    """Import code of other packages by this function from now on: it ends what does not end by itself."""
    global _run_import  # noqa: PLW0603 - one for the process, as modules are
    _run_import = run


class Extension(NamedTuple):
    """An entry point: `module:attribute`, perhaps with extras in brackets behind it, and the package that has it."""

    value: str
    package: Package = Package(OURS, "")

    def load_object(self, check: Callable[[Any], Any] = lambda found: found) -> Any:
        """Import the named object, and return the result of `check` for it. Raises whatever either raises."""

        def load() -> Any:
            return check(self._import_object())

        # The check as well: types and attributes of a package may have code of their own, which may not end.
        return load() if self.package.name == OURS else _run_import(load)

    def _import_object(self) -> Any:
        module, _, attributes = self.value.partition("[")[0].strip().partition(":")
        return reduce(getattr, filter(None, attributes.split(".")), import_module(module))

    @property
    def attribute(self) -> str:
        """The name inside its module; empty for the module itself."""
        return self.value.partition("[")[0].partition(":")[2].strip()

    def locate_folder(self) -> Path | None:
        """Find the folder of the package that it names, without importing anything: its code may be unusable."""
        top, *rest = self.value.partition("[")[0].partition(":")[0].strip().split(".")
        spec = PathFinder.find_spec(top)
        places = [] if spec is None else list(spec.submodule_search_locations or ())
        return next((folder for place in places if (folder := Path(place, *rest)).is_dir()), None)


class Conflict(NamedTuple):
    """A name of a group that packages claim who may not: it is left out, or ours where we have it."""

    group: str
    name: str
    packages: tuple[Package, ...]

    def __str__(self) -> str:
        names = " and ".join(map(str, self.packages))
        if len(self.packages) == 1:
            return f"{names} wants to be {self.name} in {self.group}, which belongs to Scoville itself; uninstall it."
        return f"{names} both want to be {self.name} in {self.group}; uninstall all but one."


class _Installed(NamedTuple):
    found: dict[str, dict[str, Extension]]
    conflicts: tuple[Conflict, ...]


def list_installed(group: str) -> Mapping[str, Extension]:
    """Return the entry points of a group by their names, without loading any."""
    return MappingProxyType(_read_all().found.get(group, {}))


def list_conflicts() -> Sequence[Conflict]:
    """Return the names that packages claim who may not."""
    return _read_all().conflicts


@cache
def _read_all() -> _Installed:
    """Read every distribution once. Of one that is on the path twice the first wins."""
    return _sorted_out(_from_files()) or _sorted_out(_from_metadata()) or _Installed({}, ())


def _sorted_out(entries: Iterator[tuple[Package, str, str, str]]) -> _Installed | None:
    """Give each name to the one package that may have it; None where there are no entries at all.

    The order of folders must not decide which code runs: a package could replace a game of ours by its name.
    """
    claims: dict[tuple[str, str], dict[str, Extension]] = {}
    for package, group, name, value in entries:
        if group.startswith(_PREFIX):
            claims.setdefault((group, name), {}).setdefault(package.name, Extension(value, package))
    ours = {name for (group, name), claimed in claims.items() if group == _GAMES and OURS in claimed}
    found: dict[str, dict[str, Extension]] = {}
    refused = []
    for (group, name), claimed in claims.items():
        # Parts of our games are ours alone, but for those that may be added.
        if OURS in claimed or (name.partition(".")[0] in ours and group not in _ADDING):
            wrong = tuple(each.package for key, each in claimed.items() if key != OURS)
            refused += [Conflict(group, name, (package,)) for package in wrong]
            chosen = claimed.get(OURS)
        else:
            # Of two packages of strangers neither is trusted with the name.
            chosen = next(iter(claimed.values())) if len(claimed) == 1 else None
            if chosen is None:
                refused.append(Conflict(group, name, tuple(each.package for each in claimed.values())))
        if chosen is not None:
            found.setdefault(group, {})[name] = chosen
    return _Installed(found, tuple(refused)) if claims else None


def _from_files() -> Iterator[tuple[Package, str, str, str]]:
    """Yield package, group, name and value of the entry points in the folders of the path."""
    for folder in sys.path:
        # A folder of the path need not exist.
        with suppress(OSError):
            for entry in os.scandir(folder or "."):
                if entry.name.endswith(_FOLDERS):
                    package = _package_of(entry.name)
                    for each in _read_entries(Path(entry.path, "entry_points.txt")):
                        yield package, *each


def _read_entries(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the entries of a file of entry points: groups in brackets, and below them lines `name = value`."""
    group = ""
    # A package without entry points, or a damaged one.
    with suppress(OSError, UnicodeDecodeError), path.open(encoding="utf-8") as lines:
        for line in map(str.strip, lines):
            name, separator, value = line.partition("=")
            if line.startswith("["):
                group = line.strip("[]").strip()
            elif separator and not line.startswith("#"):
                yield group, name.strip(), value.strip()


def _package_of(folder: str) -> Package:
    """Read name and version from the folder of a distribution, such as `liars_dice-1.0.dist-info`."""
    name, _, version = folder.rpartition(".")[0].partition("-")
    return Package(_normalize_name(name), version.partition("-py")[0])


def _normalize_name(name: str) -> str:
    """Write a distribution's name as package indexes do: other spellings are the same distribution."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _from_metadata() -> Iterator[tuple[Package, str, str, str]]:
    from importlib.metadata import distributions

    for distribution in distributions():
        package = Package(_normalize_name(distribution.name), distribution.version)
        for entry in distribution.entry_points:
            yield package, entry.group, entry.name, entry.value


def forget_installed() -> None:
    """Read the distributions again next time, because some have come or gone."""
    _read_all.cache_clear()
