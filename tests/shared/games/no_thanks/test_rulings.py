"""Rulings on what the rulebook leaves open, one by one."""

import pytest

from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.dice import Dice
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import RoundBegan, RoundScored, Took, TurnedUp
from scoville_shared.games.no_thanks.state import CARDS, PASS, REFUSAL_DATA, TAKE, Ending, Options, Reason
from tests.shared.games.no_thanks.tables import DICE, LISA, PETER, SABRINA, facts, lay_out, pass_, take


@pytest.mark.parametrize(("seats", "chips"), [(3, 11), (4, 11), (5, 11), (6, 9), (7, 7)])
def test_b1_chips_go_by_the_number_of_players(seats, chips):
    assert GAME.setup(Options(), seats, DICE).chips == (chips,) * seats


def test_b2_without_chips_only_taking_is_left():
    state = lay_out([20, 3], chips=(0, 16, 17))
    assert GAME.check(state, PETER, PASS) == Refusal(Reason.NO_CHIPS, {"card": 20})
    assert list(GAME.moves(GAME.view(state, PETER))) == [TAKE]
    assert GAME.fallback(GAME.view(state, PETER)) == TAKE


def test_b2_the_last_chip_may_be_paid():
    state = lay_out([20, 3], chips=(1, 16, 16))
    assert GAME.check(state, PETER, PASS) is None
    assert list(GAME.moves(GAME.view(state, PETER))) == [TAKE, PASS]


def test_only_the_mover_decides():
    state = lay_out([20, 3], mover=SABRINA)
    assert GAME.pending(state) == {SABRINA}
    assert GAME.check(state, PETER, TAKE) == Refusal(Reason.NOT_YOUR_TURN, {"mover": SABRINA})
    assert list(GAME.moves(GAME.view(state, PETER))) == []


def test_refusals_carry_what_the_schema_of_the_protocol_says():
    refused = [
        GAME.check(lay_out([20, 3], chips=(0, 16, 17)), PETER, PASS),
        GAME.check(lay_out([20, 3], mover=SABRINA), PETER, TAKE),
    ]
    assert {each.reason: each.data.keys() for each in refused} == {
        reason: fields.keys() for reason, fields in REFUSAL_DATA.items()
    }


def test_nobody_decides_after_the_end():
    end = take(lay_out([20])).state
    assert GAME.pending(end) == frozenset()
    assert GAME.check(end, PETER, TAKE) == Refusal(Reason.GAME_OVER)
    assert list(GAME.moves(GAME.view(end, PETER))) == []


def test_b4_chips_of_others_are_not_in_a_view():
    state = lay_out([20, 3], chips=(5, 20, 8))
    assert GAME.view(state, PETER).board.chips is None
    assert [GAME.view(state, seat).chips for seat in (PETER, SABRINA, LISA, None)] == [5, 20, 8, None]


def test_b4_hidden_chips_stay_hidden_whatever_is_decided():
    declined = pass_(lay_out([20, 16, 30]))
    taken = take(declined.state)
    assert declined.state.board.chips is None
    assert taken.state.board.chips is None
    assert taken.state.chips == (10, 12, 11)


def test_b4_open_chips_are_kept_up_to_date():
    state = lay_out([20, 3], options=Options(open_chips=True))
    declined = pass_(state).state
    assert declined.board.chips == (10, 11, 11)
    assert take(declined).state.board.chips == (10, 12, 11)


def test_b5_the_board_counts_cards_without_chips():
    board = lay_out([20, 3], cards=((4, 5), (30,), ())).board
    assert board.points == (4, 30, 0)


def test_b6_every_seat_can_be_the_starter():
    starters = {GAME.setup(Options(), 3, Dice(bytes([key] * 32))).board.mover for key in range(20)}
    assert starters == {PETER, SABRINA, LISA}


def test_b7_the_taker_turns_the_next_card_and_acts_first():
    step = take(lay_out([20, 3, 9], mover=LISA))
    assert facts(step) == [Took(LISA, 20, chips=0, run=(20,), points=20), TurnedUp(LISA, 3, left=1)]
    assert step.state.board.mover == LISA


def test_b8_the_last_card_ends_the_game():
    step = take(lay_out([20], chips=(9, 10, 10), pot=4))
    assert facts(step)[1:] == [RoundScored(1, (20, 0, 0), (13, 10, 10), (7, -10, -10), (7, -10, -10), ())]
    assert step.state.board.over
    assert (step.state.board.card, step.state.board.pot) == (None, 0)


