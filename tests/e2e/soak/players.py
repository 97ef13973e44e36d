"""Users of the soak test with real clients: quick matches, whole games, and lost connections."""

import asyncio
from contextlib import suppress
from random import Random

from scoville_client.transport.base import LinkError
from scoville_client.transport.tcp import TcpLink
from scoville_shared.errors import ScovilleError
from tests.e2e.soak.ledger import Ledger
from tests.support.recording_session import RecordingSession


class Player:
    """A user with a real client, who waits up to `moment` seconds for events between actions."""

    def __init__(self, number: int, port: int, seed: int, ledger: Ledger, moment: float) -> None:
        self.luck = Random(f"{seed}/client/{number}")
        self.session = RecordingSession()
        self._link = TcpLink("127.0.0.1", port)
        self.name = f"Client {number}"
        self._ledger = ledger
        self._moment = moment

    async def come(self) -> None:
        """Connect."""
        await self.session.connect(self._link, self.name)

    async def live(self) -> None:
        """Do one action."""
        try:
            await self._act()
        except ScovilleError as no:
            self._ledger.refuse("a client", no.code, no.message)
        except LinkError:
            await self.session.until(lambda: self.session.connection.online)

    async def finish(self) -> None:
        """Play the game to its end, also one whose start was lost with the line."""
        while self._at_game() or await self._return_to_game():
            await self.live()

    def _at_game(self) -> bool:
        at = self.session.table
        return at is not None and at.result is None and not at.notes.closed

    async def _return_to_game(self) -> bool:
        """Rejoin a game with this user's seat that the client does not show; returns whether there is one."""
        with suppress(ScovilleError, LinkError):
            await self.session.lobby.refresh_tables()
            games = [info for info in self.session.lobby.my_tables if info.status == "playing"]
            if games:
                await self.session.join_table(games[0].table)
                return True
        return False

    async def go(self) -> None:
        """Disconnect."""
        await self.session.close()

    async def _act(self) -> None:
        at = self.session.table
        if at is None:
            if not await self._return_to_game():
                self._ledger.done["quick match at a client"] += 1
                await self.session.quick_match()
        elif at.result is not None or at.notes.closed:
            self._ledger.done["whole game at a client"] += at.result is not None
            await self.session.leave_table()
        elif self.luck.random() < 0.02:
            await self._break()
        elif at.my_turn:
            await self._move()
        else:
            await self._wait()

    async def _move(self) -> None:
        at = self.session.table
        assert at is not None
        made = await self.session.play_move(self.luck.choice([*at.legal_moves()]))
        await self.session.until(lambda: at.seq >= made)
        self._ledger.done["move at a client"] += 1

    async def _break(self) -> None:
        """Cut the connection; the client reconnects automatically."""
        caller, returns = self._link._caller, self.session.returns
        assert caller is not None
        assert caller._transport is not None
        caller._transport.abort()
        await self.session.until(lambda: self.session.returns > returns)
        self._ledger.done["line that broke at a client"] += 1

    async def _wait(self) -> None:
        at = self.session.table
        assert at is not None
        seq = at.seq
        with suppress(TimeoutError):
            async with asyncio.timeout(self._moment):
                await self.session.until(lambda: at.seq > seq)
