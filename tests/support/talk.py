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
from tests.support.core import someone
from tests.support.server import Caller, core_of


class Watch:
    """A clock that a test advances."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Minutes:
    """A clock that advances a minute with each reading, so that no chat rate is exceeded."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        self.seconds += 60
        return self.seconds


async def in_lobby(server: Server, name: str = "", token: str = "") -> Caller:
    """Somebody who watches the lobby."""
    person = await someone(server, name, token)
    await person.call(WatchLobbyRequest())
    return person


def heard(*people: Caller) -> list[list[str]]:
    """The texts that each of several users has received."""
    return [[line.text for line in lines_of(person)] for person in people]


def lines_of(person: Caller) -> list[MessageInfo]:
    return [notice.message for notice in person.peer.heard if isinstance(notice, SaidNotice)]


def reactions_of(person: Caller) -> list[ReactedNotice]:
    return [notice for notice in person.peer.heard if isinstance(notice, ReactedNotice)]


async def read(person: Caller, channel: Any = "lobby", table: str = "", since: int = 0) -> list[tuple[int, str]]:
    history = await person.call(ReadChatRequest(channel=channel, table=table, since=since))
    return [(line.number, line.text) for line in history.messages]


def set_manners(server: Server, table: str, **settings: Any) -> None:
    """Let a table have been opened with other manners."""
    actor = core_of(server).lobby.find(table)
    opened = replace(actor.table.opened, settings=TableSettings(**settings))
    actor.table = replace(actor.table, opened=opened)
