"""Installed extensions: the entry points of Scoville's groups, such as games and bots, in every distribution."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, distributions
from types import MappingProxyType

_PREFIX = "scoville."


def installed(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by their names, without loading any."""
    return MappingProxyType(_all().get(group, {}))


@cache
def _all() -> dict[str, dict[str, EntryPoint]]:
    """Read every distribution once: each time costs as much as loading a game. The first on the path wins."""
    found: dict[str, dict[str, EntryPoint]] = {}
    for distribution in distributions():
        for entry in distribution.entry_points:
            if entry.group.startswith(_PREFIX):
                found.setdefault(entry.group, {}).setdefault(entry.name, entry)
    return found


def forget_installed() -> None:
    """Read the distributions again next time, because some have come or gone."""
    _all.cache_clear()
