"""Choosing a card and a result by arrows."""

from scoville_client.tui.boards.chilli_chase.picker import pick_from
from scoville_shared.games.chilli_chase.state import Left, Op, Play
from tests.client.tui.boards.chilli_chase.scenes import seen

VIEW = seen(14, (3, 4, 6))
PICKER = pick_from(VIEW.board, VIEW.hand)


def test_nothing_is_chosen_before_a_key_chooses_it():
    assert PICKER.card == 3
    assert PICKER.chosen is None


def test_down_enters_at_the_smallest_total():
    assert PICKER.moved_along(1).chosen.total == -11
    assert PICKER.moved_along(-1).chosen.total == max(way.total for way in PICKER.columns[0].ways)


def test_the_ends_stop():
    top = PICKER.moved_along(1)
    assert top.moved_along(-1) == top
    assert PICKER.moved_across(-5).card == 3
    assert PICKER.moved_across(5).card == 6


def test_another_card_keeps_the_row_where_possible():
    far = PICKER.moved_along(-1)
    assert far.moved_across(1).row == min(far.row, len(PICKER.columns[1].ways) - 1)


def test_a_play_selects_its_result():
    assert PICKER.at_play(Play(3, Op.MINUS, Left.TOTAL)).chosen.total == 11


def test_a_card_that_is_not_held_changes_nothing():
    assert PICKER.at_card(5) == PICKER


def test_a_spectator_has_nothing_to_choose_from():
    nothing = pick_from(VIEW.board, ())
    assert nothing.moved_along(1) == nothing.moved_across(1) == nothing
    assert nothing.card is None
