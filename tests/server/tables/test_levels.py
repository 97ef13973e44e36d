"""Levels of bots: the server lists them by game, and a table is created with one."""

from scoville_server.server import Server
from scoville_server.tables.catalog import GameCatalog
from scoville_shared.protocol.messages import CreateRequest, TableSettingsParams
from tests.support.core import code_of, connect_user


def params(game: str, level: str) -> CreateRequest:
    return CreateRequest(game=game, seat_count=3, settings=TableSettingsParams(bot_level=level))


def test_the_levels_of_every_game_are_listed() -> None:
    assert all(info.levels[:3] == ["random", "easy", "sensible"] for info in GameCatalog().infos())


async def test_a_table_has_only_a_level_that_its_game_has(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    created = await anna.call(params("high_card", "random"))
    assert created.info.settings.bot_level == "random"
    assert await code_of(anna, params("high_card", "brilliant")) == "bad_params"
