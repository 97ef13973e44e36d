"""Every registered game in every size, and random positions of it, as strategies of hypothesis."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoville_laws import tables
from scoville_laws.law import Law, Luck, list_sizes
from scoville_laws.laws import EVERY_LAW
from scoville_laws.tables import NAMES as NAMES
from scoville_laws.tables import Deal as Deal
from scoville_laws.tables import Moment as Moment
from scoville_laws.tables import Position as Position
from scoville_laws.tables import pick_some
from scoville_laws.tables import walk_table as walk_table
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.games.registry import list_slugs, load_game

TABLES = [
    pytest.param(load_game(slug), seats, id=f"{slug}-{seats}")
    for slug in list_slugs()
    for seats in list_sizes(load_game(slug))
]
every_table = pytest.mark.parametrize(("game", "seats"), TABLES)

some = pick_some

LAW_SHARE = 4
"""A law holds at every table of every game, so each table gets this part of the examples that a property gets."""

_LUCK = st.integers(0, 2**64 - 1).map(Random)


def law(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test with random data at every table of every game."""
    examples = settings(max_examples=max(1, settings.default.max_examples // LAW_SHARE))
    return every_table(examples(given(data=st.data())(test)))


def laws_of(group: str) -> Callable[..., None]:
    """Return a test that tries the laws of a group at every table of every game."""
    laws = [pytest.param(each, id=each.name) for each in EVERY_LAW if each.group == group]
    examples = settings(max_examples=max(1, settings.default.max_examples // LAW_SHARE))

    @pytest.mark.parametrize("law", laws)
    @every_table
    @examples
    @given(seed=st.integers(0, 2**64 - 1))
    def test_law(law: Law, game: AnyGame, seats: int, seed: int) -> None:
        law.try_at(game, seats, Luck(seed))

    return test_law


def draw_dice() -> st.SearchStrategy[Dice]:
    """Draw a key."""
    return st.binary(min_size=SEED_BYTES, max_size=SEED_BYTES).map(Dice)


def draw_deals(game: AnyGame, seats: int) -> st.SearchStrategy[Deal]:
    """Draw options and a key."""
    return _LUCK.map(lambda luck: tables.draw_deal(game, seats, luck))


def draw_positions(game: AnyGame, seats: int) -> st.SearchStrategy[Position]:
    """Draw a position of a random game, from the set-up to the end."""
    return _LUCK.map(lambda luck: tables.draw_position(game, seats, luck))


def draw_finished_games(game: AnyGame, seats: int) -> st.SearchStrategy[Position]:
    """Draw a random game that is played to its end."""
    return _LUCK.map(lambda luck: tables.draw_finished(game, seats, luck))
