"""The interface of bots, and the bots that play any game: a random one, and one between two others."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.dice import Stream
from scoville_shared.engine.phrases import Phrase


# Decision 048: a bot that takes a seat's facts instead of a state cannot know more than its seat.
class Bot(ABC):
    """The player of one seat in one game. It knows Views and facts of that seat, and nothing else.

    A bot that takes over a seat observes everything that the seat has been sent since the deal, then chooses. The same
    facts, the same View and the same `chance` always make the same move, so a game can be repeated.

    `description` says in a few words how the level plays. `remembers` tells whether `observe_fact` has an effect: the
    facts of a bot that needs only the View are not collected. `equal_levels` are by the number of seats all levels that
    win as often as this one, its own included, as far as measured games show (docs/bots.md has the table); the
    strongest of them has it.

    Args:
        game: The game that is played.

    Example:
        `bot = find_bot("last_stick", "sensible")(game)`; then `bot.observe_fact(fact)` for every fact that the seat is
        sent, and `bot.choose_move(view, chance)` when the seat is pending.
    """

    description: ClassVar[Phrase]
    remembers: ClassVar[bool] = False
    equal_levels: ClassVar[Mapping[int, tuple[str, ...]]] = {}

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def observe_fact(self, fact: Any) -> None:  # noqa: B027 - most bots need no memory
        """Learn a fact that the seat was sent, in the order of the game."""

    @abstractmethod
    def choose_move(self, view: Any, chance: Stream) -> Any:
        """Return a legal move for a View whose seat is pending; `chance` is this decision's own randomness."""


class RandomBot(Bot):
    """Plays a random legal move."""

    description = Phrase("plays any legal move")

    def choose_move(self, view: Any, chance: Stream) -> Any:
        moves = self.game.moves(view)
        return moves[chance.draw_below(len(moves))]


class MixedBot(Bot):
    """Plays half of its decisions like one bot, and half like another one."""

    description = Phrase("plays half like the easy bot, half like the sensible one")
    kinds: ClassVar[tuple[type[Bot], type[Bot]]]

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._bots = [kind(game) for kind in self.kinds]

    def observe_fact(self, fact: Any) -> None:
        # Each of them may be asked for the next move.
        for bot in self._bots:
            bot.observe_fact(fact)

    def choose_move(self, view: Any, chance: Stream) -> Any:
        return self._bots[chance.draw_below(len(self._bots))].choose_move(view, chance)
