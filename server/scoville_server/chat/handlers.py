"""Handlers of chat: send, whisper, react, read, ignore, mute."""

from collections.abc import Coroutine
from typing import Any, Protocol

from scoville_server.accounts.connection import Answer, Connection, Handlers
from scoville_server.accounts.service import AccountService
from scoville_server.accounts.sessions import Sessions, User, unknown_user
from scoville_server.chat.model.messages import LOBBY, ChannelId, at_table, whispers_of
from scoville_server.chat.model.permissions import may_not_mute, may_not_read, may_not_talk
from scoville_server.chat.service import ChatService
from scoville_server.limits.rate_budgets import Counter
from scoville_server.tables.actor import TableActor
from scoville_server.tables.lifecycle.idle_timeouts import IdleTimeouts
from scoville_server.tables.model.audience import Watcher
from scoville_server.tables.model.commands import granted
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol import messages as m


class _Core(Protocol):
    accounts: AccountService
    chat: ChatService
    idle_timeouts: IdleTimeouts
    sessions: Sessions

    def may_talk(self, user: User) -> ScovilleError | None: ...

    async def remember(self, user: User) -> None: ...


class _Connection(Connection, Protocol):
    def find(self, table: str) -> TableActor: ...

    @property
    def core(self) -> _Core: ...


def _say(connection: _Connection, p: m.SayRequest) -> Answer:
    _check_may_talk(connection)
    if p.table and p.to:
        raise ScovilleError(Code.BAD_PARAMS, "A message goes to a table or to a user, not both.")
    return _whisper(connection, p) if p.to else _say_aloud(connection, p)


def _say_aloud(connection: _Connection, p: m.SayRequest) -> Answer:
    user, seat, channel = connection.user, None, LOBBY
    if p.table:
        actor = _table_to_talk_at(connection, p.table)
        seat, channel = actor.table.seat_of(user.id), at_table(actor.table.id)
        connection.core.idle_timeouts.acted(actor, user.id)
    counted = _count(connection, channel, p.text)
    return _kept_or_not_counted(connection, counted, connection.core.chat.say(user, p.text, channel, seat))


def _whisper(connection: _Connection, p: m.SayRequest) -> Answer:
    to = connection.core.sessions.known(p.to or "")
    if to is connection.user:
        raise ScovilleError(Code.BAD_PARAMS, "You cannot whisper to yourself.")
    counted = _count(connection, whispers_of(to.id), p.text)
    return _kept_or_not_counted(connection, counted, connection.core.chat.whisper(connection.user, p.text, to))


async def _kept_or_not_counted(
    connection: _Connection, counted: list[Counter], message: Coroutine[Any, Any, m.SayReply]
) -> m.SayReply:
    """Wait until the journal has a message; one that could not be kept does not count as sent."""
    try:
        return await message
    except ScovilleError:
        now = connection.core.chat.now()
        for throttle, key, _ in counted:
            throttle.give_back(key, now)
        raise


def _react(connection: _Connection, p: m.ReactRequest) -> m.Empty:
    _check_may_talk(connection)
    actor, chat = _table_to_talk_at(connection, p.table), connection.core.chat
    chat.paces.react(connection.source, at_table(actor.table.id), chat.now())
    chat.react(connection.user, actor, p.reaction)
    return m.Empty()


def _read(connection: _Connection, p: m.ReadChatRequest) -> m.ReadChatReply:
    me = connection.user.id
    return m.ReadChatReply(messages=connection.core.chat.messages(me, _channel(connection, p), p.since))


def _channel(connection: _Connection, p: m.ReadChatRequest) -> ChannelId:
    if p.channel == "lobby":
        return LOBBY
    if p.channel == "whisper":
        return whispers_of(connection.user.id)
    actor = connection.find(p.table or "")
    granted(may_not_read(actor.table, _watcher(connection, actor)))
    return at_table(actor.table.id)


async def _ignore(connection: _Connection, p: m.IgnoreRequest) -> m.Empty:
    chat, me = connection.core.chat, connection.user
    connection.core.accounts.check_pace(connection.source)
    if not p.ignored:
        await chat.surely(chat.ignores.drop(me.id, _ignored(connection, p.name)))
        return m.Empty()
    whom = connection.core.sessions.known(p.name)
    if whom is me:
        raise ScovilleError(Code.BAD_PARAMS, "You cannot ignore yourself.")
    for user in (me, whom):  # a user who is not in the journal would be another one after a restart
        await connection.core.remember(user)
    await chat.surely(chat.ignores.put(me.id, whom.id, whom.name))
    return m.Empty()


def _list_ignored(connection: _Connection, _: m.IgnoredRequest) -> m.IgnoredReply:
    return m.IgnoredReply(names=[name for _, name in _ignored_by_name(connection)])


def _ignored(connection: _Connection, name: str) -> UserId:
    """Find an ignored user by a name from the list."""
    for number, shown in _ignored_by_name(connection):
        if shown.casefold() == name.casefold():
            return number
    raise unknown_user(name, f"You are not ignoring anybody called {name!r}.")


def _ignored_by_name(connection: _Connection) -> list[tuple[UserId, str]]:
    """List the ignored users by their present names, or by those that they had when last seen."""
    find = connection.core.sessions.find
    kept = connection.core.chat.ignores.of(connection.user.id)
    return [(number, user.name if (user := find(number)) else name) for number, name in kept]


async def _mute(connection: _Connection, p: m.MuteRequest) -> m.Empty:
    actor, chat = connection.find(p.table), connection.core.chat
    table = actor.table
    granted(may_not_mute(table, _watcher(connection, actor)))
    whom = connection.core.sessions.known(p.name)
    connection.core.accounts.check_pace(connection.source)
    await connection.core.remember(whom)
    change = chat.mutes.put if p.muted else chat.mutes.drop
    await chat.surely(change(TableId(table.id), whom.id))
    return m.Empty()


def _check_may_talk(connection: _Connection) -> None:
    error = connection.core.may_talk(connection.user)
    if error is not None:
        raise error


def _table_to_talk_at(connection: _Connection, table: str) -> TableActor:
    actor = connection.find(table)
    granted(may_not_talk(actor.table, _watcher(connection, actor), connection.core.chat.mutes))
    return actor


def _watcher(connection: _Connection, actor: TableActor) -> Watcher:
    """Return the connection's user as a watcher of the table."""
    user = connection.user
    return actor.watcher(connection.peer) or Watcher(user.id, user.name)


def _count(connection: _Connection, channel: ChannelId, text: str) -> list[Counter]:
    chat = connection.core.chat
    return chat.paces.say(connection.source, channel, text, chat.now())


HANDLERS: Handlers[_Connection] = {
    m.SayRequest: _say,
    m.ReactRequest: _react,
    m.ReadChatRequest: _read,
    m.IgnoreRequest: _ignore,
    m.IgnoredRequest: _list_ignored,
    m.MuteRequest: _mute,
}
