"""Previews: how games of others stand now, for their small pictures; nobody is listed as a spectator for it."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from scoville_client.session.changes import Request
from scoville_client.session.table.sentence_game import SentenceGame
from scoville_client.session.table.table import AtTable
from scoville_client.transport.base import LinkError
from scoville_shared.engine.contract import AnyGame
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import PollRequest, TableSnapshot

PREVIEW_SECONDS: Final = 10.0
"""Age of a preview from which on it is requested again: a lobby with a thousand users may not ask more often."""
MOST_PREVIEW_SECONDS: Final = 80.0
"""The same of a game in which nothing happens: the age is doubled each time that a preview was the same."""


class Previews:
    """The tables that were read last, as a spectator sees them; a table is forgotten once it is not asked for.

    Args:
        request: Sends requests.
        load: Loads a game for a table. Raises ScovilleError.
        now: Returns monotonic seconds.
    """

    def __init__(self, request: Request, load: Callable[[str], AnyGame], now: Callable[[], float]) -> None:
        self._request = request
        self._load = load
        self._now = now
        self._tables: dict[str, AtTable] = {}
        self._read_at: dict[str, float] = {}
        self._pauses: dict[str, float] = {}

    def find_table(self, table: str) -> AtTable | None:
        """Return a table as it was read last; None for one that cannot be shown."""
        return self._tables.get(table)

    def due_in(self, tables: Sequence[str]) -> float | None:
        """Return the seconds until one of these tables is to be read; None without tables."""
        return min((self._seconds_until(table) for table in tables), default=None)

    async def read_due(self, tables: Sequence[str]) -> None:
        """Read those of these tables that are due, one after the other, and forget all others."""
        for kept in (self._tables, self._read_at, self._pauses):
            for table in kept.keys() - {*tables}:
                del kept[table]
        for table in tables:
            if self._seconds_until(table) > 0:
                continue
            self._read_at[table] = self._now()
            # A refusal is an answer: such a table is not shown. Without a connection it is read again later.
            with suppress(ScovilleError, LinkError):
                await self._read_table(table)

    def _seconds_until(self, table: str) -> float:
        pause = self._pauses.get(table, PREVIEW_SECONDS)
        return max(0.0, self._read_at.get(table, float("-inf")) + pause - self._now())

    async def _read_table(self, table: str) -> None:
        known = self._tables.get(table)
        snapshot = await self._request(PollRequest(table=table, since=known.seq if known else 0), TableSnapshot)
        is_same = known is not None and snapshot.seq == known.seq
        pause = 2 * self._pauses.get(table, PREVIEW_SECONDS) if is_same else PREVIEW_SECONDS
        self._pauses[table] = min(pause, MOST_PREVIEW_SECONDS)
        if known is not None and not known.is_rewound_by(snapshot):
            known.catch_up(snapshot)
            return
        self._tables.pop(table, None)
        game = self._load(snapshot.info.game)
        if not isinstance(game, SentenceGame):
            self._tables[table] = AtTable(game, snapshot, self._now)
