"""Animations of other players' turns: card, new total, points, changed scores."""

import pytest
from msgspec.structs import replace

from scoville_client.i18n.language import render
from scoville_client.session.table.log import LogEntry
from scoville_client.tui.boards.chilli_chase import board, layout
from scoville_client.tui.boards.chilli_chase.scene import Called, Scene
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.state import Secret
from tests.client.tui.boards.chilli_chase.scenes import NAMES, NARROW, WIDE
from tests.shared.games.chilli_chase.tables import A, B, C, change, do, lay_out, total_by

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
HOW = Called(A, "4 × 2 = 8")


def told_to(seat, state, step):
    """Return a seat's share of a step: the View before it, and the facts for that seat."""
    return GAME.view(state, seat), [each.fact for each in step.facts if each.to in (None, seat)]


def captions(frame):
    return " ".join(render(phrase, NAMES) for phrase in frame.captions)


def drawn(before, frame, size=WIDE):
    return str(layout.draw_table(Scene(view=before, names=NAMES, log=(), frame=frame), *size))


def ben_plays(total, move, **more):
    state = lay_out(total, mover=B, **more)
    return told_to(A, state, do(state, move))


def test_a_turn_without_a_point_is_one_frame():
    before, facts = ben_plays(14, total_by("-", 5))
    (frame,) = board.animate_event(before, facts, HOW)
    assert captions(frame) == "Ben plays the 5: 14 − 5 = 9."
    assert frame.board.total == 9
    assert frame.board.hot == (*before.board.hot, 5)
    assert frame.called == (B, "14 − 5 = 9")


@sizes
def test_a_point_is_shown_after_the_card(size):
    before, facts = ben_plays(14, total_by("-", 6))
    played, scored = board.animate_event(before, facts, HOW)
    assert played.board.points == (0, 0, 0)
    assert scored.board.points == (1, 0, 0)
    assert scored.hit == A
    assert "Ben hits Anna's Chilli Score; Anna has 1 point." in captions(scored)
    row = next(row for row in drawn(before, scored, size).splitlines() if "Anna" in row)
    assert "■□□□□ +1" in row


def test_a_change_of_score_is_sent_to_the_others():
    state = do(lay_out(14, mover=B), total_by("-", 6)).state
    before, facts = told_to(A, state, change(state, 9))
    (frame,) = board.animate_event(before, facts, HOW)
    assert captions(frame) == "Ben changes their Chilli Score from 11 to 9."
    assert frame.board.scores == (8, 9, 4)
    assert frame.called == HOW


def test_of_my_own_turn_only_the_outcome_is_shown():
    state = lay_out(14, (3, 4, 6), (4, 5, 6), (1, 2, 3))
    before, facts = told_to(A, state, do(state, total_by("-", 4)))
    assert board.animate_event(before, facts, HOW) == []
    before, facts = told_to(A, state, do(state, total_by("-", 3)))
    (frame,) = board.animate_event(before, facts, HOW)
    assert "Anna hits Ben's Chilli Score" in captions(frame)
    assert frame.hand == (4, 6)


def test_who_watches_through_anybodys_eyes_learns_their_turn_as_well():
    state = lay_out(14, mover=B)
    before, facts = told_to(B, state, do(state, total_by("-", 5)))
    assert board.animate_event(before, facts, HOW) == []
    (frame,) = board.animate_event(before, facts, HOW, watched=True)
    assert captions(frame) == "Ben plays the 5: 14 − 5 = 9."


def test_a_used_up_deck_is_shown():
    state = lay_out(14, mover=B, hot=(1, 2, 3, 4))
    state = replace(state, board=replace(state.board, deck=0))
    state = replace(state, secret=Secret(state.secret.dice, state.secret.hands, ()))
    before, facts = told_to(A, state, do(state, total_by("-", 5)))
    _, recycled = board.animate_event(before, facts, HOW)
    assert "turned over" in captions(recycled)
    assert (recycled.board.hot, recycled.board.deck) == ((5,), 4)


def test_it_can_be_shown_at_once():
    before, facts = ben_plays(14, total_by("-", 6))
    (frame,) = board.summarize_event(before, facts, HOW)
    assert "Ben plays the 6" in captions(frame)
    assert "Anna has 1 point" in captions(frame)


def test_a_spectator_sees_the_same():
    state = lay_out(14, mover=B)
    step = do(state, total_by("-", 6))
    assert len(board.animate_event(*told_to(None, state, step), HOW)) == 2


@sizes
def test_the_dice_are_rolled_clockwise_from_the_dealers_left(size):
    view = GAME.view(lay_out(5, hot=(5,)), A)
    view = replace(view, board=replace(view.board, dealer=A))
    *rolls, last = board.opening_frames(view)
    assert [roll.rolled for roll in rolls] == [(B,), (B, C), (B, C, A)]
    assert "Ben" in drawn(view, rolls[0], size)
    assert " 11 " in drawn(view, rolls[0], size)
    assert "◆" not in drawn(view, rolls[0], size)
    assert captions(last) == "The opening card is 5. Anna begins."


def test_how_the_total_came_about_is_found_in_the_log():
    _, facts = ben_plays(14, total_by("-", 6))
    phrases = [phrase for fact in facts if (phrase := GAME.text.describe_fact(fact)) is not None]
    assert board.last_called([LogEntry(2, phrase) for phrase in phrases]) == (B, "14 − 6 = 8")
    assert board.last_called([]) is None
