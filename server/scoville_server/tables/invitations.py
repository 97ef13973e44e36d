"""Invitations: sent at once to users who are here, and to the others when they come back."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import Books
from scoville_server.journal.books import WrittenBook
from scoville_server.nodes.connections import UserConnections
from scoville_server.nodes.directory import Directory
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
    """Sends invitations. Those that were missed are in memory, and in a book for the time after a restart."""

    def __init__(
        self, tables: Directory[TableActor], connections: UserConnections, journal: Books, background: BackgroundTasks
    ) -> None:
        self._tables = tables
        self._connections = connections
        self._background = background
        self._book = WrittenBook("invitations.missed", Missed, journal)
        self._missed: dict[UserId, dict[TableId, str]] = {}

    def restore_missed(self, is_known: Callable[[UserId], bool]) -> None:
        """Take over what was missed before this start; of users who are not known any more, nothing is kept."""
        stale = []
        for key, missed in self._book.release_rows():
            if is_known(UserId(key)):
                self._missed[UserId(key)] = dict(missed.by_table)
            else:
                stale.append(key)
        if stale:
            self._background.plan_tidying(lambda: self._book.write_rows(dict.fromkeys(stale)))

    def invite_user(self, guest: UserId, actor: TableActor, by: str) -> None:
        """Send an invitation of the user called `by`, now or when the guest comes back."""
        if self._connections.is_here(guest):
            notice = InvitedNotice(info=actor.watched.describe_table(guest), by=by)
            return self._connections.notify_user(guest, notice)
        missed = self._missed.setdefault(guest, {})
        missed.pop(actor.table.id, None)
        missed[actor.table.id] = by
        if len(missed) > MOST_MISSED:
            del missed[next(iter(missed))]
        self._background.write_soon(self._book.write_rows({guest: Missed(dict(missed))}))
        return None

    def user_connected(self, user: User) -> None:
        for table, by in self._take_missed(user.id).items():
            try:
                actor = self._tables.find_table(table)
            except ScovilleError:  # it was closed meanwhile
                continue
            if actor.table.status == "waiting" and actor.table.admits_user(user.id):
                self.invite_user(user.id, actor, by)

    def user_forgotten(self, user: UserId) -> None:
        self._take_missed(user)

    def _take_missed(self, user: UserId) -> dict[TableId, str]:
        missed = self._missed.pop(user, {})
        if missed:
            self._background.write_soon(self._book.write_rows({user: None}))
        return missed
