"""The router: which handler answers which request."""

from scoville_server.accounts.connection import Handlers
from scoville_server.accounts.handlers import account, doors, hello, log_in
from scoville_server.chat import handlers as chat
from scoville_server.connection import ClientConnection
from scoville_server.lobby import handlers as lobby
from scoville_server.moderation import handlers as admin
from scoville_server.players import handlers as players
from scoville_server.tables.handlers import hosting, playing, tables

HANDLERS: Handlers[ClientConnection] = {
    **hello.HANDLERS,
    **log_in.HANDLERS,
    **account.HANDLERS,
    **doors.HANDLERS,
    **tables.HANDLERS,
    **hosting.HANDLERS,
    **lobby.HANDLERS,
    **playing.HANDLERS,
    **chat.HANDLERS,
    **players.HANDLERS,
    **admin.HANDLERS,
}
