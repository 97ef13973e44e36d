"""A table's life around its game: who is ready, invited, host, or sent away."""

from scoville_client.session.requests import Ask
from scoville_shared.protocol.messages import Empty, InviteRequest, KickRequest, ReadyRequest, TransferHostRequest


class TableActions:
    """Asks for it. Every method raises as `Ask` does."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def ready(self, table: str, *, ready: bool = True) -> None:
        """Say that I am ready for the game to begin, or that I am not."""
        await self._ask(ReadyRequest(table=table, ready=ready), Empty)

    async def kick(self, table: str, name: str, reason: str = "") -> None:
        """Send somebody away from my table."""
        await self._ask(KickRequest(table=table, name=name, reason=reason), Empty)

    async def transfer_host(self, table: str, seat: int) -> None:
        """Let somebody else be the host."""
        await self._ask(TransferHostRequest(table=table, seat=seat), Empty)

    async def invite(self, table: str, name: str) -> None:
        """Invite somebody to my table."""
        await self._ask(InviteRequest(table=table, name=name), Empty)
