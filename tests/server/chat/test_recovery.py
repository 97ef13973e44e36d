"""Messages, numbers, ignores and mutes survive a crash."""

from pathlib import Path

from scoville_server.server import Server
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import (
    IgnoredRequest,
    IgnoreRequest,
    LeaveRequest,
    MessageInfo,
    MuteRequest,
    ReadChatRequest,
    SayRequest,
)
from tests.server.conftest import Start
from tests.support.core import code_of, connect_user, seat_users
from tests.support.process import ServerProcess
from tests.support.rpc import RpcClient
from tests.support.server import Caller, core_of


async def back(server: Server, user: Caller) -> Caller:
    assert user.welcome is not None
    return await connect_user(server, token=user.welcome.token)


async def read(user: Caller, table: str) -> list[list[MessageInfo]]:
    """All messages that a user may read: the lobby, a table, whispers."""
    requests = (ReadChatRequest(), ReadChatRequest(channel="table", table=table), ReadChatRequest(channel="whisper"))
    return [(await user.call(params)).messages for params in requests]


async def test_every_line_is_there_again_and_the_numbers_go_on(start: Start) -> None:
    server = await start()
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    for params in (
        SayRequest(text="Hello lobby"),
        SayRequest(text="Hello table", table=table),
        SayRequest(text="Hello you", to="Ben"),
    ):
        await anna.call(params)
    before = [await read(user, table) for user in (anna, ben)]
    again = await start(server)
    anna, ben = await back(again, anna), await back(again, ben)
    assert [await read(user, table) for user in (anna, ben)] == before
    assert [len(lines) for lines in before[1]] == [1, 1, 1]
    for params in (
        SayRequest(text="And on"),
        SayRequest(text="And on", table=table),
        SayRequest(text="And on", to="Anna"),
    ):
        assert (await ben.call(params)).message.number == 2


async def test_ignored_and_muted_users_stay_so(start: Start) -> None:
    server = await start()
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    zoe = await connect_user(server, "Zoe")
    await ben.call(IgnoreRequest(name="Zoe"))
    await anna.call(MuteRequest(table=table, name="Ben"))
    again = await start(server)
    anna, ben, zoe = [await back(again, user) for user in (anna, ben, zoe)]
    assert (await ben.call(IgnoredRequest())).names == ["Zoe"]
    await zoe.call(SayRequest(text="Ben?", to="Ben"))
    assert ben.peer.heard == []
    assert await code_of(ben, SayRequest(text="But", table=table)) == "muted"
    await anna.call(MuteRequest(table=table, name="Ben", muted=False))
    await ben.call(SayRequest(text="Thanks", table=table))


async def test_chat_with_a_forgotten_user_is_forgotten(start: Start) -> None:
    server = await start(guests=3)
    _, (anna, ben) = await seat_users(server, "Anna", "Ben")
    zoe = await connect_user(server, "Zoe")
    await zoe.call(IgnoreRequest(name="Ben"))
    await anna.call(SayRequest(text="Psst", to="Zoe"))
    zoe.hang_up()
    await connect_user(server, "Max")
    await core_of(server).background.finish_tasks()
    chat = core_of(server).chat
    assert [channel.partition("/")[0] for channel in chat.channels.ids] == ["whisper"]
    assert len(chat.ignores.book) == 0
    assert [line.text for line in (await anna.call(ReadChatRequest(channel="whisper"))).messages] == ["Psst"]
    assert (await ben.call(ReadChatRequest(channel="whisper"))).messages == []


async def test_chat_of_a_lost_table_is_dropped_at_start(start: Start) -> None:
    server = await start()
    table, (anna, _) = await seat_users(server, "Anna", "Ben")
    await anna.call(SayRequest(text="Bye", table=table))
    await anna.call(MuteRequest(table=table, name="Ben"))
    journal = core_of(server).journal
    _, mark = await journal.read(TableId(table))
    await journal.delete_records(TableId(table), mark)
    again = await start(server)
    await core_of(again).background.finish_tasks()
    third = await start(again)
    for server in (again, third):
        chat = core_of(server).chat
        assert (chat.channels.ids, chat.mutes.tables, len(chat.mutes.book)) == ([], [], 0)


async def test_leaving_drops_the_lines_of_the_table_for_good(start: Start) -> None:
    server = await start()
    table, (anna,) = await seat_users(server, "Anna")
    await anna.call(SayRequest(text="Alone", table=table))
    await anna.call(LeaveRequest(table=table))
    await core_of(server).background.finish_tasks()
    again = await start(server)
    assert core_of(again).chat.channels.ids == []


async def test_a_line_that_was_answered_survives_sigkill(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    await server.start()
    async with RpcClient(server.port) as ben:
        await ben.hello("Ben")
        async with RpcClient(server.port) as anna:
            await anna.hello("Anna")
            line = (await anna.call("chat.say", text="Remember me"))["message"]
            whisper = (await anna.call("chat.say", text="And this", to="Ben"))["message"]
            await server.kill()
    await server.start()
    async with RpcClient(server.port) as again:
        await again.hello(token=anna.token)
        assert (await again.call("chat.read"))["messages"] == [line]
        assert (await again.call("chat.read", channel="whisper"))["messages"] == [whisper]
        assert (await again.call("chat.say", text="Still here"))["message"]["number"] == 2
    assert await server.stop() == ""
