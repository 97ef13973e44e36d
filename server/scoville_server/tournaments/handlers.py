"""Handlers of tournaments."""

import secrets
from collections.abc import Sequence
from typing import Final

import msgspec

from scoville_server.accounts.connection import ConnectedClient, Handlers, Permits
from scoville_server.accounts.sessions import User
from scoville_server.errors import slow_down
from scoville_server.limits.throttle import Rate, Throttle
from scoville_server.players.model.career import origin_of
from scoville_server.players.service import PlayerService
from scoville_server.tables.archive.export import PAGE
from scoville_server.tables.factory import TableFactory
from scoville_server.tables.handlers.tables import Joining, join_reply
from scoville_server.tournaments.model.duplicate import (
    commit_to_deal,
    has_free_place,
    is_revealed,
    list_by_deal,
    rank_teams,
)
from scoville_server.tournaments.model.standings import Standing, rank_entrants
from scoville_server.tournaments.model.tournament import (
    NOBODY,
    Deal,
    Entrant,
    Pairing,
    Tournament,
    end_tournament,
    enter_user,
    remove_entrant,
    withdraw_user,
)
from scoville_server.tournaments.service import Tournaments
from scoville_shared.engine.dice import SEED_BYTES
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m

MOST_LISTED_TABLES: Final = 60
"""Tables of a tournament in one reply, some 200 bytes each: two rounds of the largest one."""


CALLS_TO_CLUB: Final = Rate(6, 600.0)
"""Tournaments to which a club is called: as seldom as to tables, since each call reaches all of its members."""

