"""A decision as a story: the chip, the card and its chips, the next card; the scoring step by step."""

from itertools import pairwise

import pytest

from scoville_client.tui.boards.no_thanks.board import PASS_STAYS, TAKE_STAYS, animate_event, summarize_event
from scoville_client.tui.boards.no_thanks.scene import Frame
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import RoundScored, Took
from scoville_shared.ids import Seat
from tests.client.tui.boards.no_thanks.scenes import NAMES, SCORED, VIEW, Decision, decisions, with_board

TAKEN = Took(Seat(0), 14, 7, (13, 14, 15, 16), 13)


def words(frame: Frame) -> str:
    return " ".join(phrase.render(NAMES) for phrase in frame.captions)


def frames(decision: Decision, seat: Seat | None) -> list[Frame]:
    before, after = (GAME.view(state, seat) for state in (decision.before, decision.after))
    return list(animate_event(before, decision.facts, after))


def test_a_pass_is_one_short_step() -> None:
    decision = next(each for each in decisions(4, seed=3) if "Passed" in type(each.facts[0]).__name__)
    (frame,) = frames(decision, Seat(0))
    assert frame.view.board.pot == decision.before.board.pot + 1
    assert frame.actor == decision.seat
    assert "declines" in words(frame)
    assert frame.steps == PASS_STAYS < TAKE_STAYS


def test_a_taken_card_lies_with_its_taker() -> None:
    decision = next(each for each in decisions(4, seed=3) if isinstance(each.facts[0], Took))
    first, second = frames(decision, decision.seat)
    assert first.view.board.card is None
    assert first.view.board.pot == 0
    assert first.fresh == decision.before.board.card
    assert first.fresh in first.view.board.cards[decision.seat]
    assert second.view.board.card == second.fresh == decision.after.board.card


def test_the_chips_go_to_the_taker() -> None:
    (frame,) = animate_event(VIEW, [TAKEN], with_board(card=None))
    assert frame.view.chips == 5 + 7
    assert words(frame) == "Peter takes the 14 and 7 chips, which makes the run 13-16; the cards now count 13."


def test_hidden_chips_stay_hidden_in_the_story() -> None:
    for decision in decisions(5, seed=5):
        if isinstance(decision.facts[0], Took) and decision.after.board.left:
            other = Seat((decision.seat + 1) % 5)
            assert all(frame.view.board.chips is None for frame in frames(decision, other))
            assert all(frame.view.chips == decision.before.chips[other] for frame in frames(decision, other))


@pytest.mark.parametrize("seats", [3, 7])
def test_a_story_goes_from_what_was_to_what_is(seats: int) -> None:
    for decision in decisions(seats, seed=9, open_chips=True):
        last = frames(decision, Seat(0))[-1]
        if last.tally is None:
            assert last.view == GAME.view(decision.after, Seat(0))


def test_the_last_card_is_counted_step_by_step() -> None:
    story = list(animate_event(VIEW, [TAKEN, SCORED], with_board(card=None, over=True)))
    assert [words(frame) for frame in story[1:]] == [
        "All cards are taken. In a run only the lowest card counts.",
        "Each chip takes one point off.",
        "Peter has the fewest points: 1. Removed in this round: 5, 9, 33.",
    ]
    assert [frame.tally and (frame.tally.chips, frame.tally.totals) for frame in story] == [
        None,
        (False, False),
        (True, False),
        (True, True),
    ]


def test_removed_cards_are_logged_only_where_the_table_shows_them() -> None:
    closed = RoundScored(1, (0, 0), (1, 2), (-1, -2), (-1, -2), ())
    assert "Removed in this round" not in words(list(animate_event(VIEW, [TAKEN, closed], VIEW))[-1])


def test_a_shared_lead_names_everybody() -> None:
    shared = RoundScored(1, (3, 4, 9), (1, 2, 0), (2, 2, 9), (2, 2, 9), ())
    assert words(list(animate_event(VIEW, [TAKEN, shared], VIEW))[-1]) == "Peter, Sabrina have the fewest points: 2."


def test_with_less_motion_only_the_scoring_is_animated() -> None:
    assert list(summarize_event(VIEW, [TAKEN])) == []
    (frame,) = summarize_event(VIEW, [TAKEN, SCORED])
    assert frame.tally is not None
    assert frame.tally.totals
    assert 14 in frame.view.board.cards[0]


def test_another_round_follows_its_scoring() -> None:
    played = list(decisions(3, seed=2, rounds=2))
    last = next(before for before, after in pairwise(played) if before.before.board.round < after.before.board.round)
    story = frames(last, Seat(0))
    assert [frame.tally is not None for frame in story] == [False, True, True, True, False]
    assert story[-1].view.board.round == 2
