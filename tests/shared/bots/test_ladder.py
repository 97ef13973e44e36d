"""The ladder of levels: in every game each level beats the one below, with a margin that chance does not explain."""

import pytest

from tests.shared.bots.bot_games import count_wins

RUNGS = [
    ("no_thanks", "easy", "random", 40),
    ("no_thanks", "casual", "easy", 60),
    ("no_thanks", "sensible", "casual", 60),
    ("dicht_dran", "easy", "random", 40),
    ("dicht_dran", "casual", "easy", 60),
    ("dicht_dran", "sensible", "casual", 60),
    ("chilli_chase", "easy", "random", 40),
    ("chilli_chase", "sensible", "easy", 100),
]
OPTIONS = {"dicht_dran": {"cycles": 1}, "chilli_chase": {"points": 3}}


@pytest.mark.parametrize(("slug", "level", "below", "games"), RUNGS)
def test_each_level_beats_three_of_the_level_below(slug: str, level: str, below: str, games: int) -> None:
    assert count_wins(slug, level, below, 4, games, **OPTIONS.get(slug, {})) > games / 4 * 1.2


@pytest.mark.parametrize(
    ("slug", "seats"), [("no_thanks", 3), ("no_thanks", 7), ("dicht_dran", 2), ("chilli_chase", 6)]
)
def test_sensible_bots_beat_random_ones_at_every_size_of_table(slug: str, seats: int) -> None:
    assert count_wins(slug, "sensible", "random", seats, 20, **OPTIONS.get(slug, {})) > 20 / seats * 1.4
