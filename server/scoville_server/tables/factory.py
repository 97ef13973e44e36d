"""The first records of a table: on request, for quick match, or for a rematch; nights follow local time."""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET
from msgspec.structs import asdict, replace

from scoville_runtime.clock import SYSTEM
from scoville_runtime.local_time import find_zone
from scoville_server.accounts.model.naming.permitted import bot_names
from scoville_server.accounts.sessions import User
from scoville_server.limits.live import Live
from scoville_server.tables.actions.join import Joined
from scoville_server.tables.actions.leave import Left
from scoville_server.tables.actions.start import Revealed, Started
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.model.nights import ZoneOffsets
from scoville_server.tables.model.records import Created, Played, Record, Reserved
from scoville_server.tables.model.table import SERVER_USER, Table
from scoville_shared.bots.registry import USUAL, find_level
from scoville_shared.engine.dice import SEED_BYTES
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import (
    DAY_MS,
    LONGEST_NIGHT_HOURS,
    ClockParams,
    CreateRequest,
    Night,
    TableClock,
    TableSettings,
)
from scoville_shared.replay import Header, Opening, dealer_of

_ID_DIGITS = 12
_MOST_AT_ONCE = 4
"""Most seats of a quick-match table: more would take too long to fill."""

UNLIMITED = TableClock()
"""Thinking time without a limit."""


class QuickTables(NamedTuple):
    """How tables are that start by themselves: when bots fill them, in seconds (0: never), and their thinking time."""

    fill_seconds: int = 0
    clock: TableClock = UNLIMITED


class FirstTable(NamedTuple):
    """Settings of the first table: its position, None for a new game, and its seed, None for chance."""

    opening: Opening | None = None
    seed: bytes | None = None


class SharedPlayer(NamedTuple):
    """A player of a duplicate evening, who may not be there when the deal begins."""

    user: UserId
    name: str
    claimed: bool
    is_here: bool


class SharedStart(NamedTuple):
    """A deal that is played at several tables at a time, under the rules it was committed with, and who sits where."""

    name: str
    rules_version: int
    players: Mapping[Seat, SharedPlayer]


class TournamentTable(NamedTuple):
    """A table that a tournament opens.

    Attributes:
        request: How it is played.
        table: Its id, which is known before, as the `seed` is.
        seed: The seed of its deal.
        reserved: Who its seats are kept for.
        admitted: The users who may enter it from the start, if it is private.
        start: The deal of a duplicate evening, with which its game starts at once.
    """

    request: CreateRequest
    table: TableId
    seed: bytes
    reserved: Reserved
    admitted: tuple[UserId, ...]
    start: SharedStart | None = None


