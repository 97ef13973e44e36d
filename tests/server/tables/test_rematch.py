"""Rematches: the same players at one new table, however many request it."""

import asyncio

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.actions.restart import CatchUp
from scoville_shared.protocol.messages import (
    CreateRequest,
    EnterRequest,
    JoinRequest,
    LeaveRequest,
    MovesRequest,
    PauseRequest,
    PlayRequest,
    PollRequest,
    RematchOpened,
    RematchRequest,
    StartRequest,
    TableInfo,
    TableSettingsParams,
    WatchRequest,
)
from tests.server.conftest import Start
from tests.support.core import code_of, connect_user
from tests.support.server import Caller, core_of, toy_server, until


async def finished(server: Server, *names: str, **options: object) -> tuple[str, list[Caller]]:
    """Play a game to its end."""
    users = [await connect_user(server, name) for name in names]
    opened = await users[0].call(CreateRequest(game="heap", seat_count=3, **options))
    table = opened.info.table
    for user in users:
        await user.call(EnterRequest(code=opened.info.code, password=str(options.get("password", ""))))
        await user.call(JoinRequest(table=table))
    await users[0].call(StartRequest(table=table, bots="random"))
    while (shot := await users[0].call(PollRequest(table=table))).info.status == "playing":
        turn = shot.pending[0]
        if turn < len(users):
            moves = (await users[turn].call(MovesRequest(table=table))).moves
            await users[turn].call(PlayRequest(table=table, move=moves[0]))
        else:
            await users[0].call(PollRequest(table=table, since=shot.seq, wait_ms=1000))
    return table, users


def names(info: TableInfo) -> list[str | None]:
    return [seat.name for seat in info.seats]


async def test_a_rematch_keeps_seats_and_opens_the_bots(server: Server) -> None:
    old, (anna, ben) = await finished(
        server, "Anna", "Ben", settings=TableSettingsParams(start="ready", countdown_ms=0)
    )
    zoe = await connect_user(server, "Zoe")
    await zoe.call(WatchRequest(table=old))
    info = (await ben.call(RematchRequest(table=old))).info
    assert (names(info), info.host, info.status) == (["Anna", "Ben", None], 0, "waiting")
    assert (info.settings.start, info.creator) == ("ready", "Anna")
    event = zoe.peer.events[-1].event
    assert isinstance(event, RematchOpened)
    assert (event.rematch, event.by) == (info.table, "Ben")
    assert (await zoe.call(WatchRequest(table=info.table))).seat is None
    assert (await anna.call(JoinRequest(table=info.table, nonce_hash="01" * 32))).seat == 0


async def test_two_requests_lead_to_one_table(server: Server) -> None:
    old, (anna, ben) = await finished(server, "Anna", "Ben")
    one, other = await asyncio.gather(anna.call(RematchRequest(table=old)), ben.call(RematchRequest(table=old)))
    third = await anna.call(RematchRequest(table=old))
    assert one.info.table == other.info.table == third.info.table != old
    assert server.table_count == 2
    assert core_of(server).rematches._under_way == {}


async def test_leaver_is_not_reseated_but_may_join(server: Server) -> None:
    old, (anna, ben) = await finished(server, "Anna", "Ben", password="hot", settings=TableSettingsParams(private=True))
    await ben.call(LeaveRequest(table=old))
    info = (await anna.call(RematchRequest(table=old))).info
    assert names(info) == ["Anna", None, None]
    assert (info.settings.private, info.locked) == (True, True)
    assert (await ben.call(JoinRequest(table=info.table))).seat == 1
    zoe = await connect_user(server, "Zoe")
    assert await code_of(zoe, JoinRequest(table=info.table)) == "unknown_table"
    assert await code_of(zoe, EnterRequest(code=info.code)) == "wrong_password"


async def test_only_former_players_rematch_after_the_end(server: Server) -> None:
    old, (anna,) = await finished(server, "Anna")
    zoe = await connect_user(server, "Zoe")
    assert await code_of(zoe, RematchRequest(table=old)) == "not_seated"
    running = await anna.create()
    await anna.call(JoinRequest(table=running))
    assert await code_of(anna, RematchRequest(table=running)) == "not_finished"
    assert server.table_count == 2