EVENING: Final = "evening-"
"""Beginning of the names of duplicate evenings' deals."""


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
        self._calls = Throttle(CALLS_TO_CLUB.allowed, CALLS_TO_CLUB.seconds)
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
        listed = [each for each in self._book.list_tournaments() if self._book.is_listed_for(each, user)]
        return m.ListTournamentsReply(tournaments=[self._book.describe_tournament(each, user) for each in listed])

    def _show_tournament(self, connection: ConnectedClient, p: m.ShowTournamentRequest) -> m.ShowTournamentReply:
        user = connection.user.id
        tournament = self._book.find_visible(p.tournament, user)
        # Counted, because the standings are computed.
        self._budgets.count_action(connection.source)
        running = tournament.running
        ended = [pairing for pairing in reversed(tournament.pairings) if not pairing.is_running]
        standings = rank_entrants(tournament)
        teams = rank_teams(tournament, {each.entrant.number: each.points for each in standings})
        by_deal = list_by_deal(tournament) if tournament.format == "duplicate" else {}
        return m.ShowTournamentReply(
            tournament_info=self._book.describe_tournament(tournament, user),
            standings=[self._describe_standing(each, user, by_deal.get(each.entrant.number, ())) for each in standings],
            evening_deals=[_describe_deal(tournament, number) for number in range(1, 1 + len(tournament.deals))],
            teams=[
                m.TournamentTeam(
                    place=team.place, member_names=[each.name or None for each in team.members], half_points=team.points
                )
                for team in teams
            ],
            pairings=[_describe_table(tournament, each) for each in [*running, *ended][:MOST_LISTED_TABLES]],
        )

    async def _call_tournament(self, connection: ConnectedClient, p: m.CallTournamentRequest) -> m.TournamentReply:
        user = connection.user
        self._permits.check_may_play(user)
        self._permits.check_may_talk(user)  # its name is shown to everybody in the lobby
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
        if p.team_size == 1 or (p.team_size and p.format != "duplicate"):
            raise ScovilleError(Code.BAD_PARAMS, "Teams of two or more play duplicate evenings, and no other format.")
        if p.club is not None:
            self._book.clubs.check_leader(p.club, user.id)

        self._budgets.count_opening(connection.source)
        if p.club is not None:
            self._count_call(p.club)

        now, number = self._book.now_ms(), secrets.token_hex(4)
        in_rounds, duplicate = p.format in ("swiss", "duplicate"), p.format == "duplicate"
        rules_version = self._catalog.find_game(p.game).info.rules_version
        tournament = Tournament(
            id=number,
            name=name,
            format=p.format,
            game=p.game,
            options=options,
            seat_count=p.seat_count,
            bot_level=p.level,
            clock=clock,
            director=user.id,
            director_name=user.name,
            round_count=p.round_count if in_rounds else 0,
            lasts_ms=p.lasts_ms if p.format == "arena" else 0,
            starts_ms=now + p.starts_in_ms,
            created_ms=now,
            # Drawn and committed to before anybody enters: later nobody chooses a deal, not even the server.
            deals=tuple(
                Deal(f"{EVENING}{number}-{n}", secrets.token_bytes(SEED_BYTES), rules_version)
                for n in range(1, 1 + (p.round_count if duplicate else 0))
            ),
            team_size=p.team_size,
            club=p.club or "",
        )

        await self._tournaments.create_tournament(tournament)
        return self._describe_changed(tournament, user)

    def _count_call(self, club: str) -> None:
        """Count a tournament to which a club is called. Raises ScovilleError `slow_down`."""
        wait = self._calls.take_use(club, self._budgets.now())
        if wait is not None:
            raise slow_down("The club is called too often", wait)

    def _complete_clock(self, asked: m.ClockParams | None) -> m.TableClock:
        """Return the clock of a tournament's tables. Raises ScovilleError `bad_params`."""
        clock = self._factory.quick.clock if asked is None else asked
        least, most = m.RATED_MOVE_MS
        bounded = clock.move_ms is None or least <= clock.move_ms <= most
        limited = clock.move_ms is not None or clock.bank_ms is not None
        # As those of rated tables, but for the least bank.
        short = (clock.bank_ms or 0) <= m.RATED_BANK_MS[1] and clock.increment_ms <= most
        if not (limited and bounded and short):
            sentence = "Tables of a tournament need a clock of 5 seconds to 5 minutes a move, or of an hour at most."
            raise ScovilleError(Code.BAD_PARAMS, sentence)
        # Without a night, in which all others would have to wait.
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
            self._book.check_visible(tournament, user.id)
            if not self._book.is_listed_for(tournament, user.id):
                sentence = "Only members of its club enter this tournament."
                raise ScovilleError(Code.NOT_ALLOWED, sentence, {"why": "club_members"})
            return self._add_entrant(tournament, connection, p)

        # Stored before the entry, which names the user.
        await self._joining.write_user(user)
        return self._describe_changed(await self._tournaments.change_tournament(p.tournament, add), user)

    def _add_entrant(
        self, tournament: Tournament, connection: ConnectedClient, p: m.EnterTournamentRequest
    ) -> Tournament:
        user, networks = connection.user, connection.source.networks
        mine = tournament.find_entrant(user.id)
        if mine is not None and mine.stage == "removed":
            raise ScovilleError(Code.NOT_ALLOWED, "You were excluded from this tournament.", {"why": "excluded"})
        if not tournament.admits_entrants:
            raise ScovilleError(Code.TOURNAMENT_CLOSED, "This tournament takes no more entrants; you can watch it.")
        if len(p.partners) >= max(1, tournament.team_size):
            most = tournament.team_size - 1
            sentence = f"Name at most {most} partners." if most > 0 else "This tournament has no teams."
            raise ScovilleError(Code.BAD_PARAMS, sentence)
        is_duplicate = tournament.format == "duplicate"
        if is_duplicate and (mine is None or mine.stage == "withdrawn") and not has_free_place(tournament):
            raise ScovilleError(Code.TOURNAMENT_CLOSED, "All seats of this evening are taken.")

        # In a full tournament a newcomer takes the place of one of these.
        gone = [each.user for each in tournament.entrants if not self._book.is_here(each.user)]
        strength = self._careers.find_rating(user.id, tournament.game)
        after = enter_user(
            tournament,
            user.id,
            user.name,
            claimed=user.claimed,
            strength=strength,
            gone=gone,
            partners=p.partners,
            origin=origin_of(networks[-1]) if networks and is_duplicate else None,
        )
        if after is None:
            sentence = f"This tournament has {len(tournament.entrants)} entrants, the most there can be."
            raise ScovilleError(Code.TOO_MANY, sentence, {"why": "entrants", "most": len(tournament.entrants)})
        return after

    async def _withdraw_from_tournament(
        self, connection: ConnectedClient, p: m.WithdrawFromTournamentRequest
    ) -> m.TournamentReply:
        user = connection.user
        self._budgets.count_action(connection.source)

        def withdraw(tournament: Tournament) -> Tournament:
            self._book.check_visible(tournament, user.id)
            return withdraw_user(tournament, user.id) if tournament.is_open else tournament

        changed = await self._tournaments.change_tournament(p.tournament, withdraw)
        return self._describe_changed(changed, user)

    async def _take_seat(self, connection: ConnectedClient, p: m.TakeSeatRequest) -> m.JoinReply:
        user = connection.user.id
        table = self._book.find_waiting_table(self._book.find_visible(p.tournament, user), user)
        if table is None:
            sentence = "No table of this tournament waits for you at present."
            raise ScovilleError(Code.NOT_SEATED, sentence, {"why": "no_table"})
        actor = self._book.find_actor(table)
        seat = await self._joining.sit_down(connection, actor, p.nonce_hash)
        return join_reply(actor, user, seat)

    async def _begin_tournament(self, connection: ConnectedClient, p: m.BeginTournamentRequest) -> m.TournamentReply:
        user = connection.user
        self._budgets.count_action(connection.source)

        def check(tournament: Tournament) -> None:
            self._check_may_direct(tournament, user)
            if tournament.stage != "announced":
                raise ScovilleError(Code.ALREADY_STARTED, "This tournament has begun already.", {"why": "tournament"})
            if len(self._book.list_free(tournament)) < 2:
                sentence = "A tournament needs two entrants who are there; invite more people first."
                raise ScovilleError(Code.NOT_ALLOWED, sentence, {"why": "too_few"})

        return self._describe_changed(await self._tournaments.begin_early(p.tournament, check), user)

    async def _cancel_tournament(self, connection: ConnectedClient, p: m.CancelTournamentRequest) -> m.TournamentReply:
        user, given = connection.user, (p.reason or "").strip()
        self._budgets.count_action(connection.source)
        if given:
            self._permits.check_may_talk(user)

        def cancel(tournament: Tournament) -> Tournament:
            self._check_may_direct(tournament, user)
            # Without a reason the name alone: no sentence of the server, which readers of other languages would see.
            by = f"{user.name}: {given}" if given else user.name
            return end_tournament(tournament, "cancelled", self._book.now_ms(), by)

        return self._describe_changed(await self._tournaments.change_tournament(p.tournament, cancel), user)

    async def _remove_entrant(self, connection: ConnectedClient, p: m.RemoveEntrantRequest) -> m.TournamentReply:
        user = connection.user
        self._budgets.count_action(connection.source)

        def remove(tournament: Tournament) -> Tournament:
            self._check_may_direct(tournament, user)
            if tournament.stage == "running" and not self._book.is_staff(user.id):
                # A director with a friend in it must not be able to choose who wins.
                sentence = "Once it runs, only admins and moderators exclude entrants."
                raise ScovilleError(Code.NOT_ALLOWED, sentence, {"why": "tournament_runs"})
            return remove_entrant(tournament, _find_named(tournament, p.name))

        return self._describe_changed(await self._tournaments.change_tournament(p.tournament, remove), user)

    def _check_may_direct(self, tournament: Tournament, user: User) -> None:
        self._book.check_visible(tournament, user.id)
        if not tournament.is_open:
            raise ScovilleError(Code.TOURNAMENT_CLOSED, "This tournament has ended.")
        if not self._book.may_direct(tournament, user.id):
            if tournament.club:
                raise ScovilleError(Code.NOT_LEADER, "Only leaders of the club can do that.")
            sentence = "Only the director of this tournament, admins and moderators do that."
            raise ScovilleError(Code.NOT_ALLOWED, sentence, {"why": "director"})

    def _export_tournament(self, connection: ConnectedClient, p: m.ExportTournamentRequest) -> m.ExportReply:
        self._budgets.count_action(connection.source)
        lines = export_lines(self._book.find_visible(p.tournament, connection.user.id))
        return m.ExportReply(lines=lines[p.since : p.since + PAGE], line_count=len(lines))

    def _describe_changed(self, tournament: Tournament, user: User) -> m.TournamentReply:
        return m.TournamentReply(tournament_info=self._book.describe_tournament(tournament, user.id))

    def _describe_standing(
        self, standing: Standing, reader: UserId, by_deal: Sequence[int | None]
    ) -> m.TournamentStanding:
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
            half_points_by_deal=[*by_deal],
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
        # The results of a deal stay secret until all tables have played it.
        places=[*pairing.places] if pairing.points else [],
        half_points_by_seat=[*pairing.points],
        scores_by_seat=[*pairing.scores] if pairing.points else [],
    )


