"""Choosing by arrows: declining is marked at first, or the only legal move."""

from scoville_client.tui.boards.no_thanks.scene import Choice
from scoville_shared.games.no_thanks.state import PASS, TAKE


def test_declining_is_marked_at_first() -> None:
    assert Choice.between_moves([TAKE, PASS]).marked == PASS


def test_the_only_move_is_marked_at_once() -> None:
    assert Choice.between_moves([TAKE]).marked == TAKE


def test_arrows_mark_the_one_or_the_other() -> None:
    choice = Choice.between_moves([TAKE, PASS])
    assert choice.with_first().marked == TAKE
    assert choice.with_first().with_last().marked == PASS


def test_nothing_can_be_marked_while_others_decide() -> None:
    assert Choice.between_moves([]).with_first().marked is None
    assert Choice.between_moves([]).with_last().marked is None
