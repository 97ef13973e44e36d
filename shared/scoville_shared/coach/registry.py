"""The registry of coaches: one for each game, in the entry-point group `scoville.coaches` by the game's slug."""

from functools import cache
from importlib.metadata import entry_points
from typing import Final

from scoville_shared.coach.base import Coach

GROUP: Final = "scoville.coaches"


@cache
def find_coach(slug: str) -> type[Coach] | None:
    """Find the coach of a game; None if it has none."""
    for entry in entry_points(group=GROUP, name=slug):
        coach: type[Coach] = entry.load()
        return coach
    return None


@cache
def has_coach(slug: str) -> bool:
    """Whether a game has a coach; it is not loaded."""
    return bool(entry_points(group=GROUP, name=slug))