def _describe_deal(tournament: Tournament, number: int) -> m.TournamentDeal:
    deal = tournament.deals[number - 1]
    return m.TournamentDeal(
        name=deal.name,
        rules_version=deal.rules_version,
        commitment=commit_to_deal(tournament, deal),
        server_seed=deal.seed.hex() if is_revealed(tournament, number) else None,
    )


# --- export -----------------------------------------------------------------------------------------


def export_lines(tournament: Tournament) -> list[str]:
    """Return everything that decides a tournament as lines of JSON: itself, its entrants, tables, and standings.

    Another program can compute the standings again from the lines before them. Entrants are named by their number.
    """
    duplicate = tournament.format == "duplicate"
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
            **({"club": tournament.club} if tournament.club else {}),
            **({"table_count": tournament.table_count, "team_size": tournament.team_size} if duplicate else {}),
        }
    ]
    lines += [
        {
            "entrant": entrant.number,
            "name": entrant.name or None,
            "strength": entrant.strength,
            "byes": entrant.byes,
            "entry": entrant.stage,
            **({"team": entrant.team or None} if duplicate else {}),
        }
        for entrant in tournament.entrants
    ]
    lines += [
        {
            "table": pairing.table,
            "round": pairing.round,
            "seats": [None if number == NOBODY else number for number in pairing.seats],
            # The results of a deal stay secret until all tables have played it.
            "places": [*pairing.places] if pairing.points else [],
            "half_points": [*pairing.points],
            **({"scores": [*pairing.scores], "counted": [*pairing.counted]} if duplicate and pairing.points else {}),
        }
        for pairing in tournament.pairings
    ]
    lines += [
        {
            "deal": number,
            "name": deal.name,
            "rules_version": deal.rules_version,
            "commitment": commit_to_deal(tournament, deal),
            "server_seed": deal.seed.hex() if is_revealed(tournament, number) else None,
        }
        for number, deal in enumerate(tournament.deals, 1)
    ]
    standings = rank_entrants(tournament)
    lines += [
        {
            "place": standing.place,
            "standing_of": standing.entrant.number,
            "half_points": standing.points,
            "opposition": standing.opposition,
            "games": standing.game_count,
            "last_round": standing.last_round,
        }
        for standing in standings
    ]
    lines += [
        {
            "place": team.place,
            "team_of": [member.number for member in team.members],
            "half_points": team.points,
        }
        for team in rank_teams(tournament, {each.entrant.number: each.points for each in standings})
    ]
    return [msgspec.json.encode(line).decode() for line in lines]
