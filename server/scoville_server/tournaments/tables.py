"""The tables of tournaments: opened, closed where nobody comes, and their results, each written once."""

import logging
from collections.abc import Callable, Collection, Iterable
from typing import Final, NamedTuple

from msgspec import UNSET
from msgspec.structs import asdict

from scoville_server.accounts.users import Users
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.lobby.digests import TableLine
from scoville_server.players.model.career import find_stayed_seats
from scoville_server.tables.actions.close import Close, Unseal
from scoville_server.tables.actions.enter import FollowMembers
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.factory import SharedPlayer, SharedStart, TournamentTable
from scoville_server.tables.model.records import Reserved
from scoville_server.tables.model.table import Table, is_sealed
from scoville_server.tables.observers import Change, TableObserver
from scoville_server.tables.opener import TableOpener
from scoville_server.tables.registry import TableRegistry
from scoville_server.tournaments.book import TournamentBook
from scoville_server.tournaments.model.duplicate import is_revealed, note_deal_table
from scoville_server.tournaments.model.tournament import (
    NOBODY,
    WAIT_MS,
    Fault,
    Pairing,
    Tournament,
    note_result,
    score_closed,
    score_table,
)
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import (
    ClockParams,
    CreateRequest,
    TableSettingsParams,
    TournamentSeatedNotice,
)

_log = logging.getLogger(__name__)

_BOT_PACE_MS: Final = 700
"""Milliseconds that a bot of a duplicate evening lets pass after the move before."""

UNUSED_MS: Final = 60_000
"""After how long a table at which nobody has sat down is closed, in milliseconds: others wait for its result."""


_LASTING: Final = frozenset({Code.UNKNOWN_GAME, Code.BAD_OPTIONS, Code.BAD_SEATS, Code.BAD_PARAMS})
"""Why a table can never be opened. All else passes, such as a full disk or a game that took too long: it is tried again
at the next look at the time."""


class TableReach(NamedTuple):
    """Reach of tables of all nodes: sends them commands of the server, and finds the lines of those elsewhere."""

    send_command: Callable[[TableId, Close | Unseal | FollowMembers], object]
    find_line: Callable[[str], TableLine | None]


