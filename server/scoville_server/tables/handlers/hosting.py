"""Handlers of admission and hosting: enter, invite, kick, vote, transfer the host's role."""

from scoville_server.accounts.connection import Handlers
from scoville_server.accounts.sessions import User, unknown_user
from scoville_server.tables.actor import TableActor
from scoville_server.tables.handlers.connection import TableConnection
from scoville_server.tables.handlers.tables import deal_with
from scoville_server.tables.model.commands import Invite, Kick, TransferHost, Vote, granted
from scoville_server.tables.model.deciding.verdict import host_seat, not_seated
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m


async def _enter(connection: TableConnection, p: m.EnterRequest) -> m.EnterReply:
    user = connection.user
    actor = await connection.core.access.enter(user, connection.source, p)
    return m.EnterReply(info=actor.info(user.id))


async def _invite(connection: TableConnection, p: m.InviteRequest) -> m.Empty:
    actor, user, core = connection.find(p.table), connection.user, connection.core
    if actor.table.seat_of(user.id) is None:
        raise not_seated(actor.table).error()
    other = core.sessions.known(p.name)
    core.budgets.invitation(connection.source, other.id)
    await actor.do(Invite(user=user.id, guest=other.id, name=other.name))
    if other is not user and core.connections.is_here(other.id) and not core.ignores(other, user):
        core.connections.notify(other.id, m.InvitedNotice(info=actor.info(other.id), by=user.name))
    return m.Empty()


async def _kick(connection: TableConnection, p: m.KickRequest) -> m.Empty:
    actor = deal_with(connection, p)
    granted(host_seat(actor.table, actor.table.seat_of(connection.user.id), "kicks users"))
    # only then the name is looked up: nobody but the host may learn who is there
    whom, name = _found(actor, p.name, connection.core.sessions.by_name(p.name))
    present = frozenset(actor.recipients())
    with connection.core.access.code_for_a_kick(actor.table) as code:
        await actor.do(
            Kick(user=connection.user.id, whom=whom, name=name, reason=p.reason or "", code=code, present=present)
        )
    return m.Empty()


async def _vote(connection: TableConnection, p: m.VoteRequest) -> m.Empty:
    actor = deal_with(connection, p)
    present = frozenset(actor.recipients())
    with connection.core.access.code_for_a_kick(actor.table) as code:
        await actor.do(Vote(user=connection.user.id, against=p.against, agree=p.agree, code=code, present=present))
    return m.Empty()


async def _transfer_host(connection: TableConnection, p: m.TransferHostRequest) -> m.Empty:
    await deal_with(connection, p).do(TransferHost(user=connection.user.id, seat=p.seat))
    return m.Empty()


def _found(actor: TableActor, name: str, bearer: User | None) -> tuple[UserId, str]:
    """Find a player of a table by name, or the `bearer` of the name if they spectate there."""
    for seat_state in actor.table.seats:
        if seat_state.user is not None and seat_state.name.casefold() == name.casefold():
            return seat_state.user, seat_state.name
    if bearer is None or bearer.id not in actor.recipients():
        raise unknown_user(name, f"Nobody called {name!r} is at this table.")
    return bearer.id, bearer.name


HANDLERS: Handlers[TableConnection] = {
    m.EnterRequest: _enter,
    m.InviteRequest: _invite,
    m.KickRequest: _kick,
    m.VoteRequest: _vote,
    m.TransferHostRequest: _transfer_host,
}
