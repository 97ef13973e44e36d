"""Choosing a card: arrows stop at the ends, digits find a card, ambiguous beginnings wait."""

import pytest

from scoville_client.tui.boards.dicht_dran.scene import Picker

HAND = (6, 12, 40, 63, 66, 96)


def typed(digits: str, hand: tuple[int, ...] = HAND) -> Picker:
    picker = Picker(hand, hand[0])
    for digit in digits:
        picker = picker.with_digit(digit)
    return picker


@pytest.mark.parametrize(
    ("digits", "selected", "shown"),
    [
        ("63", 63, "63"),
        ("6", 6, "6"),
        ("66", 66, "66"),
        ("9", 96, "9"),
        ("5", 6, ""),
        ("64", 40, "4"),
        ("6340", 40, "40"),
        ("65", 6, ""),
    ],
)
def test_digits_select_the_first_fitting_card(digits: str, selected: int, shown: str) -> None:
    picker = typed(digits)
    assert (picker.selected, picker.typed) == (selected, shown)


def test_backspace_goes_back_to_the_shorter_number() -> None:
    picker = typed("63").without_digit()
    assert (picker.selected, picker.typed) == (6, "6")


def test_clearing_keeps_the_selection() -> None:
    picker = typed("63").without_digits()
    assert (picker.selected, picker.typed) == (63, "")


def test_arrows_go_through_the_hand_and_stop_at_its_ends() -> None:
    picker = Picker(HAND, 12)
    assert picker.moved_by(1).selected == 40
    assert picker.moved_by(-5).selected == 6
    assert picker.moved_by(99).selected == 96


def test_an_arrow_forgets_what_was_typed() -> None:
    assert typed("6").moved_by(1).typed == ""


def test_a_new_hand_keeps_the_selected_card() -> None:
    assert Picker(HAND, 40).with_hand((40, 50), 50).selected == 40
    assert Picker(HAND, 6).with_hand((40, 50), 50).selected == 50
    assert Picker(HAND, 6).with_hand((), None).selected is None


def test_nothing_moves_in_an_empty_hand() -> None:
    empty = Picker()
    assert empty.moved_by(1) == empty
    assert empty.with_digit("6") == empty
