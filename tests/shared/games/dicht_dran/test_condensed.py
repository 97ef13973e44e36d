"""The log: what several players do at once is one sentence, and what another sentence implies is left out."""

from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.facts import (
    AnyFact,
    Chosen,
    Discarded,
    Drew,
    DrewCards,
    FellInGap,
    Reshuffled,
    Revealed,
    RoundBegan,
    TargetWon,
)
from scoville_shared.ids import Seat

NAMES = ("Anna", "Paul", "Max")
ANNA, PAUL, MAX = map(Seat, range(3))


def log_lines(*facts: AnyFact) -> list[str]:
    phrases = [phrase for fact in facts if (phrase := GAME.text.describe_fact(fact)) is not None]
    return [phrase.render(NAMES) for phrase in GAME.text.condense_log(phrases)]


def test_choosers_are_named_until_the_reveal() -> None:
    assert log_lines(Chosen(ANNA), Chosen(PAUL)) == ["Anna, Paul have chosen."]
    assert log_lines(Chosen(ANNA), Chosen(PAUL), Revealed((1, 2, 3))) == []


def test_each_card_of_a_round_is_named_once() -> None:
    facts = (
        Chosen(MAX),
        Revealed((47, 7, 75)),
        TargetWon(ANNA, card=47, target=50, peppers=1, distance=3, tie=False),
        FellInGap(PAUL, 7),
        Discarded(MAX, 75, peppers=2),
        Drew(MAX, 2),
        RoundBegan(cycle=1, round=2, target=60, low=47, high=80),
    )
    assert log_lines(*facts) == [
        "Anna's 47 is closest, 3 away, and wins 1 pepper.",
        "Paul's 7 fits the gap and is discarded.",
        "Max's 75 is left over: it costs 2 cards.",
        "Round 2: target 60, gap 47 to 80.",
    ]


def test_cards_that_fit_are_one_sentence() -> None:
    assert log_lines(FellInGap(ANNA, 5), FellInGap(MAX, 7)) == ["Anna's 5, Max's 7 fit the gap and are discarded."]
    assert log_lines(FellInGap(ANNA, 5)) == ["Anna's 5 fits the gap and is discarded."]


def test_a_draw_that_a_cost_implies_is_left_out() -> None:
    assert log_lines(Discarded(ANNA, 63, peppers=2), Reshuffled(9), Drew(ANNA, 2)) == [
        "Anna's 63 is left over: it costs 2 cards.",
        "The draw pile is used up; the discard pile of 9 cards is shuffled.",
    ]
    assert log_lines(Discarded(ANNA, 63, peppers=2), Drew(ANNA, 1))[1:] == ["Anna draws 1 card."]
    assert log_lines(Drew(ANNA, 2)) == ["Anna draws 2 cards."]


def test_cards_that_are_left_over_are_one_sentence() -> None:
    facts = (
        Discarded(ANNA, 63, peppers=2),
        Discarded(PAUL, 8, peppers=1),
        Drew(ANNA, 2),
        DrewCards((5, 6)),
        Drew(PAUL, 1),
    )
    assert log_lines(*facts) == ["Anna's 63 (costs 2), Paul's 8 (costs 1) are left over.", "You draw 5, 6."]
