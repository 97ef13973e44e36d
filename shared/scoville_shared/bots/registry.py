"""The registry of bots: the levels of each game, and the bot of a level.

Bots are named in the entry-point group `scoville.bots` as `<slug>.<level>`, each a subclass of `Bot`. Every game has
the random one. A level that a game does not name is not offered. Reference bots, which only the arena and benchmarks
offer, are named in `scoville.reference_bots` as `<slug>.<name>`: rules that others have published.
"""

from functools import cache
from typing import Final

from scoville_shared.bots.base import Bot, RandomBot
from scoville_shared.installed import OURS, Extension, list_installed

GROUP: Final = "scoville.bots"
REFERENCES: Final = "scoville.reference_bots"

LEVELS: Final = ("random", "easy", "casual", "sensible", "strong", "master")
"""Every level there is, the weakest first."""

USUAL: Final = "sensible"
"""The level of tables that name none."""

_FORMER_NAMES: Final = {"greedy": "sensible"}
"""Names that levels had before; journals and programs still have them."""


@cache
def list_levels(slug: str) -> tuple[str, ...]:
    """List the levels of a game's bots, the weakest first, without loading any."""
    return tuple(level for level in LEVELS if level == LEVELS[0] or level in _find_installed(slug))


def usual_level(slug: str) -> str:
    """Return the usual level of a game, or its best one below that."""
    return best_level(slug, USUAL)


def find_level(slug: str, name: str) -> str | None:
    """Return the offered level that a name means, today's or a former one; None if the game does not offer it.

    The usual level is offered by every game: without a bot of its own it is the best one below.
    """
    level = _FORMER_NAMES.get(name, name)
    return level if level in list_levels(slug) else usual_level(slug) if level == USUAL else None


def best_level(slug: str, name: str) -> str:
    """Return the level that a name means, or the best offered one below it; an unknown name means the usual level."""
    level = _FORMER_NAMES.get(name, name)
    most = LEVELS.index(level if level in LEVELS else USUAL)
    return [level for level in list_levels(slug) if LEVELS.index(level) <= most][-1]


def list_equal_levels(slug: str, seats: int) -> tuple[str, ...]:
    """List the levels of a game that win equally often at a table of so many seats, the weakest first."""
    return next((equal for level in list_levels(slug) if (equal := find_bot(slug, level).equal_levels.get(seats))), ())


@cache
def find_bot(slug: str, name: str) -> type[Bot]:
    """Find the bot of a game by its level, or the best one below it."""
    level = best_level(slug, name)
    while level != LEVELS[0]:
        bot = _load_bot(_find_installed(slug)[level])
        if bot is not None:
            return bot
        level = list_levels(slug)[list_levels(slug).index(level) - 1]
    return RandomBot


def _load_bot(entry: Extension) -> type[Bot] | None:
    """Load a bot; None for one of another package that cannot be used: the level below plays in its place."""
    try:
        bot: object = entry.load_object()
    except (Exception, SystemExit):
        if entry.package.name == OURS:
            raise
        return None
    return bot if isinstance(bot, type) and issubclass(bot, Bot) else None


def list_references(slug: str) -> tuple[str, ...]:
    """List the reference bots of a game."""
    return tuple(sorted(_find_installed(slug, REFERENCES)))


def find_contestant(slug: str, name: str) -> type[Bot] | None:
    """Find a bot for measurements, by its level or as a reference bot; None if there is none of this name."""
    level = find_level(slug, name)
    if level is not None:
        return find_bot(slug, level)
    entry = _find_installed(slug, REFERENCES).get(name)
    if entry is None:
        return None
    bot: type[Bot] = entry.load_object()
    return bot


def _find_installed(slug: str, group: str = GROUP) -> dict[str, Extension]:
    prefix = f"{slug}."
    return {
        name.removeprefix(prefix): entry for name, entry in list_installed(group).items() if name.startswith(prefix)
    }
