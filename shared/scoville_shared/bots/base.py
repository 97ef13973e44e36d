"""The interface of bots, a bot for any game, and the registry of bots."""

from functools import cache
from importlib.metadata import entry_points
from typing import Any, Protocol

from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.dice import Stream

GROUP = "scoville.bots"
RANDOM, USUAL = "random", "greedy"


class Bot(Protocol):
    """Chooses among the legal moves of a pending seat's View; `chance` breaks ties and bluffs."""

    def __call__(self, game: AnyGame, view: Any, chance: Stream, /) -> Any:
        """Return a legal move."""


def random_bot(game: AnyGame, view: Any, chance: Stream) -> Any:
    """Play a random legal move."""
    moves = game.moves(view)
    return moves[chance.below(len(moves))]


@cache
def strengths(slug: str) -> tuple[str, ...]:
    """List the levels of a game's bots: every game has the usual one and the random one."""
    own = (
        entry.name.removeprefix(f"{slug}.") for entry in entry_points(group=GROUP) if entry.name.startswith(f"{slug}.")
    )
    return tuple(sorted({RANDOM, USUAL, *own}))


@cache
def find_bot(slug: str, strength: str) -> Bot:
    """Find the bot of a game by its level; the random one if the game has none of that level.

    Bots are registered in the entry-point group `scoville.bots` as `<slug>.<strength>`.
    """
    for entry in entry_points(group=GROUP, name=f"{slug}.{strength}"):
        bot: Bot = entry.load()
        return bot
    return random_bot
