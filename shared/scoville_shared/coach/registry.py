"""The registry of coaches: one for each game, in the entry-point group `scoville.coaches` by the game's slug."""

from functools import cache
from typing import TYPE_CHECKING, Final

from scoville_shared.installed import list_installed

if TYPE_CHECKING:
    from scoville_shared.coach.base import Coach

GROUP: Final = "scoville.coaches"


@cache
def find_coach(slug: str) -> "type[Coach] | None":
    """Find the coach of a game; None if it has none."""
    entry = list_installed(GROUP).get(slug)
    return None if entry is None else entry.load_object()


def has_coach(slug: str) -> bool:
    """Whether a game has a coach; it is not loaded."""
    return slug in list_installed(GROUP)
