"""Logging in or out changes the user, and watches everything again."""

from collections.abc import Awaitable, Callable

import msgspec
import pytest

from scoville_client.session.session import Session
from scoville_shared.protocol.messages import (
    LobbySnapshot,
    LoginByKeyRequest,
    LoginReply,
    LoginRequest,
    LogoutRequest,
    WatchLobbyRequest,
    WatchRequest,
)
from tests.support.client import TABLE, ScriptedLink, make_snapshot


@pytest.mark.parametrize(
    ("kind", "ask"),
    [
        (LoginRequest, lambda session: session.account.log_in("Zoe", "seven habaneros")),
        (LoginByKeyRequest, lambda session: session.account.log_in_by_key("Zoe", "ssh-ed25519 AAAA", "AAAA")),
        (LogoutRequest, lambda session: session.account.log_out()),
    ],
    ids=["password", "key", "out"],
)
async def test_logging_in_keeps_the_table_and_lobby_in_sight(
    kind: type, ask: Callable[[Session], Awaitable[LoginReply]]
) -> None:
    session, link = Session(), ScriptedLink()
    link.answers |= {
        kind: LoginReply(name="Zoe", token="another"),
        WatchRequest: msgspec.structs.replace(make_snapshot(), seat=None),
        WatchLobbyRequest: LobbySnapshot(tables=[], users=[], online=1),
    }
    await session.connect(link)
    await session.lobby.watch_lobby()
    await session.watch_table(TABLE)
    before = len(link.asked)
    await session.connection.switch_user(ask(session))
    assert (session.name, session.connection.token) == ("Zoe", "another")
    asked = [type(kind) for kind in link.asked[before:]]
    assert asked[:3] == [kind, WatchRequest, WatchLobbyRequest]
