"""What a bot is, the one that plays any game, and where the others are found."""

from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, Protocol

from scoville_shared.kit.contract import AnyGame
from scoville_shared.kit.dice import Stream

GROUP = "scoville.bots"


class Bot(Protocol):
    """Chooses among the legal moves of a pending seat's View; `chance` breaks ties and bluffs."""

    def __call__(self, game: AnyGame, view: Any, chance: Stream, /) -> Any:
        """Return a legal move."""


def random_bot(game: AnyGame, view: Any, chance: Stream) -> Any:
    """Play any legal move, every one equally likely."""
    moves = game.moves(view)
    return moves[chance.below(len(moves))]


@lru_cache(maxsize=256)  # bounded: hosts name the strength
def find_bot(slug: str, strength: str) -> Bot:
    """Find the bot of a game by its strength; where the game has none of that strength, the random one plays.

    Bots name themselves in the entry-point group `scoville.bots` as `<slug>.<strength>`.
    """
    for entry in entry_points(group=GROUP, name=f"{slug}.{strength}"):
        bot: Bot = entry.load()
        return bot
    return random_bot
