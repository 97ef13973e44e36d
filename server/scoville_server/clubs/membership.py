"""Membership of clubs for tournaments: they are for members of their club, and its leaders direct them."""

from scoville_server.clubs.calls import IgnoreLists
from scoville_server.clubs.model.club import check_leader
from scoville_server.clubs.service import ClubService
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import UserId


class ClubMembership:
    """Knows the members and leaders of clubs; a club that is gone has none."""

    def __init__(self, clubs: ClubService, ignore_lists: IgnoreLists) -> None:
        self._clubs = clubs
        self._ignore_lists = ignore_lists

    def find_name(self, club: str) -> str:
        """Return the name of a club; empty once it is gone."""
        kept = self._clubs.find_any(club)
        return "" if kept is None else kept.name

    def is_open(self, club: str) -> bool:
        """Whether a club is there, and not closed."""
        kept = self._clubs.find_any(club)
        return kept is not None and kept.is_open

    def is_led_by(self, club: str, user: UserId) -> bool:
        """Whether a user leads an open club."""
        kept = self._clubs.find_any(club)
        return kept is not None and kept.is_open and kept.is_led_by(user)

    def check_leader(self, club: str, user: UserId) -> None:
        """Raise ScovilleError `unknown_club`, `club_closed`, `not_leader`."""
        check_leader(self._clubs.find_club(club, user), user)

    def list_members(self, club: str) -> list[UserId]:
        """List the members of a club."""
        return self._clubs.list_members(club)

    def list_called(self, club: str, by: UserId) -> list[UserId]:
        """List the other members of a club who want to be called, and who do not ignore a member."""
        try:
            called = self._clubs.list_callable(club, by)
        except ScovilleError:
            return []  # neither a user who has just left nor a closed club calls anybody
        return [member for member in called if self._ignore_lists.receives_from(member, by)]
