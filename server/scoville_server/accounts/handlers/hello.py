"""Handlers of greeting and server information."""

from typing import Protocol

from scoville_server.accounts.channel import proofs_on
from scoville_server.accounts.connection import Connection, Handlers
from scoville_server.accounts.doors.client_settings import ClientSettings
from scoville_server.accounts.sessions import Greeted, User
from scoville_server.identity.key import ServerKey
from scoville_server.net.service import Peer
from scoville_shared import __version__
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.versions import version_error


class _Core(Protocol):
    server_key: ServerKey
    features: list[str]
    limits: m.ServerLimits
    client_settings: ClientSettings

    def games(self) -> list[m.GameInfo]: ...

    def welcome(self, hello: m.HelloRequest, peer: Peer) -> Greeted: ...


class _Connection(Connection, Protocol):
    known: User | None
    fresh_until: float

    @property
    def core(self) -> _Core: ...


def _hello(connection: _Connection, p: m.HelloRequest) -> m.HelloReply:
    error = version_error(p.protocol)
    if error is not None:
        raise error
    if connection.known is not None:
        raise ScovilleError(Code.BAD_PARAMS, "This connection has already sent hello.")
    greeted = connection.core.welcome(p, connection.peer)
    user = connection.known = greeted.user
    connection.fresh_until = greeted.fresh_until
    hosted = connection.peer.door is not None
    return m.HelloReply(
        protocol=m.PROTOCOL,
        server=f"scoville-server {__version__}",
        server_key=connection.core.server_key.public.hex(),
        name=user.name,
        token=greeted.token,
        games=connection.core.games(),
        features=connection.core.features,
        limits=connection.core.limits,
        claimed=user.claimed,
        proofs=proofs_on(connection.peer),
        name_claimed=greeted.name_claimed,
        name_refused=greeted.name_refused,
        resumed=greeted.resumed,
        token_reused=greeted.token_reused,
        resume_code=greeted.resume_code,
        client_settings=connection.core.client_settings.of(user.id) if hosted else None,
    )


def _ping(_: _Connection, p: m.PingRequest) -> m.PingReply:
    return m.PingReply(payload=p.payload)


HANDLERS: Handlers[_Connection] = {m.HelloRequest: _hello, m.PingRequest: _ping}
