"""Texts of Chilli Chase."""

from typing import Any

import pytest

from scoville_shared.engine.contract import Refusal
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.facts import (
    Drew,
    DrewCard,
    Fact,
    Played,
    PointScored,
    Recycled,
    ScoreChanged,
    ScoreKept,
    ScoreOffered,
)
from scoville_shared.games.chilli_chase.state import KEEP, REFUSAL_DATA, Left, NewScore, Op, Options, Play, Reason
from scoville_shared.games.chilli_chase.text import fact_sentence
from tests.shared.games.chilli_chase.tables import NAMES, A, B, C, do, lay_out, total_by

TOLD = [
    (Played(A, 4, Op.TIMES, Left.CARD, before=2, total=8), "Anna plays the 4: 4 × 2 = 8."),
    (Played(C, 3, Op.MINUS, Left.CARD, before=14, total=-11), "Cleo plays the 3: 3 − 14 = −11."),
    (PointScored(A, by=A, points=1), "Anna hits their own Chilli Score and has 1 point."),
    (PointScored(A, by=A, points=2), "Anna hits their own Chilli Score and has 2 points."),
    (PointScored(B, by=C, points=1), "Cleo hits Ben's Chilli Score; Ben has 1 point."),
    (PointScored(B, by=C, points=4), "Cleo hits Ben's Chilli Score; Ben has 4 points."),
    (ScoreOffered(C), "Cleo may choose a new Chilli Score."),
    (ScoreChanged(C, old=4, new=-9), "Cleo changes their Chilli Score from 4 to −9."),
    (ScoreKept(C, -4), "Cleo keeps their Chilli Score −4."),
    (Recycled(19, shuffled=False), "The deck is used up; the Hot Pile of 19 cards is turned over."),
    (Recycled(19, shuffled=True), "The deck is used up; the Hot Pile of 19 cards is shuffled."),
    (DrewCard(5), "You draw the 5."),
]


@pytest.mark.parametrize(("fact", "sentence"), TOLD, ids=[sentence for _, sentence in TOLD])
def test_a_fact_is_logged(fact, sentence):
    assert GAME.text.describe_fact(fact).render(NAMES) == sentence


def test_each_point_says_what_it_is_for():
    hits = [PointScored(A, by=A, points=1), PointScored(B, by=A, points=4)]
    gains = GAME.text.count_points([[Played(A, 4, Op.TIMES, Left.CARD, before=2, total=8), *hits]])
    assert [(gain.seat, gain.points, gain.what.render(()), gain.kind.render(())) for gain in gains] == [
        (A, 1, "4 × 2 = 8", "hits by own cards"),
        (B, 1, "4 × 2 = 8", "by cards of others"),
    ]


def test_that_somebody_draws_is_not_worth_a_sentence():
    assert GAME.text.describe_fact(Drew(A, left=3)) is None


def test_a_fact_of_no_kind_is_a_fault():
    with pytest.raises(TypeError, match="no fact like"):
        fact_sentence(Fact())


MOVES = {
    Op.PLUS: ("3: total + 3", "3: 3 + total"),
    Op.MINUS: ("3: total − 3", "3: 3 − total"),
    Op.TIMES: ("3: total × 3", "3: 3 × total"),
    Op.DIVIDE: ("3: total ÷ 3", "3: 3 ÷ total"),
    Op.POWER: ("3: total to the power of 3", "3: 3 to the power of the total"),
    Op.ROOT: ("3: root of degree 3 of the total", "3: root of 3 with the total as degree"),
    Op.MOD: ("3: remainder of the total divided by 3", "3: remainder of 3 divided by the total"),
}


@pytest.mark.parametrize("op", Op)
def test_c7_moves_are_named_both_ways_round(op):
    named = tuple(GAME.text.describe_move(Play(3, op, left)).render(NAMES) for left in (Left.TOTAL, Left.CARD))
    assert named == MOVES[op]


