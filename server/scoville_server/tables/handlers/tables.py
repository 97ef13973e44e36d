"""Handlers that open, join, leave and start tables and open rematches, and those of admission and hosting."""

from functools import partial
from typing import Protocol

from scoville_server.accounts.connection import ConnectedClient, Handlers, Permits
from scoville_server.accounts.sessions import User, unknown_user
from scoville_server.accounts.users import Users
from scoville_server.limits.budgets import Budgets
from scoville_server.nodes.serving import Serving
from scoville_server.tables.access import TableAccess
from scoville_server.tables.actions.enter import Invite
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.start import Start
from scoville_server.tables.actions.vote import Vote
from scoville_server.tables.actor import TableActor
from scoville_server.tables.handlers.visits import TableVisits
from scoville_server.tables.invitations import Invitations
from scoville_server.tables.lifecycle.rematch import Rematches
from scoville_server.tables.model.action import RequestedCommand, refuse_unseated, require_granted, require_host
from scoville_server.tables.opener import TableOpener
from scoville_server.tables.state_machine import REQUESTS
from scoville_server.tables.watching.audience import key_for_opener
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.messages import JoinReply


class IgnoreLists(Protocol):
    """Knows who ignores whom."""

    def receives_from(self, listener: UserId, speaker: UserId) -> bool:
        """Whether a listener does not ignore a speaker."""


class HostingHandlers:
    """Handlers of hosts' acts, and of the votes that replace them."""

    def __init__(
        self,
        visits: TableVisits,
        access: TableAccess,
        users: Users,
        budgets: Budgets,
        ignore_lists: IgnoreLists,
        invitations: Invitations,
    ) -> None:
        self._visits = visits
        self._access = access
        self._sessions = users.sessions
        self._budgets = budgets
        self._ignore_lists = ignore_lists
        self._invitations = invitations
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
        other = self._sessions.find_anywhere(p.name)
        if other is None:
            raise unknown_user(p.name, f"Nobody called {p.name!r} is known here.")
        self._budgets.count_invitation(connection.source, other.id)
        await actor.carry_out(Invite(user=user.id, guest=other.id, name=other.name))
        # Without a word to the host: knowing of an ignore would be a reason to return under another name.
        if other is not user and self._ignore_lists.receives_from(other.id, user.id):
            self._invitations.invite_user(other.id, actor, user.name)
        return m.Empty()

    async def _kick_user(self, connection: ConnectedClient, p: m.KickRequest) -> m.Empty:
        actor = self._visits.visit_to_act(connection, p)
        require_granted(require_host(actor.table, actor.table.seat_of(connection.user.id), "kicks users"))
        # Only then the name is looked up: nobody but the host may learn who is there.
        whom, name = _find_player(actor, p.name, self._sessions.find_anywhere(p.name))
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


class Joining:
    """Seats users, each at no more than `most` tables whose games are not over, of all nodes."""

    def __init__(
        self, users: Users, tables: Serving[TableActor], budgets: Budgets, permits: Permits, most: int
    ) -> None:
        self._users = users
        self._tables = tables
        # Called only for tables that are there, so that no request to join is refused for another one.
        self._look_up = tables.find_table
        self.budgets = budgets
        self._permits = permits
        self._most = most

    async def sit_down(
        self, connection: ConnectedClient, actor: TableActor, nonce_hash: str | None = None, seat: int | None = None
    ) -> Seat:
        """Seat the connection's user and take the hash of their nonce. Raises ScovilleError."""
        command = self.join_command(connection, actor, nonce_hash, seat)
        await self._users.write_user(connection.user)
        taken = (await actor.carry_out(command)).after.seat_of(command.user)
        assert taken is not None, "who joined has a seat"
        return taken

    async def write_user(self, user: User) -> None:
        """Store a user whom another row is about to name. Raises JournalError."""
        await self._users.write_user(user)

    def join_command(
        self, connection: ConnectedClient, actor: TableActor, nonce_hash: str | None = None, seat: int | None = None
    ) -> Join:
        """Return the command that seats the connection's user, if they may join. Raises ScovilleError."""
        user = connection.user
        self.budgets.count_action(connection.source, actor.table.id)
        if actor.table.owned_seat(user.id) is None:
            self._permits.check_may_play(user)
        if actor.table.id not in user.tables and self._has_all_seats(user):
            sentence = f"You already have seats at {self._most} tables; leave one first."
            raise ScovilleError(Code.TOO_MANY, sentence, {"why": "tables"})
        return Join(
            user=user.id, name=user.name, claimed=user.claimed, seat=seat, nonce_hash=bytes.fromhex(nonce_hash or "")
        )

    def _has_all_seats(self, user: User) -> bool:
        elsewhere = sum(not is_over for is_over in self._users.sessions.seats.list_elsewhere(user.id).values())
        # Counted only where it matters. Players of an arena keep many seats at tables whose games are over.
        free = self._most - elsewhere
        return len(user.tables) >= free and sum(map(self._is_in_use, user.tables)) >= free

    def _is_in_use(self, table: TableId) -> bool:
        """Whether the game of a table is not over; one at another node may not be."""
        return table not in self._tables or self._look_up(table).table.status != "finished"


def join_reply(actor: TableActor, user: UserId, seat: Seat) -> JoinReply:
    """Describe the seat of a user, with the hash that counts for it: the one just sent may have come too late."""
    nonce_hash = actor.table.seats[seat].nonce_hash.hex() or None
    return JoinReply(seat=seat, info=actor.watched.describe_table(user), nonce_hash=nonce_hash)


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
    """Handlers of players' acts at a table beside their moves."""

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
