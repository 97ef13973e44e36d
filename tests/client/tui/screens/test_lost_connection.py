"""A lost connection during a game: the table stays visible with a sentence, until the connection is given up."""

from collections.abc import Callable

import pytest

from scoville_client.session.link import FIRST_SECONDS
from scoville_client.session.lobby import Lobby
from scoville_client.session.session import Session
from scoville_client.session.start_options import Start
from scoville_client.transport.base import LinkError
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import EnterRequest, TableInfo
from tests.support.proxy import Proxy
from tests.support.screens import at_the_screen
from tests.support.server import Caller

LOCAL = "127.0.0.1"


async def test_a_lost_connection_keeps_the_screen_and_continues() -> None:
    server = Server(Settings(host=LOCAL, port=0))
    await server.start()
    async with Proxy(server.port) as proxy, at_the_screen(Start(kind="join", host=LOCAL, port=proxy.port)) as player:
        await player.sees("There are no tables yet")
        await player.press("c", "enter", "enter")
        await player.until(lambda: player.where == "play")
        circle = player.text.splitlines()[:10]
        proxy.cut()
        await player.sees("is lost; reconnecting … (1)")
        await player.sees("Press Esc")
        await player.press("right")
        assert "is lost; reconnecting" in player.notices
        assert player.text.splitlines()[:5] == circle[:5]
        proxy.mend()
        player.clock.advance(FIRST_SECONDS)
        await player.until(lambda: player.app.session.connection.online)
        await player.until(lambda: "reconnecting" not in player.notices)
        assert player.where == "play"
        await player.press("enter")
        await player.until(lambda: player.app.session.table.played[0] == 1)
    await server.close()


def lose_connection(session: Session) -> None:
    session.connection.link.note_loss("cut")
    raise LinkError("The connection is lost.")


def be_busy(_: Session) -> None:
    raise ScovilleError(Code.BUSY, "Another node takes the table over.")


def find_nothing(_: Session) -> None:
    raise ScovilleError(Code.UNKNOWN_TABLE, "There is no such table.")


@pytest.mark.parametrize(
    ("fails", "where"), [(lose_connection, "waiting"), (be_busy, "waiting"), (find_nothing, "lobby")]
)
async def test_user_who_comes_by_a_code_gets_to_the_table(
    monkeypatch: pytest.MonkeyPatch, fails: Callable[[Session], None], where: str
) -> None:
    server = Server(Settings(host=LOCAL, port=0))
    await server.start()
    ben = await Caller(server).hello("Ben")
    table = await ben.create("no_thanks", 3)
    code = (await ben.call(EnterRequest(table=table))).info.code
    enter_table, tried = Lobby.enter_table, list[str]()

    async def fail_first(lobby: Lobby, *, code: str = "", table: str = "", password: str = "") -> TableInfo:
        tried.append(code)
        if len(tried) == 1:
            fails(player.app.session)
        return await enter_table(lobby, code=code, table=table, password=password)

    monkeypatch.setattr(Lobby, "enter_table", fail_first)
    async with at_the_screen(Start(kind="join", host=LOCAL, port=server.port, name="Anna", code=code)) as player:
        await player.until(lambda: len(tried) == 1)

        def has_arrived() -> bool:
            player.clock.advance(FIRST_SECONDS)
            return player.where == where

        await player.until(has_arrived)
        if where == "lobby":
            await player.sees("There is no such table.")
        assert tried == [code] * (2 if where == "waiting" else 1)
    await server.close()