def test_moves_with_a_score_have_short_names():
    assert GAME.text.describe_move(NewScore(-9)).render(NAMES) == "new Chilli Score −9"
    assert GAME.text.describe_move(KEEP).render(NAMES) == "keep the Chilli Score"


def said(state, seat):
    return [line.render(NAMES) for line in GAME.text.describe_table(GAME.view(state, seat))]


def test_the_table_as_the_mover_sees_it():
    state = lay_out(14, (3, 3, 1), (4, 5, 6), (1, 2, 3), points=(1, 0, 2), hot=(6,), turn=7)
    assert said(state, A) == [
        "Turn 7 of 300: Anna plays.",
        "The total of the Hot Pile is 14; the deck has 26 cards.",
        "Anna: Chilli Score 8, 1 point of 5.",
        "Ben: Chilli Score 11, 0 points of 5.",
        "Cleo: Chilli Score 4, 2 points of 5.",
        "Your hand: 1, 3, 3.",
        ("Your 1 makes: 1 − 14 = −13, 1 ^ 14 = 1, 14 − 1 = 13. 14 × 1 = 14, 14 ÷ 1 = 14, 14 ^ 1 = 14. 14 + 1 = 15."),
        "Your 3 makes: 3 − 14 = −11, 14 − 3 = 11 (a point for Ben). 14 + 3 = 17, 14 × 3 = 42, 14 ^ 3 = 2744.",
    ]


def test_the_table_as_somebody_waiting_and_a_spectator_see_it():
    state = lay_out(-2, (3, 3, 1), (4, 5, 6), (1, 2, 3), scores=(-8, 1, 2))
    assert said(state, B) == [*said(state, None), "Your hand: 4, 5, 6."]
    assert said(state, None)[:3] == [
        "Turn 1 of 300: Anna plays.",
        "The total of the Hot Pile is −2; the deck has 26 cards.",
        "Anna: Chilli Score −8, 0 points of 5.",
    ]


def test_the_table_asks_for_a_new_score():
    state = do(lay_out(14, (3, 1, 1), (2, 2, 2), hot=(6,)), total_by("-", 3)).state
    assert said(state, A)[-1] == "You hit an opponent's Chilli Score: choose a new one or keep yours."
    assert said(state, B)[-1] == "Your hand: 2, 2, 2."


def hand(state, seat):
    return [line.render(NAMES) for line in GAME.text.describe_hand(GAME.view(state, seat))]


def test_the_movers_hand_shows_total_and_typing():
    state = lay_out(14, (3, 6, 5), (4, 5, 6), (1, 2, 3), hot=(6,))
    story = hand(state, A)
    assert story[:2] == ["The total of the Hot Pile is 14; the deck has 26 cards.", "Your hand: 3, 5, 6."]
    assert [line.split(":")[0] for line in story[2:5]] == ["Your 3 makes", "Your 5 makes", "Your 6 makes"]
    assert story[5:] == ["Type a formula, such as 14-3."]


def test_a_waiting_hand_is_total_and_cards():
    state = lay_out(14, (3, 6, 5), (4, 5, 6), (1, 2, 3), hot=(6,))
    assert hand(state, B) == ["The total of the Hot Pile is 14; the deck has 26 cards.", "Your hand: 4, 5, 6."]
    assert hand(state, None) == []


def test_a_hand_owing_a_score_says_what_to_type():
    state = do(lay_out(14, (3, 1, 1), (2, 2, 2), hot=(6,)), total_by("-", 3)).state
    assert hand(state, A)[-1] == "Type a new Chilli Score: any whole number but 0 that nobody has, or keep."


def test_rolled_scores_name_the_typed_range():
    state = lay_out(14, (3, 1, 1), (2, 2, 2), hot=(6,), options=Options(die_scores=True))
    asked = do(state, total_by("-", 3)).state
    assert hand(asked, A)[-1] == "Type a new Chilli Score from 1 to 12 that nobody has, or keep."


