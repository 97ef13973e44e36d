"""The examples of the rulebook: Anna, Paul, Max and Linus around the 67 and the 38."""

import pytest

from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.facts import CycleEnd, Discarded, Drew, FellInGap, Revealed, RoundBegan, TargetWon
from scoville_shared.games.dicht_dran.round import score_cycle
from tests.shared.games.dicht_dran.tables import ANNA, LINUS, MAX, PAUL, all_cards, choose, fact, facts, lay_out

NAMES = ("Anna", "Paul", "Max", "Linus")


@pytest.fixture
def before():
    return lay_out([(4, 20, 21), (32, 22, 23), (63, 24, 25), (70, 26, 27)])


@pytest.fixture
def played(before):
    return choose(before, 4, 32, 63, 70)


def test_the_gap_reaches_from_1_to_38(before):
    assert before.board.target_card == 67
    assert before.board.gap == (1, 38)


def test_all_cards_are_turned_over_together(played):
    assert fact(played, Revealed).cards == (4, 32, 63, 70)


def test_linus_is_3_away_and_takes_the_67(played):
    won = fact(played, TargetWon)
    assert (won.seat, won.card, won.target, won.distance, won.tie) == (LINUS, 70, 67, 3, False)
    assert played.state.secret.won[LINUS] == (67,)


def test_his_70_takes_the_place_of_the_67(played):
    assert played.state.board.circle == (1, 70, 38, 100, 12, 80)


def test_the_4_and_the_32_are_free(played):
    assert facts(played, FellInGap) == [FellInGap(ANNA, 4), FellInGap(PAUL, 32)]
    assert played.state.board.hands[ANNA] == played.state.board.hands[PAUL] == 2


def test_the_63_bears_two_peppers_and_costs_max_two_cards(before, played):
    assert fact(played, Discarded) == Discarded(MAX, 63, peppers=2)
    assert fact(played, Drew) == Drew(MAX, count=2)
    assert set(before.secret.pile[:2]) < set(played.state.secret.hands[MAX])


def test_the_38_is_next_with_its_gap(played):
    assert played.state.board.target_card == 38
    assert played.state.board.gap == (70, 100)
    assert fact(played, RoundBegan) == RoundBegan(cycle=1, round=2, target=38, low=70, high=100)


def test_no_card_is_lost(before, played):
    assert all_cards(before) == all_cards(played.state) == list(range(1, 101))


def test_the_round_reads_like_a_story(played):
    story = [
        GAME.text.describe_fact(addressed.fact).render(NAMES) for addressed in played.facts if addressed.to is None
    ]
    assert story == [
        "The cards are turned over: Anna 4, Paul 32, Max 63, Linus 70.",
        "Linus comes closest to 67 with 70 (3 away) and wins 3 peppers.",
        "Anna's 4 fits the gap and is discarded.",
        "Paul's 32 fits the gap and is discarded.",
        "Max's 63 is left over: it costs 2 cards.",
        "Max draws 2 cards.",
        "Round 2: the target is 38, the gap runs from 70 to 100.",
    ]


def test_annas_14_peppers_less_6_are_8_points():
    hand, won = (2, 3, 5, 6), (1, 4, 7, 8, 10, 11)
    peppers = peppers_by_card(None)
    assert sum(peppers[card] for card in hand) == 6
    assert sum(peppers[card] for card in won) == 14
    state = lay_out([hand, (50,)], circle=(13, 67, 38, 100, 12, 80), won=(won, ()))
    scored = score_cycle(state.board, state.secret, CycleEnd.PILE_EMPTY)
    assert (scored.plus[ANNA], scored.minus[ANNA], scored.scores[ANNA]) == (14, 6, 8)
