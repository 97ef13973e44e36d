"""The first records of a table: as somebody wishes it, or in the middle of a game that is gone on with."""

import hashlib
import secrets
from collections.abc import Iterable, Sequence

import msgspec

from scoville_server.actor import wall_ms
from scoville_server.config import Settings
from scoville_server.sessions import Person
from scoville_server.shelf import Shelf
from scoville_server.table.records import AnyRecord, Opened
from scoville_server.table.resume import resumed
from scoville_shared.ids import TableId
from scoville_shared.kit.dice import SEED_BYTES
from scoville_shared.wire.messages import CreateTable, TableClock

_ID_DIGITS = 12


class Beginnings:
    """How tables begin. The settings' seed and opening are for the first one alone."""

    def __init__(self, settings: Settings, shelf: Shelf) -> None:
        self._shelf = shelf
        self._opening = settings.opening
        self._seed = None if settings.seed is None else settings.seed.ljust(SEED_BYTES, b"\0")
        self._taken: frozenset[TableId] = frozenset()

    def avoid(self, tables: Iterable[TableId]) -> None:
        """Give no table the id of one that was kept, whether it could be opened again or not."""
        self._taken = frozenset(tables)

    def of(self, person: Person, wish: CreateTable) -> Sequence[AnyRecord]:
        """Begin a table as it is wished, or, once, the one of the settings. Raises ScovilleError."""
        opening, self._opening = self._opening, None
        if opening is not None:
            return resumed(opening, person.id, person.name, wall_ms())
        return [self._empty(person, wish)]

    def _empty(self, person: Person, wish: CreateTable) -> Opened:
        game = self._shelf.game(wish.game)
        self._shelf.check_seats(wish.game, wish.seats)
        options = self._shelf.options(wish.game, wish.options)
        table, seed = self._chance()
        return Opened(
            at_ms=wall_ms(),
            table=table,
            game=wish.game,
            rules_version=game.info.rules_version,
            options=options,
            seats=wish.seats,
            seed=seed,
            person=person.id,
            clock=msgspec.convert(wish.clock, TableClock, from_attributes=True),
        )

    def _chance(self) -> tuple[TableId, bytes]:
        """Draw a table's id and seed; the first table's come from the seed of the settings, if there is one.

        The deal comes from both; while a table of that seed is kept, another one gets an id and a deal of its own.
        """
        seed, self._seed = self._seed, None
        if seed is not None:
            table = TableId(hashlib.sha256(b"scoville/table" + seed).hexdigest()[:_ID_DIGITS])
            if table not in self._taken:
                return table, seed
        return TableId(secrets.token_hex(_ID_DIGITS // 2)), secrets.token_bytes(SEED_BYTES)
