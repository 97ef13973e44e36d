"""The description of a game: one for practice and for a server, which adds where the game comes from."""

import pytest

from scoville_client.session.new_table.options import list_offered_games
from scoville_server.tables.catalog import GameCatalog
from scoville_shared.bots.registry import list_levels
from scoville_shared.game_info import describe_game
from scoville_shared.games.registry import list_slugs, load_game


@pytest.mark.parametrize("slug", list_slugs())
def test_a_description_has_default_options_and_levels(slug: str) -> None:
    game = load_game(slug)
    described = describe_game(game)
    assert described.slug == slug
    assert game.codec.decode_options(described.options) == game.codec.decode_options({})
    assert described.levels == [*list_levels(slug)]
    assert described.package is None


def test_a_server_describes_games_by_its_own_options() -> None:
    catalog = GameCatalog({"no_thanks": {"open_chips": True}})
    found = next(info for info in catalog.describe_games() if info.slug == "no_thanks")
    practised = next(info for info in list_offered_games() if info.slug == "no_thanks")
    assert found.options == {**practised.options, "open_chips": True}
    assert found.levels == practised.levels
    assert found.package == "scoville"
