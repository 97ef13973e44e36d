"""Tournaments of clubs: what they ask of their club, and how they follow it when members leave or it is closed."""

from collections.abc import Awaitable, Callable
from functools import partial

from scoville_server.accounts.users import Users
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.tournaments.book import TournamentBook
from scoville_server.tournaments.model.tournament import Tournament, end_tournament, take_out, withdraw_user
from scoville_shared.errors import Code, ScovilleError


class ClubFollower:
    """Takes out entrants who have left the club of a tournament, and cancels it when the club is closed.

    The club and the tournament are two rows. So this compares what is written of both and can do it again: a server
    that was killed between the two writes catches up at its next start. Until then nobody is paired who is no member.

    Args:
        book: The tournaments.
        users: The users who may be erased, which is no leaving.
        background: Writes what follows from a change of a club.
        change: Changes a tournament by its id. Raises ScovilleError.
        follow_tables: Lets the members of the club watch the tables of a tournament, former members no longer.
    """

    def __init__(
        self,
        book: TournamentBook,
        users: Users,
        background: BackgroundTasks,
        change: Callable[[str, Callable[[Tournament], Tournament]], Awaitable[object]],
        follow_tables: Callable[[Tournament], object],
    ) -> None:
        self._book = book
        self._users = users
        self._background = background
        self._change = change
        self._follow_tables = follow_tables

    def catch_up(self) -> None:
        """Do what a server that was killed may have left."""
        for club in {tournament.club for _, tournament in self._book.rows.items()} - {""}:
            self.follow_club(club)

    def follow_club(self, club: str) -> None:
        """Follow a change of a club's members, or its end."""
        for number, tournament in self._book.rows.items():
            if tournament.club != club:
                continue
            self._follow_tables(tournament)
            if tournament.is_open or not self._book.clubs.find_name(club):
                self._background.insist_on_write(partial(self._follow, number, club))

    async def _follow(self, number: str, club: str) -> None:
        """Raises JournalError."""
        if not self._book.clubs.find_name(club):
            # Nobody can read it any more, as the messages of the club.
            await self._book.drop_tournament(number)
            return
        try:
            await self._change(number, self._fit_to_club)
        except ScovilleError as error:
            if error.code != Code.UNKNOWN_TOURNAMENT:  # a newer one has taken its place meanwhile
                raise

    def _fit_to_club(self, tournament: Tournament) -> Tournament:
        clubs = self._book.clubs
        if not tournament.is_open:
            return tournament
        if not clubs.is_open(tournament.club):
            now = self._book.now_ms()
            return end_tournament(tournament, "cancelled", now, "Its club was closed.", "club_closed")
        members = {*clubs.list_members(tournament.club)}
        for entrant in tournament.entrants:
            known = self._users.sessions.find_user(entrant.user) if entrant.user else None
            # Of a deleted account nothing is left here but results, which TournamentErasure makes those of a ghost.
            if known is None or entrant.user in members or entrant.stage == "removed":
                continue
            # Who gives up the name, as at the beginning of a deletion, has not left the club to get away.
            tournament = take_out(tournament, entrant) if known.claimed else withdraw_user(tournament, entrant.user)
        return tournament
