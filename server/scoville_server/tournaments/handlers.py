"""Handlers of tournaments."""

import secrets
from typing import Final

import msgspec

from scoville_server.accounts.connection import ConnectedClient, Handlers, Permits
from scoville_server.accounts.sessions import User
from scoville_server.players.service import PlayerService
from scoville_server.tables.archive.export import PAGE
from scoville_server.tables.factory import TableFactory
from scoville_server.tables.handlers.tables import Joining, join_reply
from scoville_server.tournaments.model.standings import Standing, rank_entrants
from scoville_server.tournaments.model.tournament import (
    NOBODY,
    Entrant,
    Pairing,
    Tournament,
    end_tournament,
    enter_user,
    remove_entrant,
    withdraw_user,
)
from scoville_server.tournaments.service import Tournaments
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m

MOST_LISTED_TABLES: Final = 60
"""Tables of a tournament in one reply, some 200 bytes each: two rounds of the largest one."""


class TournamentHandlers:
    """Handlers of tournaments."""

    def __init__(
        self,
        tournaments: Tournaments,
        factory: TableFactory,
        careers: PlayerService,
        joining: Joining,
        permits: Permits,
    ) -> None:
        self._book = tournaments.book
        self._tournaments = tournaments
        self._factory = factory
        self._catalog = factory.catalog
        self._careers = careers
        self._joining = joining
        self._budgets = joining.budgets
        self._permits = permits
        self.by_request: Handlers = {
            m.ListTournamentsRequest: self._list_tournaments,
            m.ShowTournamentRequest: self._show_tournament,
            m.CallTournamentRequest: self._call_tournament,
            m.EnterTournamentRequest: self._enter_tournament,
            m.WithdrawFromTournamentRequest: self._withdraw_from_tournament,
            m.TakeSeatRequest: self._take_seat,
            m.BeginTournamentRequest: self._begin_tournament,
            m.CancelTournamentRequest: self._cancel_tournament,
            m.RemoveEntrantRequest: self._remove_entrant,
            m.ExportTournamentRequest: self._export_tournament,
        }

    def _list_tournaments(self, connection: ConnectedClient, _: m.ListTournamentsRequest) -> m.ListTournamentsReply:
        user = connection.user.id
        every = self._book.list_tournaments()
        return m.ListTournamentsReply(tournaments=[self._book.describe(each, user) for each in every])

    def _show_tournament(self, connection: ConnectedClient, p: m.ShowTournamentRequest) -> m.ShowTournamentReply:
        user, tournament = connection.user.id, self._book.find_tournament(p.tournament)
        # Counted, because the standings are computed.
        self._budgets.count_action(connection.source)
        running = tournament.running
        ended = [pairing for pairing in reversed(tournament.pairings) if not pairing.is_running]
        return m.ShowTournamentReply(
            tournament_info=self._book.describe(tournament, user),
            standings=[self._describe_standing(each, user) for each in rank_entrants(tournament)],
            pairings=[_describe_table(tournament, each) for each in [*running, *ended][:MOST_LISTED_TABLES]],
        )

    async def _call_tournament(self, connection: ConnectedClient, p: m.CallTournamentRequest) -> m.TournamentReply:
        user = connection.user
        self._permits.check_may_play(user)
        if not user.claimed:
            sentence = "Only owners of a claimed name call tournaments; claim yours first."
            raise ScovilleError(Code.NOT_CLAIMED, sentence, {"name": user.name})
        name = p.name.strip()
        if not name:
            raise ScovilleError(Code.BAD_PARAMS, "A tournament needs a name.")
        self._catalog.check_seats(p.game, p.seat_count)
        self._catalog.check_bot_level(p.game, p.level)
        clock = self._complete_clock(p.clock)
        options = self._catalog.complete_options(p.game, p.options)
        self._budgets.count_opening(connection.source)
        now = self._book.now_ms()
        tournament = Tournament(
            id=secrets.token_hex(4),
            name=name,
            format=p.format,
            game=p.game,
            options=options,
            seat_count=p.seat_count,
            bot_level=p.level,
            clock=clock,
            director=user.id,
            director_name=user.name,
            round_count=p.round_count if p.format == "swiss" else 0,
            lasts_ms=p.lasts_ms if p.format == "arena" else 0,
            starts_ms=now + p.starts_in_ms,
            created_ms=now,
        )
        await self._tournaments.create_tournament(tournament)
        return self._reply(tournament, user)

    def _complete_clock(self, asked: m.ClockParams | None) -> m.TableClock:
        """Return the clock of a tournament's tables. Raises ScovilleError `bad_params`."""
        clock = self._factory.quick.clock if asked is None else asked
        least, most = m.RATED_MOVE_MS
        bounded = clock.move_ms is None or least <= clock.move_ms <= most
        limited = clock.move_ms is not None or clock.bank_ms is not None
        if not (limited and bounded and (clock.bank_ms or 0) <= m.RATED_BANK_MS[1]):
            sentence = "Tables of a tournament need a clock of 5 seconds to 5 minutes a move, or of an hour at most."
            raise ScovilleError(Code.BAD_PARAMS, sentence)
        # Without a night, in which everybody else would have to wait.
        return m.TableClock(
            move_ms=clock.move_ms,
            bank_ms=clock.bank_ms,
            increment_ms=clock.increment_ms,
            absence_ms=clock.absence_ms,
        )

    async def _enter_tournament(self, connection: ConnectedClient, p: m.EnterTournamentRequest) -> m.TournamentReply:
        user = connection.user
        self._budgets.count_action(connection.source)
        self._permits.check_may_play(user)

        def add(tournament: Tournament) -> Tournament:
            return self._add_entrant(tournament, user)

        # Stored before the entry, which names the user.
        await self._joining.write_user(user)
        return self._reply(await self._tournaments.change_tournament(p.tournament, add), user)

    def _add_entrant(self, tournament: Tournament, user: User) -> Tournament:
        mine = tournament.find_entrant(user.id)
        if mine is not None and mine.stage == "removed":
            raise ScovilleError(Code.NOT_ALLOWED, "You were excluded from this tournament.")
        if not tournament.admits_entrants:
            raise ScovilleError(Code.TOURNAMENT_CLOSED, "This tournament admits nobody any more; you can watch it.")
        gone = [each.user for each in tournament.entrants if not self._book.is_here(each.user)]
        strength = self._careers.find_rating(user.id, tournament.game)
        after = enter_user(tournament, user.id, user.name, claimed=user.claimed, strength=strength, gone=gone)
        if after is None:
            sentence = f"This tournament has {len(tournament.entrants)} entrants, the most there can be."
            raise ScovilleError(Code.TOO_MANY, sentence)
        return after

    async def _withdraw_from_tournament(
        self, connection: ConnectedClient, p: m.WithdrawFromTournamentRequest
    ) -> m.TournamentReply:
        user = connection.user
        self._budgets.count_action(connection.source)
        changed = await self._tournaments.change_tournament(
            p.tournament, lambda tournament: withdraw_user(tournament, user.id) if tournament.is_open else tournament
        )
        return self._reply(changed, user)

    async def _take_seat(self, connection: ConnectedClient, p: m.TakeSeatRequest) -> m.JoinReply:
        user = connection.user.id
        actor = self._book.find_waiting_table(self._book.find_tournament(p.tournament), user)
        if actor is None:
            raise ScovilleError(Code.NOT_SEATED, "No table of this tournament waits for you at present.")
        seat = await self._joining.sit_down(connection, actor, p.nonce_hash)
        return join_reply(actor, user, seat)

    async def _begin_tournament(self, connection: ConnectedClient, p: m.BeginTournamentRequest) -> m.TournamentReply:
        user = connection.user
        self._budgets.count_action(connection.source)

        def check(tournament: Tournament) -> None:
            self._check_may_direct(tournament, user)
            if tournament.stage != "announced":
                raise ScovilleError(Code.ALREADY_STARTED, "This tournament has begun already.")
            here = sum(self._book.is_here(entrant.user) for entrant in tournament.entrants)
            if here < 2:
                sentence = "A tournament needs two entrants who are there; invite more people first."
                raise ScovilleError(Code.NOT_ALLOWED, sentence)

        return self._reply(await self._tournaments.begin_early(p.tournament, check), user)

    async def _cancel_tournament(self, connection: ConnectedClient, p: m.CancelTournamentRequest) -> m.TournamentReply:
        user = connection.user
        self._budgets.count_action(connection.source)

        def cancel(tournament: Tournament) -> Tournament:
            self._check_may_direct(tournament, user)
            reason = (p.reason or "").strip() or "No reason was given."
            return end_tournament(tournament, "cancelled", self._book.now_ms(), f"{user.name}: {reason}")

        return self._reply(await self._tournaments.change_tournament(p.tournament, cancel), user)

    async def _remove_entrant(self, connection: ConnectedClient, p: m.RemoveEntrantRequest) -> m.TournamentReply:
        user = connection.user
        self._budgets.count_action(connection.source)

        def remove(tournament: Tournament) -> Tournament:
            self._check_may_direct(tournament, user)
            if tournament.stage == "running" and not self._book.is_staff(user.id):
                # A director with a friend in it must not be able to choose who wins.
                sentence = "Once it runs, only admins and moderators exclude entrants."
                raise ScovilleError(Code.NOT_ALLOWED, sentence)
            return remove_entrant(tournament, _find_named(tournament, p.name))

        return self._reply(await self._tournaments.change_tournament(p.tournament, remove), user)

    def _check_may_direct(self, tournament: Tournament, user: User) -> None:
        if not tournament.is_open:
            raise ScovilleError(Code.TOURNAMENT_CLOSED, "This tournament has ended.")
        if not self._book.may_direct(tournament, user.id):
            sentence = "Only the director of this tournament, admins and moderators do that."
            raise ScovilleError(Code.NOT_ALLOWED, sentence)

    def _export_tournament(self, connection: ConnectedClient, p: m.ExportTournamentRequest) -> m.ExportReply:
        self._budgets.count_action(connection.source)
        lines = export_lines(self._book.find_tournament(p.tournament))
        return m.ExportReply(lines=lines[p.since : p.since + PAGE], line_count=len(lines))

    def _reply(self, tournament: Tournament, user: User) -> m.TournamentReply:
        return m.TournamentReply(tournament_info=self._book.describe(tournament, user.id))

    def _describe_standing(self, standing: Standing, reader: UserId) -> m.TournamentStanding:
        entrant = standing.entrant
        return m.TournamentStanding(
            place=standing.place,
            name=entrant.name or None,
            half_points=standing.points,
            opposition=standing.opposition,
            game_count=standing.game_count,
            byes=entrant.byes,
            entry=entrant.stage,
            claimed=entrant.claimed,
            you=bool(entrant.user) and entrant.user == reader,
            here=self._book.is_here(entrant.user),
        )


