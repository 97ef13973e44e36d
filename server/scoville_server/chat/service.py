"""The chat service: messages are kept first, then sent to connected recipients who do not ignore the sender."""

from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Protocol

from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver, Users
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.chat.ignores import Ignores
from scoville_server.chat.model.channels import Channels
from scoville_server.chat.model.limits import ChatLimits
from scoville_server.chat.model.messages import (
    LOBBY,
    WHISPERS,
    ChannelId,
    ChatMessage,
    NewMessage,
    at_table,
    whispers_of,
)
from scoville_server.chat.model.rate_limits import Paces
from scoville_server.chat.mutes import Mutes
from scoville_server.chat.writer import ChatWriter
from scoville_server.errors import shutting_down
from scoville_server.journal.base import Journal, Kept
from scoville_server.journal.books import WrittenBook
from scoville_server.tables.actor import TableActor
from scoville_server.tables.observers import TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import MessageInfo, ReactedNotice, Reaction, SaidNotice, SayReply


class LobbyReaders(Protocol):
    """Knows who watches the lobby."""

    def list_readers(self) -> Iterable[UserId]:
        """List the recipients of the lobby's channel."""


class ChatService(TableObserver, UserObserver):
    """Messages, reactions and whispers. `now` returns monotonic seconds."""

    def __init__(
        self,
        limits: ChatLimits,
        journal: Journal,
        users: Users,
        registry: TableRegistry,
        background: BackgroundTasks,
        lobby: LobbyReaders,
    ) -> None:
        self.channels = Channels(limits)
        self.ignores = Ignores(limits.ignored, journal)
        self.mutes = Mutes(limits.muted, journal)
        self.paces = Paces(limits)
        self._clock = registry.clock
        self.now: Callable[[], float] = self._clock.seconds
        self._book = WrittenBook("chat", ChatMessage, journal)
        self._writer = ChatWriter(self.channels, self._book, background, self._notify_readers, self._network_of)
        self._users = users
        self._registry = registry
        self._background = background
        self._lobby = lobby
        self._closed = False

    def restore_messages(self, kept: Kept) -> None:
        """Load the messages, ignores and mutes of an earlier run, and drop those of tables and users that are gone."""
        for book in (self._book, self.ignores.book, self.mutes.book):
            book.restore_rows(kept.books)
        self.channels.add_messages(message for _, message in self._book.release_rows())
        self.ignores.restore_lists()
        self.mutes.restore_mutes()
        self._drop_what_is_nobodys(kept)

    def _drop_what_is_nobodys(self, kept: Kept) -> None:
        owned = {LOBBY, *map(at_table, kept.tables), *(whispers_of(known.user) for known in kept.users)}
        for channel in self.channels.ids:
            if channel not in owned:
                self._writer.clear_channel(channel)
        for table in self.mutes.tables:
            if table not in kept.tables:
                self._background.write_soon(self.mutes.forget_table(table))

    # --- sending ---------------------------------------------------------------------------------------

    async def send_message(self, user: User, text: str, channel: ChannelId, seat: Seat | None = None) -> SayReply:
        """Send a message to the lobby or a table. Raises JournalError, ScovilleError `shutting_down`."""
        at_ms, by = self._clock.date_ms(), user.id
        written = NewMessage(
            at_ms=at_ms, channels=(channel,), by=by, name=user.name, text=text, seat=seat, claimed=user.claimed
        )
        return await self._write_message(user, written)

    async def send_whisper(self, user: User, text: str, to: User) -> SayReply:
        """Send a whisper to one user. Raises as `say` does.

        The reply does not reveal an ignore: knowing of it would be a reason to return under another name.
        """
        # A copy for each side with numbers of its own: what one of them loses or ignores is no gap for the other.
        channels = [whispers_of(user.id)]
        if self.receives_from(to.id, user.id):
            channels.append(whispers_of(to.id))
        at_ms, by = self._clock.date_ms(), user.id
        written = NewMessage(
            at_ms=at_ms, channels=tuple(channels), by=by, name=user.name, text=text, to=to.name, claimed=user.claimed
        )
        return await self._write_message(user, written)

    def send_reaction(self, user: User, actor: TableActor, reaction: Reaction) -> None:
        """Send a reaction to all recipients at a table who do not ignore the sender."""
        table = actor.table
        notice = ReactedNotice(table=table.id, name=user.name, seat=table.seat_of(user.id), reaction=reaction)
        self._notify_listeners(actor.watched.list_recipients(), user.id, notice)

    def list_messages(self, reader: UserId, channel: ChannelId, since: int = 0) -> list[MessageInfo]:
        """List the messages of a channel after number `since`, without those of users whom the reader ignores."""
        messages = self.channels.messages_since(channel, since)
        return [message.as_shown for message in messages if self.receives_from(reader, message.by)]

    def receives_from(self, listener: UserId, speaker: UserId) -> bool:
        """Whether a listener receives from a speaker: messages, reactions, whispers, invitations."""
        return self.ignores.receives_from(listener, speaker)

    async def finish_write(self, write: Coroutine[Any, Any, None]) -> None:
        """Finish a write even if its caller is cancelled: journal and memory must not differ."""
        error = await self._background.shield_task(self._background.start_task(_error_of(write)))
        if error is not None:
            raise error

    # --- observers -------------------------------------------------------------------------------------

    def table_removed(self, actor: TableActor) -> None:
        self._writer.clear_channel(at_table(actor.table.id))
        self._background.write_soon(self.mutes.forget_table(TableId(actor.table.id)))

    def user_forgotten(self, user: UserId) -> None:
        """Delete everything of a forgotten user."""
        self._writer.clear_channel(whispers_of(user))
        self._background.write_soon(self.ignores.forget_user(user))

    def stop_accepting(self) -> None:
        """Accept nothing more; accepted messages are still written."""
        self._closed = True

    def _network_of(self, channel: ChannelId) -> str:
        """Return the address on which a user's whispers count; empty if there is none."""
        return self._users.sessions.network_of(UserId(channel.removeprefix(WHISPERS)))

    # --- writing and sending ---------------------------------------------------------------------------

    async def _write_message(self, user: User, message: NewMessage) -> SayReply:
        """Write a message; its sender is kept as well, or the message would have no author after a restart."""
        if self._closed:
            raise shutting_down()
        await self._users.write_user(user)
        return SayReply(message=(await self._writer.write_message(message)).as_shown)

    def _notify_readers(self, message: ChatMessage) -> None:
        """Send a message to its recipients; the sender has the reply."""
        others = (user for user in self._recipients_of(message.channel) if user != message.by)
        self._notify_listeners(others, message.by, SaidNotice(message=message.as_shown))

    def _notify_listeners(self, users: Iterable[UserId], speaker: UserId, notice: SaidNotice | ReactedNotice) -> None:
        listeners = (user for user in users if self.receives_from(user, speaker))
        self._users.connections.notify_all(listeners, notice)

    def _recipients_of(self, channel: ChannelId) -> Iterable[UserId]:
        if channel == LOBBY:
            return self._lobby.list_readers()
        kind, _, owner = channel.partition("/")
        if kind == "whisper":
            return (UserId(owner),)
        return (
            self._registry.tables.find_table(owner).watched.list_recipients() if owner in self._registry.tables else ()
        )


async def _error_of(write: Coroutine[Any, Any, None]) -> ScovilleError | None:
    try:
        await write
    except ScovilleError as error:
        return error
    return None
