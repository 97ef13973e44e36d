"""The game registry: registered games, and games of other distributions."""

import pytest

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.games import registry


def test_the_three_games_are_listed_in_alphabetical_order():
    assert [
        slug for slug in registry.list_slugs() if registry.load_game(slug).__module__.startswith("scoville_shared.")
    ] == [
        "chilli_chase",
        "dicht_dran",
        "no_thanks",
    ]
    assert registry.list_slugs() == sorted(registry.list_slugs())


def test_a_game_is_one_object_however_often_it_is_loaded():
    assert registry.load_game("no_thanks") is registry.load_game("no_thanks")
    assert registry.load_game("no_thanks").info.title == "No Thanks!"


def test_an_unknown_game_is_answered_with_the_ones_there_are():
    with pytest.raises(ScovilleError) as refused:
        registry.load_game("chess")
    assert refused.value.code == Code.UNKNOWN_GAME
    known = ", ".join(registry.list_slugs())
    assert refused.value.message == f"There is no game called 'chess' here; there is {known}."
    assert refused.value.__context__ is None


def test_outside_games_name_themselves_in_this_group():
    assert registry.GROUP == "scoville.games"
