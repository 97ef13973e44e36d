"""The checked entrance: the only way to change a game, and the seats that one moves at a time."""

from collections.abc import Iterable
from typing import Final, TypeVar

from scoville_shared.engine.contract import Game, Refusal, Step
from scoville_shared.engine.dice import Dice
from scoville_shared.ids import MOST_SEATS, Seat

NOBODY: Final[frozenset[Seat]] = frozenset()
"""No seat is pending: the game is over."""

ONLY: Final = tuple(frozenset({Seat(seat)}) for seat in range(MOST_SEATS))
"""By seat: this one alone is pending. Made once, since a game asks after every move."""


O = TypeVar("O")  # noqa: E741 - options
S = TypeVar("S")
M = TypeVar("M")
V = TypeVar("V")
F = TypeVar("F")


def play_move(game: Game[O, S, M, V, F], state: S, seat: Seat, move: M) -> Step[S, F] | Refusal:
    """Play a move if it is legal; `state` itself never changes.

    Returns:
        The next state with its facts, or the refusal.

    Example:
        `step = play_move(game, state, Seat(0), move)`; then test `isinstance(step, Refusal)`.
    """
    refusal = game.check(state, seat, move)
    if refusal is not None:
        return refusal
    return game.apply(state, seat, move)


class IllegalMove(ValueError):
    """A recorded move is illegal; `number` counts from 1."""

    def __init__(self, number: int, seat: Seat, refusal: Refusal) -> None:
        super().__init__(f"move {number} (seat {seat}) is refused: {refusal.reason}")
        self.number = number
        self.refusal = refusal


def replay_moves(
    game: Game[O, S, M, V, F],
    options: O,
    seats: int,
    dice: Dice,
    moves: Iterable[tuple[Seat, M]],
    dealer: Seat | None = None,
) -> Iterable[Step[S, F]]:
    """Deal a game and play recorded moves; yields each step.

    Raises IllegalMove at the first illegal move.
    """
    state = game.deal(options, seats, dice, dealer)
    for number, (seat, move) in enumerate(moves, 1):
        step = play_move(game, state, seat, move)
        if isinstance(step, Refusal):
            raise IllegalMove(number, seat, step)
        yield step
        state = step.state
