"""Every registered game in every size, and random positions of it."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoville_shared.engine.contract import AnyGame, Refusal, Step
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import list_slugs, load_game
from scoville_shared.ids import Seat
from tests.support.shapes import values_like

NAMES = ("Anna", "Paul", "Max", "Linus", "Nora", "Emil", "Ida")
SECOND_THOUGHTS = 0.1
"""How often in a random game a seat that is not pending makes a move that is still legal."""

PURPOSE = 0.3
"""How often a random game plays what a clock would, so that games get somewhere: chance alone can go on for long."""

MANY = 200
"""How many moves of a seat are looked at one by one."""

every_table = pytest.mark.parametrize(
    ("game", "seats"),
    [
        pytest.param(load_game(slug), seats, id=f"{slug}-{seats}")
        for slug in list_slugs()
        for seats in range(load_game(slug).info.seats[0], load_game(slug).info.seats[1] + 1)
    ],
)

LAW_SHARE = 4
"""A law holds at every table of every game, so each table gets this part of the examples that a property gets."""


def law(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test with random data at every table of every game."""
    examples = settings(max_examples=max(1, settings.default.max_examples // LAW_SHARE))
    return every_table(examples(given(data=st.data())(test)))


class Deal(NamedTuple):
    """The start of a game: options and key."""

    game: AnyGame
    options: Any
    seats: int
    dice: Dice

    def setup(self) -> Any:
        """Lay the game out."""
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
        """The game that is played."""
        return self.deal.game

    @property
    def state(self) -> Any:
        """Where the game stands."""
        return self.moments[-1].state


def dice() -> st.SearchStrategy[Dice]:
    """Draw a key."""
    return st.binary(min_size=SEED_BYTES, max_size=SEED_BYTES).map(Dice)


def deals(game: AnyGame, seats: int) -> st.SearchStrategy[Deal]:
    """Draw options and a key."""
    return st.builds(Deal, st.just(game), values_like(game.codec.options_type), st.just(seats), dice())


def positions(game: AnyGame, seats: int) -> st.SearchStrategy[Position]:
    """Draw a position of a random game, from the set-up to the end."""
    return st.builds(_position, deals(game, seats), st.integers(0, 120), st.integers(0, 2**32))


def finished(game: AnyGame, seats: int) -> st.SearchStrategy[Position]:
    """Draw a random game that is played to its end."""
    return st.builds(_position, deals(game, seats), st.just(None), st.integers(0, 2**32))


def moves_like(game: AnyGame) -> st.SearchStrategy[Any]:
    """Draw any move that can be written down, legal or not."""
    return st.one_of(map(values_like, game.codec.move_types))


def some(moves: Sequence[Any]) -> list[Any]:
    """List all moves; of very many, as when any number may be chosen, the first, the last and some between."""
    return list(moves) if len(moves) <= MANY else [moves[at] for at in range(0, len(moves), len(moves) // MANY)]


def walk(deal: Deal, state: Any, luck: Random) -> Iterator[Moment]:
    """Play at random until no seat is pending; every move goes through `engine.play`."""
    while pending := sorted(deal.game.pending(state)):
        seat, move = _choice(deal, state, pending, luck)
        step = play_move(deal.game, state, seat, move)
        assert not isinstance(step, Refusal), f"{move} is among the moves of seat {seat}, but refused: {step}"
        state = step.state
        yield Moment(state, seat, move, step)


def _choice(deal: Deal, state: Any, pending: list[Seat], luck: Random) -> tuple[Seat, Any]:
    if luck.random() < SECOND_THOUGHTS:
        others = [seat for seat in deal.seated if seat not in pending and _moves(deal, state, seat)]
        if others:
            seat = luck.choice(others)
            return seat, luck.choice(_moves(deal, state, seat))
    seat = luck.choice(pending)
    if luck.random() < PURPOSE:
        return seat, deal.game.fallback(deal.game.view(state, seat))
    return seat, luck.choice(_moves(deal, state, seat))


def _moves(deal: Deal, state: Any, seat: Seat) -> Sequence[Any]:
    return deal.game.moves(deal.game.view(state, seat))


def _position(deal: Deal, length: int | None, luck: int) -> Position:
    start = deal.setup()
    return Position(deal, [Moment(start), *islice(walk(deal, start, Random(luck)), length)])
