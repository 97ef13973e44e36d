"""Table requests around the game: ready, kick, vote, transfer the host role, invite."""

from scoville_client.session.requests import Request
from scoville_shared.protocol.messages import (
    Empty,
    InviteRequest,
    KickRequest,
    ReadyRequest,
    TransferHostRequest,
    VoteRequest,
)


class TableActions:
    """Requests about a table. Every method raises as `Request` does."""

    def __init__(self, request: Request) -> None:
        self._request = request

    async def ready(self, table: str, *, ready: bool = True) -> None:
        """Declare this user ready for the game, or not ready."""
        await self._request(ReadyRequest(table=table, ready=ready), Empty)

    async def kick(self, table: str, name: str, reason: str = "") -> None:
        """Kick a user from this user's table."""
        await self._request(KickRequest(table=table, name=name, reason=reason or None), Empty)

    async def vote(self, table: str, against: int, *, agree: bool = True) -> None:
        """Vote on kicking the player at the seat `against` from the running game; the first vote opens the vote."""
        await self._request(VoteRequest(table=table, against=against, agree=agree), Empty)

    async def transfer_host(self, table: str, seat: int) -> None:
        """Make another player the host."""
        await self._request(TransferHostRequest(table=table, seat=seat), Empty)

    async def invite(self, table: str, name: str) -> None:
        """Invite a user to this user's table."""
        await self._request(InviteRequest(table=table, name=name), Empty)
