"""The chat service: messages are kept first, then sent to connected recipients who do not ignore the sender."""

import logging
from collections.abc import Callable, Collection, Container, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, Protocol

from scoville_server.accounts.connection import Answer
from scoville_server.accounts.orphans import IsKnown
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import GHOST, UserObserver, Users
from scoville_server.background.eventual import Eventual
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.chat.between_nodes import Followed, MovedMessages, Newcomers
from scoville_server.chat.model.channels import Changes, Channels, Plan
from scoville_server.chat.model.chat_limits import ChatLimits, Paces
from scoville_server.chat.model.messages import (
    LOBBY,
    WHISPERS,
    ChannelId,
    ChatMessage,
    NewMessage,
    at_table,
    is_of_table,
    of_club,
    whispers_of,
)
from scoville_server.chat.silence import Ignores, Mutes
from scoville_server.errors import shutting_down
from scoville_server.journal.base import Conflict, Journal, JournalError, Revision, Shared, StoredUser
from scoville_server.journal.books import PassingBook
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.nodes.connections import SharedConnections
from scoville_server.nodes.nodes import Nodes
from scoville_server.tables.actor import TableActor
from scoville_server.tables.observers import TableObserver
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import ReactedNotice, Reaction, ReadChatReply, SaidNotice, SayReply

_log = logging.getLogger(__name__)

Job = tuple[NewMessage, Eventual[ChatMessage]]

_ATTEMPTS: Final = 30
"""How often a message gets the next number: other nodes may have written some since this one has heard of any."""


_MOST_UNKNOWN: Final = 1_000
"""Messages of which a node remembers that it has perhaps written them: more than there are in the seconds after which
an engine that is away counts as such."""


class ChatWriter:
    """Writes messages to their book. The `channels` follow it: a message is added when any node has written it.

    Each number is a row that is created, so of two nodes that give one number to two messages one gives the next.
    `holder` returns the address on which a whisper channel counts: the one with the most loses some first.

    Messages that arrive while a batch is being written form the next one, so none waits for more than two.
    """

    def __init__(
        self,
        channels: Channels,
        book: PassingBook[ChatMessage],
        background: BackgroundTasks,
        holder: Callable[[ChannelId], str] = lambda _: "",
    ) -> None:
        self._channels = channels
        self._book = book
        self._background = background
        self._holder = holder
        self._queue: list[Job] = []
        self._cleared: list[ChannelId] = []
        self._older: list[int] = []
        self._deleted: list[tuple[UserId, str]] = []
        self._writing = False
        self._own: dict[str, ChatMessage] = {}
        """By key, oldest first, the messages that are being written or perhaps were."""

    def has_written(self, message: ChatMessage) -> bool:
        """Whether this node has written a message; asked once, when the message is followed."""
        return self._own.pop(message.key, None) == message

    def write_message(self, message: NewMessage) -> Eventual[ChatMessage]:
        """Write a message; the result is the message of its first channel, or the journal's error."""
        answer: Eventual[ChatMessage] = Eventual()
        self._queue.append((message, answer))
        self._write_soon()
        return answer

    def clear_channel(self, channel: ChannelId) -> None:
        """Delete a channel and its messages so far."""
        self._cleared.append(channel)
        self._write_soon()

    def delete_older(self, at_ms: int) -> None:
        """Delete the messages before a time."""
        self._older.append(at_ms)
        self._write_soon()

    def anonymize_user(self, user: UserId, name: str) -> None:
        """Take the name of a deleted account off its messages."""
        self._deleted.append((user, name))
        self._write_soon()

    def _write_soon(self) -> None:
        if not self._writing:
            self._writing = True
            self._background.start_task(self._write_batches())

    # One batch after the other, since numbers must have no gaps although a write can fail; a flood costs one sync.
    async def _write_batches(self) -> None:
        try:
            while self._queue or self._cleared or self._older or self._deleted:
                await self._write_waiting()
        finally:
            # No await since the last look at the queues: later messages start another task.
            self._writing = False

    async def _write_waiting(self) -> None:
        """Write everything that waits now: messages first, then deletions. A failure stops nothing else."""
        sent, self._queue = self._queue, []
        cleared, self._cleared = self._cleared, []
        older, self._older = self._older, []
        deleted, self._deleted = self._deleted, []
        if sent:
            with _log_errors():
                await self._write_batch(sent)
        # After the messages: those that were accepted before their table was removed go with it.
        with _log_errors():
            cleared += self._channels.crowded_out(self._holder)
        for channel in cleared:
            with _log_errors():
                await self._delete_rows(self._channels.clear_channel(channel))
        for at_ms in older:
            with _log_errors():
                await self._delete_rows(self._channels.drop_older(at_ms))
        for user, name in deleted:
            with _log_errors():
                self._background.insist_on_write(
                    partial(self._book.write_rows, self._channels.anonymize_user(user, name, GHOST))
                )

    async def _write_batch(self, jobs: Sequence[Job]) -> None:
        try:
            plan = await self._write_plan([message for message, _ in jobs])
        except Exception as error:  # noqa: BLE001 - the senders get the error, and the next batch is written
            _fail_all(jobs, error)
            return
        for (_, answer), messages in zip(jobs, plan.messages, strict=True):
            answer.set_result(messages[0])
        await self._delete_rows(plan.surplus)

    async def _write_plan(self, messages: Sequence[NewMessage]) -> Plan:
        """Write messages, with the next numbers where another node was faster. Raises JournalError."""
        for _ in range(_ATTEMPTS):
            plan = self._channels.plan_messages(messages)
            new = {key: message for key, message in plan.changes.items() if message is not None}
            self._forget_own(new)  # so that they come last
            self._own.update(new)
            try:
                await self._book.write_rows(plan.changes, new=[*new])
            except Conflict as taken:
                self._forget_own(new)
                await self._book.read_row(taken.key)
            except JournalError as error:
                self._forget_own(new if error.code != Code.OUTCOME_UNKNOWN else [*self._own][:-_MOST_UNKNOWN])
                raise
            else:
                return plan
        raise JournalError("Too many messages are written at once, so yours was not saved; try again.", Code.BUSY)

    def _forget_own(self, keys: Iterable[str]) -> None:
        for key in keys:
            self._own.pop(key, None)

    async def _delete_rows(self, changes: Changes) -> None:
        if changes:
            try:
                await self._book.write_rows(changes)
            except JournalError as error:  # they are deleted after the next start
                _log.info("%s", error.message)