def test_b9_the_removed_cards_are_never_shown():
    step = take(lay_out([20]))
    assert step.state.board.removed == ()
    assert facts(step)[-1].removed == ()


def test_b9_removed_cards_show_by_option():
    state = lay_out([20], options=Options(show_removed=True))
    assert state.board.removed == ()
    step = take(state)
    assert step.state.board.removed == facts(step)[-1].removed == state.secret.removed


def test_b11_a_tie_shares_the_win():
    end = take(lay_out([20], chips=(10, 11, 11))).state
    outcome = GAME.outcome(end)
    assert (outcome.scores, outcome.places) == ((10, -11, -11), (3, 1, 1))
    assert outcome.reason is Ending.ROUNDS_PLAYED


def test_b12_a_total_may_be_negative_and_fewest_points_win():
    end = take(lay_out([3], chips=(30, 2, 1))).state
    assert GAME.outcome(end).scores == (-27, -2, -1)
    assert GAME.outcome(end).places == (1, 2, 3)


def test_b13_the_next_round_is_dealt_and_totals_add_up():
    start = GAME.setup(Options(rounds=2, show_removed=True), 3, DICE)
    state, addressed = start, []
    while state.board.round == 1:
        step = take(state)
        state, addressed = step.state, facts(step)
    first = start.board.mover
    cards = {start.board.card, *start.secret.deck}
    points = sum(card for card in cards if card - 1 not in cards)
    assert state.board.rounds == (tuple(points - 11 if seat == first else -11 for seat in range(3)),)
    assert state.board.totals == state.board.rounds[0]
    assert isinstance(addressed[1], RoundScored)
    assert addressed[1].removed == start.secret.removed
    assert addressed[2:] == [
        RoundBegan(2, state.board.mover),
        TurnedUp(state.board.mover, state.board.card, left=23),
    ]
    assert state.chips == (11, 11, 11)
    assert state.board.cards == ((), (), ())
    assert state.board.removed == ()
    assert GAME.outcome(state) is None


def test_b13_each_round_is_drawn_from_its_own_labels():
    state = GAME.setup(Options(rounds=3), 4, DICE)
    for number in (1, 2, 3):
        deck = DICE.open_stream(f"no_thanks/round/{number}/deck").shuffle_cards(range(3, 36))[:24]
        assert state.board.round == number
        assert [state.board.card, *state.secret.deck] == deck
        assert state.board.mover == DICE.open_stream(f"no_thanks/round/{number}/starter").draw_below(4)
        while not state.board.over and state.board.round == number:
            state = take(state).state
    assert state.board.over
    assert len(state.board.rounds) == 3
    assert state.board.totals == tuple(map(sum, zip(*state.board.rounds, strict=True)))


def test_b15_24_of_33_cards_are_in_the_game():
    state = GAME.setup(Options(), 5, DICE)
    deck = {state.board.card, *state.secret.deck}
    assert (len(deck), len(state.secret.removed), state.board.left) == (24, 9, 23)
    assert deck.union(state.secret.removed) == set(CARDS)


@pytest.mark.parametrize("seats", range(3, 8))
def test_b16_tactical_gives_ten_chips_and_removes_the_round_tens(seats):
    state = GAME.setup(Options(tactical=True), seats, DICE)
    assert state.chips == (10,) * seats
    assert {10, 20, 30} < set(state.secret.removed)
    assert len(state.secret.removed) == 9
    tactical = [card for card in CARDS if card not in (10, 20, 30)]
    assert [state.board.card, *state.secret.deck] == DICE.open_stream("no_thanks/round/1/deck").shuffle_cards(tactical)[
        :24
    ]


def test_absent_players_take_only_what_costs_nothing():
    cheap = lay_out([20, 3], cards=((21,), (), ()))
    dear = lay_out([20, 3], cards=((15,), (), ()))
    even = lay_out([20, 3], pot=20, chips=(4, 5, 4))
    almost = lay_out([20, 3], pot=19, chips=(4, 5, 5))
    assert GAME.fallback(GAME.view(cheap, PETER)) == TAKE
    assert GAME.fallback(GAME.view(dear, PETER)) == PASS
    assert GAME.fallback(GAME.view(even, PETER)) == TAKE
    assert GAME.fallback(GAME.view(almost, PETER)) == PASS
