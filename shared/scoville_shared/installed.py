"""Installed extensions: the entry points of Scoville's groups, such as games and bots, in every distribution.

Their files are read here, because importing importlib.metadata takes as long as the first picture of a board. It is
used where the path has no such files, such as in an archive.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, reduce
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

_PREFIX = "scoville."
_FOLDERS = (".dist-info", ".egg-info")
"""Endings of the folders that describe distributions."""


class Extension(NamedTuple):
    """An entry point: `module:attribute`, perhaps with extras in brackets behind it."""

    value: str

    def load(self) -> Any:
        """Import what it names."""
        module, _, attributes = self.value.partition("[")[0].strip().partition(":")
        return reduce(getattr, filter(None, attributes.split(".")), import_module(module))


Extensions = dict[str, dict[str, Extension]]
"""By group and name."""


def installed(group: str) -> Mapping[str, Extension]:
    """Return the entry points of a group by their names, without loading any."""
    return MappingProxyType(_all().get(group, {}))


@cache
def _all() -> Extensions:
    """Read every distribution once. The first on the path wins."""
    return _collected(_from_files()) or _collected(_from_metadata())


def _collected(entries: Iterator[tuple[str, str, str]]) -> Extensions:
    found: Extensions = {}
    for group, name, value in entries:
        if group.startswith(_PREFIX):
            found.setdefault(group, {}).setdefault(name, Extension(value))
    return found


def _from_files() -> Iterator[tuple[str, str, str]]:
    """Yield group, name and value of the entry points in the folders of the path."""
    for folder in sys.path:
        with suppress(OSError):
            for entry in os.scandir(folder or "."):
                if entry.name.endswith(_FOLDERS):
                    yield from _entries(Path(entry.path, "entry_points.txt"))


def _entries(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield what a file of entry points holds: groups in brackets, and beneath them lines `name = value`."""
    group = ""
    with suppress(OSError, UnicodeDecodeError), path.open(encoding="utf-8") as lines:
        for line in map(str.strip, lines):
            name, separator, value = line.partition("=")
            if line.startswith("["):
                group = line.strip("[]").strip()
            elif separator and not line.startswith("#"):
                yield group, name.strip(), value.strip()


def _from_metadata() -> Iterator[tuple[str, str, str]]:
    from importlib.metadata import distributions

    for distribution in distributions():
        for entry in distribution.entry_points:
            yield entry.group, entry.name, entry.value


def forget_installed() -> None:
    """Read the distributions again next time, because some have come or gone."""
    _all.cache_clear()
