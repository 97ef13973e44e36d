"""The four actions beyond the rulebook's examples: ties, gaps, the order of discarding and drawing."""

import pytest

from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.facts import (
    Discarded,
    Drew,
    DrewCards,
    FellInGap,
    Revealed,
    RoundBegan,
    TargetWon,
)
from scoville_shared.games.dicht_dran.round import nearest_card, weigh_hand
from tests.shared.games.dicht_dran.tables import choose, fact, facts, lay_out


@pytest.mark.parametrize(
    ("cards", "closest"),
    [((4, 32, 63, 70), 70), ((66, 68), 68), ((68, 66), 68), ((2, 99), 99), ((64, 70, 65), 65), ((57, 77, 78), 77)],
)
def test_of_two_equally_close_cards_the_higher_wins(cards, closest):
    assert nearest_card(67, cards) == closest


def test_a_tie_is_logged_as_one():
    won = fact(choose(lay_out([(64, 2), (70, 3), (99, 5)]), 64, 70, 99), TargetWon)
    assert (won.card, won.distance, won.tie) == (70, 3, True)


def test_a_farther_pair_at_equal_distance_is_no_tie():
    won = fact(choose(lay_out([(64, 2), (70, 3), (66, 5)]), 64, 70, 66), TargetWon)
    assert (won.card, won.tie) == (66, False)


def test_every_card_of_a_hand_is_weighed_with_its_peppers():
    board, peppers = lay_out([(64, 2), (70, 3)]).board, peppers_by_card(None)
    weighed = weigh_hand(board, (63, 50), peppers)
    low, high = board.gap
    expected = [(card, peppers[card], abs(card - board.target_card), low < card < high) for card in (63, 50)]
    assert [each[:4] for each in weighed] == expected
    assert [each.peppers for each in weighed] == [2, 1]


def test_gaps_never_wrap_from_high_to_low():
    state = lay_out([(97, 2), (3, 5)], circle=(1, 67, 38, 100, 12, 80), target=4)
    assert state.board.gap == (80, 100)
    wrapped = lay_out([(97, 3), (5, 6)], circle=(95, 40, 2, 100, 12, 80), target=1)
    assert wrapped.board.gap == (2, 95)
    step = choose(wrapped, 97, 5)
    assert facts(step, FellInGap) == []
    assert fact(step, Discarded).card == 97


@pytest.mark.parametrize(("card", "fits"), [(30, True), (61, True), (28, False), (63, False)])
def test_the_rim_cards_lie_outside_the_gap(card, fits):
    state = lay_out([(card, 2), (46, 3)], circle=(29, 45, 62, 100, 12, 80), target=1)
    assert state.board.gap == (29, 62)
    assert bool(facts(choose(state, card, 46), FellInGap)) == fits


def test_nothing_fits_between_37_and_38():
    state = lay_out([(36, 2), (39, 3), (51, 5)], circle=(37, 50, 38, 100, 12, 80), target=1)
    assert facts(choose(state, 36, 39, 51), FellInGap) == []


def test_the_winners_card_in_the_gap_is_ignored():
    step = choose(lay_out([(30, 2), (3, 5)], circle=(1, 29, 38, 100, 12, 80)), 30, 3)
    assert fact(step, TargetWon).card == 30
    assert [fell.card for fell in facts(step, FellInGap)] == [3]
    assert facts(step, Drew) == []


def test_the_1_and_the_100_become_targets():
    step = choose(lay_out([(99, 2), (3, 5)], target=3), 99, 3)
    won = fact(step, TargetWon)
    assert (won.target, won.peppers) == (100, 3)
    assert step.state.board.circle == (1, 67, 38, 99, 12, 80)


def test_the_target_moves_clockwise_and_over_the_top():
    step = choose(lay_out([(79, 2), (3, 5)], target=5), 79, 3)
    assert step.state.board.target == 0
    assert fact(step, RoundBegan).target == 1


def test_left_over_cards_are_discarded_before_drawing():
    state = lay_out([(63, 2), (99, 3), (66, 5), (45, 6)])
    step = choose(state, 63, 99, 66, 45)
    addressed = [type(addressed.fact) for addressed in step.facts]
    assert addressed == [Revealed, TargetWon] + [Discarded] * 3 + [Drew, DrewCards] * 3 + [RoundBegan]
    assert [away.seat for away in facts(step, Discarded)] == [3, 0, 1]
    assert [drew.seat for drew in facts(step, Drew)] == [3, 0, 1]
    assert step.state.secret.discard == (45, 63, 99)


def test_each_player_draws_all_cards_at_once():
    state = lay_out([(63, 2), (66, 5), (45, 6)])
    step = choose(state, 63, 66, 45)
    first, second = facts(step, DrewCards)
    assert first.cards + second.cards == state.secret.pile[:4]
    assert [(drew.seat, drew.count) for drew in facts(step, Drew)] == [(2, 2), (0, 2)]


def test_gap_cards_are_discarded_before_left_over_ones():
    step = choose(lay_out([(63, 2), (66, 5), (45, 6), (30, 7)]), 63, 66, 45, 30)
    assert step.state.secret.discard == (30, 45, 63)


def test_only_the_drawer_learns_which_cards_came():
    step = choose(lay_out([(63, 2), (66, 5)]), 63, 66)
    (addressed,) = [addressed for addressed in step.facts if isinstance(addressed.fact, DrewCards)]
    assert addressed.to == 0
    assert all(addressed.to is None for addressed in step.facts if not isinstance(addressed.fact, DrewCards))
