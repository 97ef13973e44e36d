"""Invitations: sent at once to users who are here, and to the others when they come back."""

from typing import Final

from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver
from scoville_server.nodes.connections import UserConnections
from scoville_server.nodes.directory import Directory
from scoville_server.tables.actor import TableActor
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import InvitedNotice

MOST_MISSED: Final = 20
"""Missed invitations of one user, the latest ones; those who are not known any more have none."""


class Invitations(UserObserver):
    """Sends invitations. Those that were missed are in memory only: after a restart the table still admits guests."""

    def __init__(self, tables: Directory[TableActor], connections: UserConnections) -> None:
        self._tables = tables
        self._connections = connections
        self._missed: dict[UserId, dict[TableId, str]] = {}
        """Who has invited a user to which table, the latest last."""

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
        return None

    def user_connected(self, user: User) -> None:
        for table, by in self._missed.pop(user.id, {}).items():
            try:
                actor = self._tables.find_table(table)
            except ScovilleError:  # it was closed meanwhile
                continue
            if actor.table.status == "waiting" and actor.table.admits_user(user.id):
                self.invite_user(user.id, actor, by)

    def user_forgotten(self, user: UserId) -> None:
        self._missed.pop(user, None)