@contextmanager
def _log_errors() -> Iterator[None]:
    """Log an error of the body, and go on: senders wait for the next batch."""
    try:
        yield
    except Exception:  # noqa: BLE001 - whatever it is, the next batch is written
        _log.exception("Messages could not be written or deleted")


def _fail_all(jobs: Sequence[Job], error: Exception) -> None:
    for _, answer in jobs:
        answer.set_exception(error)


class LobbyReaders(Protocol):
    """Knows who watches the lobby."""

    def list_readers(self) -> Iterable[UserId]:
        """List the recipients of the lobby's channel."""


class ClubRolls(Protocol):
    """Knows the members of clubs."""

    def list_ids(self) -> Iterable[str]:
        """List the ids of all clubs."""

    def list_members(self, club: str) -> Iterable[UserId]:
        """List the members of a club; none of one that is gone."""

    def check_reader(self, club: str, user: UserId) -> None:
        """Check that a user may read the chat of a club. Raises ScovilleError `unknown_club`."""

    def check_speaker(self, club: str, user: UserId) -> None:
        """Check that a user may write in the chat of a club. Raises ScovilleError `unknown_club`, `club_closed`."""


class ChannelReaders:
    """Who receives the messages of a channel: who reads the lobby, is at a table or in a club, or owns whispers."""

    def __init__(self, lobby: LobbyReaders, nodes: Nodes[TableActor], clubs: ClubRolls) -> None:
        self._lobby = lobby
        self.nodes, self._tables = nodes, nodes.tables
        self.clubs = clubs

    def list_readers(self, channel: ChannelId) -> Iterable[UserId]:
        """List the recipients of a channel; nobody for a table that is gone."""
        if channel == LOBBY:
            return self._lobby.list_readers()
        kind, _, owner = channel.partition("/")
        if kind == "whisper":
            return (UserId(owner),)
        if kind == "club":
            return self.clubs.list_members(owner)
        return self._tables.find_table(owner).watched.list_recipients() if owner in self._tables else ()


