"""The token of a visitor: shown to the server, replaced before it is used, and dropped where others overhear it."""

from typing import Any

import pytest

from scoville_client.doors.web.visitors import TokenLink
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    PROTOCOL,
    HelloReply,
    HelloRequest,
    LoginReply,
    LoginRequest,
    Params,
    PingReply,
    PingRequest,
    Reply,
)
from tests.support.client import make_welcome


class Server:
    """A link that answers, and refuses some tokens."""

    server_name, server_keys, local = "there", ("key",), True

    def __init__(self, refused: dict[str, Code]) -> None:
        self.refused = refused
        self.shown: list[str | None] = []

    async def open(self, listener: Any) -> None: ...

    async def close(self) -> None: ...

    async def call(self, params: Params) -> Reply:
        if isinstance(params, HelloRequest):
            self.shown.append(params.token)
            if params.token in self.refused:
                raise ScovilleError(self.refused[params.token], "refused")
            return make_welcome(token=f"after {params.token}")
        return LoginReply(name="Marie", token="of Marie") if isinstance(params, LoginRequest) else PingReply(payload="")


def link_to(server: Server, token: str = "", *, secure: bool = True) -> tuple[TokenLink, list[str]]:
    kept: list[str] = []
    return TokenLink(server, token, kept.append, secure=secure), kept


HELLO = HelloRequest(protocol=PROTOCOL)


async def test_a_stored_token_is_shown_once() -> None:
    server = Server({})
    link, kept = link_to(server, "stored")
    assert isinstance(await link.call(HELLO), HelloReply)
    await link.call(HelloRequest(protocol=PROTOCOL, token="newer"))
    assert server.shown == ["stored", "newer"]
    assert kept == ["after stored", "after newer"]


async def test_login_survives_a_reload() -> None:
    link, kept = link_to(Server({}))
    await link.call(LoginRequest(name="Marie", password="x"))
    await link.call(PingRequest())
    assert kept == ["of Marie"]


async def test_a_name_s_token_is_dropped_where_others_overhear() -> None:
    server = Server({"of Marie": Code.INSECURE})
    link, kept = link_to(server, "of Marie", secure=False)
    await link.call(HELLO)
    assert server.shown == ["of Marie", None]
    assert kept == ["after None"]


async def test_other_refusals_are_the_user_s() -> None:
    link, kept = link_to(Server({"stored": Code.BANNED}), "stored")
    with pytest.raises(ScovilleError):
        await link.call(HELLO)
    assert kept == []


def test_passwords_are_typed_where_nobody_overhears() -> None:
    server = Server({})
    assert (link_to(server)[0].local, link_to(server)[0].server_keys) == (True, ("key",))
    overheard, _ = link_to(server, secure=False)
    assert (overheard.local, overheard.server_keys) == (False, ())
