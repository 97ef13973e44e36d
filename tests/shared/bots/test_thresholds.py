"""The thresholds that the rules teach are those of our bots."""

import re

import pytest

from tests.shared.bots.thresholds_page import LANGUAGES, TABLES, least_pot, numbers_in_sentences, read_page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", TABLES)
def test_sentences_name_the_numbers_of_our_bots(game: str, language: str) -> None:
    said = re.findall(r"\d+(?:[.,]\d)?", read_page(game, language)[2])
    point = "." if language == "en" else ","
    # In their order, between the numbers that say which case is meant.
    rest = iter(said)
    assert all(number.replace(".", point) in rest for number in numbers_in_sentences()[game])


def test_a_dearer_card_needs_more_chips_and_a_rival_hurries() -> None:
    pots = [int(least_pot(card, 6)) for card in (5, 10, 15, 20, 25, 30)]
    assert pots == sorted(set(pots))
    assert int(least_pot(20, 6, run=True, rival=True)) < int(least_pot(20, 6, run=True)) < int(least_pot(20, 6))
