"""Bots whose answers are a pure function of the deal, the seat and the history: equal plays meet equal answers.

A searching bot makes exactly `COUNTED_PLAYOUTS` playouts, whatever the machine, and no clock cuts it. Compiled and
plain kernels agree on the playouts; their sums are rounded before a move is chosen, because libraries of different
machines may differ in the last digit of a power.
"""

import hmac
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from scoville_shared.bots.base import Bot
from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.bots.registry import find_bot
from scoville_shared.bots.search import Question, SearchBot, Thought, answer_exactly, seed_of
from scoville_shared.engine.contract import Addressed, AnyGame, Refusal, select_facts
from scoville_shared.engine.dice import Dice, Stream, table_key
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat
from scoville_shared.values import Plain

COUNTED_PLAYOUTS: Final = 400
"""Playouts of a decision, all moves together: a second in plain Python, where a machine has no compiler."""


DAILY: Final = "daily-"
"""How the names of daily deals begin, which no table's id does."""


def stream_of_turn(seed: bytes, seat: int, turn: int) -> Stream:
    """Return the random stream of a bot's decision, apart from the game's randomness.

    Args:
        seed: The seed of the deal, 32 bytes.
        seat: The bot's seat.
        turn: How many moves the seat has made before.
    """
    return Dice(hmac.digest(seed, b"scoville/bots", "sha256")).open_stream(f"bot/{seat}/{turn}")


class CountedSearch(NamedTuple):
    """A question that is answered with all its playouts; a process can do it, and any machine gives the same answer."""

    question: Question
    seed: int
    seconds: float = 60.0

    def run(self, machine: Machine) -> Thought:
        """Answer the question with a fixed number of playouts, so that every machine answers alike."""
        return answer_exactly(self.question, COUNTED_PLAYOUTS, self.seed, machine)


class SharedDeal(NamedTuple):
    """A deal that many play at tables of their own against the same bots.

    `name` takes the place of a table's id in the deal; `levels` are those of the bots by seat, "" for the player's.
    `options` are all of the game's options as plain data.
    """

    name: str
    seed: bytes
    game: str
    options: Plain
    levels: tuple[str, ...]

    @property
    def player(self) -> Seat:
        return Seat(self.levels.index(""))


class Decided(NamedTuple):
    """A move, as plain data, for which no search is needed."""

    move: Plain


class CountedGame:
    """A game of a shared deal, played move by move: its state, and the bots, which have observed what they may know.

    Args:
        game: The game.
        state: Its state after the deal.
        levels: The levels of the bots by seat, "" for seats of people.
        seed: The seed of the deal, 32 bytes, from which the bots' chance comes.
    """

    def __init__(self, game: AnyGame, state: Any, levels: Sequence[str], seed: bytes) -> None:
        self.game = game
        self.state = state
        self._seed = seed
        self._bots: dict[int, Bot] = {}
        for seat, level in enumerate(levels):
            if level:
                self.seat_bot(Seat(seat), level)
        self._turns = [0] * len(levels)

    @classmethod
    def of_deal(cls, deal: SharedDeal) -> "CountedGame":
        game: AnyGame = load_game(deal.game)
        # Without nonces: all players of the deal must be dealt the same cards.
        dice = Dice(table_key(deal.seed, deal.name, [b""] * len(deal.levels)))
        state = game.deal(game.codec.decode_options(deal.options), len(deal.levels), dice, None)
        return cls(game, state, deal.levels, deal.seed)

    @property
    def pending(self) -> frozenset[Seat]:
        """The seats that owe a move."""
        return self.game.pending(self.state)

    def seat_bot(self, seat: Seat, level: str) -> None:
        """Let a bot play a seat from the deal on."""
        self._bots[seat] = find_bot(self.game.info.slug, level)(self.game)

    def decide(self, seat: Seat) -> Decided | CountedSearch:
        """Return the move of a pending bot, or the search that finds it."""
        bot, view = self._bots[seat], self.game.view(self.state, seat)
        chance = stream_of_turn(self._seed, seat, self._turns[seat])
        if not isinstance(bot, SearchBot):
            return Decided(self.game.codec.encode_plain(bot.choose_move(view, chance)))
        question = bot.make_question(view)
        if len(question.moves) == 1:
            return Decided(question.moves[0])
        return CountedSearch(question, seed_of(chance))

    def choose_move(self, seat: Seat, machine: Machine = INTERPRETED) -> Plain:
        """Return the move of a pending bot as plain data."""
        decided = self.decide(seat)
        return decided.move if isinstance(decided, Decided) else decided.run(machine).move

    def play_move(self, seat: Seat, move: Plain) -> Sequence[Addressed[Any]]:
        """Play a move, and return its facts. Raises ValueError if it is illegal."""
        step = play_move(self.game, self.state, seat, self.game.codec.decode_move(move))
        if isinstance(step, Refusal):
            raise ValueError(f"an illegal move: {step.reason}")
        self.state = step.state
        self._turns[seat] += 1
        for each, bot in self._bots.items():
            for fact in select_facts(step.facts, Seat(each)):
                bot.observe_fact(fact)
        return step.facts


def find_other_answers(
    deal: SharedDeal, moves: Sequence[tuple[Seat, Plain]], machine: Machine = INTERPRETED
) -> Iterator[int]:
    """Yield the numbers (from 1) of the bots' moves in a game that are not those of this version's bots."""
    played = CountedGame.of_deal(deal)
    for number, (seat, move) in enumerate(moves, 1):
        if seat != deal.player and played.choose_move(seat, machine) != move:
            yield number
        played.play_move(seat, move)
