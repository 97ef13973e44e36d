"""Messages in the lobby, at tables and in whispers, and their recipients."""

import pytest
from msgspec.structs import replace

from scoville_server.server import Server
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    LeaveRequest,
    MuteRequest,
    ReactedNotice,
    ReactRequest,
    ReadChatRequest,
    SayRequest,
    WatchRequest,
)
from tests.server.chat.chatting import Minutes, heard, in_lobby, lines_of, reactions_of, read, set_table_settings
from tests.support.core import code_of, seat_users
from tests.support.journals import read_rows
from tests.support.server import core_of, until


@pytest.fixture(autouse=True)
def patient(server: Server) -> None:
    """Switch off the rate limits of chat."""
    core_of(server).chat.now = Minutes()


# --- the lobby -------------------------------------------------------------------------------------------


async def test_everybody_in_the_lobby_hears_what_is_said_there(server: Server) -> None:
    anna, ben = await in_lobby(server, "Anna"), await in_lobby(server, "Ben")
    said = (await anna.call(SayRequest(text="Anybody for a game?"))).message
    assert (said.number, said.channel, said.name, said.text, said.table, said.to) == (
        1,
        "lobby",
        "Anna",
        "Anybody for a game?",
        None,
        None,
    )
    assert lines_of(ben) == [said]
    assert lines_of(anna) == [], "the answer is theirs"


async def test_lines_are_numbered_and_the_latest_are_read_by_number(server: Server) -> None:
    anna, ben = await in_lobby(server, "Anna"), await in_lobby(server, "Ben")
    for user, text in ((anna, "one"), (ben, "two"), (anna, "three")):
        await user.call(SayRequest(text=text))
    assert await read(ben) == [(1, "one"), (2, "two"), (3, "three")]
    assert await read(ben, since=2) == [(3, "three")]
    assert await read(ben, since=3) == []
    assert await read(ben, since=99) == [(1, "one"), (2, "two"), (3, "three")]


async def test_a_line_keeps_the_name_under_which_it_was_said(server: Server) -> None:
    anna, ben = await in_lobby(server, "Anna"), await in_lobby(server, "Ben")
    await anna.call(SayRequest(text="It is me."))
    await in_lobby(server, "Anne", token=anna.welcome.token)
    (line,) = (await ben.call(ReadChatRequest())).messages
    assert line.name == "Anna"


async def test_nothing_to_read_is_nothing_to_say(server: Server) -> None:
    anna = await in_lobby(server, "Anna")
    with pytest.raises(ScovilleError, match="Nothing of 'text' can be shown") as refused:
        await anna.call(SayRequest(text="\u200b\x1b\u202e"))
    assert refused.value.code == Code.BAD_PARAMS


async def test_a_message_goes_to_one_channel(server: Server) -> None:
    table, (anna, _) = await seat_users(server, "Anna", "Ben")
    assert await code_of(anna, SayRequest(text="Hi", table=table, to="Ben")) == "bad_params"


# --- tables ----------------------------------------------------------------------------------------------


async def test_players_and_spectators_chat_at_a_table(server: Server) -> None:
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    zoe, max_ = await in_lobby(server, "Zoe"), await in_lobby(server, "Max")
    await zoe.call(WatchRequest(table=table))
    first = (await ben.call(SayRequest(text="Good luck", table=table))).message
    second = (await zoe.call(SayRequest(text="And to you", table=table))).message
    assert (first.number, first.channel, first.table, first.seat) == (1, "table", table, 1)
    assert (second.number, second.seat) == (2, None)
    assert heard(anna, ben, zoe, max_) == [["Good luck", "And to you"], ["And to you"], ["Good luck"], []]
    assert await read(max_, "table", table) == [(1, "Good luck"), (2, "And to you")]


async def test_the_lobby_does_not_disturb_a_table(server: Server) -> None:
    _, (anna, _) = await seat_users(server, "Anna", "Ben")
    zoe, max_ = await in_lobby(server, "Zoe"), await in_lobby(server, "Max")
    await zoe.call(SayRequest(text="Hello?"))
    assert heard(anna, max_) == [[], ["Hello?"]]
    assert await read(anna) == [(1, "Hello?")]


async def test_spectators_talk_only_where_the_table_lets_them(server: Server) -> None:
    table, (anna, _) = await seat_users(server, "Anna", "Ben")
    zoe = await in_lobby(server, "Zoe")
    set_table_settings(server, table, spectators_talk=False)
    assert await code_of(zoe, SayRequest(text="Take the 7!", table=table)) == "not_seated"
    assert await code_of(zoe, ReactRequest(table=table, reaction="hot!")) == "not_seated"
    await anna.call(SayRequest(text="Quiet here", table=table))
    assert await read(zoe, "table", table) == [(1, "Quiet here")]


