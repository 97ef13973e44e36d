"""Calls of a club to a table: its members are admitted, and invited."""

from collections.abc import Callable
from typing import Final, Protocol

from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.clubs.service import ClubService
from scoville_server.errors import slow_down
from scoville_server.limits.budgets import Budgets
from scoville_server.limits.rate_budgets import Budget, Counter, take_all
from scoville_server.limits.throttle import Rate, Throttle
from scoville_server.tables.actions.enter import InviteMany
from scoville_server.tables.handlers.visits import TableVisits
from scoville_server.tables.invitations import Invitations
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m

CALLS: Final = Rate(6, 600.0)
"""Calls of one user, and of all to one club together: one for each table of an evening."""
CALLS_PER_ADDRESS: Final = Rate(24, 600.0)


class IgnoreLists(Protocol):
    """Knows who ignores whom."""

    def receives_from(self, listener: UserId, speaker: UserId) -> bool:
        """Whether a listener receives from a speaker."""


class ClubCalls:
    """The handler of `club.call`."""

    def __init__(
        self,
        clubs: ClubService,
        visits: TableVisits,
        budgets: Budgets,
        ignore_lists: IgnoreLists,
        invitations: Invitations,
    ) -> None:
        self._clubs = clubs
        self._visits = visits
        self._now: Callable[[], float] = budgets.now
        self._ignore_lists = ignore_lists
        self._invitations = invitations
        self._calls = Budget(CALLS, CALLS_PER_ADDRESS)
        self._to_club = Throttle(CALLS.allowed, CALLS.seconds)
        self.by_request: Handlers = {m.CallClubRequest: self._call_club}

    async def _call_club(self, connection: ConnectedClient, p: m.CallClubRequest) -> m.Empty:
        user, actor = connection.user, self._visits.visit_table(connection, p.table)
        called = self._clubs.list_callable(p.club, user.id)
        now = self._now()
        counters = [*self._calls.list_counters(connection.source, now), Counter(self._to_club, p.club)]
        wait = take_all(counters, now)
        if wait is not None:
            raise slow_down("The club is called too often", wait)
        done = await actor.carry_out(InviteMany(user=user.id, guests=tuple(called)))
        for member in called:
            # Not to those for whom the table had no room, or who were kicked there.
            waits = done.after.admits_user(member) and done.after.seat_of(member) is None
            if waits and self._ignore_lists.receives_from(member, user.id):
                self._invitations.invite_user(member, actor, user.name)
        return m.Empty()
