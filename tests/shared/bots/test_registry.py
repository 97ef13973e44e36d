"""Levels of bots: what a game offers, and what a name means."""

import pytest

from scoville_shared.bots.base import RandomBot
from scoville_shared.bots.registry import LEVELS, best_level, find_bot, find_level, list_levels, usual_level
from scoville_shared.games.registry import list_slugs


@pytest.mark.parametrize("slug", list_slugs())
def test_levels_are_listed_from_the_weakest_to_the_strongest(slug: str) -> None:
    assert list_levels(slug)[:4] == ("random", "easy", "casual", "sensible")
    assert sorted(list_levels(slug), key=LEVELS.index) == list(list_levels(slug))


@pytest.mark.parametrize("slug", list_slugs())
def test_every_level_has_its_own_described_bot(slug: str) -> None:
    bots = [find_bot(slug, level) for level in list_levels(slug)]
    assert len({*bots}) == len({bot.description.text for bot in bots}) == len(bots)


def test_the_former_name_of_a_level_still_means_it() -> None:
    assert find_level("no_thanks", "greedy") == "sensible"
    assert find_bot("no_thanks", "greedy") is find_bot("no_thanks", "sensible")


def test_unknown_levels_are_played_by_the_usual_bot() -> None:
    assert find_level("no_thanks", "grandmaster") is None
    assert best_level("no_thanks", "grandmaster") == "sensible"


def test_games_without_bots_are_played_at_random() -> None:
    assert list_levels("high_card") == ("random",)
    assert (
        find_level("high_card", "sensible") == usual_level("high_card") == best_level("high_card", "master") == "random"
    )
    assert find_level("high_card", "easy") is None
    assert find_bot("high_card", "sensible") is RandomBot