class ChatService(TableObserver, UserObserver):
    """Messages, reactions and whispers. `now` returns monotonic seconds."""

    def __init__(
        self,
        limits: Adjustable[ChatLimits],
        journal: Journal,
        users: Users,
        readers: ChannelReaders,
        background: BackgroundTasks,
        moderators: Container[User] = (),
    ) -> None:
        limits, nodes = as_live(limits), readers.nodes
        self._moderators = moderators
        self.channels = Channels(limits)
        limits.follow(lambda _: self._write_changes(self.channels.trim_messages()))
        self.ignores = Ignores(limits.value.ignored, journal)
        self.mutes = Mutes(limits.value.muted, journal)
        self.paces = Paces(limits)
        self.now: Callable[[], float] = users.time.seconds
        self._book = PassingBook("chat", ChatMessage, journal, self._follow_message)
        self._writer = ChatWriter(self.channels, self._book, background, self._network_of)
        self._users = users
        self._background = background
        self._readers = readers
        self._newcomers: Newcomers | None = None
        """None where no other node can have sent anything to a user."""
        self._moved: MovedMessages | None = None
        if nodes.links is not None and isinstance(journal, Shared):
            self._newcomers = Newcomers(journal.reach_present, background, self._send_held)
            self._moved = MovedMessages(nodes.directory, self._notify_table)
            if isinstance(users.connections, SharedConnections):
                users.connections.on_sharing.append(self._moved.begin_sharing)
        self._closed = False

    def restore_messages(self, tables: Collection[TableId], users: Iterable[StoredUser]) -> None:
        """Restore the messages of an earlier run; what belongs to other tables and users goes later."""
        surplus = self.channels.restore_messages(message for _, message in self._book.release_rows())
        # A server that was killed may have left names of accounts that it had deleted.
        find_user = self._users.sessions.find_user
        claimed = (each for each in self.channels.list_messages() if each.claimed)
        gone = {(each.by, each.name) for each in claimed if find_user(each.by) is None}
        for user, name in sorted(gone):
            surplus |= self.channels.anonymize_user(user, name, GHOST)
        if surplus:
            self._background.plan_tidying(lambda: self._book.write_rows(surplus))
        owned = {LOBBY, *map(at_table, tables), *(whispers_of(known.user) for known in users)}
        owned.update(map(of_club, self._readers.clubs.list_ids()))
        left = [channel for channel in self.channels.ids if channel not in owned]
        self._background.plan_tidying(partial(self._drop_channels, left))
        for table in self.mutes.tables:
            if table not in tables:
                self._background.plan_tidying(partial(self.mutes.forget_table, table))

    def _follow_message(self, key: str, message: ChatMessage | None, revision: Revision) -> None:
        if message is None:
            self.channels.note_deleted(key)
            return
        is_own, is_new = self._writer.has_written(message), self.channels.add_message(message)
        if not is_new:
            return
        if not is_of_table(message.channel):
            self._notify_readers(Followed(message, revision))
        elif is_own:
            # The table's node notifies its readers, since it wrote the message: a former node may not know it.
            self._tell_table(message)

    def _write_changes(self, changes: Changes) -> None:
        if changes:
            self._background.write_soon(self._book.write_rows(changes))

    async def _drop_channels(self, channels: Iterable[ChannelId]) -> None:
        for channel in channels:
            self._writer.clear_channel(channel)

    # --- sending ---------------------------------------------------------------------------------------

    async def send_message(self, user: User, text: str, channel: ChannelId, seat: Seat | None = None) -> SayReply:
        """Send a message to the lobby, a table or a club. Raises JournalError, ScovilleError `shutting_down`."""
        at_ms, by = self._users.time.now_ms(), user.id
        written = NewMessage(
            at_ms=at_ms,
            channels=(channel,),
            by=by,
            name=user.name,
            text=text,
            seat=seat,
            claimed=user.claimed,
            moderator=user in self._moderators,
        )
        return await self._write_message(user, written)

    async def send_whisper(self, user: User, text: str, to: User) -> SayReply:
        """Send a whisper to one user. Raises as `send_message` does.

        The reply does not reveal an ignore: knowing of it would be a reason to return under another name.
        """
        # A copy for each side with numbers of its own: losses of one side are no gap for the other.
        channels = [whispers_of(user.id)]
        if self.receives_from(to.id, user.id):
            channels.append(whispers_of(to.id))
        at_ms, by = self._users.time.now_ms(), user.id
        written = NewMessage(
            at_ms=at_ms,
            channels=tuple(channels),
            by=by,
            name=user.name,
            text=text,
            to=to.name,
            claimed=user.claimed,
            moderator=user in self._moderators,
        )
        return await self._write_message(user, written)

    def send_reaction(self, user: User, actor: TableActor, reaction: Reaction) -> None:
        """Send a reaction to all recipients at a table who do not ignore the sender."""
        table = actor.table
        notice = ReactedNotice(table=table.id, name=user.name, seat=table.seat_of(user.id), reaction=reaction)
        self._notify_listeners(actor.watched.list_recipients(), user.id, notice)

    def read_messages(self, reader: UserId, channel: ChannelId, since: int = 0) -> Answer:
        """Read the messages of a channel after number `since`, without those of users whom the reader ignores.

        Waits for a number that this node does not know yet. Raises ScovilleError `busy` if it cannot be found out now.
        """
        if self._newcomers is not None and since > self.channels.last_number(channel):
            return self._read_when_present(reader, channel, since)
        return self._list_messages(reader, channel, since)

    async def _read_when_present(self, reader: UserId, channel: ChannelId, since: int) -> ReadChatReply:
        """Read once this node knows whether there is a message `since`, as another one has perhaps said."""
        assert self._newcomers is not None
        await self._newcomers.reach_present()
        return self._list_messages(reader, channel, since)

    def _list_messages(self, reader: UserId, channel: ChannelId, since: int) -> ReadChatReply:
        if self._newcomers is not None:
            self._newcomers.note_read(reader, channel, self.channels.last_number(channel))
        messages = self.channels.messages_since(channel, since)
        return ReadChatReply(messages=[each.as_shown for each in messages if self.receives_from(reader, each.by)])

    def receives_from(self, listener: UserId, speaker: UserId) -> bool:
        """Whether a listener receives from a speaker: messages, reactions, whispers, invitations."""
        return self.ignores.receives_from(listener, speaker)

    async def finish_write(self, write: Coroutine[Any, Any, None]) -> None:
        """Finish a write even if its caller is cancelled: journal and memory must not differ."""
        error = await self._background.shield_task(self._background.start_task(_error_of(write)))
        if error is not None:
            raise error

    # --- observers -------------------------------------------------------------------------------------

    def user_connected(self, user: User) -> None:
        if self._newcomers is not None:
            self._newcomers.note_arrival(user.id)

    def user_disconnected(self, user: User) -> None:
        if self._newcomers is not None:
            self._newcomers.note_departure(user.id)

    def table_removed(self, actor: TableActor) -> None:
        self._writer.clear_channel(at_table(actor.table.id))
        self._background.write_soon(self.mutes.forget_table(TableId(actor.table.id)))

    def table_moved(self, actor: TableActor) -> None:
        """Keep the messages of a table: each node follows those of all, and may take it over again."""

    def users_restored(self, is_known: IsKnown) -> None:
        find_owner = self._users.claims.find_owner
        self._background.plan_tidying(partial(self.ignores.drop_deleted, is_known, find_owner))

    def account_deleted(self, user: User) -> None:
        """Keep no name at messages that others read."""
        self._writer.anonymize_user(user.id, user.name)
        self._background.insist_on_write(partial(self.ignores.forget_speaker, user.id))

    def user_forgotten(self, user: UserId) -> None:
        """Delete everything of a forgotten user."""
        self._writer.clear_channel(whispers_of(user))
        self._background.insist_on_write(partial(self.ignores.forget_user, user))
        self._background.insist_on_write(partial(self.mutes.forget_user, user))

    def export_user(self, user: User) -> Mapping[str, Any]:
        return {
            "messages": [message.as_shown for message in self.channels.messages_of(user.id)],
            "ignored_names": [name for _, name in self.ignores.ignored_by(user.id)],
        }

    def forget_club(self, club: str) -> None:
        """Delete the messages of a closed club."""
        self._writer.clear_channel(of_club(club))

    def delete_older(self, at_ms: int) -> None:
        """Delete the messages before a time (milliseconds since 1970)."""
        self._writer.delete_older(at_ms)

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

    def _notify_readers(self, followed: Followed) -> None:
        """Send a message to its recipients at this node: each node follows the messages. The sender has the reply."""
        message = followed.message
        readers = self._readers.list_readers(message.channel)
        others = (user for user in readers if user != message.by and self._is_due(user, followed))
        self._notify_listeners(others, message.by, SaidNotice(message=message.as_shown))

    def _tell_table(self, message: ChatMessage) -> None:
        """Send a message of this node to the users at its table, which another node may serve by now."""
        moved = self._moved
        owner = None if moved is None else moved.find_owner(message)
        if moved is None or owner is None:
            self._notify_table(message)
            return
        # While a table moves, two nodes may have it, with the same users: only one of the two sends to each user.
        readers, is_here = self._readers.list_readers(message.channel), self._users.connections.is_at_this_node
        own = [user for user in readers if user != message.by and is_here(user)]
        self._notify_listeners(own, message.by, SaidNotice(message=message.as_shown))
        moved.pass_on(message, owner, own)

    def _notify_table(self, message: ChatMessage, told: Collection[UserId] = ()) -> None:
        """Send a message to the users at a table of this node, whichever node they have connected to, but for some."""
        readers = self._readers.list_readers(message.channel)
        others = (user for user in readers if user != message.by and user not in told)
        self._notify_listeners(others, message.by, SaidNotice(message=message.as_shown))

    def _is_due(self, user: UserId, followed: Followed) -> bool:
        """Whether a message is to be sent to a user by this node, and now."""
        if not self._users.connections.is_at_this_node(user):
            return False
        return self._newcomers is None or not self._newcomers.hold_message(user, followed)

    def _send_held(self, user: UserId, message: ChatMessage) -> None:
        self._notify_listeners([user], message.by, SaidNotice(message=message.as_shown))

    def _notify_listeners(self, users: Iterable[UserId], speaker: UserId, notice: SaidNotice | ReactedNotice) -> None:
        listeners = (user for user in users if self.receives_from(user, speaker))
        self._users.connections.notify_all(listeners, notice)


async def _error_of(write: Coroutine[Any, Any, None]) -> ScovilleError | None:
    try:
        await write
    except ScovilleError as error:
        return error
    return None
