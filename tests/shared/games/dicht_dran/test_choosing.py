"""The 1st action: secret choices, refusals with reasons, and take-backs."""

import msgspec
import pytest

from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import Addressed, Refusal
from scoville_shared.engine.play import play_move
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.facts import Chosen, TookBack
from scoville_shared.games.dicht_dran.state import TAKE_BACK, TAKE_BACKS, Play, Reason
from tests.shared.games.dicht_dran.tables import ANNA, MAX, PAUL, choose, lay_out

HANDS = [(4, 20), (32, 22), (63, 24)]


def after(state, *moves):
    """Play moves that must be legal; returns the state they lead to."""
    for seat, move in moves:
        step = play_move(GAME, state, seat, move)
        assert not isinstance(step, Refusal), step
        state = step.state
    return state


def refusal(state, seat, move):
    answer = play_move(GAME, state, seat, move)
    assert isinstance(answer, Refusal)
    return answer


def test_all_choose_at_once_until_the_last_one():
    state = lay_out(HANDS)
    assert GAME.pending(state) == {ANNA, PAUL, MAX}
    assert GAME.pending(after(state, (PAUL, Play(32)))) == {ANNA, MAX}


def test_others_learn_only_that_a_seat_has_chosen():
    step = play_move(GAME, lay_out(HANDS), PAUL, Play(32))
    assert list(step.facts) == [Addressed(None, Chosen(PAUL))]
    seen = GAME.view(step.state, ANNA)
    assert seen.chosen == (False, True, False)
    assert (seen.hand, seen.pick) == ((4, 20), None)
    assert GAME.view(step.state, PAUL).pick == 32


def test_spectators_see_no_hand_pick_or_won_cards():
    seen = GAME.view(after(lay_out(HANDS, won=((50,), (), ())), (ANNA, Play(4))), None)
    assert (seen.seat, seen.hand, seen.pick, seen.won, seen.take_backs) == (None, (), None, (), 0)
    assert seen.chosen == (True, False, False)
    assert seen.board.won == (1, 0, 0)


def test_won_peppers_show_only_by_option():
    step = choose(lay_out(HANDS), 4, 32, 63)
    assert GAME.view(step.state, PAUL).board.won_peppers is None
    step = choose(lay_out(HANDS, open_won=True), 4, 32, 63)
    assert GAME.view(step.state, PAUL).board.won_peppers == (0, 0, 3)


def test_a_card_one_does_not_hold_is_refused():
    assert refusal(lay_out(HANDS), ANNA, Play(32)) == Refusal(Reason.NOT_IN_HAND, {"card": 32})


def test_a_second_choice_is_refused_and_names_the_first():
    state = after(lay_out(HANDS), (ANNA, Play(4)))
    assert refusal(state, ANNA, Play(20)) == Refusal(Reason.ALREADY_CHOSEN, {"card": 4})


def test_after_the_end_every_move_is_refused():
    state = choose(lay_out([(66,), (4, 5)], cycles=((0, 0),)), 66, 4).state
    assert refusal(state, 1, Play(5)).reason == Reason.GAME_OVER
    assert refusal(state, 1, TAKE_BACK).reason == Reason.GAME_OVER


def test_a_choice_is_final_unless_the_table_says_otherwise():
    state = after(lay_out(HANDS), (ANNA, Play(4)))
    assert refusal(state, ANNA, TAKE_BACK).reason == Reason.TAKE_BACK_OFF
    assert list(GAME.moves(GAME.view(state, ANNA))) == []


def test_a_choice_may_be_taken_back_until_the_last():
    state = after(lay_out(HANDS, take_back=True), (ANNA, Play(4)), (PAUL, Play(32)))
    assert list(GAME.moves(GAME.view(state, ANNA))) == [TAKE_BACK]
    step = play_move(GAME, state, ANNA, TAKE_BACK)
    assert list(step.facts) == [Addressed(None, TookBack(ANNA))]
    assert GAME.pending(step.state) == {ANNA, MAX}
    assert GAME.view(step.state, ANNA).hand == (4, 20)
    after(step.state, (ANNA, Play(20)), (MAX, Play(63)))


def test_there_is_nothing_to_take_back_before_a_choice():
    assert refusal(lay_out(HANDS, take_back=True), ANNA, TAKE_BACK).reason == Reason.NOTHING_TO_TAKE_BACK


def test_changes_of_mind_are_bounded_so_that_every_game_ends():
    state = lay_out(HANDS, take_back=True)
    for left in range(TAKE_BACKS, 0, -1):
        state = after(state, (ANNA, Play(4)))
        assert GAME.view(state, ANNA).take_backs == left
        state = after(state, (ANNA, TAKE_BACK))
    state = after(state, (ANNA, Play(4)))
    assert refusal(state, ANNA, TAKE_BACK) == Refusal(Reason.NO_TAKE_BACKS_LEFT, {"limit": TAKE_BACKS})
    assert list(GAME.moves(GAME.view(state, ANNA))) == []


def test_the_bound_counts_anew_in_every_round():
    state = after(lay_out(HANDS, take_back=True), (ANNA, Play(4)), (ANNA, TAKE_BACK))
    assert GAME.view(choose(state, 4, 32, 63).state, ANNA).take_backs == TAKE_BACKS


def test_the_fallback_is_the_closest_card():
    assert GAME.fallback(GAME.view(lay_out(HANDS), MAX)) == Play(63)


@pytest.mark.parametrize(
    ("hand", "table", "card"),
    [
        ((66, 68), None, 66),
        ((66, 68), tuple(3 if card == 68 else 1 for card in range(1, 101)), 68),
        ((64, 70), None, 70),
    ],
    ids=["the 66 has two peppers, the 68 one", "a host's table", "three each"],
)
def test_the_fallback_breaks_ties_by_peppers_and_height(hand, table, card):
    view = GAME.view(lay_out([hand, (4,)], peppers=table), ANNA)
    assert view.board.target_card == 67
    assert GAME.fallback(view) == Play(card)


def test_moves_have_the_form_of_the_exported_game():
    assert GAME.codec.decode_move({"card": 63}) == Play(63)
    assert GAME.codec.decode_move({"take_back": True}) == TAKE_BACK
    assert GAME.codec.encode_plain(Play(63)) == {"card": 63}
    assert GAME.codec.encode_plain(TAKE_BACK) == {"take_back": True}


@pytest.mark.parametrize(
    "garbage",
    [
        {},
        {"card": 0},
        {"card": 101},
        {"card": "63"},
        {"card": True},
        {"card": 63, "take_back": True},
        {"take_back": False},
        {"take_back": 1},
        {"fold": True},
        [63],
        None,
    ],
)
def test_invalid_moves_are_refused_before_the_rules(garbage):
    with pytest.raises(CodecError):
        GAME.codec.decode_move(garbage)


def test_a_wrong_take_back_is_answered_with_the_reason():
    with pytest.raises(CodecError, match=r"^take_back is always true"):
        GAME.codec.decode_move({"take_back": False})


def test_no_view_holds_what_is_hidden_from_it():
    state = after(lay_out(HANDS, won=((51,), (52,), (53,))), (PAUL, Play(32)))
    seen = msgspec.to_builtins(GAME.view(state, ANNA))
    assert set(seen) == {"board", "chosen", "seat", "hand", "pick", "won", "take_backs"}
    assert not {32, 22, 63, 24, 52, 53, *state.secret.pile} & {*seen["hand"], *seen["won"], *seen["board"]["circle"]}
