"""Handlers that open, join, leave and start tables, and open rematches."""

from functools import partial

from scoville_server.accounts.connection import ConnectedClient, Handlers, Permits
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.limits.budgets import Budgets
from scoville_server.tables.actions.action import RequestedCommand
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.start import Start
from scoville_server.tables.actor import TableActor
from scoville_server.tables.handlers.joining import Joining, join_reply
from scoville_server.tables.handlers.visits import TableVisits
from scoville_server.tables.lifecycle.rematch import Rematches
from scoville_server.tables.opener import TableOpener
from scoville_server.tables.state_machine import REQUESTS
from scoville_server.tables.watching.audience import key_for_opener
from scoville_shared.protocol import messages as m


class OpeningHandlers:
    """Handlers that open tables: new ones and rematches."""

    def __init__(
        self,
        users: Users,
        visits: TableVisits,
        opener: TableOpener,
        rematches: Rematches,
        budgets: Budgets,
        permits: Permits,
    ) -> None:
        self._users = users
        self._visits = visits
        self._opener = opener
        self._rematches = rematches
        self._budgets = budgets
        self._permits = permits
        self.by_request: Handlers = {m.CreateRequest: self._create_table, m.RematchRequest: self._open_rematch}

    async def _create_table(self, connection: ConnectedClient, p: m.CreateRequest) -> m.CreateReply:
        user = connection.user
        # Stored before the table, which names the user; a visitor who only looks costs no sync.
        await self._users.write_user(user)
        return _describe_created(user, await self._opener.open_table(user, connection.source, p))

    async def _open_rematch(self, connection: ConnectedClient, p: m.RematchRequest) -> m.CreateReply:
        old, user, source = self._visits.visit_table(connection, p.table), connection.user, connection.source
        self._permits.check_may_play(user)
        # The first request opens it; those of the other players only follow.
        if not self._rematches.opened_after(old):
            self._budgets.count_opening(source)
        await self._users.write_user(user)
        return _describe_created(user, await self._rematches.open_or_find(old, user, source, p.bot_levels))


class SeatHandlers:
    """Handlers of what players do at a table beside playing."""

    def __init__(self, visits: TableVisits, joining: Joining, rematches: Rematches, permits: Permits) -> None:
        self._visits = visits
        self._joining = joining
        self._rematches = rematches
        self._permits = permits
        self.by_request: Handlers = {
            m.JoinRequest: self._join_table,
            m.LeaveRequest: self._leave_table,
            m.StartRequest: self._start_game,
            **{request: partial(self._act_at_table, requested) for request, requested in REQUESTS.items()},
        }

    async def _join_table(self, connection: ConnectedClient, p: m.JoinRequest) -> m.JoinReply:
        actor, user = self._visits.visit_table(connection, p.table), connection.user
        seat = await self._joining.sit_down(connection, actor, p.nonce_hash, p.seat)
        return join_reply(actor, user.id, seat)

    async def _leave_table(self, connection: ConnectedClient, p: m.LeaveRequest) -> m.Empty:
        actor, user = self._visits.visit_to_act(connection, p, ends=True), connection.user
        await actor.carry_out(Leave(user=user.id))
        self._rematches.give_up_seat(actor.table.id, user.id)
        return m.Empty()

    async def _start_game(self, connection: ConnectedClient, p: m.StartRequest) -> m.Empty:
        self._permits.check_open()
        actor = self._visits.visit_table(connection, p.table)
        await actor.carry_out(Start(user=connection.user.id, strength=p.bots))
        return m.Empty()

    async def _act_at_table(self, requested: RequestedCommand, connection: ConnectedClient, p: m.OfTable) -> m.Empty:
        command = requested.make_command(connection.user.id, p)
        await self._visits.visit_to_act(connection, p, ends=requested.ends).carry_out(command)
        return m.Empty()


def _describe_created(user: User, actor: TableActor) -> m.CreateReply:
    """Describe a new table; only the user who opened it gets the commentators' key."""
    return m.CreateReply(
        info=actor.watched.describe_table(user.id), commentary_key=key_for_opener(actor.table.opened, user.id) or None
    )
