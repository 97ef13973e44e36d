"""Prepared tables of Dicht dran, in the rulebook's words."""

from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.state import Board, Options, Play, Secret, State

RULEBOOK_CIRCLE = (1, 67, 38, 100, 12, 80)
"""The 67 follows the 1, the 38 follows the 67; the rulebook names no more."""

ANNA, PAUL, MAX, LINUS = range(4)


def lay_out(hands, *, circle=RULEBOOK_CIRCLE, target=1, won=None, pile=None, discard=(), cycles=(), **options):
    """Make a round. Cards that are not named are in the draw pile, so that there are a hundred."""
    hands = tuple(tuple(sorted(hand)) for hand in hands)
    won = won or ((),) * len(hands)
    used = {*circle, *sum(hands, ()), *sum(won, ()), *discard}
    if pile is None:
        pile = tuple(card for card in range(2, 100) if card not in used)
    options = Options(**options)
    board = Board(
        options=options,
        cycle=len(cycles) + 1,
        round=1,
        circle=circle,
        target=target,
        hands=tuple(map(len, hands)),
        won=tuple(map(len, won)),
        won_peppers=None,
        pile=len(pile),
        discard=len(discard),
        cycles=cycles,
        totals=tuple(map(sum, zip(*cycles, strict=True))) if cycles else (0,) * len(hands),
        over=False,
    )
    secret = Secret(Dice(b"k" * 32), hands, won, tuple(pile), tuple(discard))
    nobody = len(hands)
    return State(board, secret, (False,) * nobody, (None,) * nobody, (0,) * nobody)


def choose(state, *cards):
    """Let every seat choose its card, in seat order; returns the step in which the last one resolves the round."""
    for seat, card in enumerate(cards):
        step = play_move(GAME, state, seat, Play(card))
        assert not isinstance(step, Refusal), step
        state = step.state
    return step


def facts(step, kind):
    """Pick the facts of one kind out of a step."""
    return [addressed.fact for addressed in step.facts if isinstance(addressed.fact, kind)]


def fact(step, kind):
    """Pick the one fact of its kind out of a step."""
    (only,) = facts(step, kind)
    return only


def all_cards(state):
    """Gather the cards of the whole table, ascending."""
    secret = state.secret
    return sorted([*state.board.circle, *sum(secret.hands, ()), *sum(secret.won, ()), *secret.pile, *secret.discard])
