"""Prepared tables of No Thanks!, and moves in the rulebook's words."""

from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.state import CARDS, PASS, TAKE, Board, Options, Secret, State
from scoville_shared.ids import Seat

PETER, SABRINA, LISA = Seat(0), Seat(1), Seat(2)
NAMES = ("Peter", "Sabrina", "Lisa", "Emil", "Ida", "Nora", "Max")
DICE = Dice(bytes(32))


def lay_out(deck, *, cards=((), (), ()), chips=(11, 11, 11), pot=0, mover=PETER, options=None):
    """A table whose turned-up card is the first of `deck`."""
    options = options or Options()
    first, *rest = deck
    lying = {first, *rest}.union(*cards)
    board = Board(
        options=options,
        round=options.rounds,
        card=first,
        pot=pot,
        left=len(rest),
        mover=mover,
        cards=tuple(tuple(sorted(mine)) for mine in cards),
        chips=chips if options.open_chips else None,
        rounds=((0,) * len(chips),) * (options.rounds - 1),
        totals=(0,) * len(chips),
        removed=(),
        over=False,
    )
    removed = tuple(card for card in CARDS if card not in lying)
    return State(board, Secret(DICE, tuple(rest), removed), chips)


def take(state):
    """Take the card; returns the step."""
    return _played(state, TAKE)


def pass_(state):
    """Decline the card; returns the step."""
    return _played(state, PASS)


def facts(step):
    """All facts of the step, which are public."""
    assert all(addressed.to is None for addressed in step.facts)
    return [addressed.fact for addressed in step.facts]


def _played(state, move):
    step = play_move(GAME, state, state.board.mover, move)
    assert not isinstance(step, Refusal), step
    return step
