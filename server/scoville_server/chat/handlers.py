"""Handlers of chat: send, whisper, react, read, ignore, mute."""

from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from scoville_server.accounts.connection import Answer, ConnectedClient, Handlers, Permits
from scoville_server.accounts.service import AccountService
from scoville_server.accounts.sessions import User, unknown_user
from scoville_server.accounts.users import Users
from scoville_server.chat.model.messages import LOBBY, ChannelId, at_table, of_club, whispers_of
from scoville_server.chat.service import ChatService, ClubRolls
from scoville_server.chat.silence import Mutes
from scoville_server.limits.rate_budgets import Counter
from scoville_server.tables.actor import TableActor
from scoville_server.tables.handlers.visits import TableVisits
from scoville_server.tables.lifecycle.idle_timeouts import IdleTimeouts
from scoville_server.tables.model.action import Refused, require_granted, require_host
from scoville_server.tables.model.table import Table
from scoville_server.tables.watching.audience import Watcher, is_spectating, watch_refusal
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol import messages as m


def refuse_reading(table: Table, who: Watcher) -> Refused | None:
    """Return why a user may not read a table's chat, or None: users who may not watch may not read either."""
    return watch_refusal(table, who)


def refuse_talking(table: Table, who: Watcher, mutes: Mutes) -> Refused | None:
    """Return why a user may not write or react at a table, or None."""
    closed = refuse_reading(table, who)
    if closed is not None:
        return closed
    if is_spectating(table, who) and not table.opened.settings.spectators_talk:
        data = {"table": table.id, "why": "chat"}
        return Refused(Code.NOT_SEATED, "Only players can chat at this table.", data)
    if mutes.is_muted(table.id, who.user):
        return Refused(Code.MUTED, "The host has muted you at this table.", {"table": table.id})
    return None


def refuse_muting(table: Table, who: Watcher) -> Refused | None:
    """Refuse muting to everyone but the host of the table."""
    host = require_host(table, table.seat_of(who.user), "can mute users at this table")
    return host if isinstance(host, Refused) else None


class TalkAtTables(NamedTuple):
    """The tables at which users talk: they open them, and count as active there."""

    visits: TableVisits
    idle_timeouts: IdleTimeouts


class TalkPermits(NamedTuple):
    """Who may talk on this server, and who may do so at one table alone, since others have still to play its deal."""

    permits: Permits
    keeps_secret: Callable[[UserId, str | None], bool]

    def check_may_talk(self, user: User, table: str | None) -> None:
        """Raise ScovilleError for a user who may not talk: nowhere, or not at this table or beside all tables."""
        self.permits.check_may_talk(user)
        if self.keeps_secret(user.id, table):
            # At the table all have the same deal, and nobody else reads there.
            sentence = "Until all tables have played this deal you can only talk at your table."
            raise ScovilleError(Code.DEAL_SEALED, sentence, {"why": "chat"})