async def test_a_full_server_refuses_a_rematch_until_there_is_room() -> None:
    server = toy_server(Settings(tables=2))
    old, (anna,) = await finished(server, "Anna")
    other = await anna.create()
    await anna.call(JoinRequest(table=other))
    assert await code_of(anna, RematchRequest(table=old)) == "too_many"
    core_of(server).registry.remove_table(core_of(server).tables.find_table(other))
    assert names((await anna.call(RematchRequest(table=old))).info) == ["Anna", None, None]
    await server.close()


async def test_a_crash_during_a_rematch_names_the_new_table(start: Start) -> None:
    server = await start()
    old, (anna,) = await finished(server, "Anna")
    core = core_of(server)
    user = core.sessions.find_user(core.tables.find_table(old).table.seats[0].user)
    halfway = await core.rematches._open_table(core.tables.find_table(old), user, core.sessions.source_of(user), None)
    await core.background.finish_tasks()
    again = await start(server)
    back = await connect_user(again, token=anna.welcome.token)
    assert (
        await code_of(back, PauseRequest(table=old)) == "game_over"
    )  # answered after all that the table was asked before
    assert (await back.call(PollRequest(table=old))).events[-1].rematch == halfway.table.id
    assert (await back.call(RematchRequest(table=old))).info.table == halfway.table.id


async def test_leaving_a_kept_seat_frees_it(server: Server) -> None:
    old, (anna, ben) = await finished(server, "Anna", "Ben")
    info = (await anna.call(RematchRequest(table=old))).info
    await ben.call(LeaveRequest(table=old))
    await until(lambda: core_of(server).tables.find_table(info.table).table.names == ["Anna", "", ""])


async def test_arrived_players_may_leave_the_old_table(server: Server) -> None:
    old, (anna, ben) = await finished(server, "Anna", "Ben")
    info = (await anna.call(RematchRequest(table=old))).info
    await ben.call(JoinRequest(table=info.table, nonce_hash="aa" * 32))
    await ben.call(LeaveRequest(table=old))
    assert (await anna.call(PollRequest(table=info.table))).info.seats[1].name == "Ben"


async def test_bots_play_for_missing_rematch_players(server: Server) -> None:
    old, (anna, ben) = await finished(server, "Anna", "Ben")
    info = (await anna.call(RematchRequest(table=old))).info
    await anna.call(StartRequest(table=info.table, bots="random"))
    await ben.call(LeaveRequest(table=old))
    await until(lambda: core_of(server).tables.find_table(info.table).table.human_seats == {0})


async def test_a_player_who_moves_has_come_to_the_rematch(server: Server) -> None:
    old, users = await finished(server, "Anna", "Ben")
    info = (await users[0].call(RematchRequest(table=old))).info
    await users[0].call(StartRequest(table=info.table, bots="random"))
    actor = core_of(server).tables.find_table(info.table)
    while not any(move.seat == 1 for move in actor.table.moves):
        await until(lambda: {0, 1} & {*actor.table.pending})
        for seat in {0, 1} & {*actor.table.pending}:
            # Ben plays without a request that shows him the table.
            await users[seat].call(PlayRequest(table=info.table, move=actor.watched.list_legal_moves(seat)[0]))
    await users[1].call(LeaveRequest(table=old))
    await actor.carry_out(CatchUp())
    assert actor.table.human_seats == {0, 1}


async def test_the_host_of_a_rematch_names_other_bots(server: Server) -> None:
    old, (anna, ben) = await finished(server, "Anna", "Ben")
    assert await code_of(ben, RematchRequest(table=old, bot_levels=[None, None, "random"])) == "not_host"
    assert await code_of(anna, RematchRequest(table=old, bot_levels=["brilliant"])) == "bad_params"
    info = (await anna.call(RematchRequest(table=old, bot_levels=[None, None, "random"]))).info
    assert [info.settings.level_of_seat(seat) for seat in range(3)] == ["sensible", "sensible", "random"]
    assert server.table_count == 2


async def test_follower_to_a_rematch_changes_no_bots(server: Server) -> None:
    old, (anna, ben) = await finished(server, "Anna", "Ben")
    first = (await ben.call(RematchRequest(table=old))).info
    second = (await anna.call(RematchRequest(table=old, bot_levels=["random"] * 3))).info
    assert (second.table, second.settings) == (first.table, first.settings)
