"""Who logs in or out is somebody else, and looks again at everything that was looked at."""

from collections.abc import Awaitable, Callable

import msgspec
import pytest

from scoville_client.session.session import Session
from scoville_shared.protocol.messages import LobbySnapshot, LoggedIn, LogIn, LogInByKey, LogOut, WatchLobby, WatchTable
from tests.support.client import TABLE, ScriptedLink, snapshot


@pytest.mark.parametrize(
    ("wish", "ask"),
    [
        (LogIn, lambda session: session.account.log_in("Zoe", "seven habaneros")),
        (LogInByKey, lambda session: session.account.log_in_by_key("ssh-ed25519 AAAA", "AAAA")),
        (LogOut, lambda session: session.account.log_out()),
    ],
    ids=["password", "key", "out"],
)
async def test_who_logs_in_or_out_looks_at_the_same_table_and_lobby(
    wish: type, ask: Callable[[Session], Awaitable[LoggedIn]]
) -> None:
    session, link = Session(), ScriptedLink()
    link.answers |= {
        wish: LoggedIn(name="Zoe", token="another"),
        WatchTable: msgspec.structs.replace(snapshot(), seat=None),
        WatchLobby: LobbySnapshot(tables=[], people=[], here=1),
    }
    await session.connect(link)
    await session.lobby.watch()
    await session.watch(TABLE)
    before = len(link.asked)
    await session.switch_user(ask(session))
    assert (session.name, session.token) == ("Zoe", "another")
    asked = [type(params) for params in link.asked[before:]]
    assert asked[:3] == [wish, WatchTable, WatchLobby]
