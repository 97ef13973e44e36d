"""The registry of games: those of this distribution, and others in the entry-point group `scoville.games`."""

from functools import cache

from scoville_shared.engine.contract import AnyGame
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.installed import installed

GROUP = "scoville.games"


def slugs() -> list[str]:
    """List the slugs of the installed games, sorted, without loading any."""
    return sorted(installed(GROUP))


@cache
def load(slug: str) -> AnyGame:
    """Load a game by its slug. Raises ScovilleError `unknown_game`, which lists the known games."""
    try:
        entry = installed(GROUP)[slug]
    except KeyError:
        known = ", ".join(slugs())
        raise ScovilleError(Code.UNKNOWN_GAME, f"There is no game called {slug!r} here; there is {known}.") from None
    game: AnyGame = entry.load()
    return game
