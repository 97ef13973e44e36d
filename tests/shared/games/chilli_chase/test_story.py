"""Chilli Chase as it is told."""

import pytest

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
from scoville_shared.games.chilli_chase.options import Options
from scoville_shared.games.chilli_chase.state import KEEP, Left, NewScore, Op, Play, Reason
from scoville_shared.games.chilli_chase.story import tell
from scoville_shared.kit.contract import Refusal
from tests.shared.games.chilli_chase.tables import NAMES, A, B, C, do, lay_out, total_by

TOLD = [
    (Played(A, 4, Op.TIMES, Left.CARD, before=2, total=8), "Anna plays the 4: 4 × 2 = 8."),
    (Played(C, 3, Op.MINUS, Left.CARD, before=14, total=-11), "Cleo plays the 3: 3 − 14 = −11."),
    (PointScored(A, by=A, points=1), "Anna hits their own Chilli Score and has 1 point."),
    (PointScored(A, by=A, points=2), "Anna hits their own Chilli Score and has 2 points."),
    (PointScored(B, by=C, points=1), "Cleo hits Ben's Chilli Score; Ben has 1 point."),
    (PointScored(B, by=C, points=4), "Cleo hits Ben's Chilli Score; Ben has 4 points."),
    (ScoreOffered(C), "Cleo may take a new Chilli Score."),
    (ScoreChanged(C, old=4, new=-9), "Cleo changes their Chilli Score from 4 to −9."),
    (ScoreKept(C, -4), "Cleo keeps their Chilli Score −4."),
    (Recycled(19, shuffled=False), "The deck is used up; the Hot Pile of 19 cards is turned over."),
    (Recycled(19, shuffled=True), "The deck is used up; the Hot Pile of 19 cards is shuffled."),
    (DrewCard(5), "You draw the 5."),
]


@pytest.mark.parametrize(("fact", "sentence"), TOLD, ids=[sentence for _, sentence in TOLD])
def test_a_fact_is_told(fact, sentence):
    assert GAME.text.fact(fact).render(NAMES) == sentence


def test_that_somebody_draws_is_not_worth_a_sentence():
    assert GAME.text.fact(Drew(A, left=3)) is None


def test_a_fact_of_no_kind_is_a_fault():
    with pytest.raises(TypeError, match="no fact like"):
        tell(Fact())


def test_moves_have_short_names_all_different():
    plays = [Play(card, op, left) for card in range(1, 7) for op in Op for left in Left]
    names = [GAME.text.move(play).render(NAMES) for play in plays]
    assert len(set(names)) == len(plays)
    assert GAME.text.move(total_by("-", 3)).render(NAMES) == "3: total − 3"
    assert GAME.text.move(NewScore(-9)).render(NAMES) == "new Chilli Score −9"
    assert GAME.text.move(KEEP).render(NAMES) == "keep the Chilli Score"


def said(state, seat):
    return [line.render(NAMES) for line in GAME.text.table(GAME.view(state, seat))]


def test_the_table_as_the_mover_sees_it():
    state = lay_out(14, (3, 3, 1), (4, 5, 6), (1, 2, 3), points=(1, 0, 2), hot=(6,), turn=7)
    assert said(state, A) == [
        "Turn 7 of 300: Anna plays.",
        "The Hot Pile's total is 14; 26 cards are left.",
        "Anna: Chilli Score 8, 1 point of 5.",
        "Ben: Chilli Score 11, 0 points of 5.",
        "Cleo: Chilli Score 4, 2 points of 5.",
        "Your hand: 1, 3, 3.",
        "Your 1 reaches: 1 − 14 = −13, 1 ^ 14 = 1, 14 − 1 = 13, 14 × 1 = 14 / 14 ÷ 1 = 14 / 14 ^ 1 = 14, 14 + 1 = 15.",
        "Your 3 reaches: 3 − 14 = −11, 14 − 3 = 11 (a point for Ben), 14 + 3 = 17, 14 × 3 = 42, 14 ^ 3 = 2744.",
    ]


def test_the_table_as_somebody_waiting_and_a_spectator_see_it():
    state = lay_out(-2, (3, 3, 1), (4, 5, 6), (1, 2, 3), options=Options(turn_limit=None), scores=(-8, 1, 2))
    assert said(state, B) == [*said(state, None), "Your hand: 4, 5, 6."]
    assert said(state, None)[:3] == [
        "Turn 1: Anna plays.",
        "The Hot Pile's total is −2; 26 cards are left.",
        "Anna: Chilli Score −8, 0 points of 5.",
    ]


def test_the_table_asks_for_a_new_score():
    state = do(lay_out(14, (3, 1, 1), (2, 2, 2), hot=(6,)), total_by("-", 3)).state
    assert said(state, A)[-1] == "You hit an opponent's Chilli Score: take a new one or keep yours."
    assert said(state, B)[-1] == "Your hand: 2, 2, 2."


def test_the_end():
    state = do(lay_out(2, (4, 1, 1), (2, 2, 2), points=(4, 0)), total_by("*", 4)).state
    assert said(state, A)[0] == "The game is over."
    assert said(state, A)[-1] == "Your hand: 1, 1."


SAID = {
    Reason.GAME_OVER: ({}, "The game is over."),
    Reason.NOT_YOUR_TURN: ({"mover": 1}, "It is not your turn; Ben plays."),
    Reason.CARD_NOT_HELD: ({"card": 4}, "You do not hold a 4; play a card from your hand."),
    Reason.SCORE_TAKEN: (
        {"score": -4, "holder": 2},
        "−4 is already the Chilli Score of Cleo; choose a number that nobody holds.",
    ),
    Reason.LEAVES_REST: (
        {"formula": "14 ÷ 4", "rest": 2},
        "14 ÷ 4 leaves a rest of 2; only exact divisions count.",
    ),
    Reason.WRONG_SUM: ({"said": 12, "formula": "14 − 3 = 11"}, "14 − 3 = 11, not 12."),
    Reason.TOO_BIG: (
        {"formula": "6 ^ 14", "cap": 9_999},
        "6 ^ 14 goes beyond 9999, the furthest from zero that a total may be.",
    ),
}


@pytest.mark.parametrize("reason", SAID)
def test_a_refusal_says_why_and_what_would_do(reason):
    data, sentence = SAID[reason]
    assert GAME.text.refusal(Refusal(reason, data)).render(NAMES) == sentence


def test_every_reason_has_a_sentence():
    everything = dict.fromkeys(("card", "formula", "rest", "cap", "most", "score", "piece", "total", "said"), 1)
    for reason in Reason:
        sentence = GAME.text.refusal(Refusal(reason, {**everything, "mover": 0, "holder": 1})).render(NAMES)
        assert sentence.endswith(".")
