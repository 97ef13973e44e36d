"""Notices of a tournament: to its entrants, to those who watch the lobby, and to the members of its club."""

from collections.abc import Iterable

from scoville_server.accounts.users import Users
from scoville_server.lobby.feed import LobbyFeed
from scoville_server.tournaments.book import TournamentBook
from scoville_server.tournaments.model.tournament import REMIND_MS, Tournament
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import Notice, TournamentChangedNotice, TournamentDueNotice


class TournamentNotices:
    """Tells users what has changed in a tournament, after the write.

    Args:
        book: The tournaments.
        users: The users who get the notices.
        feed: Knows who watches the lobby.
    """

    def __init__(self, book: TournamentBook, users: Users, feed: LobbyFeed) -> None:
        self._book = book
        self._connections = users.connections
        self._feed = feed

    def tell_entrants(self, before: Tournament, after: Tournament) -> None:
        """Tell all who take part what has changed, and remind the members of its club too, as of a date of the club."""
        is_due = before.stage == after.stage == "announced"
        make: type[TournamentDueNotice | TournamentChangedNotice]
        make = TournamentDueNotice if is_due else TournamentChangedNotice
        if after.format == "arena" and before.stage == after.stage == "running":
            return  # only its own players get the notice of a table
        for entrant in after.entrants:
            if entrant.user and entrant.stage in ("in", "out"):
                notice: Notice = make(tournament_info=self._book.describe_tournament(after, entrant.user))
                self._connections.notify_user(entrant.user, notice)
        # Who was called less than ten minutes before the start has just heard of it.
        if is_due and after.club and after.created_ms <= after.starts_ms - REMIND_MS:
            self._tell_others(after, self._book.clubs.list_members(after.club), make)
        if after.stage != before.stage:
            self.tell_lobby(after)

    def tell_lobby(self, tournament: Tournament) -> None:
        """Tell those who watch the lobby, and take no part, that a tournament was called, begins or is over.

        One of a club reaches its members alone; that it was called reaches all whom the club may call. Each node tells
        its own users.
        """
        readers = self._feed.list_readers()
        if tournament.club:
            members = {*self._book.clubs.list_members(tournament.club)}
            readers = [user for user in readers if user in members]
            if tournament.stage == "announced":
                called = self._book.clubs.list_called(tournament.club, tournament.director)
                readers += filter(self._connections.is_at_this_node, called)
        self._tell_others(tournament, readers, TournamentChangedNotice)

    def _tell_others(
        self,
        tournament: Tournament,
        users: Iterable[UserId],
        make: type[TournamentDueNotice | TournamentChangedNotice],
    ) -> None:
        entered = {entrant.user for entrant in tournament.entrants}
        # The same for all: what concerns one user alone is that of nobody here.
        notice = make(tournament_info=self._book.describe_tournament(tournament, UserId("")))
        self._connections.notify_all([user for user in dict.fromkeys(users) if user not in entered], notice)
