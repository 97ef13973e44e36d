"""The registry of bots: the levels of each game, and the bot of a level.

Bots are named in the entry-point group `scoville.bots` as `<slug>.<level>`, each a subclass of `Bot`. Every game has
the random one. A level that a game does not name is not offered.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from scoville_shared.bots.base import Bot, RandomBot

GROUP: Final = "scoville.bots"

LEVELS: Final = ("random", "easy", "sensible", "strong", "master")
"""Every level there is, the weakest first."""

USUAL: Final = "sensible"
"""The level of tables that name none."""

_FORMER_NAMES: Final = {"greedy": "sensible"}
"""Names that levels had before; journals and programs still have them."""


@cache
def levels(slug: str) -> tuple[str, ...]:
    """List the levels of a game's bots, the weakest first, without loading any."""
    return tuple(level for level in LEVELS if level == LEVELS[0] or level in _installed(slug))


def usual_level(slug: str) -> str:
    """Return the usual level of a game, or its best one below that."""
    return best_level(slug, USUAL)


def find_level(slug: str, name: str) -> str | None:
    """Return the offered level that a name means, today's or a former one; None if the game does not offer it.

    The usual level is offered by every game: without a bot of its own it is the best one below.
    """
    level = _FORMER_NAMES.get(name, name)
    return level if level in levels(slug) else usual_level(slug) if level == USUAL else None


def best_level(slug: str, name: str) -> str:
    """Return the level that a name means, or the best offered one below it; an unknown name means the usual level."""
    level = _FORMER_NAMES.get(name, name)
    most = LEVELS.index(level if level in LEVELS else USUAL)
    return [level for level in levels(slug) if LEVELS.index(level) <= most][-1]


@cache
def find_bot(slug: str, name: str) -> type[Bot]:
    """Find the bot of a game by its level, or the best one below it."""
    entry = _installed(slug).get(best_level(slug, name))
    if entry is None:
        return RandomBot
    bot: type[Bot] = entry.load()
    return bot


def _installed(slug: str) -> dict[str, EntryPoint]:
    prefix = f"{slug}."
    return {
        entry.name.removeprefix(prefix): entry for entry in entry_points(group=GROUP) if entry.name.startswith(prefix)
    }