class TournamentTables(TableObserver):
    """Opens the tables of pairings and follows them. A result is written before the records of its table are deleted.

    `on_result` is called with a tournament before and after a result, once that is written.
    """

    observed = frozenset({Change.STATUS})

    def __init__(
        self,
        book: TournamentBook,
        registry: TableRegistry,
        reach: TableReach,
        opener: TableOpener,
        users: Users,
        background: BackgroundTasks,
    ) -> None:
        self.on_result: Callable[[Tournament, Tournament], object] = lambda *_: None
        self._book = book
        self._tables = registry.tables
        self._send_command, self._find_line = reach
        self._opener = opener
        self._connections = users.connections
        self._background = background

    async def open_tables(self, tournament: Tournament) -> None:
        """Open the missing tables of a round, and close those at which no entrant has sat down.

        Raises JournalError.
        """
        missing = self._list_missing(tournament)
        # Together: the journal takes all of them in one write.
        opening = [self._background.start_task(self._open_table(tournament, pairing)) for pairing in missing]
        lost = [pairing for pairing, task in zip(missing, opening, strict=True) if await task]
        tournament = await self._give_up(tournament, lost)
        for pairing in tournament.running:
            if self._book.now_ms() >= pairing.at_ms + UNUSED_MS and not self.is_used(pairing):
                close = Close(reason="Nobody came to this table of a tournament.", cause="unused")
                self._send_command(pairing.table, close)

    async def give_up_missing(self, tournament: Tournament) -> None:
        """Note the tables of an ended tournament that never opened as closed: nobody will play them.

        Else their deal would be kept secret for ever, and with it the chat of its players. Raises JournalError.
        """
        await self._give_up(tournament, self._list_missing(tournament))

    def _list_missing(self, tournament: Tournament) -> list[Pairing]:
        return [pairing for pairing in tournament.running if not self.is_open(pairing)]

    async def _give_up(self, tournament: Tournament, lost: Collection[Pairing]) -> Tournament:
        """Note tables that will never open as closed, and return the tournament after it. Raises JournalError."""

        def note_lost(kept: Tournament) -> Tournament:
            running = {pairing.table for pairing in kept.running}
            for pairing in lost:
                if pairing.table in running:
                    kept = _note_closed(kept, pairing.table, range(kept.seat_count), self._book.now_ms())
            return kept

        if lost:
            _, after = await self._book.change_row(tournament.id, note_lost)
            tournament = after or tournament
        for number in {pairing.round for pairing in lost}:
            self._unseal_deal(tournament, number)
        return tournament

    def find_fault(self, tournament: Tournament) -> Fault:
        """Find out why no further table can be opened, such as after an upgrade of the server; empty if one can."""
        rules_version = tournament.deals[0].rules_version if tournament.deals else None
        try:
            self._opener.check_request(_request_table(tournament), rules_version)
        except ScovilleError as error:
            if error.code in _LASTING:
                return "rules_changed" if error.code == Code.BAD_OPTIONS else "game_gone"
        return ""

    async def _open_table(self, tournament: Tournament, pairing: Pairing) -> bool:
        """Open a table and call its players; returns whether it can never be opened, by a game that is gone."""
        users = [UserId("") if number == NOBODY else tournament.find_number(number).user for number in pairing.seats]
        reserved = Reserved(tournament.id, tuple(users))
        # The other members find the table, and may watch it where it can be watched.
        members = self._book.clubs.list_members(tournament.club) if tournament.club else []
        admitted = tuple(dict.fromkeys([*filter(None, users), *members])) if tournament.club else ()
        wanted = TournamentTable(_request_table(tournament), pairing.table, pairing.seed, reserved, admitted)
        if tournament.format == "duplicate":
            deal = tournament.deals[pairing.round - 1]
            wanted = wanted._replace(seed=deal.seed, start=self._start_deal(tournament, pairing))
        try:
            await self._opener.open_for_tournament(wanted)
        except ScovilleError as error:
            _log.warning("tournament %s: %s", tournament.id, error.message)
            return error.code in _LASTING
        if tournament.club:
            self.follow_members(tournament)  # some may have come or gone while the table was opened
        for user in filter(None, users):
            self.call_player(tournament, pairing.table, user)
        return False

    def follow_members(self, tournament: Tournament) -> None:
        """Admit the present members of a tournament's club to watch its tables, and no former ones."""
        command = self._list_members(tournament)
        for pairing in tournament.pairings:
            self._send_command(pairing.table, command)

    def _list_members(self, tournament: Tournament) -> FollowMembers:
        return FollowMembers(members=frozenset(self._book.clubs.list_members(tournament.club)))

    def _start_deal(self, tournament: Tournament, pairing: Pairing) -> SharedStart:
        """Return the deal of a table, and who sits there: an absent user may come later."""
        deal = tournament.deals[pairing.round - 1]
        players: dict[Seat, SharedPlayer] = {}
        for seat, number in enumerate(pairing.seats):
            entrant = None if number == NOBODY else tournament.find_number(number)
            if entrant is not None and entrant.user:
                is_here = self._book.is_here(entrant.user)
                players[Seat(seat)] = SharedPlayer(entrant.user, entrant.name, entrant.claimed, is_here)
        return SharedStart(deal.name, deal.rules_version, players)

    def call_player(self, tournament: Tournament, table: TableId, user: UserId) -> None:
        """Tell a user that a table waits."""
        info = self._book.describe_tournament(tournament, user)
        clock = tournament.clock
        # A deal has begun already: there it is the time for the first move.
        waits_ms = (clock.move_ms or clock.bank_ms or WAIT_MS) if tournament.format == "duplicate" else WAIT_MS
        notice = TournamentSeatedNotice(tournament_info=info, table=table, waits_ms=waits_ms)
        self._connections.notify_user(user, notice)

    def is_open(self, pairing: Pairing) -> bool:
        """Whether the table of a pairing is open."""
        return self._book.is_open(pairing.table)

    def is_used(self, pairing: Pairing) -> bool:
        """Whether a player has sat down at a table, or its game has begun."""
        if pairing.table not in self._tables:
            line = self._find_line(pairing.table)
            return line is None or bool(line.seats) or line.info.status != "waiting"
        table = self._tables.find_table(pairing.table).table
        return bool(table.human_seats) or table.status != "waiting"

    def table_opened(self, actor: TableActor) -> None:
        """Catch up on work that no node could do with the table: its result, and members who have left its club."""
        self._follow_game(actor.table)
        reserved = actor.table.opened.reserved
        tournament = None if reserved is UNSET else self._book.rows.get(reserved.tournament)
        if tournament is not None and tournament.club and actor.watched.awaits_adoption:
            self._send_command(actor.table.id, self._list_members(tournament))

    def table_changed(self, actor: TableActor, done: Done) -> None:  # noqa: ARG002 - the table is in what was done
        self._follow_game(done.after)

    def _follow_game(self, table: Table) -> None:
        if table.opened.reserved is not UNSET and (table.status == "finished" or table.closed is not None):
            self._background.insist_on_write(lambda: self._note_result(table))

    async def is_settled(self, table: Table) -> bool:
        """Return whether the result of a tournament's table is written."""
        reserved = table.opened.reserved
        if reserved is UNSET or (table.status != "finished" and table.closed is None):
            return True
        async with self._book.changing.hold_keys([reserved.tournament]):
            tournament = self._book.rows.get(reserved.tournament)
            return tournament is None or all(pairing.table != table.id for pairing in tournament.running)

    async def _note_result(self, table: Table) -> None:
        """Write the result of a table, unless it is written already."""
        reserved = table.opened.reserved
        assert reserved is not UNSET, "a table of a tournament"
        changed = await self._book.change_in_turn(
            reserved.tournament, lambda kept: _note_table(kept, table, reserved, self._book.now_ms())
        )
        before, after = changed or (None, None)
        # First: users who hear that all have played the deal ask for the game at once.
        if is_sealed(table):
            self._unseal_tables(table, after)
        if before is not None and after is not None and after is not before:
            self.on_result(before, after)

    def _unseal_tables(self, table: Table, tournament: Tournament | None) -> None:
        """Unseal all tables of a deal once all have played it, or this one whose tournament is forgotten."""
        deals = [] if tournament is None else [deal.name for deal in tournament.deals]
        if tournament is None or table.opened.deal not in deals:
            self._send_command(table.id, Unseal())
            return
        self._unseal_deal(tournament, 1 + deals.index(table.opened.deal))

    def _unseal_deal(self, tournament: Tournament, number: int) -> None:
        if is_revealed(tournament, number):
            for pairing in tournament.pairings:
                if pairing.round == number:
                    self._send_command(pairing.table, Unseal())


