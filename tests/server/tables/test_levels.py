"""Levels of bots: the server lists them by game, and a table is created with one."""

import asyncio
from functools import reduce

from msgspec.structs import replace

from scoville_server.server import Server
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.start import OF_THE_TABLE, Start
from scoville_server.tables.bots import pause_ms
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.model.records import Played
from scoville_server.tables.model.table import Table, bot_level, describe_seat
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import CreateRequest, TableSettings, TableSettingsParams
from tests.server.tables.actors import Room
from tests.support.core import code_of, connect_user
from tests.support.tables import NOON, carry_out, join_as, new_table, refusal_of, start_table, user_of


def params(game: str, level: str) -> CreateRequest:
    return CreateRequest(game=game, seat_count=3, settings=TableSettingsParams(bot_level=level))


def test_the_levels_of_every_game_are_listed() -> None:
    assert all(info.levels[:4] == ["random", "easy", "casual", "sensible"] for info in GameCatalog().describe_games())


async def test_a_table_has_only_a_level_that_its_game_has(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    created = await anna.call(params("high_card", "random"))
    assert created.info.settings.bot_level == "random"
    assert await code_of(anna, params("high_card", "brilliant")) == "bad_params"


async def test_levels_of_single_seats_are_checked_too(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    for settings in (
        TableSettingsParams(bot_levels=[None, "brilliant"]),
        TableSettingsParams(absent_level="brilliant"),
    ):
        wanted = CreateRequest(game="high_card", seat_count=3, settings=settings)
        assert await code_of(anna, wanted) == "bad_params"


def mixed(strength: str) -> Table:
    """Anna plays with two bots of different levels, and is replaced by a third level."""
    settings = TableSettings(bot_level="easy", bot_levels=[None, "master"], absent_level="strong")
    return carry_out(
        new_table("no_thanks", 3, settings=settings), join_as("Anna"), Start(user=user_of("Anna"), strength=strength)
    )


def test_bots_have_levels_by_seat_and_by_absence() -> None:
    table = mixed(OF_THE_TABLE)
    assert [bot_level(table, Seat(seat)) for seat in range(3)] == ["strong", "master", "easy"]
    assert [describe_seat(table, Seat(seat)).level for seat in range(3)] == [None, "master", "easy"]
    left = carry_out(table, Leave(user=user_of("Anna")))
    assert describe_seat(left, Seat(0)).level == "strong"
    at_once = mixed("random")
    assert [bot_level(at_once, Seat(seat)) for seat in range(3)] == ["strong", "random", "random"]
    waiting = carry_out(new_table("no_thanks", 3), join_as("Anna"))
    assert refusal_of(waiting, Start(user=user_of("Anna"), strength="brilliant")) == "bad_params"


def played(seat: int, seconds: float, mover: str = "player") -> Played:
    return Played(at_ms=NOON + round(1000 * seconds), seat=Seat(seat), move={"action": "pass"}, mover=mover)  # type: ignore[arg-type]


def paced(pace_ms: int, *moves: Played) -> Table:
    """Three players and a bot, which moves at a pace."""
    table = new_table("no_thanks", 3, settings=TableSettings(bot_pace_ms=pace_ms))
    begun = carry_out(table, join_as("Anna"), Start(user=user_of("Anna"), strength="easy"))
    return replace(begun, moves=reduce(lambda history, move: history.with_item(move), moves, begun.moves))


def test_bots_move_at_the_tables_pace() -> None:
    bot = Seat(1)
    assert pause_ms(paced(0, played(0, 5)), bot, NOON + 5_000) == 0
    table = paced(800, played(2, 1, "bot"), played(0, 5))
    assert pause_ms(table, bot, NOON + 5_000) == 600
    assert pause_ms(table, Seat(2), NOON + 5_000) == 800
    assert pause_ms(table, bot, NOON + 5_500) == 100
    assert pause_ms(table, bot, NOON + 9_000) == 0
    assert pause_ms(table, bot, NOON) == 600, "a clock that was set back holds nobody up"
    hurried = paced(800, played(2, 1, "bot"), played(0, 1.25))
    assert pause_ms(hurried, bot, NOON + 1_250) == 250
    assert pause_ms(paced(800), Seat(2), NOON) == 800


async def test_a_bots_pace_follows_the_tables_clock(room: Room) -> None:
    settings = TableSettings(bot_pace_ms=800)
    actor, stopped = (room.actor(start_table("Anna", seats=2, settings=settings)) for _ in range(2))
    await asyncio.sleep(0)
    await room.watch.go_on(0.5)
    stopped.stop_accepting()
    assert [len(each.table.moves) for each in (actor, stopped)] == [0, 0]
    await room.watch.go_on(0.3)
    assert [[move.seat for move in each.table.moves] for each in (actor, stopped)] == [[Seat(1)], []]