async def test_non_spectators_cannot_read_the_chat(server: Server) -> None:
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    zoe = await in_lobby(server, "Zoe")
    set_table_settings(server, table, spectating="nobody")
    await anna.call(SayRequest(text="Alone at last", table=table))
    assert await code_of(zoe, ReadChatRequest(channel="table", table=table)) == "no_spectators"
    assert await code_of(zoe, SayRequest(text="No", table=table)) == "no_spectators"
    assert heard(ben) == [["Alone at last"]]


async def test_private_tables_are_invisible_to_strangers(server: Server) -> None:
    table, (_, ben) = await seat_users(server, "Anna", "Ben")
    zoe = await in_lobby(server, "Zoe")
    set_table_settings(server, table, private=True)
    for params in (SayRequest(text="Hi", table=table), ReactRequest(table=table, reaction="hello")):
        assert await code_of(zoe, params) == "unknown_table"
    assert await code_of(zoe, ReadChatRequest(channel="table", table=table)) == "unknown_table"
    assert await code_of(zoe, MuteRequest(table=table, name="Ben")) == "unknown_table"
    await ben.call(SayRequest(text="Ours", table=table))


async def test_a_kicked_user_neither_reads_nor_writes(server: Server) -> None:
    table, (anna, _) = await seat_users(server, "Anna", "Ben")
    zoe = await in_lobby(server, "Zoe")
    actor = core_of(server).tables.find_table(table)
    zoes = core_of(server).sessions.find_by_name("Zoe").id
    actor.watched.table = replace(actor.table, kicked={zoes: "Too loud."})
    for params in (SayRequest(text="But", table=table), ReactRequest(table=table, reaction="oops")):
        assert await code_of(zoe, params) == "kicked"
    assert await code_of(zoe, ReadChatRequest(channel="table", table=table)) == "kicked"
    await anna.call(SayRequest(text="Quiet now", table=table))


async def test_chat_of_a_table_goes_with_it(server: Server) -> None:
    table, users = await seat_users(server, "Anna", "Ben")
    anna, core = users[0], core_of(server)
    await anna.call(MuteRequest(table=table, name="Ben"))
    await anna.call(SayRequest(text="Bye", table=table))
    await anna.call(SayRequest(text="Still here"))
    for user in users:
        await user.call(LeaveRequest(table=table))
    await until(lambda: core.chat.channels.ids == ["lobby"])
    assert await code_of(anna, ReadChatRequest(channel="table", table=table)) == "unknown_table"
    assert [*await read_rows(core.journal, "chat")] == ["lobby/1"]
    assert await read_rows(core.journal, "mutes") == {}


# --- whispers --------------------------------------------------------------------------------------------


async def test_a_whisper_is_for_two(server: Server) -> None:
    anna, ben, zoe = [await in_lobby(server, name) for name in ("Anna", "Ben", "Zoe")]
    said = (await anna.call(SayRequest(text="Psst", to="ben"))).message
    await zoe.call(SayRequest(text="Ben?", to="Ben"))
    assert (said.number, said.channel, said.name, said.to) == (1, "whisper", "Anna", "Ben")
    assert heard(anna, ben, zoe) == [[], ["Psst", "Ben?"], []]
    assert await read(ben, "whisper") == [(1, "Psst"), (2, "Ben?")]
    assert await read(zoe, "whisper") == [(1, "Ben?")]
    assert await read(anna, "whisper", since=1) == []


async def test_a_whisper_waits_for_who_is_away(server: Server) -> None:
    anna, ben = await in_lobby(server, "Anna"), await in_lobby(server, "Ben")
    ben.hang_up()
    await anna.call(SayRequest(text="Call me", to="Ben"))
    ben = await in_lobby(server, token=ben.welcome.token)
    assert await read(ben, "whisper") == [(1, "Call me")]


async def test_nobody_whispers_to_nobody_or_to_themselves(server: Server) -> None:
    anna = await in_lobby(server, "Anna")
    assert await code_of(anna, SayRequest(text="Hm", to="Anna")) == "bad_params"
    assert await code_of(anna, SayRequest(text="Hm", to="Nobody")) == "unknown_user"


# --- reactions -------------------------------------------------------------------------------------------


async def test_a_reaction_is_seen_at_the_table_and_not_kept(server: Server) -> None:
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    zoe = await in_lobby(server, "Zoe")
    await anna.call(ReactRequest(table=table, reaction="well played"))
    shown = ReactedNotice(table=table, name="Anna", seat=0, reaction="well played")
    assert [reactions_of(user) for user in (anna, ben, zoe)] == [[shown], [shown], []]
    assert await read(anna, "table", table) == []
