"""Every end of a tiny game for three, compared with an independent implementation."""

from itertools import permutations

import pytest

from scoville_shared.engine.contract import Refusal, rank_places
from scoville_shared.engine.play import play_move
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.state import Action, Move
from tests.shared.games.no_thanks.oracle import Plain
from tests.shared.games.no_thanks.tables import lay_out

BOTH = [Move(action) for action in Action]


def ends(state, plain):
    """Play all possible games in both implementations; yields each pair of ends."""
    if not GAME.pending(state):
        assert plain.choices() == []
        yield state, plain
        return
    (seat,) = GAME.pending(state)
    assert seat == plain.mover
    legal = [move for move in BOTH if GAME.check(state, seat, move) is None]
    assert [move.action.value for move in legal] == plain.choices()
    assert list(GAME.moves(GAME.view(state, seat))) == legal
    for move in legal:
        step = play_move(GAME, state, seat, move)
        assert not isinstance(step, Refusal)
        after = plain.copy()
        after.do(move.action.value)
        yield from ends(step.state, after)


def assert_every_end_agrees(deck, chips, cards=((), (), ())):
    state = lay_out(deck, chips=chips, cards=cards)
    found = 0
    for end, plain in ends(state, Plain(deck, cards, chips, 0, 0)):
        found += 1
        outcome = GAME.outcome(end)
        assert outcome.scores == plain.scores()
        assert outcome.places == rank_places([-score for score in plain.scores()])
        assert end.chips == tuple(plain.chips)
        assert sum(end.chips) == sum(chips)
        assert sorted(card for mine in end.board.cards for card in mine) == sorted([*deck, *sum(cards, ())])
    return found


@pytest.mark.parametrize("deck", permutations((3, 4, 5, 7), 3))
@pytest.mark.parametrize("chips", [(1, 1, 1), (2, 0, 1), (0, 0, 0), (0, 3, 0)])
def test_every_end_of_a_deck_of_three(deck, chips):
    assert assert_every_end_agrees(deck, chips) >= 1


def test_every_end_of_a_deck_of_four():
    ends_found = assert_every_end_agrees((6, 12, 9, 4), (1, 1, 1), ((5, 7), (10, 11), (8,)))
    assert ends_found > 50


def test_a_one_card_deck_ends_by_decisions():
    assert assert_every_end_agrees((20,), (1, 1, 1)) == 4
