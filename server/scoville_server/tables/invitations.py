"""Invitations: sent at once to users who are here, and to the others when they come back."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final

from msgspec.structs import replace

from scoville_server.accounts.sessions import User
from scoville_server.accounts.told_once import WaitingRow, WaitingRows
from scoville_server.accounts.users import UserObserver
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import Books
from scoville_server.journal.books import ConditionalBook
from scoville_server.nodes.connections import UserConnections
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actor import TableActor
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import InvitedNotice

MOST_MISSED: Final = 20
"""Missed invitations of one user, the latest ones; those who are not known any more have none."""


class Missed(WaitingRow, frozen=True):
    """Who has invited a user to which table, the latest last."""

    by_table: dict[TableId, str]


class Invitations(UserObserver):
    """Sends invitations. Those that were missed are in a book, for restarts and for other nodes.

    The node to which a user comes back sends them: of several nodes one does.

    Attributes:
        missed: Sends those that were missed.
        pass_on: Sends an invitation, of a user, to a table and by whom, as the node describes it that serves the
            table; returns whether it need not be sent again: that is done, or the table is closed.
    """

    def __init__(
        self, tables: Serving[TableActor], connections: UserConnections, journal: Books, background: BackgroundTasks
    ) -> None:
        self._tables = tables
        self.pass_on: Callable[[UserId, TableId, str], Awaitable[bool]] = _forget_closed
        self._connections = connections
        self._background = background
        self.missed = WaitingRows("invitations.missed", Missed, journal, background, self)
        self._book = self.missed.book

    def restore_missed(self, is_known: Callable[[UserId], bool]) -> None:
        """Delete the invitations that users missed before this start, and who are not known any more."""
        stale = [key for key in self._book.keys if not is_known(UserId(key))]
        if stale:
            self._background.plan_tidying(lambda: self._book.write_rows(dict.fromkeys(stale)))

    def invite_user(self, guest: UserId, actor: TableActor, by: str) -> None:
        """Send an invitation of the user called `by`, now or when the guest comes back."""
        if self._connections.is_here(guest):
            notice = InvitedNotice(info=actor.watched.describe_table(guest), by=by)
            self._connections.notify_user(guest, notice)
        else:
            self._background.write_soon(self._note_missed(guest, {actor.table.id: by}))

    async def _note_missed(self, guest: UserId, missed: Mapping[TableId, str]) -> None:
        def add_missed(before: Missed | None) -> Missed:
            # Out and in again: the newest is the last one, and the oldest makes room.
            others = {} if before is None else before.by_table
            every = {**{table: by for table, by in others.items() if table not in missed}, **missed}
            return replace(before or Missed({}), by_table=dict([*every.items()][-MOST_MISSED:]))

        await self._book.change_row(guest, add_missed)

    def user_connected(self, user: User) -> None:
        self.missed.send_soon(user.id)

    def is_reached(self, user: UserId) -> bool:
        return self._connections.is_at_this_node(user)

    def has_waiting(self, row: Missed) -> bool:
        return bool(row.by_table)

    async def send_row(self, user: UserId, row: Missed) -> Missed | None:
        sent = {
            table: by
            for table, by in row.by_table.items()
            if self.is_reached(user) and await self._send_again(user, table, by)
        }
        # One who has left meanwhile may have got nothing.
        return replace(row, by_table=sent) if self.is_reached(user) else None

    async def _send_again(self, user: UserId, table: TableId, by: str) -> bool:
        if table not in self._tables:
            return await self.pass_on(user, table, by)
        return self.invite_again(user, table, by)

    def leave_out(self, row: Missed, sent: Missed) -> Missed | None:
        left = {table: by for table, by in row.by_table.items() if sent.by_table.get(table) != by}
        return replace(row, by_table=left) if left else None

    def invite_again(self, user: UserId, table: TableId, by: str) -> bool:
        """Send a user of this node an invitation that was missed; returns whether it need not be sent again."""
        return self.send_notice(user, self.describe_again(user, table, by))

    def send_notice(self, user: UserId, notice: InvitedNotice | None) -> bool:
        """Send one that was described, None if it does not hold any more; returns whether it need not be sent again."""
        if notice is not None and not self.is_reached(user):
            return False
        if notice is not None:
            self._connections.notify_user(user, notice)
        return True

    def describe_again(self, user: UserId, table: TableId, by: str) -> InvitedNotice | None:
        """Return an invitation that was missed; None if the table has begun or was closed meanwhile."""
        try:
            actor = self._tables.find_table(table)
        except ScovilleError:
            return None
        if actor.table.status != "waiting" or not actor.table.admits_user(user):
            return None
        return InvitedNotice(info=actor.watched.describe_table(user), by=by)

    def account_deleted(self, user: User) -> None:
        """Drop the invitations that others have missed from a deleted account."""

        def leave_out(before: Missed | None) -> Missed | None:
            left = {} if before is None else {table: by for table, by in before.by_table.items() if by != user.name}
            return replace(before, by_table=left) if before is not None and left else None

        for guest, missed in self._book.items():
            if user.name in missed.by_table.values():
                self._background.insist_on_write(partial(_change_row, self._book, guest, leave_out))

    def user_forgotten(self, user: UserId) -> None:
        if user in self._book:
            self._background.write_soon(self._book.drop_row(user))


async def _forget_closed(_user: UserId, _table: TableId, _by: str) -> bool:
    """A table that a server alone does not serve was closed."""
    return True


async def _change_row(
    book: ConditionalBook[Missed], key: str, change: Callable[[Missed | None], Missed | None]
) -> None:
    await book.change_row(key, change)
