"""Ignored and muted users: by one user, at one table, everywhere."""

import pytest

from scoville_server.accounts.sessions import User
from scoville_server.server import Server
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import IgnoredRequest, IgnoreRequest, MuteRequest, ReactRequest, SayRequest
from tests.server.chat.chatting import Minutes, heard, in_lobby, reactions_of, read
from tests.support.core import code_of, seat_users
from tests.support.server import core_of


@pytest.fixture(autouse=True)
def patient(server: Server) -> None:
    """Switch off the rate limits of chat."""
    core_of(server).chat.now = Minutes()


async def test_ignored_users_are_not_heard_and_do_not_learn_it(server: Server) -> None:
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    await ben.call(IgnoreRequest(name="anna"))
    assert (await ben.call(IgnoredRequest())).names == ["Anna"]
    await anna.call(ReactRequest(table=table, reaction="hurry"))
    await anna.call(SayRequest(text="Play!", table=table))
    whispered = (await anna.call(SayRequest(text="Play!", to="Ben"))).message
    assert heard(ben) == [[]]
    assert reactions_of(ben) == []
    assert await read(ben, "table", table) == await read(ben, "whisper") == []
    assert whispered.to == "Ben"
    assert await read(anna, "whisper") == [(1, "Play!")]
    core = core_of(server)
    assert not core.chat.receives_from(
        ben_id := core.sessions.find_by_name("Ben").id, core.sessions.find_by_name("Anna").id
    )
    assert core.chat.receives_from(core.sessions.find_by_name("Anna").id, ben_id)


async def test_user_no_longer_ignored_is_read_again(server: Server) -> None:
    anna, ben = await in_lobby(server, "Anna"), await in_lobby(server, "Ben")
    await ben.call(IgnoreRequest(name="Anna"))
    await anna.call(SayRequest(text="Hm"))
    await ben.call(IgnoreRequest(name="ANNA", ignored=False))
    await anna.call(SayRequest(text="So"))
    assert heard(ben) == [["So"]]
    assert await read(ben) == [(1, "Hm"), (2, "So")]
    assert (await ben.call(IgnoredRequest())).names == []
    assert await code_of(ben, IgnoreRequest(name="Anna", ignored=False)) == "unknown_user"


async def test_a_new_name_helps_nobody_who_is_ignored(server: Server) -> None:
    anna, ben = await in_lobby(server, "Anna"), await in_lobby(server, "Ben")
    await ben.call(IgnoreRequest(name="Anna"))
    anna = await in_lobby(server, "Bella", token=anna.welcome.token)
    await anna.call(SayRequest(text="I am new here"))
    assert heard(ben) == [[]]
    assert (await ben.call(IgnoredRequest())).names == ["Bella"]


async def test_nobody_ignores_themselves_or_everybody(server: Server) -> None:
    anna = await in_lobby(server, "Anna")
    assert await code_of(anna, IgnoreRequest(name="Anna")) == "bad_params"
    assert await code_of(anna, IgnoreRequest(name="Nobody")) == "unknown_user"
    core_of(server).chat.ignores._limit = 1
    await in_lobby(server, "Ben")
    await in_lobby(server, "Zoe")
    await anna.call(IgnoreRequest(name="Ben"))
    await anna.call(IgnoreRequest(name="Ben"))
    assert await code_of(anna, IgnoreRequest(name="Zoe")) == "too_many"


async def test_a_host_mutes_at_one_table(server: Server) -> None:
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    zoe = await in_lobby(server, "Zoe")
    assert await code_of(ben, MuteRequest(table=table, name="Zoe")) == "not_host"
    assert await code_of(anna, MuteRequest(table=table, name="Nobody")) == "unknown_user"
    for name in ("Ben", "Zoe"):
        await anna.call(MuteRequest(table=table, name=name))
    for user in (ben, zoe):
        assert await code_of(user, SayRequest(text="But", table=table)) == "muted"
        assert await code_of(user, ReactRequest(table=table, reaction="oops")) == "muted"
        await user.call(SayRequest(text="Elsewhere"))
    await anna.call(MuteRequest(table=table, name="Ben", muted=False))
    await ben.call(SayRequest(text="Thanks", table=table))
    assert await read(anna, "table", table) == [(1, "Thanks")]


async def test_ban_from_chat_holds_everywhere(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")

    def find_ban(_scope: str, user: User) -> ScovilleError | None:
        return ScovilleError(Code.MUTED, "You may not chat here.") if user.name == "Anna" else None

    monkeypatch.setattr(core_of(server).permits, "find_ban", find_ban)
    for params in (SayRequest(text="x"), SayRequest(text="x", table=table), SayRequest(text="x", to="Ben")):
        assert await code_of(anna, params) == "muted"
    assert await code_of(anna, ReactRequest(table=table, reaction="hello")) == "muted"
    await ben.call(SayRequest(text="y", table=table))
