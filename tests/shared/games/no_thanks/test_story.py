"""Texts of No Thanks!."""

import pytest

from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import Fact, Passed, RoundBegan, RoundScored, Took, TurnedUp
from scoville_shared.games.no_thanks.state import PASS, REFUSAL_DATA, TAKE, Options, Reason
from scoville_shared.games.no_thanks.text import fact_sentence
from tests.shared.games.no_thanks.tables import LISA, NAMES, PETER, SABRINA, lay_out, take

TOLD = [
    (Passed(PETER, 11, pot=1), "Peter declines the 11; 1 chip is beside it."),
    (Passed(SABRINA, 11, pot=2), "Sabrina declines the 11; 2 chips are beside it."),
    (Took(LISA, 11, chips=2, run=(11,), points=30), "Lisa takes the 11 and 2 chips; the cards now count 30."),
    (Took(LISA, 11, chips=1, run=(11,), points=11), "Lisa takes the 11 and 1 chip; the cards now count 11."),
    (
        Took(PETER, 14, chips=0, run=(13, 14, 15, 16), points=13),
        "Peter takes the 14 and 0 chips, which makes the run 13-16; the cards now count 13.",
    ),
    (
        Took(PETER, 14, chips=1, run=(13, 14), points=13),
        "Peter takes the 14 and 1 chip, which makes the run 13-14; the cards now count 13.",
    ),
    (TurnedUp(LISA, 16, left=1), "Lisa turns up the 16; 1 card is left."),
    (TurnedUp(LISA, 16, left=22), "Lisa turns up the 16; 22 cards are left."),
    (
        RoundScored(1, (20, 0, 5), (9, 4, 8), (11, -4, -3), (11, -4, -3), ()),
        "Round 1 is over, points minus chips: Peter 20 − 9 = 11, Sabrina 0 − 4 = −4, Lisa 5 − 8 = −3.",
    ),
    (
        RoundScored(2, (20, 0, 5), (9, 4, 8), (11, -4, -3), (30, 2, 1), (7, 9)),
        (
            "Round 2 is over, points minus chips: Peter 20 − 9 = 11, total 30, Sabrina 0 − 4 = −4, total 2, "
            "Lisa 5 − 8 = −3, total 1. Removed cards: 7, 9."
        ),
    ),
    (RoundBegan(2, LISA), "Round 2: Lisa begins."),
]


@pytest.mark.parametrize(("fact", "sentence"), TOLD, ids=[sentence for _, sentence in TOLD])
def test_a_fact_is_logged(fact, sentence):
    assert GAME.text.describe_fact(fact).render(NAMES) == sentence


def test_each_point_says_what_it_is_for():
    taken = [Took(PETER, card, chips=0, run=(card,), points=card) for card in (14, 13, 20)]
    scored = RoundScored(1, (33, 0, 0), (9, 4, 0), (24, -4, 0), (24, -4, 0), ())
    gains = GAME.text.count_points([taken, [scored]])
    assert [(gain.seat, gain.points, gain.what.render(()), gain.kind.render(())) for gain in gains] == [
        (PETER, 13, "13-14", "cards"),
        (PETER, 20, "20", "cards"),
        (PETER, -9, "chips", "chips"),
        (SABRINA, -4, "chips", "chips"),
    ]


def test_a_fact_of_no_kind_is_a_fault():
    with pytest.raises(TypeError, match="no fact like"):
        fact_sentence(Fact())


def test_moves_have_short_names():
    assert [GAME.text.describe_move(move).render(NAMES) for move in (TAKE, PASS)] == [
        "take the card",
        "no thanks (pay a chip)",
    ]


def said(state, seat):
    return [line.render(NAMES) for line in GAME.text.describe_table(GAME.view(state, seat))]


def test_the_table_as_the_mover_sees_it():
    state = lay_out([14, 3], cards=((13, 15, 16), (30,), ()), chips=(1, 12, 18), pot=2)
    assert said(state, PETER) == [
        "The 14 is in the middle with 2 chips; Peter decides.",
        "The deck has 1 card left.",
        "Peter: 13, 15-16. 28 points in cards.",
        "Sabrina: 30. 30 points in cards.",
        "Lisa: no cards. 0 points in cards.",
        "You have 1 chip.",
        "If you take it: run 13-16, your cards from 28 to 13, 2 chips gained; your score -17.",
    ]


def test_spectators_see_open_chips_in_a_second_round():
    state = lay_out([14, 3, 4], chips=(1, 12, 18), pot=1, options=Options(open_chips=True, rounds=2))
    assert said(state, None) == [
        "Round 2 of 2.",
        "The 14 is in the middle with 1 chip; Peter decides.",
        "The deck has 2 cards left.",
        "Peter: no cards. 0 points in cards, 1 chip, 0 total.",
        "Sabrina: no cards. 0 points in cards, 12 chips, 0 total.",
        "Lisa: no cards. 0 points in cards, 18 chips, 0 total.",
    ]


def test_taking_a_single_card_is_weighed_for_each_player():
    state = lay_out([14, 3], pot=1)
    assert said(state, LISA)[-2:] == [
        "You have 11 chips.",
        "If you take it: your cards from 0 to 14, 1 chip gained; your score +13.",
    ]


def test_a_run_is_weighed_with_a_single_chip():
    state = lay_out([14, 3], cards=((13,), (), ()), pot=1)
    assert (
        said(state, PETER)[-1] == "If you take it: run 13-14, your cards from 13 to 13, 1 chip gained; your score -1."
    )


def test_the_end_of_a_game_that_shows_the_removed_cards():
    end = take(lay_out([14], options=Options(show_removed=True))).state
    lines = said(end, LISA)
    assert lines[0] == "The game is over."
    assert lines[1].startswith("Removed in the last round: 3, 4, 5, ")
    assert lines[2] == "Peter: 14. 14 points in cards, 11 chips, 3 total."
    assert lines[-1] == "You have 11 chips."


def test_refusals_say_what_would_do():
    state = lay_out([20, 3], chips=(0, 16, 17))
    over = take(lay_out([20])).state
    refused = [GAME.check(state, PETER, PASS), GAME.check(state, LISA, TAKE), GAME.check(over, LISA, TAKE)]
    assert [GAME.text.describe_refusal(refusal).render(NAMES) for refusal in refused] == [
        "You have no chips, so you must take the 20.",
        "It is not your turn; Peter decides.",
        "The game is over.",
    ]
    for refusal in refused:
        data = {name: type(value) for name, value in refusal.data.items()}
        assert data == REFUSAL_DATA.get(Reason(refusal.reason), {})


@pytest.mark.parametrize(
    ("mine", "pot", "offered"),
    [
        ((), 0, "Card 14 with 0 chips; taking it makes you −11 → 3."),
        ((), 1, "Card 14 with 1 chip; taking it makes you −11 → 2."),
        ((13,), 1, "Card 14 with 1 chip; taking it makes the run 13-14 and you 2 → 1."),
        ((13,), 2, "Card 14 with 2 chips; taking it makes the run 13-14 and you 2 → 0."),
    ],
)
def test_what_a_card_makes_of_the_score(mine, pot, offered):
    state = lay_out([14, 20], cards=(mine, (), ()), pot=pot)
    first, *_ = GAME.text.describe_turn(GAME.view(state, PETER))
    assert first.render(NAMES) == offered
