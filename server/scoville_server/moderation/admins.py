"""Admins: named by the configuration, or appointed by another admin."""

from collections.abc import Iterable

from msgspec import Struct

from scoville_server.accounts.model.confusables import skeleton
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

    person: UserId


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
        self._meant = {name: meant.person for name, meant in self._kept.items() if name in self._named}

    def __contains__(self, person: User) -> bool:
        return person.claimed and (self._is_meant(person) or person.id in self._book)

    def claimed(self, person: User) -> None:
        """Note whom the configuration means, if this is the first owner of a configured name."""
        if person.claimed and skeleton(person.name) in self._named:
            self._meant.setdefault(skeleton(person.name), person.id)

    async def keep(self) -> None:
        """Write whom the configured names mean, and delete those that are no longer configured. Raises JournalError."""
        old = {name: None for name, _ in self._kept.items() if name not in self._meant}
        new = {name: Meant(person) for name, person in self._meant.items() if name not in self._kept}
        if old or new:
            await self._kept.write({**old, **new})

    def check_change(self, person: User, *, admin_from_now: bool) -> bool:
        """Return whether this changes anything. Raises ScovilleError `not_claimed`, `bad_params`."""
        if admin_from_now and not person.claimed:
            sentence = f"{person.name} has not claimed their name: anybody could bear it. They have to claim it first."
            raise ScovilleError(Code.NOT_CLAIMED, sentence, {"name": person.name})
        if not admin_from_now and self._is_meant(person):
            sentence = f"{person.name} is named in the server's configuration; take them out of it there."
            raise ScovilleError(Code.BAD_PARAMS, sentence, {"name": person.name})
        return (person.id in self._book) != admin_from_now

    async def appoint(self, person: User, by: str) -> None:
        """Make a user an admin. Raises JournalError, and ScovilleError `not_claimed`."""
        self.check_change(person, admin_from_now=True)
        await self._book.put(person.id, Appointed(by))

    async def dismiss(self, person: User) -> None:
        """Dismiss an admin. Raises JournalError, and ScovilleError `bad_params`."""
        self.check_change(person, admin_from_now=False)
        await self._book.drop(person.id)

    def _is_meant(self, person: User) -> bool:
        return self._meant.get(skeleton(person.name)) == person.id
