"""Who answers which request: the rooms' handlers, put together."""

from scoville_server.app.guest import Handlers
from scoville_server.app.requests import accounts, chat, people, playing, tables

HANDLERS: Handlers = {
    **people.HANDLERS,
    **accounts.HANDLERS,
    **tables.HANDLERS,
    **playing.HANDLERS,
    **chat.HANDLERS,
}
