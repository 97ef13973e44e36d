"""Admins: named by the configuration, or appointed by another admin."""

from collections.abc import Iterable

from msgspec import Struct

from scoville_server.accounts.model.naming.skeleton import skeleton
from scoville_server.accounts.sessions import User
from scoville_server.journal.base import Journal, Kept
from scoville_server.journal.books import Book
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId


class Appointed(Struct, frozen=True):
    """Who appointed an admin."""

    by: str


class Meant(Struct, frozen=True):
    """The user whom the configuration means by a name."""

    user: UserId


class Admins:
    """Configured and appointed admins. Only owners of names can be admins.

    A configured name means its first owner: when they release it, the next owner is no admin.
    """

    def __init__(self, named: Iterable[str], journal: Journal) -> None:
        self._named = {skeleton(name) for name in named}
        self._book = Book("admins", Appointed, journal)
        self._kept = Book("admins.named", Meant, journal)
        self._meant: dict[str, UserId] = {}

    def restore(self, kept: Kept) -> None:
        """Load the appointments, and whom the names meant that are still configured."""
        self._book.restore(kept.books)
        self._kept.restore(kept.books)
        self._meant = {name: meant.user for name, meant in self._kept.items() if name in self._named}

    def __contains__(self, user: User) -> bool:
        return user.claimed and (self._is_meant(user) or user.id in self._book)

    def claimed(self, user: User) -> None:
        """Note whom the configuration means, if this is the first owner of a configured name."""
        if user.claimed and skeleton(user.name) in self._named:
            self._meant.setdefault(skeleton(user.name), user.id)

    async def keep(self) -> None:
        """Write whom the configured names mean, and delete those that are no longer configured. Raises JournalError."""
        old = {name: None for name, _ in self._kept.items() if name not in self._meant}
        new = {name: Meant(user) for name, user in self._meant.items() if name not in self._kept}
        if old or new:
            await self._kept.write({**old, **new})

    def check_change(self, user: User, *, admin_from_now: bool) -> bool:
        """Return whether this changes anything. Raises ScovilleError `not_claimed`, `bad_params`."""
        if admin_from_now and not user.claimed:
            sentence = f"{user.name} has not claimed that name, so anybody could take it; it must be claimed first."
            raise ScovilleError(Code.NOT_CLAIMED, sentence, {"name": user.name})
        if not admin_from_now and self._is_meant(user):
            sentence = f"{user.name} is an admin by the server's settings; remove the name there."
            raise ScovilleError(Code.BAD_PARAMS, sentence, {"name": user.name})
        return (user.id in self._book) != admin_from_now

    async def appoint(self, user: User, by: str) -> None:
        """Make a user an admin. Raises JournalError, and ScovilleError `not_claimed`."""
        self.check_change(user, admin_from_now=True)
        await self._book.put(user.id, Appointed(by))

    async def dismiss(self, user: User) -> None:
        """Dismiss an admin. Raises JournalError, and ScovilleError `bad_params`."""
        self.check_change(user, admin_from_now=False)
        await self._book.drop(user.id)

    async def forget(self, number: UserId) -> None:
        """Delete the appointment of a user who is forgotten. Raises JournalError."""
        if number in self._book:
            await self._book.drop(number)

    def _is_meant(self, user: User) -> bool:
        return self._meant.get(skeleton(user.name)) == user.id
