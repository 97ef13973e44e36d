"""Index of archived games, bounded in bytes and number; the biggest creators lose games first. Does no I/O."""

import heapq
from collections.abc import Callable, Iterator
from itertools import chain, count, takewhile
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct

from scoville_server.limits.bounds import Number
from scoville_server.limits.live import Adjustable, as_live
from scoville_shared.ids import TableId, UserId

BLOCK = 4_096
"""Bytes of the smallest file on a disk; every size is rounded up to a multiple."""


class GameLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bounds of the archive."""

    bytes: Annotated[
        Number,
        Meta(
            description="Size of all files together: a game has 4 to 30 KB, and a small machine a few gigabytes. The "
            "oldest games of the user or address with the most are removed first."
        ),
    ] = 1_073_741_824
    files: Annotated[
        Number, Meta(description="Number of files: the server keeps about a kilobyte in memory for each.")
    ] = 20_000


def table_of(name: str) -> TableId:
    """Return the table by which a file is named, `TABLE.jsonl` or `TABLE-2.jsonl`."""
    return TableId(name.partition(".")[0].partition("-")[0])


class KeptGame(NamedTuple):
    """One file; `creators` are the keys of the user and the network that opened its table, if known.

    `players` are the users who had a seat; `checksum` is that of the file, empty if nobody knows.
    """

    name: str
    size: int
    creators: tuple[str, ...]
    players: tuple[UserId, ...] = ()
    checksum: bytes = b""

    @property
    def table(self) -> TableId:
        """The table's id."""
        return table_of(self.name)

    @property
    def cost(self) -> int:
        """Bytes that the file takes on a disk."""
        return max(1, -(-self.size // BLOCK)) * BLOCK


class ArchiveIndex:
    """The files by creator, each creator's oldest first. Every method costs O(log n)."""

    def __init__(self, limits: Adjustable[GameLimits]) -> None:
        self._limits = as_live(limits)
        self._games: dict[str, KeptGame] = {}
        self._of: dict[str, dict[str, None]] = {}
        self._cost: dict[str, int] = {}
        self._total = 0
        self._largest: list[tuple[int, str]] = []

    def of_table(self, table: str) -> Iterator[KeptGame]:
        """Yield the games of a table's id; several only where a seed was given twice."""
        numbers = chain([""], (f"-{number}" for number in count(2)))
        names = takewhile(self._games.__contains__, (f"{table}{number}.jsonl" for number in numbers))
        return (self._games[name] for name in names)

    def __contains__(self, name: str) -> bool:
        return name in self._games

    def __len__(self) -> int:
        return len(self._games)

    @property
    def bytes(self) -> int:
        return self._total

    def add_game(self, game: KeptGame) -> None:
        """Add a file, in place of one of the same name."""
        self.drop_game(game.name)
        self._games[game.name] = game
        self._total += game.cost
        for creator in game.creators:
            self._of.setdefault(creator, {})[game.name] = None
            self._add_cost(creator, game.cost)

    def drop_game(self, name: str) -> None:
        game = self._games.pop(name, None)
        if game is None:
            return
        self._total -= game.cost
        for creator in game.creators:
            del self._of[creator][name]
            self._add_cost(creator, -game.cost)

    def drop_surplus(self, needed: Callable[[TableId], bool]) -> list[KeptGame]:
        """Remove games beyond the bounds and return them; games of tables that are still `needed` stay."""
        dropped: list[KeptGame] = []
        blocked: set[str] = set()
        while self._exceeds_bounds and (creator := self._find_heaviest()) is not None:
            game = next((game for game in self._games_of(creator) if not needed(game.table)), None)
            if game is None:
                # All games of this creator are needed: the next creator is tried, and this one again at a later call.
                heapq.heappop(self._largest)
                blocked.add(creator)
            else:
                self.drop_game(game.name)
                dropped.append(game)
        for creator in blocked:
            self._push_total(creator)
        return dropped

    @property
    def _exceeds_bounds(self) -> bool:
        return self._total > self._limits.value.bytes or len(self._games) > self._limits.value.files

    def _games_of(self, creator: str) -> Iterator[KeptGame]:
        return (self._games[name] for name in self._of[creator])

    def _add_cost(self, creator: str, cost: int) -> None:
        self._cost[creator] = self._cost.get(creator, 0) + cost
        if self._of[creator]:
            self._push_total(creator)
        else:
            del self._of[creator], self._cost[creator]

    def _push_total(self, creator: str) -> None:
        """Push a creator's present total; outdated entries are skipped when they come up."""
        # Made again before outdated entries outnumber the others by far.
        if len(self._largest) > 4 * len(self._of) + 64:
            self._largest = [(-cost, each) for each, cost in self._cost.items()]
            heapq.heapify(self._largest)
        heapq.heappush(self._largest, (-self._cost[creator], creator))

    def _find_heaviest(self) -> str | None:
        """Return the creator with the most bytes; None if no game may be removed."""
        while self._largest:
            cost, creator = self._largest[0]
            if self._cost.get(creator) == -cost:
                return creator
            heapq.heappop(self._largest)
        return None
