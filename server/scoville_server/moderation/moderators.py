"""Moderators, a role below admins, and the warnings that users were given."""

from typing import Final

from msgspec import Struct

from scoville_server.accounts.model.naming.skeleton import skeleton
from scoville_server.accounts.sessions import User
from scoville_server.journal.base import Journal
from scoville_server.journal.books import Book
from scoville_server.limits.live import Live
from scoville_server.moderation.admins import Appointed
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import GivenWarning

MOST_WARNINGS: Final = 50
"""Warnings kept of one user, the latest ones: nobody reads more before they act."""


class Moderators:
    """Owners of names whom an admin has appointed, or whom the settings name.

    They may warn, mute and kick users, and resolve reports.
    """

    def __init__(self, journal: Journal) -> None:
        self._book = Book("moderators", Appointed, journal)
        self._named: frozenset[str] = frozenset()
        """Skeletons of the names in the settings: nobody else may claim a name that is like one."""

    def follow_settings(self, named: Live[tuple[str, ...]]) -> None:
        """Take the owners of the names in the settings for moderators, now and after each reload."""
        named.follow(self._use_names)
        self._use_names(named.value)

    def _use_names(self, named: tuple[str, ...]) -> None:
        self._named = frozenset(map(skeleton, named))

    def __contains__(self, user: object) -> bool:
        return isinstance(user, User) and user.claimed and (user.id in self._book or self.is_named(user))

    def is_named(self, user: User) -> bool:
        """Whether the settings name a user."""
        return bool(self._named) and skeleton(user.name) in self._named

    async def appoint_user(self, user: User, by: str) -> None:
        """Make a user a moderator. Raises JournalError, and ScovilleError `not_claimed`."""
        if not user.claimed:
            sentence = f"{user.name} has not claimed that name, so anybody could take it; it must be claimed first."
            raise ScovilleError(Code.NOT_CLAIMED, sentence, {"name": user.name})
        await self._book.put_row(user.id, Appointed(by))

    async def forget_user(self, number: UserId) -> None:
        """Dismiss a moderator, or forget a user who is none. Raises JournalError."""
        if number in self._book:
            await self._book.drop_row(number)


class WarningsOfUser(Struct, frozen=True):
    """The warnings of a user, oldest first."""

    given: tuple[GivenWarning, ...] = ()


class WarningHistory:
    """Which warnings users were given."""

    def __init__(self, journal: Journal) -> None:
        self._book = Book("moderation.warnings", WarningsOfUser, journal)

    def warnings_of(self, user: UserId) -> list[GivenWarning]:
        """List the warnings of a user, oldest first."""
        return [*(self._book.get(user) or WarningsOfUser()).given]

    async def add_warning(self, user: UserId, warning: GivenWarning) -> None:
        """Add a warning. Raises JournalError."""
        given = (*self.warnings_of(user), warning)[-MOST_WARNINGS:]
        await self._book.put_row(user, WarningsOfUser(given))

    async def forget_user(self, user: UserId) -> None:
        """Delete the warnings of a forgotten user. Raises JournalError."""
        if user in self._book:
            await self._book.drop_row(user)
