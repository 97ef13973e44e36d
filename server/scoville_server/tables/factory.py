"""The first records of a table: on request, for quick match, or for a rematch."""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Sequence

import msgspec
from msgspec.structs import asdict, replace

from scoville_runtime.clock import SYSTEM
from scoville_server.accounts.sessions import User
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.model.opening.rematch import following
from scoville_server.tables.model.opening.resume import resumed
from scoville_server.tables.model.records import AnyRecord, Created
from scoville_server.tables.model.table import SERVER_USER, Table
from scoville_shared.engine.dice import SEED_BYTES
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import ClockParams, CreateRequest, TableClock, TableSettings
from scoville_shared.replay import Opening

_ID_DIGITS = 12
_MOST_AT_ONCE = 4
"""Most seats of a quick-match table: more would take too long to fill."""

UNLIMITED = TableClock()
"""Thinking time without a limit."""


class TableFactory:
    """Creates the first records of tables.

    Args:
        catalog: The games.
        bot_fill_seconds: Seconds after which bots fill a table that starts by itself.
        clock: Thinking time at tables that start by themselves.
        opening: The position of the first table, None for a new game.
        seed: The seed of the first table, at most `SEED_BYTES`; None for a random one.
        now: Wall time in milliseconds since 1970.
        sign: Signs the commitment of a new table.
    """

    def __init__(
        self,
        catalog: GameCatalog,
        bot_fill_seconds: int,
        clock: TableClock = UNLIMITED,
        *,
        opening: Opening | None = None,
        seed: bytes | None = None,
        now: Callable[[], int] = SYSTEM.date_ms,
        sign: Callable[[Created], Created] = lambda created: created,
    ) -> None:
        self._sign = sign
        self._catalog = catalog
        self._now = now
        self._opening = opening
        self._seed = None if seed is None else seed.ljust(SEED_BYTES, b"\0")
        self._taken: frozenset[TableId] = frozenset()
        self._fill = bot_fill_seconds
        self.clock = clock

    def avoid(self, tables: Iterable[TableId]) -> None:
        """Never give a new table the id of a stored one, whether that could be restored or not."""
        self._taken = frozenset(tables)

    def of(self, user: User, request: CreateRequest, code: str, lock: bytes = b"") -> Sequence[AnyRecord]:
        """Return the first records of a requested table, or once that of the settings. Raises ScovilleError."""
        opening, self._opening = self._opening, None
        if opening is not None:
            first, *rest = resumed(opening, user.id, user.name, self._now())
            assert isinstance(first, Created), "the first record of a table opens it"
            return [self._sign(_led_to(first, user, code, lock)), *rest]
        return [self._sign(_led_to(self._opened(request, user.id), user, code, lock))]

    def default_table(self, game: str, code: str) -> Sequence[AnyRecord]:
        """Return the first record of a default table. Raises ScovilleError `unknown_game`."""
        return [self._sign(replace(self._opened(self.for_anybody(game), SERVER_USER), code=code))]

    def for_anybody(self, game: str) -> CreateRequest:
        """Return the request for a table that starts by itself: when it is full, or with bots after a while."""
        fewest, most = self._catalog.game(game).info.official
        settings = TableSettings(start="full", hostless=True, fill_ms=1000 * self._fill or None)
        request = CreateRequest(
            game=game, seat_count=max(fewest, min(most, _MOST_AT_ONCE)), clock=ClockParams(**asdict(self.clock))
        )
        return replace(request, settings=msgspec.convert(settings, type(request.settings), from_attributes=True))

    def after(self, table: Table, asker: User, code: str) -> Sequence[AnyRecord]:
        """Return the records of a rematch: the same players in the same seats, under the same host."""
        number, seed = self._chance()
        opened, *rest = following(table, asker.id, number, seed, code, self._now())
        assert isinstance(opened, Created), "the first record of a table opens it"
        return [self._sign(opened), *rest]

    def _opened(self, request: CreateRequest, user: UserId) -> Created:
        game = self._catalog.game(request.game)
        self._catalog.check_seats(request.game, request.seat_count)
        options = self._catalog.options(request.game, request.options)
        table, seed = self._chance()
        return Created(
            at_ms=self._now(),
            table=table,
            game=request.game,
            rules_version=game.info.rules_version,
            options=options,
            seat_count=request.seat_count,
            seed=seed,
            user=user,
            clock=TableClock(**asdict(request.clock)),
            settings=self._settings(request),
        )

    def _settings(self, request: CreateRequest) -> TableSettings:
        """Return the requested settings. A table with commentators or a coach is never rated."""
        settings = msgspec.convert(request.settings, TableSettings, from_attributes=True)
        for level in (settings.bot_level, *filter(None, (*settings.bot_levels, settings.absent_level))):
            self._catalog.check_bot_level(request.game, level)
        return replace(settings, rated=settings.rated and not settings.commentary and not settings.coach)

    def _chance(self) -> tuple[TableId, bytes]:
        """Draw a table's id and seed; the first table's come from the settings' seed, if there is one.

        The deal comes from both. While a table of that seed is stored, another one gets its own id and deal.
        """
        seed, self._seed = self._seed, None
        if seed is not None:
            table = TableId(hashlib.sha256(b"scoville/table" + seed).hexdigest()[:_ID_DIGITS])
            if table not in self._taken:
                return table, seed
        return TableId(secrets.token_hex(_ID_DIGITS // 2)), secrets.token_bytes(SEED_BYTES)


def _led_to(opened: Created, user: User, code: str, lock: bytes) -> Created:
    """Add a code and a password's hash to a user's table."""
    return replace(opened, creator=user.name, code=code, password=lock)
