"""Admins and moderators: named by the settings, or appointed by an admin; and the warnings that users were given."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from scoville_server.accounts.model.naming.permitted import reduce_to_skeleton
from scoville_server.accounts.name_register import Claims
from scoville_server.accounts.orphans import IsKnown, drop_orphans
from scoville_server.accounts.sessions import User
from scoville_server.journal.base import Journal
from scoville_server.journal.books import Book
from scoville_server.limits.live import Live
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import GivenWarning


class Appointed(Struct, frozen=True):
    """Author of an admin's appointment."""

    by: str


class Appointments(Book[Appointed]):
    """Appointments by the users who were appointed."""

    def list_names(self) -> set[str]:
        """List the names of those who have appointed others."""
        return {appointed.by for _, appointed in self.items()}

    async def erase_name(self, name: str, ghost: str) -> None:
        """Replace the name of a deleted account. Raises JournalError."""
        rows = {user: Appointed(ghost) for user, appointed in self.items() if appointed.by == name}
        if rows:
            await self.write_rows(rows)


class ConfiguredAdmin(Struct, frozen=True):
    """The user who owns a configured name."""

    user: UserId


class Admins:
    """Configured and appointed admins. Only owners of names can be admins.

    A configured name means the user who has given its one-time code (see `AdminCodes`), whatever they are called.

    Args:
        named: The configured names.
        journal: Where admins are stored.
        claims: Who owns a name now.
    """

    def __init__(self, named: Iterable[str], journal: Journal, claims: Claims) -> None:
        self._named = _by_skeleton(named)
        self._claims = claims
        self.appointments = Appointments("admins", Appointed, journal)
        self._kept = Book("admins.named", ConfiguredAdmin, journal)

    def __contains__(self, user: object) -> bool:
        return isinstance(user, User) and user.claimed and (self._is_configured(user) or user.id in self.appointments)

    @property
    def names_without_account(self) -> list[str]:
        """The configured names that belong to no account."""
        return [name for key, name in self._named.items() if not self._has_account(key)]

    def _has_account(self, key: str) -> bool:
        configured = self._kept.get(key)
        return configured is not None and self._claims.account_of(configured.user) is not None

    async def assign_name(self, name: str, user: User) -> None:
        """Assign a configured name to a user. Raises JournalError."""
        await self._kept.put_row(reduce_to_skeleton(name), ConfiguredAdmin(user.id))

    def rename_configured(self, named: Iterable[str]) -> None:
        """Replace the configured names; a name that is missing loses its admin."""
        self._named = _by_skeleton(named)

    async def drop_unconfigured(self) -> None:
        """Forget the users of names that are no longer configured. Raises JournalError."""
        # Else a name that is configured again would make its former owner an admin without a code.
        old = {key: None for key, _ in self._kept.items() if key not in self._named}
        if old:
            await self._kept.write_rows(old)

    def check_change(self, user: User, *, admin_from_now: bool) -> bool:
        """Return whether this changes anything. Raises ScovilleError `not_claimed`, `bad_params`."""
        if admin_from_now and not user.claimed:
            raise _refuse_guest(user)
        # The dismissal would hold until the next start only, when the settings appoint them again.
        if not admin_from_now and self._is_configured(user):
            sentence = f"{user.name} is an admin by the server's settings; remove the name there."
            raise ScovilleError(Code.BAD_PARAMS, sentence, {"name": user.name})
        return (user.id in self.appointments) != admin_from_now

    async def add_admin(self, user: User, by: str) -> None:
        """Make a user an admin. Raises JournalError, and ScovilleError `not_claimed`."""
        self.check_change(user, admin_from_now=True)
        await self.appointments.put_row(user.id, Appointed(by))

    async def remove_admin(self, user: User) -> None:
        """Dismiss an admin. Raises JournalError, and ScovilleError `bad_params`."""
        self.check_change(user, admin_from_now=False)
        await self.appointments.drop_row(user.id)

    async def forget_user(self, number: UserId) -> None:
        """Delete the appointment of a user who is forgotten. Raises JournalError."""
        if number in self.appointments:
            await self.appointments.drop_row(number)

    def _is_configured(self, user: User) -> bool:
        return any(configured.user == user.id for key, configured in self._kept.items() if key in self._named)


def _refuse_guest(user: User) -> ScovilleError:
    sentence = f"{user.name} has not claimed that name, so anybody could take it; it must be claimed first."
    return ScovilleError(Code.NOT_CLAIMED, sentence, {"name": user.name})


def _by_skeleton(named: Iterable[str]) -> dict[str, str]:
    return {reduce_to_skeleton(name): name for name in named}


MOST_WARNINGS: Final = 50
"""Warnings kept of one user, the latest ones: nobody reads more before they act."""


class Moderators:
    """Owners of names whom an admin has appointed, or whom the settings name.

    They may warn, mute and kick users, and resolve reports.
    """

    def __init__(self, journal: Journal) -> None:
        self.appointments = Appointments("moderators", Appointed, journal)
        self._named: frozenset[str] = frozenset()
        """Skeletons of the names in the settings: nobody else may claim a name that is like one."""

    def follow_settings(self, named: Live[tuple[str, ...]]) -> None:
        """Take the owners of the names in the settings for moderators, now and after each reload."""
        named.follow(self._use_names)
        self._use_names(named.value)

    def _use_names(self, named: tuple[str, ...]) -> None:
        self._named = frozenset(map(reduce_to_skeleton, named))

    def __contains__(self, user: object) -> bool:
        return isinstance(user, User) and user.claimed and (user.id in self.appointments or self.is_named(user))

    def is_named(self, user: User) -> bool:
        """Whether the settings name a user."""
        return bool(self._named) and reduce_to_skeleton(user.name) in self._named

    def check_change(self, user: User, *, moderator_from_now: bool) -> bool:
        """Return whether this changes anything. Raises ScovilleError `not_claimed`, `bad_params`."""
        if moderator_from_now == (user in self):
            return False
        if moderator_from_now and not user.claimed:
            raise _refuse_guest(user)
        if not moderator_from_now and self.is_named(user):
            sentence = f"The settings name {user.name} as a moderator; take the name out of community.moderators."
            raise ScovilleError(Code.BAD_PARAMS, sentence, {"name": user.name})
        return True

    async def appoint_user(self, user: User, by: str) -> None:
        """Make a user a moderator. Raises JournalError, and ScovilleError `not_claimed`."""
        self.check_change(user, moderator_from_now=True)
        await self.appointments.put_row(user.id, Appointed(by))

    async def forget_user(self, number: UserId) -> None:
        """Dismiss a moderator, or forget a user who is none. Raises JournalError."""
        if number in self.appointments:
            await self.appointments.drop_row(number)


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

    def list_names(self) -> set[str]:
        """List the names of those who have warned."""
        return {warning.by for _, warned in self._book.items() for warning in warned.given}

    async def erase_name(self, name: str, ghost: str) -> None:
        """Replace the name of a deleted account where it has warned. Raises JournalError."""
        rows = {
            user: WarningsOfUser(tuple(replace(each, by=ghost) if each.by == name else each for each in warned.given))
            for user, warned in self._book.items()
            if any(each.by == name for each in warned.given)
        }
        if rows:
            await self._book.write_rows(rows)

    async def forget_user(self, user: UserId) -> None:
        """Delete the warnings of a forgotten user. Raises JournalError."""
        if user in self._book:
            await self._book.drop_row(user)

    async def drop_orphans(self, is_known: IsKnown) -> None:
        """Delete the warnings of users who do not exist any more. Raises JournalError."""
        await drop_orphans(self._book, is_known)
