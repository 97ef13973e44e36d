"""Prepared tables of Chilli Chase, and turns in the rulebook's words."""

from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.state import DECK, KEEP, Board, Left, NewScore, Op, Options, Play, Secret, State
from scoville_shared.ids import Seat

A, B, C = Seat(0), Seat(1), Seat(2)
NAMES = ("Anna", "Ben", "Cleo")
DICE = Dice(bytes(32))


def lay_out(total, *hands, scores=(8, 11, 4), points=None, mover=A, deck=None, hot=None, turn=1, options=None):
    """A table with this running total; cards that are nowhere else lie in the deck, ascending."""
    hot = hot or (max(1, min(6, total)),)
    hands = hands or ((1, 2, 3), (4, 5, 6), (1, 2, 3))
    if deck is None:
        rest = list(DECK)
        for card in (*hot, *(card for hand in hands for card in hand)):
            rest.remove(card)
        deck = tuple(sorted(rest))
    board = Board(
        options=options or Options(),
        dealer=Seat(len(hands) - 1),
        turn=turn,
        mover=mover,
        choosing=False,
        total=total,
        hot=tuple(hot),
        deck=len(deck),
        recycled=0,
        hands=tuple(map(len, hands)),
        scores=tuple(scores[: len(hands)]),
        points=points or (0,) * len(hands),
        over=False,
    )
    return State(board, Secret(DICE, tuple(tuple(sorted(hand)) for hand in hands), tuple(deck)))


def total_by(op, card):
    """The total on the left, `card` on the right."""
    return Play(card, Op(op), Left.TOTAL)


def card_by(op, card):
    """`card` on the left, the total on the right."""
    return Play(card, Op(op), Left.CARD)


def do(state, move):
    """Play a move; returns the step."""
    step = play_move(GAME, state, state.board.mover, move)
    assert not isinstance(step, Refusal), step
    return step


def change(state, score):
    """The mover takes a new Chilli Score."""
    return do(state, NewScore(score))


def keep(state):
    """The mover keeps the Chilli Score."""
    return do(state, KEEP)


def facts(step):
    """All facts of the step, for any seat."""
    return [addressed.fact for addressed in step.facts]


def refused(state, move):
    """The refusal of a move; None if it is legal."""
    return GAME.check(state, state.board.mover, move)
