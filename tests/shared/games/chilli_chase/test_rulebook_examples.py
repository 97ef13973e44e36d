"""The rulebook's example: A multiplies to 8, B adds to 14, C subtracts to 11 and changes to 9."""

import pytest

from scoville_shared.games.chilli_chase.arithmetic import list_reaches
from scoville_shared.games.chilli_chase.facts import Drew, DrewCard, Played, PointScored, ScoreChanged, ScoreOffered
from scoville_shared.games.chilli_chase.state import Left, Op
from tests.shared.games.chilli_chase.tables import A, B, C, card_by, change, do, facts, lay_out, total_by


@pytest.fixture
def opening():
    return lay_out(2, (4, 1, 1), (6, 1, 1), (3, 2, 2), scores=(8, 11, 4), deck=(5, 6, 6, 3))


@pytest.fixture
def after_a(opening):
    return do(opening, card_by("*", 4))


@pytest.fixture
def after_b(after_a):
    return do(after_a.state, total_by("+", 6))


@pytest.fixture
def after_c(after_b):
    return do(after_b.state, total_by("-", 3))


def test_a_calls_4_times_2_is_8_and_scores(after_a):
    assert facts(after_a) == [
        Played(A, 4, Op.TIMES, Left.CARD, before=2, total=8),
        PointScored(A, by=A, points=1),
        Drew(A, left=3),
        DrewCard(5),
    ]
    assert after_a.state.board.total == 8
    assert after_a.state.board.points == (1, 0, 0)


def test_a_draws_to_three_cards_privately(after_a):
    assert after_a.state.secret.hands[A] == (1, 1, 5)
    assert [addressed.to for addressed in after_a.facts] == [None, None, None, A]


def test_b_adds_6_and_nobody_scores(after_b):
    assert facts(after_b)[0] == Played(B, 6, Op.PLUS, Left.TOTAL, before=8, total=14)
    assert after_b.state.board.points == (1, 0, 0)
    assert after_b.state.board.mover == C


def test_c_scores_for_b_who_then_chooses(after_c):
    assert facts(after_c) == [
        Played(C, 3, Op.MINUS, Left.TOTAL, before=14, total=11),
        PointScored(B, by=C, points=1),
        ScoreOffered(C),
    ]
    board = after_c.state.board
    assert (board.points, board.choosing, board.mover, board.hands) == ((1, 1, 0), True, C, (3, 3, 2))


def test_c_changes_to_9_and_draws(after_c):
    step = change(after_c.state, 9)
    assert facts(step) == [ScoreChanged(C, old=4, new=9), Drew(C, left=1), DrewCard(6)]
    board = step.state.board
    assert (board.scores, board.choosing, board.mover, board.hands) == ((8, 11, 9), False, A, (3, 3, 3))
    assert board.hot == (2, 4, 6, 3)


def test_the_4_could_have_made_other_totals_of_2(opening):
    assert [way.total for way in list_reaches(4, 2, opening.board.options)] == [-2, 2, 6, 8, 16]
