"""The pepper table: the default one, and one from a host's file."""

import pytest

from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.cards import BUILT_IN, PepperTableError, peppers_by_card, read_peppers
from scoville_shared.games.dicht_dran.facts import Drew, TargetWon
from tests.shared.games.dicht_dran.tables import choose, fact, lay_out


def test_the_built_in_table_follows_its_rule():
    assert tuple(1 + (card + 1) % 3 for card in range(1, 101)) == BUILT_IN


def test_it_has_33_ones_33_twos_and_34_threes():
    assert [BUILT_IN.count(peppers) for peppers in (1, 2, 3)] == [33, 33, 34]


def test_the_63_bears_two_peppers_as_the_rulebook_says():
    assert peppers_by_card(None)[63] == 2


def test_a_file_is_read_in_any_layout_with_comments():
    text = "# mine\n" + "1 2 3 1 2  # five\n" * 20
    assert read_peppers(text) == (1, 2, 3, 1, 2) * 20


@pytest.mark.parametrize(
    ("text", "says"),
    [("1 2 4", "line 1: a card has 1, 2 or 3 peppers, not '4'"), ("1\n" * 99, "99 cards"), ("", "0 cards")],
)
def test_a_faulty_file_is_named_with_its_fault(text, says):
    with pytest.raises(PepperTableError, match=says):
        read_peppers(text)


def test_peppers_by_option_change_wins_and_draws():
    ones = [1] * 100
    ones[66] = 2
    step = choose(lay_out([(66, 2), (63, 5)], peppers=tuple(ones)), 66, 63)
    assert fact(step, TargetWon).peppers == 2
    assert fact(step, Drew).count == 1


def test_a_hosts_table_of_another_length_is_no_option():
    with pytest.raises(ValueError, match="peppers cannot be that"):
        GAME.codec.decode_options({"peppers": [1, 2, 3]})