def test_after_the_end_a_hand_is_its_cards():
    state = do(lay_out(2, (4, 1, 1), (2, 2, 2), points=(4, 0)), total_by("*", 4)).state
    assert hand(state, A) == ["Your hand: 1, 1."]


@pytest.mark.parametrize("card", range(1, 7))
@pytest.mark.parametrize("total", [-9_999, -7, *range(-6, 0), *range(1, 7), 7, 14, 9_999])
def test_the_formula_that_is_shown_can_be_typed(total, card):
    state = lay_out(total, (card, card, card), (1, 2, 3), hot=(1,))
    example = hand(state, A)[-1].removeprefix("Type a formula, such as ").removesuffix(".")
    assert GAME.text.read_move(example, GAME.view(state, A)).card == card


def test_typed_sum_is_repeated_as_typed():
    refusal = GAME.text.read_move("9999999999-3", GAME.view(lay_out(14, (3, 1, 1), (2, 2, 2), hot=(6,)), A))
    assert GAME.text.describe_refusal(refusal).render(NAMES) == "9999999999-3 is too far from zero; the limit is 9999."


def test_the_end():
    state = do(lay_out(2, (4, 1, 1), (2, 2, 2), points=(4, 0)), total_by("*", 4)).state
    assert said(state, A)[0] == "The game is over."
    assert said(state, A)[-1] == "Your hand: 1, 1."


SAID: dict[Reason, tuple[dict[str, Any], str]] = {
    Reason.GAME_OVER: ({}, "The game is over."),
    Reason.NOT_YOUR_TURN: ({"mover": 1}, "It is not your turn; Ben plays."),
    Reason.CARD_NOT_HELD: ({"card": 4}, "You do not hold a 4; play a card from your hand."),
    Reason.SCORE_OWED: ({}, "Choose a new Chilli Score or keep yours first."),
    Reason.NO_SCORE_OFFERED: (
        {},
        "You can change your Chilli Score only after hitting an opponent's; play a card.",
    ),
    Reason.OP_NOT_PLAYED: (
        {"formula": "8 root 3"},
        "8 root 3: this table does not allow roots and remainders; use + - * / or ^.",
    ),
    Reason.DIVISION_BY_ZERO: ({"formula": "4 ÷ 0"}, "4 ÷ 0: division by zero is not allowed."),
    Reason.LEAVES_REST: (
        {"formula": "14 ÷ 4", "rest": 2},
        "14 ÷ 4 leaves a remainder of 2; only exact divisions are allowed.",
    ),
    Reason.NOT_WHOLE: ({"formula": "3 ^ (−2)"}, "3 ^ (−2) is not a whole number."),
    Reason.NO_ROOT: (
        {"formula": "−4 root 2"},
        "−4 root 2: this root does not exist; the degree must be at least 1, and an even root needs a positive number.",
    ),
    Reason.NO_REMAINDER: (
        {"formula": "4 mod (−3)"},
        "4 mod (−3): the second number of a remainder must be positive.",
    ),
    Reason.ZERO_RESULT: ({"formula": "3 − 3"}, "3 − 3 makes zero, which this table does not allow."),
    Reason.TOO_BIG: (
        {"formula": "6 ^ 14", "cap": 9_999},
        "6 ^ 14 is too far from zero; the limit is 9999.",
    ),
    Reason.SCORE_ZERO: ({}, "Zero cannot be a Chilli Score."),
    Reason.SCORE_TOO_BIG: ({"cap": 9_999}, "A Chilli Score must be at most 9999 away from zero."),
    Reason.SCORE_NOT_ON_DIE: ({"most": 12}, "At this table a Chilli Score must be a number from 1 to 12."),
    Reason.SCORE_TAKEN: (
        {"score": -4, "holder": 2},
        "−4 is already the Chilli Score of Cleo; choose another number.",
    ),
    Reason.SCORE_UNREADABLE: ({"piece": "-"}, "- is not a whole number; write a Chilli Score such as 12 or -7."),
    Reason.UNREADABLE: (
        {"piece": "abc"},
        "abc is not a formula; write whole numbers and one operation, such as 14-3 or 3^2.",
    ),
    Reason.TWO_OPERATIONS: (
        {},
        "Use one operation only, with the total and one card.",
    ),
    Reason.INCOMPLETE: ({"total": 14}, "Write the total 14, one operation and a card, such as 14+3."),
    Reason.TOTAL_MISSING: ({"total": -2}, "One of the two numbers must be the total, −2."),
    Reason.WRONG_SUM: ({"said": 12, "formula": "14 − 3 = 11"}, "14 − 3 = 11, not 12."),
}


