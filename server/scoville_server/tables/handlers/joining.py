"""Joining: what a user may do before they get a seat, the command that seats them, and the reply."""

from scoville_server.accounts.connection import ConnectedClient, Permits
from scoville_server.accounts.users import Users
from scoville_server.limits.budgets import Budgets
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actor import TableActor
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import JoinReply


class Joining:
    """Seats users, each at no more than `most` tables."""

    def __init__(self, users: Users, budgets: Budgets, permits: Permits, most: int) -> None:
        self._users = users
        self._budgets = budgets
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

    def join_command(
        self, connection: ConnectedClient, actor: TableActor, nonce_hash: str | None = None, seat: int | None = None
    ) -> Join:
        """Return the command that seats the connection's user, if they may join. Raises ScovilleError."""
        user = connection.user
        self._budgets.count_action(connection.source, actor.table.id)
        if actor.table.owned_seat(user.id) is None:
            self._permits.check_may_play(user)
        if len(user.tables) >= self._most and actor.table.id not in user.tables:
            raise ScovilleError(Code.TOO_MANY, f"You already have seats at {self._most} tables; leave one first.")
        return Join(
            user=user.id, name=user.name, claimed=user.claimed, seat=seat, nonce_hash=bytes.fromhex(nonce_hash or "")
        )


def join_reply(actor: TableActor, user: UserId, seat: Seat) -> JoinReply:
    """Describe the seat of a user, with the hash that counts for it: the one just sent may have come too late."""
    nonce_hash = actor.table.seats[seat].nonce_hash.hex() or None
    return JoinReply(seat=seat, info=actor.watched.describe_table(user), nonce_hash=nonce_hash)
