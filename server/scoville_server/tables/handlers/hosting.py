"""Handlers of admission and hosting: enter, invite, kick, vote, transfer the host's role."""

from typing import Protocol

from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.accounts.sessions import User, unknown_user
from scoville_server.accounts.users import Users
from scoville_server.limits.budgets import Budgets
from scoville_server.tables.access import TableAccess
from scoville_server.tables.actions.action import refuse_unseated, require_granted, require_host
from scoville_server.tables.actions.enter import Invite
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.vote import Vote
from scoville_server.tables.actor import TableActor
from scoville_server.tables.handlers.visits import TableVisits
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m


class IgnoreLists(Protocol):
    """Knows who ignores whom."""

    def receives_from(self, listener: UserId, speaker: UserId) -> bool:
        """Whether a listener does not ignore a speaker."""


class HostingHandlers:
    """Handlers of what hosts do, and of votes that replace them."""

    def __init__(
        self, visits: TableVisits, access: TableAccess, users: Users, budgets: Budgets, ignore_lists: IgnoreLists
    ) -> None:
        self._visits = visits
        self._access = access
        self._sessions = users.sessions
        self._connections = users.connections
        self._budgets = budgets
        self._ignore_lists = ignore_lists
        self.by_request: Handlers = {
            m.EnterRequest: self._enter_table,
            m.InviteRequest: self._invite_user,
            m.KickRequest: self._kick_user,
            m.VoteRequest: self._vote_on_kick,
        }

    async def _enter_table(self, connection: ConnectedClient, p: m.EnterRequest) -> m.EnterReply:
        user = connection.user
        actor = await self._access.admit_user(user, connection.source, p)
        return m.EnterReply(info=actor.watched.describe_table(user.id))

    async def _invite_user(self, connection: ConnectedClient, p: m.InviteRequest) -> m.Empty:
        actor, user = self._visits.visit_table(connection, p.table), connection.user
        if actor.table.seat_of(user.id) is None:
            raise refuse_unseated(actor.table).to_error()
        other = self._sessions.known_user(p.name)
        self._budgets.count_invitation(connection.source, other.id)
        await actor.carry_out(Invite(user=user.id, guest=other.id, name=other.name))
        # Without a word to the host: knowing of an ignore would be a reason to return under another name.
        wanted = other is not user and self._ignore_lists.receives_from(other.id, user.id)
        if wanted and self._connections.is_here(other.id):
            self._connections.notify_user(
                other.id, m.InvitedNotice(info=actor.watched.describe_table(other.id), by=user.name)
            )
        return m.Empty()

    async def _kick_user(self, connection: ConnectedClient, p: m.KickRequest) -> m.Empty:
        actor = self._visits.visit_to_act(connection, p)
        require_granted(require_host(actor.table, actor.table.seat_of(connection.user.id), "kicks users"))
        # Only then the name is looked up: nobody but the host may learn who is there.
        whom, name = _find_player(actor, p.name, self._sessions.find_by_name(p.name))
        present = frozenset(actor.watched.list_recipients())
        with self._access.code_for_a_kick(actor.table) as code:
            await actor.carry_out(
                Kick(user=connection.user.id, whom=whom, name=name, reason=p.reason or "", code=code, present=present)
            )
        return m.Empty()

    async def _vote_on_kick(self, connection: ConnectedClient, p: m.VoteRequest) -> m.Empty:
        actor = self._visits.visit_to_act(connection, p)
        present = frozenset(actor.watched.list_recipients())
        with self._access.code_for_a_kick(actor.table) as code:
            await actor.carry_out(
                Vote(user=connection.user.id, against=p.against, agree=p.agree, code=code, present=present)
            )
        return m.Empty()


def _find_player(actor: TableActor, name: str, bearer: User | None) -> tuple[UserId, str]:
    """Find a player of a table by name, or the `bearer` of the name if they spectate there."""
    for seat_state in actor.table.seats:
        if seat_state.user is not None and seat_state.name.casefold() == name.casefold():
            return seat_state.user, seat_state.name
    if bearer is None or bearer.id not in actor.watched.list_recipients():
        raise unknown_user(name, f"Nobody called {name!r} is at this table.")
    return bearer.id, bearer.name