@pytest.mark.parametrize("reason", SAID)
def test_a_refusal_says_why_and_what_would_do(reason):
    data, sentence = SAID[reason]
    assert GAME.text.describe_refusal(Refusal(reason, data)).render(NAMES) == sentence
    if reason in REFUSAL_DATA:  # those of typed formulas stay at the client
        assert {name: type(value) for name, value in data.items()} == REFUSAL_DATA[reason]


def test_every_reason_has_a_sentence():
    assert set(SAID) == set(Reason)


def turn(state, seat):
    return [line.render(NAMES) for line in GAME.text.describe_turn(GAME.view(state, seat))]


def test_a_turn_names_the_hits_of_the_hand_alone():
    state = lay_out(14, (3, 3, 1), (4, 5, 6), (1, 2, 3), hot=(6,))
    assert turn(state, A) == [
        "Total 14, your cards 1, 3, 3, your Chilli Score 8.",
        "Hits: 14 − 3 = 11 (Ben).",
    ]
    none = lay_out(100, (3, 3, 1), (4, 5, 6), (1, 2, 3), hot=(6,))
    assert turn(none, A)[-1] == "No card hits a Chilli Score."
    assert turn(state, None) == []


def test_plays_one_after_the_other_are_one_sentence():
    plays = [Played(seat, 3, Op.PLUS, Left.TOTAL, before, before + 3) for seat, before in ((A, 5), (B, 8))]
    phrases = [GAME.text.describe_fact(fact) for fact in (*plays, PointScored(A, B, 1))]
    assert [line.render(NAMES) for line in GAME.text.condense_log(phrases)] == [
        "Played: Anna: 5 + 3 = 8, Ben: 8 + 3 = 11.",
        "Ben hits Anna's Chilli Score; Anna has 1 point.",
    ]
    assert list(GAME.text.condense_log(phrases[:1])) == phrases[:1]


def test_a_reader_at_another_seat_is_told_who_draws() -> None:
    said = [GAME.text.describe_fact_of(B, fact) for fact in (DrewCard(5), PointScored(A, B, 1), Drew(A, left=3))]
    assert [phrase and phrase.render(NAMES) for phrase in said] == [
        f"{NAMES[B]} draws the 5.",
        GAME.text.describe_fact(PointScored(A, B, 1)).render(NAMES),
        None,
    ]


def test_the_mover_is_called_you_where_their_own_score_is_hit():
    state = lay_out(5, (3, 3, 1), (4, 5, 6), (1, 2, 3), hot=(6,))
    assert turn(state, A)[-1] == "Hits: 5 − 1 = 4 (Cleo), 5 + 3 = 8 (your own)."
    assert any("= 8 (a point for you)" in line for line in said(state, A))


def test_the_choice_of_a_score_is_asked_in_one_sentence():
    state = do(lay_out(14, (3, 1, 1), (2, 2, 2), hot=(6,)), total_by("-", 3)).state
    assert turn(state, A) == ["Type a new Chilli Score: any whole number but 0 that nobody has, or keep."]
