"""Handlers that open, join, leave and start tables, and open rematches."""

from scoville_server.accounts.connection import Handlers
from scoville_server.accounts.sessions import User
from scoville_server.tables.actor import TableActor
from scoville_server.tables.handlers.connection import TableConnection
from scoville_server.tables.model.audience import openers_key
from scoville_server.tables.model.commands import Join, Leave, Pause, Ready, Resume, Reveal, Start
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol import messages as m


async def _create(connection: TableConnection, p: m.CreateRequest) -> m.CreateReply:
    user = connection.user
    return _created(user, await open_table(connection, p))


async def _join(connection: TableConnection, p: m.JoinRequest) -> m.JoinReply:
    actor, user = connection.find(p.table), connection.user
    seat = await sit_down(connection, actor, p.nonce_hash, p.seat)
    return join_reply(actor, user.id, seat)


async def _leave(connection: TableConnection, p: m.LeaveRequest) -> m.Empty:
    actor, user = deal_with(connection, p, ends=True), connection.user
    await actor.do(Leave(user=user.id))
    connection.core.rematches.left(actor.table.id, user.id)
    return m.Empty()


async def _ready(connection: TableConnection, p: m.ReadyRequest) -> m.Empty:
    await deal_with(connection, p).do(Ready(user=connection.user.id, ready=p.ready))
    return m.Empty()


async def _reveal(connection: TableConnection, p: m.RevealRequest) -> m.Empty:
    nonce = bytes.fromhex(p.nonce)
    await deal_with(connection, p, ends=True).do(Reveal(user=connection.user.id, nonce=nonce))
    return m.Empty()


async def _start(connection: TableConnection, p: m.StartRequest) -> m.Empty:
    connection.core.check_open()
    await connection.find(p.table).do(Start(user=connection.user.id, strength=p.bots))
    return m.Empty()


async def _pause(connection: TableConnection, p: m.PauseRequest) -> m.Empty:
    await deal_with(connection, p).do(Pause(user=connection.user.id))
    return m.Empty()


async def _resume(connection: TableConnection, p: m.ResumeRequest) -> m.Empty:
    await deal_with(connection, p, ends=True).do(Resume(user=connection.user.id))
    return m.Empty()


async def _rematch(connection: TableConnection, p: m.RematchRequest) -> m.CreateReply:
    old, user = connection.find(p.table), connection.user
    return _created(user, await connection.core.open_rematch(old, user, connection.source))


def deal_with(connection: TableConnection, p: m.OfTable, *, ends: bool = False) -> TableActor:
    """Find a table for an action other than a move, and count the action. Raises ScovilleError.

    An action that `ends` something (leave, resume) follows one that was counted, and is refused only by its user's
    own count.
    """
    actor = connection.find(p.table)
    source = connection.source._replace(networks=()) if ends else connection.source
    connection.core.budgets.action(source, actor.table.id)
    return actor


async def open_table(connection: TableConnection, request: m.CreateRequest) -> TableActor:
    """Open a table for the connection's user. Raises ScovilleError."""
    user = connection.user
    # Stored before the seat, which names the user; a visitor who only looks costs no sync.
    await connection.core.remember(user)
    return await connection.core.open_table(user, connection.source, request)


async def sit_down(
    connection: TableConnection, actor: TableActor, nonce_hash: str | None = None, seat: int | None = None
) -> Seat:
    """Seat the connection's user and take the hash of their nonce. Raises ScovilleError."""
    request = join_command(connection, actor, nonce_hash, seat)
    await connection.core.remember(connection.user)
    taken = (await actor.do(request)).after.seat_of(request.user)
    assert taken is not None, "who joined has a seat"
    return taken


def join_command(
    connection: TableConnection, actor: TableActor, nonce_hash: str | None = None, seat: int | None = None
) -> Join:
    """Return the command that seats the connection's user, if they may join. Raises ScovilleError."""
    user, limit = connection.user, connection.core.tables_seated
    connection.core.budgets.action(connection.source, actor.table.id)
    if actor.table.owned_seat(user.id) is None:
        connection.core.check_may_play(user)
    if len(user.tables) >= limit and actor.table.id not in user.tables:
        raise ScovilleError(Code.TOO_MANY, f"You already have seats at {limit} tables; leave one first.")
    return Join(
        user=user.id, name=user.name, claimed=user.claimed, seat=seat, nonce_hash=bytes.fromhex(nonce_hash or "")
    )


def join_reply(actor: TableActor, user: UserId, seat: Seat) -> m.JoinReply:
    """Describe the seat of a user, with the hash that counts for it: the one just sent may have come too late."""
    nonce_hash = actor.table.seats[seat].nonce_hash.hex() or None
    return m.JoinReply(seat=seat, info=actor.info(user), nonce_hash=nonce_hash)


def _created(user: User, actor: TableActor) -> m.CreateReply:
    """Describe a new table; only the user who opened it gets the commentators' key."""
    return m.CreateReply(info=actor.info(user.id), commentary_key=openers_key(actor.table.opened, user.id) or None)


HANDLERS: Handlers[TableConnection] = {
    m.CreateRequest: _create,
    m.JoinRequest: _join,
    m.LeaveRequest: _leave,
    m.ReadyRequest: _ready,
    m.RevealRequest: _reveal,
    m.StartRequest: _start,
    m.PauseRequest: _pause,
    m.ResumeRequest: _resume,
    m.RematchRequest: _rematch,
}
