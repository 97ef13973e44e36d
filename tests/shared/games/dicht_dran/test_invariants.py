"""Invariants at every end of a round of every game."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.facts import CycleScored, Revealed
from tests.shared.games.dicht_dran.tables import all_cards
from tests.support.games import Deal, draw_dice, draw_finished_games, walk_table

games = st.integers(2, 5).flatmap(lambda seats: draw_finished_games(GAME, seats))


def round_boundaries(position):
    """Yield the states in which a round begins, and the last one."""
    return (moment.state for moment in position.moments if not any(moment.state.chosen))


@given(games)
def test_there_are_always_a_hundred_cards(position):
    for state in round_boundaries(position):
        assert all_cards(state) == list(range(1, 101))


@given(games)
def test_the_1_and_the_100_are_never_in_a_hand(position):
    for state in round_boundaries(position):
        assert all(not {1, 100} & set(hand) for hand in state.secret.hands)


@given(games)
def test_a_cycle_has_at_most_94_shared_rounds(position):
    for state in round_boundaries(position):
        assert state.board.round <= 94 // position.deal.seats


@given(games)
def test_after_dealing_the_pile_holds_94_less_8_a_seat(position):
    for state in round_boundaries(position):
        if state.board.round == 1 and not state.board.over:
            assert state.board.pile == 94 - 8 * position.deal.seats


@given(games)
def test_the_open_board_counts_what_lies_there(position):
    for state in round_boundaries(position):
        board, secret = state.board, state.secret
        assert board.hands == tuple(map(len, secret.hands))
        assert board.won == tuple(map(len, secret.won))
        assert (board.pile, board.discard) == (len(secret.pile), len(secret.discard))


@given(games)
def test_hands_are_sorted_and_hold_their_pick_until_the_reveal(position):
    for moment in position.moments:
        for hand, pick in zip(moment.state.secret.hands, moment.state.picks, strict=True):
            assert list(hand) == sorted(hand)
            assert pick is None or pick in hand


@given(games)
def test_each_round_wins_one_target(position):
    facts = [addressed.fact for moment in position.moments[1:] for addressed in moment.step.facts]
    scored = [fact for fact in facts if isinstance(fact, CycleScored)]
    assert len(scored) == position.deal.options.cycles
    assert scored[-1].totals == GAME.outcome(position.state).scores
    assert sum(isinstance(fact, Revealed) for fact in facts) <= len(scored) * (94 // position.deal.seats)


@given(st.integers(2, 5), draw_dice(), st.integers(0, 2**32))
def test_the_discard_always_covers_what_is_owed(seats, chance, luck):
    deal = Deal(GAME, GAME.codec.decode_options({"peppers": [3] * 100}), seats, chance)
    *_, last = walk_table(deal, deal.setup(), Random(luck))
    assert last.state.board.over
