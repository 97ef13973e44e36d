"""Texts of Dicht dran."""

import pytest

from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.play import play_move
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.facts import (
    Chosen,
    CycleEnd,
    CycleScored,
    Discarded,
    Drew,
    DrewCards,
    Fact,
    FellInGap,
    Reshuffled,
    Revealed,
    RoundBegan,
    TargetWon,
    TookBack,
)
from scoville_shared.games.dicht_dran.state import REFUSAL_DATA, TAKE_BACK, Play, Reason
from scoville_shared.games.dicht_dran.text import fact_sentence
from tests.shared.games.dicht_dran.tables import ANNA, LINUS, MAX, PAUL, choose, lay_out

NAMES = ("Anna", "Paul", "Max", "Linus")

TOLD = [
    (Chosen(PAUL), "Paul has chosen."),
    (TookBack(PAUL), "Paul takes back their choice."),
    (Revealed((63, 32, 4, 70)), "The cards are turned over: Anna 63, Paul 32, Max 4, Linus 70."),
    (
        TargetWon(LINUS, 70, target=67, peppers=3, distance=3, tie=False),
        "Linus comes closest to 67 with 70 (3 away) and wins 3 peppers.",
    ),
    (
        TargetWon(LINUS, 49, target=50, peppers=1, distance=1, tie=False),
        "Linus comes closest to 50 with 49 (1 away) and wins 1 pepper.",
    ),
    (
        TargetWon(ANNA, 70, target=67, peppers=3, distance=3, tie=True),
        "64 and 70 are both 3 away from 67; Anna has the higher card and wins 3 peppers.",
    ),
    (
        TargetWon(ANNA, 53, target=50, peppers=1, distance=3, tie=True),
        "47 and 53 are both 3 away from 50; Anna has the higher card and wins 1 pepper.",
    ),
    (FellInGap(MAX, 4), "Max's 4 fits the gap and is discarded."),
    (Discarded(ANNA, 63, peppers=2), "Anna's 63 is left over: it costs 2 cards."),
    (Discarded(ANNA, 50, peppers=1), "Anna's 50 is left over: it costs 1 card."),
    (Reshuffled(40), "The draw pile is used up; the discard pile of 40 cards is shuffled."),
    (Drew(ANNA, 1), "Anna draws 1 card."),
    (Drew(ANNA, 2), "Anna draws 2 cards."),
    (DrewCards((17, 5)), "You draw 17, 5."),
    (
        RoundBegan(cycle=1, round=2, target=38, low=70, high=100),
        "Round 2: the target is 38, the gap runs from 70 to 100.",
    ),
    (
        RoundBegan(cycle=1, round=3, target=90, low=37, high=38),
        "Round 3: the target is 90; nothing fits between 37 and 38.",
    ),
    (
        CycleScored(1, CycleEnd.HAND_EMPTY, (14, 2), (6, 0), (8, 2), (8, 2)),
        "Cycle 1 is over, a hand is empty. Anna 14 − 6 = 8, Paul 2 − 0 = 2.",
    ),
    (
        CycleScored(2, CycleEnd.PILE_EMPTY, (14, 2), (6, 9), (8, -7), (20, -5)),
        "Cycle 2 is over, the draw pile is used up. Anna 14 − 6 = 8 (total 20), Paul 2 − 9 = −7 (total −5).",
    ),
]


@pytest.mark.parametrize(("fact", "sentence"), TOLD, ids=[sentence for _, sentence in TOLD])
def test_a_fact_is_logged(fact, sentence):
    assert GAME.text.describe_fact(fact).render(NAMES) == sentence


def test_each_point_says_what_it_is_for():
    won = TargetWon(LINUS, 70, target=67, peppers=3, distance=3, tie=False)
    nothing = TargetWon(MAX, 49, target=50, peppers=0, distance=1, tie=False)
    scored = CycleScored(
        1, reason=CycleEnd.HAND_EMPTY, plus=(0, 0, 0, 3), minus=(2, 0, 0, 0), scores=(-2, 0, 0, 3), totals=(-2, 0, 0, 3)
    )
    gains = GAME.text.count_points([[won], [nothing, scored]])
    assert [(gain.seat, gain.points, gain.what.render(()), gain.kind.render(())) for gain in gains] == [
        (LINUS, 3, "67", "peppers won"),
        (ANNA, -2, "hand", "in the hand"),
    ]


def test_a_fact_of_no_kind_is_a_fault():
    with pytest.raises(TypeError, match=r"Dicht dran has no fact like Fact\(\)"):
        fact_sentence(Fact())


def test_moves_have_short_names():
    assert [GAME.text.describe_move(move).render(NAMES) for move in (Play(63), TAKE_BACK)] == ["63", "take it back"]


