"""Invitations: sent at once to users who are here, and to the others when they come back."""

from collections.abc import Callable
from functools import partial
from typing import Final

from msgspec import Struct

from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import Books
from scoville_server.journal.books import Book, OwnWrites
from scoville_server.nodes.connections import UserConnections
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actor import TableActor
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import InvitedNotice

MOST_MISSED: Final = 20
"""Missed invitations of one user, the latest ones; those who are not known any more have none."""


class Missed(Struct, frozen=True):
    """Who has invited a user to which table, the latest last."""

    by_table: dict[TableId, str]


class Invitations(UserObserver):
    """Sends invitations. Those that were missed are in memory, and in a book for restarts and for other nodes.

    The node to which a user comes back takes what they have missed. `pass_on` gives an invitation, to the user, to a
    table and by whom, to the node that serves the table, if there is one.
    """

    def __init__(
        self, tables: Serving[TableActor], connections: UserConnections, journal: Books, background: BackgroundTasks
    ) -> None:
        self._tables = tables
        self.pass_on: Callable[[UserId, TableId, str], object] = lambda *_: None
        self._connections = connections
        self._background = background
        self._missed: dict[UserId, dict[TableId, str]] = {}
        self._writing: OwnWrites[Missed] = OwnWrites()
        self._book = Book("invitations.missed", Missed, journal, self._follow_missed)

    def restore_missed(self, is_known: Callable[[UserId], bool]) -> None:
        """Restore the invitations that users missed before this start, and delete those of unknown users."""
        stale = [key for key, _ in self._book.items() if not is_known(UserId(key))]
        for key in stale:
            self._missed.pop(UserId(key), None)
        if stale:
            self._background.plan_tidying(lambda: self._book.write_rows(dict.fromkeys(stale)))

    def _follow_missed(self, key: str, _before: Missed | None, after: Missed | None) -> None:
        """Follow a row; invitations that another node has stored for a user who is here are sent to them."""
        user = UserId(key)
        if self._writing.has_written(key, after):
            return  # this node is ahead of what it has written
        if after is None:
            self._missed.pop(user, None)
            return
        self._missed[user] = dict(after.by_table)
        if self._connections.is_at_this_node(user):
            self._send_missed(user)

    def invite_user(self, guest: UserId, actor: TableActor, by: str) -> None:
        """Send an invitation of the user called `by`, now or when the guest comes back."""
        if self._connections.is_here(guest):
            notice = InvitedNotice(info=actor.watched.describe_table(guest), by=by)
            return self._connections.notify_user(guest, notice)
        missed = self._missed.setdefault(guest, {})
        # Out and in again: the newest is the last one, and the oldest makes room.
        missed.pop(actor.table.id, None)
        missed[actor.table.id] = by
        if len(missed) > MOST_MISSED:
            del missed[next(iter(missed))]
        self._background.write_soon(self._write_missed(guest))
        return None

    async def _write_missed(self, user: UserId) -> None:
        # A copy: it changes while it is written.
        missed = Missed(dict(self._missed[user])) if user in self._missed else None
        with self._writing.note_write(user, missed):
            await self._book.write_rows({user: missed})

    def user_connected(self, user: User) -> None:
        self._send_missed(user.id)

    def _send_missed(self, user: UserId) -> None:
        for table, by in self._take_missed(user).items():
            if table in self._tables:
                self.invite_again(user, table, by)
            else:  # it was closed meanwhile, or another node serves it
                self.pass_on(user, table, by)

    def invite_again(self, user: UserId, table: TableId, by: str) -> None:
        """Send an invitation that was missed, unless the table has begun or was closed meanwhile."""
        try:
            actor = self._tables.find_table(table)
        except ScovilleError:
            return
        if actor.table.status == "waiting" and actor.table.admits_user(user):
            self.invite_user(user, actor, by)

    def account_deleted(self, user: User) -> None:
        """Drop the invitations that others have missed from a deleted account."""
        for guest, missed in [*self._missed.items()]:
            left = {table: by for table, by in missed.items() if by != user.name}
            if left != missed:
                self._missed[guest] = left
                self._background.insist_on_write(
                    partial(self._book.write_rows, {guest: Missed(left) if left else None})
                )

    def user_forgotten(self, user: UserId) -> None:
        self._take_missed(user)

    def _take_missed(self, user: UserId) -> dict[TableId, str]:
        missed = self._missed.pop(user, {})
        if missed:
            self._background.write_soon(self._write_missed(user))
        return missed