def _find_named(tournament: Tournament, name: str) -> Entrant:
    for entrant in tournament.entrants:
        if entrant.name and entrant.name.casefold() == name.casefold():
            return entrant
    raise ScovilleError(Code.UNKNOWN_USER, f"Nobody called {name!r} has entered this tournament.", {"name": name})


def _describe_table(tournament: Tournament, pairing: Pairing) -> m.TournamentTable:
    names = {entrant.number: entrant.name or None for entrant in tournament.entrants}
    return m.TournamentTable(
        table=pairing.table,
        round_number=pairing.round,
        players=[names.get(number) for number in pairing.seats],
        places=[*pairing.places],
        half_points_by_seat=[*pairing.points],
    )


def export_lines(tournament: Tournament) -> list[str]:
    """Return everything that decides a tournament as lines of JSON: itself, its entrants, tables, and standings.

    Another program can compute the standings again from the lines before them. Entrants are named by their number.
    """
    lines: list[dict[str, object]] = [
        {
            "tournament": tournament.id,
            "name": tournament.name,
            "format": tournament.format,
            "game": tournament.game,
            "options": tournament.options,
            "seat_count": tournament.seat_count,
            "level": tournament.bot_level,
            "round_count": tournament.round_count,
            "lasts_ms": tournament.lasts_ms,
            "stage": tournament.stage,
            "starts_ms": tournament.starts_ms,
            "ended_ms": tournament.ended_ms,
        }
    ]
    lines += [
        {
            "entrant": entrant.number,
            "name": entrant.name or None,
            "strength": entrant.strength,
            "byes": entrant.byes,
            "entry": entrant.stage,
        }
        for entrant in tournament.entrants
    ]
    lines += [
        {
            "table": pairing.table,
            "round": pairing.round,
            "seats": [None if number == NOBODY else number for number in pairing.seats],
            "places": [*pairing.places],
            "half_points": [*pairing.points],
        }
        for pairing in tournament.pairings
    ]
    lines += [
        {
            "place": standing.place,
            "standing_of": standing.entrant.number,
            "half_points": standing.points,
            "opposition": standing.opposition,
            "games": standing.game_count,
            "last_round": standing.last_round,
        }
        for standing in rank_entrants(tournament)
    ]
    return [msgspec.json.encode(line).decode() for line in lines]
