"""Handlers of greeting and server information."""

from scoville_server.connection import ClientConnection, Handlers
from scoville_shared import __version__
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m


def _hello(connection: ClientConnection, p: m.Hello) -> m.Welcome:
    _check_protocol(p.protocol)
    if connection.known is not None:
        raise ScovilleError(Code.BAD_PARAMS, "This connection has said hello already.")
    person, token, name_claimed = connection.core.welcome(p, connection.peer)
    connection.known = person
    return m.Welcome(
        protocol=m.PROTOCOL,
        server=f"scoville-server {__version__}",
        name=person.name,
        token=token,
        games=connection.core.catalog.infos(),
        claimed=person.claimed,
        name_claimed=name_claimed,
    )


def _ping(_: ClientConnection, p: m.Ping) -> m.Pong:
    return m.Pong(payload=p.payload)


def _check_protocol(spoken: int) -> None:
    data = {"client": spoken, "server": m.PROTOCOL, "server_version": __version__}
    if spoken < m.PROTOCOL:
        sentence = f"Your client is too old for this server; install scoville {__version__} or newer."
        raise ScovilleError(Code.UPGRADE_CLIENT, sentence, data)
    if spoken > m.PROTOCOL:
        sentence = f"This server is too old for your client: it is scoville {__version__}; ask its host to upgrade it."
        raise ScovilleError(Code.UPGRADE_SERVER, sentence, data)


HANDLERS: Handlers = {m.Hello: _hello, m.Ping: _ping}