class ChatHandlers:
    """Handlers of `chat.*`."""

    def __init__(
        self,
        chat: ChatService,
        users: Users,
        accounts: AccountService,
        tables: TalkAtTables,
        permits: TalkPermits,
        clubs: ClubRolls,
    ) -> None:
        self._chat = chat
        self._users = users
        self._accounts = accounts
        self._tables = tables
        self._permits = permits
        self._clubs = clubs
        self.by_request: Handlers = {
            m.SayRequest: self._send_message,
            m.ReactRequest: self._send_reaction,
            m.ReadChatRequest: self._read_messages,
            m.IgnoreRequest: self._ignore_user,
            m.IgnoredRequest: self._list_ignored,
            m.MuteRequest: self._mute_user,
        }

    # --- sending and reading ---------------------------------------------------------------------------

    def _send_message(self, connection: ConnectedClient, p: m.SayRequest) -> Answer:
        self._permits.check_may_talk(connection.user, p.table)
        if len([each for each in (p.table, p.club, p.to) if each]) > 1:
            raise ScovilleError(Code.BAD_PARAMS, "A message goes to a table, to a club or to a user, not to several.")
        return self._send_whisper(connection, p) if p.to else self._send_to_channel(connection, p)

    def _send_to_channel(self, connection: ConnectedClient, p: m.SayRequest) -> Answer:
        user, seat, channel = connection.user, None, LOBBY
        if p.table:
            actor = self._visit_to_talk(connection, p.table)
            seat, channel = actor.table.seat_of(user.id), at_table(actor.table.id)
            self._tables.idle_timeouts.note_activity(actor, user.id)
        elif p.club:
            self._clubs.check_speaker(p.club, user.id)
            channel = of_club(p.club)
        counted = self._count_message(connection, channel, p.text)
        return self._await_saved_message(counted, self._chat.send_message(user, p.text, channel, seat))

    def _send_whisper(self, connection: ConnectedClient, p: m.SayRequest) -> Answer:
        to = self._users.sessions.known_user(p.to or "")
        if to is connection.user:
            raise ScovilleError(Code.BAD_PARAMS, "You cannot whisper to yourself.")
        counted = self._count_message(connection, whispers_of(to.id), p.text)
        return self._await_saved_message(counted, self._chat.send_whisper(connection.user, p.text, to))

    def _count_message(self, connection: ConnectedClient, channel: ChannelId, text: str) -> list[Counter]:
        return self._chat.paces.count_message(connection.source, channel, text, self._chat.now())

    async def _await_saved_message(
        self, counted: list[Counter], message: Coroutine[Any, Any, m.SayReply]
    ) -> m.SayReply:
        """Wait until the journal has a message; one that could not be kept does not count as sent."""
        try:
            return await message
        except ScovilleError:
            now = self._chat.now()
            for throttle, key, _ in counted:
                throttle.give_back(key, now)
            raise

    def _send_reaction(self, connection: ConnectedClient, p: m.ReactRequest) -> m.Empty:
        # Three of six reactions are a number up to 216: two who watch a third table could name cards to each other.
        self._permits.check_may_talk(connection.user, p.table)
        actor, chat = self._visit_to_talk(connection, p.table), self._chat
        chat.paces.count_reaction(connection.source, at_table(actor.table.id), chat.now())
        chat.send_reaction(connection.user, actor, p.reaction)
        return m.Empty()

    def _read_messages(self, connection: ConnectedClient, p: m.ReadChatRequest) -> Answer:
        return self._chat.read_messages(connection.user.id, self._readable_channel(connection, p), p.since)

    def _readable_channel(self, connection: ConnectedClient, p: m.ReadChatRequest) -> ChannelId:
        if p.channel == "lobby":
            return LOBBY
        if p.channel == "whisper":
            return whispers_of(connection.user.id)
        if p.channel == "club":
            self._clubs.check_reader(p.club or "", connection.user.id)
            return of_club(p.club or "")
        actor = self._tables.visits.visit_table(connection, p.table or "")
        require_granted(refuse_reading(actor.table, _watcher_of(connection, actor)))
        return at_table(actor.table.id)

    def _visit_to_talk(self, connection: ConnectedClient, table: str) -> TableActor:
        actor = self._tables.visits.visit_table(connection, table)
        require_granted(refuse_talking(actor.table, _watcher_of(connection, actor), self._chat.mutes))
        return actor

    # --- ignoring and muting ---------------------------------------------------------------------------

    async def _ignore_user(self, connection: ConnectedClient, p: m.IgnoreRequest) -> m.Empty:
        chat, me = self._chat, connection.user
        self._accounts.count_change(connection.source)
        if not p.ignored:
            await chat.finish_write(chat.ignores.remove_ignored(me.id, self._find_ignored(me.id, p.name)))
            return m.Empty()
        whom = self._users.sessions.known_user(p.name)
        if whom is me:
            raise ScovilleError(Code.BAD_PARAMS, "You cannot ignore yourself.")
        for user in (me, whom):  # a user who is not in the journal would be another one after a restart
            await self._users.write_user(user)
        await chat.finish_write(chat.ignores.add_ignored(me.id, whom.id, whom.name))
        return m.Empty()

    def _list_ignored(self, connection: ConnectedClient, _: m.IgnoredRequest) -> m.IgnoredReply:
        return m.IgnoredReply(names=[name for _, name in self._ignored_by_name(connection.user.id)])

    def _find_ignored(self, listener: UserId, name: str) -> UserId:
        """Find an ignored user by a name from the list."""
        for number, shown in self._ignored_by_name(listener):
            if shown.casefold() == name.casefold():
                return number
        raise unknown_user(name, f"You are not ignoring anybody called {name!r}.")

    def _ignored_by_name(self, listener: UserId) -> list[tuple[UserId, str]]:
        """List the ignored users by their present names, or by those that they had when last seen."""
        find = self._users.sessions.find_user
        kept = self._chat.ignores.ignored_by(listener)
        return [(number, user.name if (user := find(number)) else name) for number, name in kept]

    async def _mute_user(self, connection: ConnectedClient, p: m.MuteRequest) -> m.Empty:
        actor, chat = self._tables.visits.visit_table(connection, p.table), self._chat
        table = actor.table
        require_granted(refuse_muting(table, _watcher_of(connection, actor)))
        whom = self._users.sessions.known_user(p.name)
        self._accounts.count_change(connection.source)
        await self._users.write_user(whom)
        change = chat.mutes.mute_user if p.muted else chat.mutes.unmute_user
        await chat.finish_write(change(TableId(table.id), whom.id))
        return m.Empty()


def _watcher_of(connection: ConnectedClient, actor: TableActor) -> Watcher:
    """Return the connection's user as a watcher of the table."""
    user = connection.user
    return actor.watched.find_watcher(connection.peer) or Watcher(user.id, user.name)
