"""Security warnings for owners of names, kept until they have connected, and listed in their account for a while."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from scoville_server.accounts.model.account import UserSession
from scoville_server.accounts.model.limits import DAY_MS
from scoville_server.journal.books import Book
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import AccountWarning, WarningKind

MOST: Final = 5
"""Warnings kept for one user, the latest ones."""

LISTED_MS: Final = 30 * DAY_MS
"""Milliseconds for which a warning is listed in the account."""


class Warned(Struct, frozen=True):
    """A user's warnings, oldest first; the last `unseen` of them were not sent yet."""

    warnings: tuple[AccountWarning, ...] = ()
    unseen: int = 0


class AccountWarnings:
    """The warnings of all users in a `book`. Changes count at once; `keep` writes those of a user."""

    def __init__(self, book: Book[Warned]) -> None:
        self._book = book
        self._of: dict[UserId, Warned] = {}

    def restore(self) -> None:
        """Load the book."""
        self._of = {UserId(user): warned for user, warned in self._book.items()}

    def add(self, user: UserId, kind: WarningKind, session: UserSession | None, now_ms: int) -> None:
        """Add a warning about a session, or about the whole account."""
        number, client = (None, None) if session is None else (session.id, session.client or None)
        warning = AccountWarning(kind=kind, at_ms=now_ms, session=number, client=client)
        before = self._of.get(user, Warned())
        self._of[user] = Warned((*before.warnings, warning)[-MOST:], min(before.unseen + 1, MOST))

    def take_unseen(self, user: UserId) -> tuple[AccountWarning, ...]:
        """Return the warnings that were not sent yet, and note that they are."""
        warned = self._of.get(user)
        if warned is None or not warned.unseen:
            return ()
        self._of[user] = replace(warned, unseen=0)
        return warned.warnings[-warned.unseen :]

    def of(self, user: UserId, now_ms: int) -> Iterator[AccountWarning]:
        """List a user's warnings of the last 30 days, newest first."""
        warnings = self._of.get(user, Warned()).warnings
        return (warning for warning in reversed(warnings) if now_ms - warning.at_ms < LISTED_MS)

    def forget(self, user: UserId) -> None:
        """Forget a user's warnings."""
        self._of.pop(user, None)

    async def keep(self, user: UserId) -> None:
        """Write a user's warnings to the book. Raises JournalError."""
        warned = self._of.get(user)
        if self._book.get(user) != warned:
            await self._book.write({user: warned})
