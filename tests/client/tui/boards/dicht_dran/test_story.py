"""A round as a story: the rulebook's example in its four actions; ties, exhaustion and the end of a cycle."""

from scoville_client.tui.boards.dicht_dran.board import animate_event, summarize_event
from scoville_client.tui.boards.dicht_dran.scene import Fate
from scoville_shared.games.dicht_dran.facts import (
    Chosen,
    CycleEnd,
    CycleScored,
    Discarded,
    Drew,
    Reshuffled,
    Revealed,
    TargetWon,
)
from scoville_shared.ids import Seat
from tests.client.tui.boards.dicht_dran.scenes import ANNA, EXAMPLE, LINUS, MAX, NAMES, PAUL, VIEW

FRAMES = animate_event(VIEW, EXAMPLE)


def words(index: int) -> str:
    return " ".join(phrase.render(NAMES) for phrase in FRAMES[index].captions)


def test_the_four_actions_come_in_order() -> None:
    assert [frame.action for frame in FRAMES] == [1, 2, 3, 4]


def test_first_all_cards_lie_open() -> None:
    assert [front.card for front in FRAMES[0].fronts] == [4, 32, 63, 70]
    assert {front.fate for front in FRAMES[0].fronts} == {Fate.SHOWN}


def test_then_linus_wins_the_target() -> None:
    assert FRAMES[1].fronts[LINUS].fate is Fate.WINS
    assert words(1) == "Linus's 70 is 3 from 67: closest. Linus wins 3 peppers."
    assert FRAMES[1].board.target_card == 67


def test_the_winners_card_replaces_the_target() -> None:
    assert FRAMES[2].board.target_card == 70
    assert FRAMES[2].board.won == (0, 0, 0, 1)
    assert FRAMES[2].fronts[ANNA].fate is FRAMES[2].fronts[PAUL].fate is Fate.FREE
    assert words(2) == "4, 32 fit the gap from 1 to 38 and are discarded for free."


def test_then_max_lays_his_card_away_and_draws_two() -> None:
    assert FRAMES[3].fronts[MAX].fate is Fate.PAYS
    assert words(3) == "Max discards the 63 and draws 2 cards."
    assert FRAMES[3].board.pile == VIEW.board.pile - 2
    assert FRAMES[3].board.hands == (7, 7, 9, 7)
    assert FRAMES[3].board.discard == 3


def test_my_played_card_has_left_my_hand() -> None:
    assert all(4 not in frame.hand for frame in FRAMES)


def test_the_summary_shows_every_fate_at_once() -> None:
    (summary,) = summarize_event(VIEW, EXAMPLE)
    assert [front.fate for front in summary.fronts] == [Fate.FREE, Fate.FREE, Fate.PAYS, Fate.WINS]
    assert [front.card for front in summary.fronts] == [4, 32, 63, 70]


def test_a_choice_is_no_story() -> None:
    assert animate_event(VIEW, [Chosen(PAUL)]) == []
    assert summarize_event(VIEW, [Chosen(PAUL)]) == []


def test_a_tie_says_that_the_higher_card_counts() -> None:
    facts = (
        Revealed((64, 70)),
        TargetWon(seat=Seat(1), card=70, target=67, peppers=3, distance=3, tie=True),
        Discarded(Seat(0), 64, 3),
        Drew(Seat(0), 3),
    )
    second = animate_event(VIEW, facts)[1]
    assert "as close as another card, but higher" in second.captions[0].render(NAMES)


def test_an_exhausted_pile_is_shown_and_the_cycle_is_counted() -> None:
    scored = CycleScored(
        cycle=1,
        reason=CycleEnd.PILE_EMPTY,
        plus=(14, 0, 0, 0),
        minus=(6, 0, 0, 0),
        scores=(8, 0, 0, 0),
        totals=(8, 0, 0, 0),
    )
    frames = animate_event(VIEW, [*EXAMPLE[:-1], Reshuffled(30), scored])
    assert [frame.action for frame in frames] == [1, 2, 3, 4, 0, 0]
    assert "the discard pile of 30 cards is shuffled" in frames[4].captions[0].render(NAMES)
    assert frames[5].scored == scored
