"""What becomes of deleted accounts in tournaments: results of a ghost, and no name."""

from functools import partial

from scoville_server.accounts.orphans import IsKnown
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import GHOST, UserObserver, Users
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.tournaments.book import TournamentBook
from scoville_server.tournaments.model.tournament import erase_name, list_mentioned
from scoville_shared.ids import UserId


class TournamentErasure(UserObserver):
    """Erases deleted accounts from tournaments."""

    def __init__(self, book: TournamentBook, users: Users, background: BackgroundTasks) -> None:
        self._book = book
        self._users = users
        self._background = background

    def users_restored(self, is_known: IsKnown) -> None:
        """Plan to erase what a server that was killed may have left of deleted accounts."""
        plan, find_owner = self._background.plan_tidying, self._users.claims.find_owner
        for number, tournament in self._book.rows.items():
            for user in {tournament.director, *(entrant.user for entrant in tournament.entrants)}:
                if user and not is_known(user):
                    plan(partial(self._book.erase_user, number, user))
            for name in list_mentioned(tournament):
                owner = find_owner(name)
                if owner is not None and not is_known(owner):
                    plan(partial(self._book.erase_name, number, name))

    def account_deleted(self, user: User) -> None:
        for number, tournament in self._book.rows.items():
            if erase_name(tournament, user.name, GHOST) != tournament:
                self._background.insist_on_write(partial(self._book.erase_name, number, user.name))

    def user_forgotten(self, user: UserId) -> None:
        """Make the results of an erased user those of a ghost."""
        for number, tournament in self._book.rows.items():
            if tournament.find_entrant(user) is not None or tournament.director == user:
                self._background.insist_on_write(partial(self._book.erase_user, number, user))