def _note_table(tournament: Tournament, table: Table, reserved: Reserved, now_ms: int) -> Tournament:
    """Note the result of a table that has ended, unless it is noted already."""
    if all(pairing.table != table.id for pairing in tournament.running):
        return tournament
    outcome = table.game.outcome(table.state) if table.status == "finished" else None
    if outcome is None:
        return _note_closed(tournament, table.id, table.human_seats, now_ms)
    counted = _list_counted(table, reserved)
    if tournament.format == "duplicate":
        return note_deal_table(tournament, table.id, outcome.places, outcome.scores, counted, now_ms)
    return note_result(tournament, table.id, outcome.places, score_table(outcome.places, counted), now_ms)


def _note_closed(tournament: Tournament, table: TableId, seated: Iterable[int], now_ms: int) -> Tournament:
    """Note a table that was closed before its end, or could not be opened."""
    if tournament.format == "duplicate":
        return note_deal_table(tournament, table, (), (), seated, now_ms)
    return note_result(tournament, table, (), score_closed(tournament.seat_count, seated), now_ms)


def _request_table(tournament: Tournament) -> CreateRequest:
    is_duplicate = tournament.format == "duplicate"
    settings = TableSettingsParams(
        # Not rated: who meets whom, and with which bots, is up to those who call tournaments and enter them.
        rated=False,
        private=bool(tournament.club),
        start="full",
        countdown_ms=3_000,
        fill_ms=WAIT_MS,
        hostless=True,
        bot_level=tournament.bot_level,
        # The others must not see a deal that they have still to play; people can follow bots, and none is faster.
        spectating="nobody" if is_duplicate else "anybody",
        bot_pace_ms=_BOT_PACE_MS if is_duplicate else 0,
    )
    return CreateRequest(
        game=tournament.game,
        seat_count=tournament.seat_count,
        options=tournament.options,
        clock=ClockParams(**asdict(tournament.clock)),
        settings=settings,
    )


def _list_counted(table: Table, reserved: Reserved) -> list[int]:
    """List the seats whose entrants get points: who took the seat and stayed, or was voted out.

    Who voted for a kick gets nothing, as with ratings: two friends could remove a third near the end of each lost game.
    """
    counted = (find_stayed_seats(table) | table.voted_out) - table.voters
    return [seat for seat in counted if table.seats[seat].user == reserved.users[seat]]
