"""Users who chat at a server with toy games, and the messages that they receive."""

from typing import Any

from msgspec.structs import replace

from scoville_server.server import Server
from scoville_shared.protocol.messages import (
    MessageInfo,
    ReactedNotice,
    ReadChatRequest,
    SaidNotice,
    TableSettings,
    WatchLobbyRequest,
)
from tests.support.core import connect_user
from tests.support.server import Caller, core_of


class Minutes:
    """A clock that advances a minute with each reading, so that no chat rate is exceeded."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        self.seconds += 60
        return self.seconds


async def in_lobby(server: Server, name: str = "", token: str = "") -> Caller:
    """A user who watches the lobby."""
    user = await connect_user(server, name, token)
    await user.call(WatchLobbyRequest())
    return user


def heard(*users: Caller) -> list[list[str]]:
    """The texts that each of several users has received."""
    return [[line.text for line in lines_of(user)] for user in users]


def lines_of(user: Caller) -> list[MessageInfo]:
    return [notice.message for notice in user.peer.heard if isinstance(notice, SaidNotice)]


def reactions_of(user: Caller) -> list[ReactedNotice]:
    return [notice for notice in user.peer.heard if isinstance(notice, ReactedNotice)]


async def read(user: Caller, channel: Any = "lobby", table: str = "", since: int = 0) -> list[tuple[int, str]]:
    history = await user.call(ReadChatRequest(channel=channel, table=table, since=since))
    return [(line.number, line.text) for line in history.messages]


def set_table_settings(server: Server, table: str, **settings: Any) -> None:
    """Let a table have been opened with other manners."""
    actor = core_of(server).tables.find_table(table)
    opened = replace(actor.table.opened, settings=TableSettings(**settings))
    actor.watched.table = replace(actor.table, opened=opened)