class TableFactory:
    """Creates the first records of tables.

    Args:
        catalog: The games.
        quick: How tables are that start by themselves.
        first: How the first table is; its seed has at most `SEED_BYTES`.
        now: Wall time in milliseconds since 1970.
        sign: Signs the commitment of a new table.
    """

    def __init__(
        self,
        catalog: GameCatalog,
        quick: Live[QuickTables],
        first: FirstTable,
        now: Callable[[], int] = SYSTEM.date_ms,
        sign: Callable[[Created], Created] = lambda created: created,
    ) -> None:
        self._sign = sign
        self.catalog = catalog
        self._now = now
        self._opening = first.opening
        self._seed = None if first.seed is None else first.seed.ljust(SEED_BYTES, b"\0")
        self._taken: frozenset[TableId] = frozenset()
        self.live_quick = quick

    @property
    def quick(self) -> QuickTables:
        """The terms of tables that start by themselves."""
        return self.live_quick.value

    def avoid_ids(self, tables: Iterable[TableId]) -> None:
        """Never give a new table the id of a stored one, whether that could be restored or not."""
        self._taken = frozenset(tables)

    def records_on_request(self, user: User, request: CreateRequest, code: str, lock: bytes = b"") -> Sequence[Record]:
        """Return the first records of a requested table, or once that of the settings. Raises ScovilleError.

        The opening of the settings brings its own game and options; clock and settings are those of the request.
        """
        opening, self._opening = self._opening, None
        if opening is not None:
            first, *rest = resumed_records(opening, user.id, user.name, self._now())
            assert isinstance(first, Created), "the first record of a table opens it"
            clock = _complete_clock(request.clock)
            first = replace(first, clock=clock, settings=self._complete_settings(replace(request, game=first.game)))
            return [self._sign(_with_code(_with_offsets(first, self._now()), user, code, lock)), *rest]
        return [self._sign(_with_code(self._create_record(request, user.id), user, code, lock))]

    def records_of_default_table(self, game: str, code: str) -> Sequence[Record]:
        """Return the first record of a default table. Raises ScovilleError `unknown_game`."""
        return [self._sign(replace(self._create_record(self.request_for_anybody(game), SERVER_USER), code=code))]

    def check_request(self, request: CreateRequest, rules_version: int | None = None) -> None:
        """Raise ScovilleError for a table that cannot be opened any more, or by other rules than `rules_version`."""
        created = self._create_record(request, SERVER_USER)
        if rules_version is not None and created.rules_version != rules_version:
            raise _other_rules(created.game)

    def records_for_tournament(self, wanted: TournamentTable, code: str) -> Sequence[Record]:
        """Return the first records of a table of a tournament.

        Raises ScovilleError: the game cannot be played any more, or by other rules than those of the deal's commitment.
        """
        reserved = wanted.reserved
        owner = UserId(f"tournament/{reserved.tournament}")  # ids of users are hexadecimal, so it is nobody's table
        created = replace(
            self._create_record(wanted.request, owner),
            table=wanted.table,
            seed=wanted.seed,
            code=code,
            reserved=reserved,
            admitted=wanted.admitted,
        )
        return [self._sign(created)] if wanted.start is None else self._begin_shared_deal(created, wanted.start)

    def _begin_shared_deal(self, created: Created, deal: SharedStart) -> Sequence[Record]:
        """Return the first records of a table of a duplicate evening: all sit, and the game has started.

        Nobody adds a nonce, since the same cards lie at all tables. A bot plays for who is not there until they come.
        """
        if created.rules_version != deal.rules_version:
            raise _other_rules(created.game)
        created = self._sign(replace(created, shared_deal=deal.name))
        at_ms, taken = created.at_ms, [player.name for player in deal.players.values()]
        free = [seat for seat in map(Seat, range(created.seat_count)) if seat not in deal.players]
        bots = dict(zip(free, bot_names(len(free), taken), strict=True))
        return [
            created,
            *(
                Joined(at_ms=at_ms, seat=seat, user=player.user, name=player.name, claimed=player.claimed)
                for seat, player in deal.players.items()
            ),
            Started(at_ms=at_ms, strength=created.settings.bot_level, bots=bots),
            # Behind the start: a seat that is left before it would be free.
            *(
                Left(at_ms=at_ms, seat=seat, reason="absent")
                for seat, player in deal.players.items()
                if not player.is_here
            ),
        ]

    def request_for_anybody(self, game: str) -> CreateRequest:
        """Return the request for a table that starts by itself: when it is full, or with bots after a while."""
        fewest, most = self.catalog.find_game(game).info.official
        settings = TableSettings(start="full", hostless=True, fill_ms=1000 * self.quick.fill_seconds or None)
        request = CreateRequest(
            game=game, seat_count=max(fewest, min(most, _MOST_AT_ONCE)), clock=ClockParams(**asdict(self.quick.clock))
        )
        return replace(request, settings=msgspec.convert(settings, type(request.settings), from_attributes=True))

    def records_of_rematch(
        self, table: Table, asker: User, code: str, levels: Sequence[str | None] | None = None
    ) -> Sequence[Record]:
        """Return the records of a rematch: the same players in the same seats, under the same host.

        The bots are those of the table, or of other `levels` by seat. Raises ScovilleError `bad_params`.
        """
        number, seed = self._draw_id_and_seed()
        opened, *rest = rematch_records(table, asker.id, number, seed, code, self._now())
        assert isinstance(opened, Created), "the first record of a table opens it"
        if levels is not None:
            for level in filter(None, levels):
                self.catalog.check_bot_level(opened.game, level)
            opened = replace(opened, settings=replace(opened.settings, bot_levels=[*levels]))
        return [self._sign(_with_offsets(opened, opened.at_ms)), *rest]

    def _create_record(self, request: CreateRequest, user: UserId) -> Created:
        game = self.catalog.find_game(request.game)
        self.catalog.check_seats(request.game, request.seat_count)
        options = self.catalog.complete_options(request.game, request.options)
        clock = _complete_clock(request.clock)
        table, seed = self._draw_id_and_seed()
        created = Created(
            at_ms=self._now(),
            table=table,
            game=request.game,
            rules_version=game.info.rules_version,
            options=options,
            seat_count=request.seat_count,
            seed=seed,
            user=user,
            clock=clock,
            settings=self._complete_settings(request),
        )
        return _with_offsets(created, created.at_ms)

    def _complete_settings(self, request: CreateRequest) -> TableSettings:
        """Return the requested settings. A table with commentators or a coach is never rated."""
        settings = msgspec.convert(request.settings, TableSettings, from_attributes=True)
        for level in (settings.bot_level, *filter(None, (*settings.bot_levels, settings.absent_level))):
            self.catalog.check_bot_level(request.game, level)
        return replace(settings, rated=settings.rated and not settings.commentary and not settings.coach)

    def _draw_id_and_seed(self) -> tuple[TableId, bytes]:
        """Draw a table's id and seed; the first table's come from the settings' seed, if there is one.

        The deal comes from both. While a table of that seed is stored, another one gets its own id and deal.
        """
        seed, self._seed = self._seed, None
        if seed is not None:
            table = TableId(hashlib.sha256(b"scoville/table" + seed).hexdigest()[:_ID_DIGITS])
            if table not in self._taken:
                return table, seed
        return TableId(secrets.token_hex(_ID_DIGITS // 2)), secrets.token_bytes(SEED_BYTES)


def _other_rules(game: str) -> ScovilleError:
    return ScovilleError(Code.BAD_OPTIONS, f"The rules of {game} are others than when its deals were committed to.")


def _complete_clock(requested: ClockParams) -> TableClock:
    """Return the requested clock. By correspondence every seat is kept. Raises ScovilleError `bad_params`."""
    check_night(requested)
    night = UNSET if requested.night is UNSET else Night(**asdict(requested.night))
    clock = TableClock(**{**asdict(requested), "night": night})
    return replace(clock, absence_ms=None) if clock.by_days else clock


def _with_offsets(created: Created, now_ms: int) -> Created:
    """Add the changes of the time zone that a table's night needs."""
    night = created.clock.night
    return created if night is UNSET else replace(created, zone_offsets=list_offsets(night.zone, now_ms))


def _with_code(opened: Created, user: User, code: str, lock: bytes) -> Created:
    """Add a code and a password's hash to a user's table."""
    return replace(opened, creator=user.name, code=code, password=lock)


def rematch_records(table: Table, user: UserId, new: TableId, seed: bytes, code: str, now_ms: int) -> Sequence[Record]:
    """Return the records of the rematch `new`: the players still seated and the `user`, same seats, same host.

    In games with a dealer, the next dealer deals. Players who are seated by these records give their nonces by
    joining once more. Admitted and kicked users are the same; the rematch of a default table belongs to the `user`.
    """
    # The host first: the first player who sits down becomes the host of the new table.
    host = table.host if table.host is not None else Seat(0)
    round_the_table = (host, *table.clockwise_from(host))
    seats = [seat for seat in round_the_table if table.seats[seat].human or table.owned_seat(user) == seat]
    created = replace(
        _with_owner(table, user),
        at_ms=now_ms,
        table=new,
        seed=seed,
        code=code,
        before=table.id,
        # In the record and the exported file, so that an independent checker deals the same cards.
        dealer=table.game.next_dealer(table.state),
        admitted=_admitted_users(table),
        watch_refusal=dict(table.kicked),
    )
    return [created, *(_make_join(table, seat, now_ms) for seat in seats)]


def _with_owner(table: Table, user: UserId) -> Created:
    seat = table.owned_seat(user)
    if table.opened.creator or seat is None:
        return table.opened
    return replace(table.opened, user=user, creator=table.seats[seat].name)


def _admitted_users(table: Table) -> tuple[UserId, ...]:
    users = {seat_state.user for seat_state in table.seats if seat_state.user is not None}
    return tuple(sorted((table.admitted | users) - table.kicked.keys()))


def _make_join(table: Table, seat: Seat, now_ms: int) -> Joined:
    seat_state = table.seats[seat]
    assert seat_state.user is not None, "only users come along"
    return Joined(at_ms=now_ms, seat=seat, user=seat_state.user, name=seat_state.name, claimed=seat_state.claimed)


def resumed_records(opening: Opening, user: UserId, name: str, now_ms: int) -> Sequence[Record]:
    """Return the records that lead to `opening`: the same deal, the same moves by the same movers.

    The user `user` sits in the opening's seat and is the host; all other players have left, so bots keep their
    seats. The last move was made at `now_ms`.
    """
    header, lines = opening.exported.header, opening.exported.moves[: opening.moves]
    began = now_ms - (lines[-1].at_ms if lines else 0)
    absent = [seat for seat in _human_seats(header) if seat != opening.seat]
    bots = {Seat(n): _name_of_seat(header, n) for n in range(len(header.seats)) if n not in (opening.seat, *absent)}
    levels = {seat: level for seat in bots if (level := find_level(header.game, str(header.seats[seat].level)))}
    return [
        _created_again(header, user, began),
        _joined_again(header, opening.seat, user, name, began),
        # Ids of users are hexadecimal, so nobody can ever return to a seat of this one.
        *(_joined_again(header, seat, UserId(f"gone/{seat}"), _name_of_seat(header, seat), began) for seat in absent),
        *_revealed_again(header, began),
        Started(at_ms=began, strength=USUAL, bots=bots, levels=levels),
        *(Played(at_ms=began + line.at_ms, seat=Seat(line.seat), move=line.move, mover=line.mover) for line in lines),
        *(Left(at_ms=now_ms, seat=seat) for seat in absent),
    ]


def _human_seats(header: Header) -> list[Seat]:
    """List the seats of human players; a nonce, which counts for the deal, comes from joining."""
    taken = (sitter.kind == "human" or nonce for sitter, nonce in zip(header.seats, header.nonces, strict=True))
    return [Seat(n) for n, by_somebody in enumerate(taken) if by_somebody]


def _name_of_seat(header: Header, seat: int) -> str:
    return header.seats[seat].name or f"Seat {seat + 1}"


def _created_again(header: Header, user: UserId, now_ms: int) -> Created:
    return Created(
        at_ms=now_ms,
        table=TableId(header.table),
        game=header.game,
        rules_version=header.rules_version,
        options=header.options,
        seat_count=len(header.seats),
        seed=bytes.fromhex(header.server_seed),
        user=user,
        dealer=dealer_of(header),
    )


def _joined_again(header: Header, seat: Seat, user: UserId, name: str, now_ms: int) -> Joined:
    hashed = bytes.fromhex(header.nonce_hashes[seat] or "")
    return Joined(at_ms=now_ms, seat=seat, user=user, name=name, nonce_hash=hashed)


def _revealed_again(header: Header, now_ms: int) -> list[Revealed]:
    return [
        Revealed(at_ms=now_ms, seat=Seat(seat), nonce=bytes.fromhex(nonce))
        for seat, nonce in enumerate(header.nonces)
        if nonce is not None
    ]


# --- nights and time zones --------------------------------------------------------------------------

_DAYS: Final = 3_660
"""For how many days ahead changes of local time are listed: ten years, longer than any game."""

_SECOND_MS: Final = 1_000


def check_night(clock: TableClock) -> None:
    """Check the night of a requested clock. Raises ScovilleError `bad_params`."""
    night = clock.night
    if night is UNSET:
        return
    if not clock.by_days:
        raise ScovilleError(Code.BAD_PARAMS, "Only tables with a day or more for a move have a night.")
    if not 1 <= night.hours <= LONGEST_NIGHT_HOURS:
        raise ScovilleError(Code.BAD_PARAMS, f"A night has 1 to {LONGEST_NIGHT_HOURS} hours (got {night.hours}).")
    if find_zone(night.zone) is None:
        sentence = f"There is no time zone {night.zone!r}; write one such as Europe/Berlin, or UTC."
        raise ScovilleError(Code.BAD_PARAMS, sentence)


def list_offsets(zone: str, now_ms: int) -> ZoneOffsets:
    """List how local time in a zone follows from UTC from now on, for ten years."""
    # From the beginning of the day, so that tables of one day share one list.
    return _list_offsets(zone, now_ms // DAY_MS)


@lru_cache(maxsize=64)
def _list_offsets(zone: str, day: int) -> ZoneOffsets:
    info = find_zone(zone)
    assert info is not None, "the zone was checked"
    listed = [(day * DAY_MS, _offset_ms(info, day * DAY_MS))]
    for start in range(day * DAY_MS, (day + _DAYS) * DAY_MS, DAY_MS):
        before, after = listed[-1][1], _offset_ms(info, start + DAY_MS)
        if before != after:
            listed.append((_find_change(info, start, before), after))
    return tuple(listed)


def _find_change(zone: tzinfo, start_ms: int, before: int) -> int:
    """Find the second of a day at which local time is no longer so far ahead."""
    least, most = start_ms // _SECOND_MS, (start_ms + DAY_MS) // _SECOND_MS
    while most - least > 1:
        middle = (least + most) // 2
        if _offset_ms(zone, middle * _SECOND_MS) == before:
            least = middle
        else:
            most = middle
    return most * _SECOND_MS


def _offset_ms(zone: tzinfo, at_ms: int) -> int:
    ahead = datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(zone).utcoffset()
    assert ahead is not None, "a zone has an offset at every time"
    return round(ahead.total_seconds() * 1000)
