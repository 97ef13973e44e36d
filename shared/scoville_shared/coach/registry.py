"""The registry of coaches: one for each game, in the entry-point group `scoville.coaches` by the game's slug."""

from functools import cache
from typing import TYPE_CHECKING, Final

from scoville_shared.installed import OURS, list_installed

if TYPE_CHECKING:
    from scoville_shared.coach.base import Coach

GROUP: Final = "scoville.coaches"


@cache
def find_coach(slug: str) -> "type[Coach] | None":
    """Find the coach of a game; None if it has none, or one of another package that cannot be used."""
    entry = list_installed(GROUP).get(slug)
    try:
        return None if entry is None else entry.load_object()
    except (Exception, SystemExit):
        if entry is None or entry.package.name == OURS:
            raise
        return None


def has_coach(slug: str) -> bool:
    """Whether a game has a coach that can be used; that of another package is loaded to find out."""
    entry = list_installed(GROUP).get(slug)
    return entry is not None and (entry.package.name == OURS or find_coach(slug) is not None)
