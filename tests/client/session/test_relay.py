"""A fake server that passes everything on to a real one: it gets neither a log-in by key nor a token."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.session.identity.tokens import StoredIdentity, by_keys, take_slot
from scoville_client.session.session import Session
from scoville_client.transport.address import Address
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.tls import TlsLink
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import ChallengeRequest, ClaimNameRequest, HelloReply, LoginByKeyRequest, Params
from tests.support.accounts import connect_guest, ed25519_keys, sign_request
from tests.support.server import Caller

LOCAL = "127.0.0.1"
KEYS = ed25519_keys()


@asynccontextmanager
async def serving() -> AsyncIterator[Server]:
    server = Server(Settings(host=LOCAL, port=0))
    await server.start()
    try:
        yield server
    finally:
        await server.close()


class Relay:
    """Relays requests of a hostile server's clients to a real server, and lies about its own key."""

    def __init__(self, real: Server, accomplice: Caller) -> None:
        self.tokens: list[str | None] = []
        self.logged_in: list[str] = []
        self._real_key = real.key.public.hex()
        self._accomplice = accomplice

    def install(self, evil: Server, patch: pytest.MonkeyPatch) -> None:
        accept = evil.accept_connection

        def accept_and_relay(peer: Any) -> Any:
            connection = accept(peer)
            handle = connection.handle_request

            def relay(params: Any) -> Any:
                if isinstance(params, ChallengeRequest | LoginByKeyRequest):
                    return self._pass_on(params)
                reply = handle(params)
                if isinstance(reply, HelloReply):
                    self.tokens.append(params.token)
                    return replace(reply, server_key=self._real_key)
                return reply

            patch.setattr(connection, "handle_request", relay)
            return connection

        patch.setattr(evil, "accept_connection", accept_and_relay)

    async def _pass_on(self, params: Params) -> Any:
        reply = await self._accomplice.call(params)
        if isinstance(params, LoginByKeyRequest):
            self.logged_in.append(params.name)
        return reply


async def log_in(port: int, folder: Path) -> None:
    """Log in by key as our client does, at whatever server listens there."""
    session = Session()
    stored = StoredIdentity(
        session.connection,
        "",
        lambda keys: take_slot(by_keys(keys), "", {"XDG_STATE_HOME": str(folder)}),
        lambda _: None,
    )
    try:
        await session.connect(TlsLink(Address(LOCAL, port), KnownServers(folder / "servers")))
        text = await session.account.text_to_sign("log-in", "Anna")
        await session.connection.switch_user(session.account.log_in_by_key("Anna", KEYS.line, KEYS.sign(text)))
        assert session.name == "Anna"
    finally:
        await session.close()
        stored.release_slot()


async def test_a_relayed_log_in_fails_and_the_real_one_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with AsyncExitStack() as stack:
        real, evil = [await stack.enter_async_context(serving()) for _ in range(2)]
        owner = await connect_guest(real, "Anna")
        await owner.call(await sign_request(owner, KEYS, ClaimNameRequest))
        relay = Relay(real, await connect_guest(real))
        relay.install(evil, monkeypatch)
        await log_in(real.port, tmp_path)
        with pytest.raises(ScovilleError) as refused:
            await log_in(evil.port, tmp_path)
        assert refused.value.code == "bad_key"
        assert relay.logged_in == []
        assert relay.tokens == [None], "the token of the real server is not shown to the evil one"
