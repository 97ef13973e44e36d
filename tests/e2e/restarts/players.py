"""Players with the project's own client, who play one game after the other and note how long each move waited."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from scoville_client.session.session import Session
from scoville_client.session.table.table import AtTable
from scoville_client.transport.address import Address
from scoville_client.transport.base import Link, LinkError
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.tcp import TcpLink
from scoville_client.transport.tls import TlsLink
from scoville_runtime.clock import SYSTEM
from scoville_shared.errors import ScovilleError

GAME, SEATS = "no_thanks", 3
_HERE = "127.0.0.1"
_HARMLESS = ("slow_down", "not_your_turn", "not_seated")


class Played(NamedTuple):
    """What a player has seen.

    Attributes:
        waits: When each acknowledged move was answered, and how long the player waited for it, in seconds.
        lost: Acknowledged moves that are gone.
        doubled: Moves that were made once more than the player has made them.
        refused: Refused requests.
        reconnects: How often the connection was lost.
    """

    waits: list[tuple[float, float]]
    lost: int
    doubled: int
    refused: list[str]
    reconnects: int


class Player:
    """A player at a table with bots, who takes another one when a game is over.

    Args:
        link: Leads to the server.
        pause: Seconds between moves.
    """

    def __init__(self, link: Link, pause: float) -> None:
        self._link, self._pause = link, pause
        self._session = Session()
        self._changed = asyncio.Event()
        self._session.subscribe(lambda _: self._changed.set())
        self._since = SYSTEM.seconds()
        self._at_table = self._tried = self.lost = self.doubled = 0
        self._compared: AtTable | None = None
        self.waits, self.refused = list[tuple[float, float]](), list[str]()

    async def play_until(self, name: str, is_over: Callable[[], bool]) -> Played:
        """Play until `is_over`."""
        await self._session.connect(self._link, name)
        while not is_over():
            table = self._session.table
            try:
                if table is None or table.result is not None:
                    await self._take_table(table)
                elif table.my_turn:
                    await self._move(table)
                    continue
            except LinkError:
                pass  # it reconnects
            except ScovilleError as error:
                if not self._session.connection.offline and error.code not in _HARMLESS:
                    self.refused.append(f"{error.code}: {error.message}")
            await self._wait_for_change()
            if table is None or table.result is not None or not table.my_turn:
                # Others move, or this player opens another table, which may be refused for a while: no move waits.
                self._since = SYSTEM.seconds()
        reconnects = self._session.connection.link.losses
        await self._session.close()
        return Played(self.waits, self.lost, self.doubled, self.refused, reconnects)

    async def _take_table(self, former: AtTable | None) -> None:
        if former is not None and former.seat is not None:
            # Once: what follows may fail, and is tried again, and the next table has other moves.
            if former is not self._compared:
                self._compare_moves(former, former.seat)
            await self._session.leave_table()
        info = await self._session.lobby.create_table(GAME, SEATS, {})
        await self._session.join_table(info.table)
        await self._session.table_actions.start_game()

    def _compare_moves(self, former: AtTable, seat: int) -> None:
        """Compare the moves that were made at a table with those that it has."""
        self.lost += max(0, self._at_table - former.played[seat])
        self.doubled += max(0, former.played[seat] - self._tried)
        self._compared = former
        self._at_table = self._tried = 0

    async def _move(self, table: AtTable) -> None:
        self._tried += 1
        await self._session.play_move(next(iter(table.game.moves(table.view))))
        self._at_table += 1
        now = SYSTEM.seconds()
        self.waits.append((now, now - self._since))
        await SYSTEM.sleep(self._pause)
        self._since = SYSTEM.seconds()

    async def _wait_for_change(self) -> None:
        self._changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                await self._changed.wait()


async def play_until(
    port: int, name: str, is_over: Callable[[], bool], pause: float, pins: Path | None = None
) -> Played:
    """Play against bots until `is_over`; a player rests for `pause` seconds between moves.

    With a folder for the server's pin the connection is encrypted.
    """
    link: Link = TcpLink(_HERE, port)
    if pins is not None:
        link = TlsLink(Address(_HERE, port), KnownServers(pins))
    return await Player(link, pause).play_until(name, is_over)
