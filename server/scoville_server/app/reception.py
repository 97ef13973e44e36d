"""Who answers which request: the rooms' handlers, put together."""

from scoville_server.app.guest import Handlers
from scoville_server.app.requests import accounts, admin, chat, hosting, lobby, people, players, playing, tables

HANDLERS: Handlers = {
    **people.HANDLERS,
    **accounts.HANDLERS,
    **tables.HANDLERS,
    **hosting.HANDLERS,
    **lobby.HANDLERS,
    **playing.HANDLERS,
    **chat.HANDLERS,
    **players.HANDLERS,
    **admin.HANDLERS,
}