REFUSED = [
    (Refusal(Reason.GAME_OVER), "The game is over."),
    (
        Refusal(Reason.ALREADY_CHOSEN, {"card": 63}),
        "You have already chosen the 63; wait for the others.",
    ),
    (Refusal(Reason.NOT_IN_HAND, {"card": 5}), "You do not hold the 5; choose a card from your hand."),
    (Refusal(Reason.TAKE_BACK_OFF), "At this table a choice is final."),
    (
        Refusal(Reason.NOTHING_TO_TAKE_BACK),
        "You have not chosen a card yet; there is nothing to take back.",
    ),
    (
        Refusal(Reason.NO_TAKE_BACKS_LEFT, {"limit": 9}),
        "You have changed your choice 9 times in this round; this one stays.",
    ),
]


@pytest.mark.parametrize(("refusal", "sentence"), REFUSED, ids=[sentence for _, sentence in REFUSED])
def test_a_refusal_says_what_would_do(refusal, sentence):
    assert GAME.text.describe_refusal(refusal).render(NAMES) == sentence
    assert {name: type(value) for name, value in refusal.data.items()} == REFUSAL_DATA.get(Reason(refusal.reason), {})


HANDS = [(63, 8), (32, 50)]


def said(state, seat, part="table"):
    return [line.render(NAMES) for line in getattr(GAME.text, f"describe_{part}")(GAME.view(state, seat))]


def test_the_table_as_a_player_sees_it():
    state = lay_out(HANDS, won=((40, 41), ()), cycles=((8, 2),))
    assert said(state, ANNA) == [
        "Cycle 2 of 2, round 1.",
        "The circle, clockwise: 1, 67 (target), 38, 100, 12, 80.",
        "The target 67 has 3 peppers.",
        "The gap runs from 1 to 38: cards from 2 to 37 fit.",
        "Draw pile 88, discard pile 0.",
        "Anna: 2 in hand, 2 won, 8 points.",
        "Paul: 2 in hand, 0 won, 2 points.",
        "You have won 40, 41: 4 peppers.",
        "Your hand, with peppers: 8 (1), 63 (2).",
    ]


def test_turn_of_a_later_cycle_begins_with_news():
    assert said(lay_out(HANDS, cycles=((8, 2),)), ANNA, "turn") == [
        "The circle, clockwise: 1, 67 (target), 38, 100, 12, 80.",
        "Your hand, with peppers: 8 (1), 63 (2).",
        *said(lay_out(HANDS), ANNA, "turn"),
    ]
    assert said(lay_out(HANDS), ANNA, "turn")[0] == "For 3 peppers, 63 is closest."


def test_choice_is_announced_without_its_card():
    state = play_move(GAME, lay_out(HANDS), ANNA, Play(63)).state
    assert "Anna: 2 in hand, 0 won, 0 points; has chosen." in said(state, PAUL)
    assert said(state, ANNA)[-1] == "You have chosen the 63."
    assert not [line for line in said(state, PAUL) if "63" in line]


def test_open_peppers_are_said_of_everybody():
    step = choose(lay_out(HANDS, open_won=True), 63, 50)
    assert said(step.state, None, "scores") == [
        "Anna: 1 in hand, 1 won with 3 peppers, 0 points.",
        "Paul: 2 in hand, 0 won with 0 peppers, 0 points.",
    ]
    chosen = play_move(GAME, step.state, ANNA, Play(8)).state
    assert said(chosen, None, "scores")[0] == "Anna: 1 in hand, 1 won with 3 peppers, 0 points; has chosen."


@pytest.mark.parametrize(
    ("neighbour", "sentence"),
    [
        (2, "Nothing fits between 1 and 2."),
        (3, "The gap runs from 1 to 3: only the 2 fits."),
        (4, "The gap runs from 1 to 4: cards from 2 to 3 fit."),
    ],
)
def test_a_narrow_gap_is_described_by_the_cards_that_fit(neighbour, sentence):
    assert sentence in said(lay_out(HANDS, circle=(1, 50, neighbour, 100, 12, 80)), ANNA)


def test_a_target_with_one_pepper_is_written_in_the_singular():
    assert "The target 50 has 1 pepper." in said(lay_out(HANDS, circle=(1, 50, 38, 100, 12, 80)), ANNA)


def test_a_spectator_hears_of_the_open_table_only():
    state = lay_out(HANDS, won=((40, 41), ()))
    assert said(state, None) == said(state, ANNA)[:7]
    assert said(state, None, "hand") == []


def test_after_the_end_the_circle_does_not_matter():
    state = choose(lay_out([(63,), (50,)], cycles=((1, 2),)), 63, 50).state
    assert said(state, None)[0] == "The game is over."
    assert said(state, None)[1].startswith("Anna: ")


def test_a_reader_at_another_seat_is_told_who_draws():
    assert GAME.text.describe_fact_of(PAUL, DrewCards((17, 5))).render(NAMES) == "Paul draws 17, 5."
    assert GAME.text.describe_fact_of(PAUL, Drew(ANNA, 2)).render(NAMES) == "Anna draws 2 cards."
