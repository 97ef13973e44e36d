"""Random tables: a game with options and a key, and a position of it that was reached by legal moves."""

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any, Final, NamedTuple

from scoville_laws.law import demand
from scoville_laws.values import draw_value
from scoville_shared.engine.contract import MOST_FACTS, AnyGame, Refusal, Step
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.engine.play import play_move
from scoville_shared.ids import Seat

NAMES: Final = (
    "Anna", "Paul", "Max", "Linus", "Nora", "Emil", "Ida", "Jonas", "Mila", "Theo", "Lea", "Finn", "Ella", "Noah",
    "Lina", "Ben",
)  # fmt: skip
"""Names of the players at a table, by seat."""

_SECOND_THOUGHTS: Final = 0.1
"""How often in a random game a seat that is not pending makes a move that is still legal."""
_PURPOSE: Final = 0.3
"""How often a random game plays the move of a clock, so that games come to an end: chance alone can go on for long."""
_MANY: Final = 200
"""How many moves of a seat are looked at one by one."""
_LENGTHS: Final = (4, 12, 40, 120)
LONGEST: Final = _LENGTHS[-1]
"""Moves before a random position, unless the game ends earlier."""


class Deal(NamedTuple):
    """The start of a game: options and key."""

    game: AnyGame
    options: Any
    seats: int
    dice: Dice

    def setup(self) -> Any:
        """Return the first state."""
        return self.game.setup(self.options, self.seats, self.dice)

    @property
    def seated(self) -> list[Seat]:
        """All seats of a game, clockwise."""
        return [Seat(seat) for seat in range(self.seats)]

    @property
    def watchers(self) -> list[Seat | None]:
        """Everybody who gets a View: the seats, and a spectator."""
        return [None, *self.seated]


class Moment(NamedTuple):
    """A state in the course of a game, the move that led there, and its facts."""

    state: Any
    seat: Seat | None = None
    move: Any = None
    step: Step[Any, Any] | None = None


class Position(NamedTuple):
    """A game in progress: `moments` begin with the set-up."""

    deal: Deal
    moments: list[Moment]

    @property
    def game(self) -> AnyGame:
        return self.deal.game

    @property
    def state(self) -> Any:
        return self.moments[-1].state

    @property
    def steps(self) -> Iterator[Step[Any, Any]]:
        """The steps of all moves."""
        return (moment.step for moment in self.moments if moment.step is not None)


def draw_dice(luck: Random) -> Dice:
    """Draw a key."""
    return Dice(luck.randbytes(SEED_BYTES))


def draw_deal(game: AnyGame, seats: int, luck: Random) -> Deal:
    """Draw options and a key; often the usual options."""
    options = game.codec.decode_options({}) if luck.random() < 1 / 4 else draw_value(game.codec.options_type, luck)
    return Deal(game, options, seats, draw_dice(luck))


def draw_position(game: AnyGame, seats: int, luck: Random, longest: int = LONGEST) -> Position:
    """Draw a position of a random game, from the set-up to the end."""
    most = min(longest, luck.choice(_LENGTHS))  # games of ten moves have positions in their middle, too
    return _play_deal(draw_deal(game, seats, luck), luck, luck.randint(0, most))


def draw_finished(game: AnyGame, seats: int, luck: Random) -> Position:
    """Draw a random game that is played to its end."""
    return _play_deal(draw_deal(game, seats, luck), luck, None)


def draw_move(game: AnyGame, luck: Random) -> Any:
    """Draw any move that can be written down, legal or not."""
    return draw_value(luck.choice(game.codec.move_types), luck)


def pick_some(moves: Sequence[Any]) -> list[Any]:
    """List all moves; of very many, as when any number may be chosen, the first, the last and some between."""
    return list(moves) if len(moves) <= _MANY else [moves[at] for at in range(0, len(moves), len(moves) // _MANY)]


def walk_table(deal: Deal, state: Any, luck: Random, fallbacks: float = _PURPOSE) -> Iterator[Moment]:
    """Play at random until no seat is pending; every move goes through `play_move`.

    `fallbacks` is the part of the moves that are the game's fallback.
    """
    # Once more than there may be moves, to see that the game is over after the last one.
    for _ in range(deal.game.info.max_moves + 1):
        pending = sorted(deal.game.pending(state))
        if not pending:
            return
        seat, move = _choose_move(deal, state, pending, luck, fallbacks)
        step = play_move(deal.game, state, seat, move)
        if isinstance(step, Refusal):
            demand(False, f"{move} is among the moves of seat {seat}, but refused: {step}")
            return
        facts = [*islice(step.facts, MOST_FACTS + 1)]
        demand(len(facts) <= MOST_FACTS, f"{move} of seat {seat} has more than {MOST_FACTS:,} facts")
        state = step.state
        yield Moment(state, seat, move, Step(state, facts))
    pending = sorted(deal.game.pending(state))
    demand(not pending, f"the game goes on after info.max_moves = {deal.game.info.max_moves} moves")


def _choose_move(deal: Deal, state: Any, pending: list[Seat], luck: Random, fallbacks: float) -> tuple[Seat, Any]:
    if luck.random() < _SECOND_THOUGHTS:
        others = [seat for seat in deal.seated if seat not in pending and _moves_of(deal, state, seat)]
        if others:
            seat = luck.choice(others)
            return seat, luck.choice(_moves_of(deal, state, seat))
    seat = luck.choice(pending)
    if luck.random() < fallbacks:
        return seat, deal.game.fallback(deal.game.view(state, seat))
    moves = _moves_of(deal, state, seat)
    demand(len(moves) > 0, f"seat {seat} is pending and has no move")
    return seat, luck.choice(moves)


def _moves_of(deal: Deal, state: Any, seat: Seat) -> Sequence[Any]:
    return deal.game.moves(deal.game.view(state, seat))


def _play_deal(deal: Deal, luck: Random, length: int | None) -> Position:
    # With chance of its own: how long the game is played does not change what is drawn after it.
    start = deal.setup()
    return Position(deal, [Moment(start), *islice(walk_table(deal, start, Random(luck.getrandbits(32))), length)])
