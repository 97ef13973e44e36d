"""The end of a cycle: when it comes, the last draws, and the scoring."""

from scoville_shared.engine.dice import Dice
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.facts import (
    CycleEnd,
    CycleScored,
    Drew,
    DrewCards,
    Reshuffled,
    RoundBegan,
)
from scoville_shared.games.dicht_dran.state import Ending
from tests.shared.games.dicht_dran.tables import all_cards, choose, fact, facts, lay_out


def rest_of(*seen, but=()):
    """List all other cards, shuffled: the discard pile of a table with a short draw pile."""
    used = {*sum(seen, ()), *but, 1, 67, 38, 100, 12, 80}
    return tuple(card for card in range(2, 100) if card not in used)


def test_an_empty_hand_after_the_4th_action_ends_the_cycle():
    step = choose(lay_out([(66,), (4, 5), (63, 7)], cycles=((0, 0, 0),)), 66, 4, 63)
    assert fact(step, CycleScored).reason == CycleEnd.HAND_EMPTY
    assert step.state.board.over


def test_drawing_for_the_last_card_continues_the_cycle():
    step = choose(lay_out([(66, 2), (63,)]), 66, 63)
    assert facts(step, CycleScored) == []
    assert step.state.board.hands == (1, 2)


def test_several_empty_hands_are_one_end_without_a_bonus():
    step = choose(lay_out([(66,), (4,), (63, 7)], won=((2,), (3,), ()), cycles=((0, 0, 0),)), 66, 4, 63)
    scored = fact(step, CycleScored)
    assert scored.plus == (1 + 3, 2, 0)
    assert scored.minus[:2] == (0, 0)
    assert scored.scores == (4, 2, -scored.minus[2])


def test_an_exactly_empty_pile_ends_the_cycle():
    hands = [(66, 2), (63, 7)]
    pile = (20, 21)
    state = lay_out(hands, pile=pile, discard=rest_of(*hands, but=pile), cycles=((0, 0),))
    step = choose(state, 66, 63)
    assert facts(step, Reshuffled) == []
    assert step.state.secret.pile == ()
    assert fact(step, CycleScored).reason == CycleEnd.PILE_EMPTY


def test_a_pile_with_one_card_left_continues():
    hands = [(66, 2), (63, 7)]
    pile = (20, 21, 22)
    step = choose(lay_out(hands, pile=pile, discard=rest_of(*hands, but=pile)), 66, 63)
    assert facts(step, CycleScored) == []


def test_owed_cards_come_from_the_shuffled_discard():
    hands = [(66, 2), (63, 7), (45, 8), (30, 9)]
    pile = (20,)
    before = lay_out(hands, pile=pile, discard=rest_of(*hands, but=pile), cycles=((0, 0, 0, 0),))
    step = choose(before, 66, 63, 45, 30)
    whole = [*before.secret.discard, 30, 63, 45]
    shuffled = Dice(b"k" * 32).open_stream("dicht_dran/cycle/2/reshuffle").shuffle_cards(whole)
    assert fact(step, Reshuffled).count == len(whole)
    assert [drawn.cards for drawn in facts(step, DrewCards)] == [(20, shuffled[0]), (shuffled[1], shuffled[2])]
    assert step.state.secret.discard == tuple(shuffled[3:])
    assert all_cards(step.state) == list(range(1, 101))


def test_an_exhausted_pile_is_scored_after_drawing():
    hands = [(66, 2), (63, 7)]
    before = lay_out(hands, pile=(20,), discard=rest_of(*hands, but=(20,)), cycles=((0, 0),))
    step = choose(before, 66, 63)
    scored = fact(step, CycleScored)
    assert scored.reason == CycleEnd.PILE_EMPTY
    assert fact(step, Drew).count == 2
    assert step.state.board.hands == (1, 3)
    kinds = [type(addressed.fact) for addressed in step.facts]
    assert kinds.index(Reshuffled) < kinds.index(Drew) < kinds.index(CycleScored)


def test_a_pile_ending_between_players_is_shuffled_once():
    hands = [(66, 2), (63, 7), (45, 8)]
    pile = (20, 21)
    before = lay_out(hands, pile=pile, discard=rest_of(*hands, but=pile), cycles=((0, 0, 0),))
    step = choose(before, 66, 63, 45)
    assert len(facts(step, Reshuffled)) == 1
    assert facts(step, DrewCards)[0].cards == pile


def test_the_next_cycle_is_set_up_anew():
    step = choose(lay_out([(66,), (4, 5)]), 66, 4)
    board = step.state.board
    assert (board.cycle, board.round, board.target) == (2, 1, 1)
    assert board.hands == (8, 8)
    assert board.totals == fact(step, CycleScored).scores
    assert isinstance(step.facts[-1].fact, RoundBegan)
    assert all_cards(step.state) == list(range(1, 101))
    deck = Dice(b"k" * 32).open_stream("dicht_dran/cycle/2/deck").shuffle_cards(range(2, 100))
    assert board.circle == (1, deck[0], deck[1], 100, deck[2], deck[3])
    assert step.state.secret.hands[1] == tuple(sorted(deck[12:20]))


def test_final_totals_are_ranked_with_shared_wins():
    hands = [(66,), (4, 5), (3, 8)]
    step = choose(lay_out(hands, cycles=((0, 4, 4),)), 66, 4, 3)
    assert fact(step, CycleScored).totals == (3, 4 - 1, 4 - 1)
    outcome = GAME.outcome(step.state)
    assert outcome.scores == (3, 3, 3)
    assert outcome.places == (1, 1, 1)
    assert outcome.reason == Ending.CYCLES_PLAYED
    assert GAME.pending(step.state) == frozenset()
