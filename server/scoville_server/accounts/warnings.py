"""Security warnings for owners of names, kept until they have connected, and listed in their account for a while."""

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from scoville_server.accounts.model.account import UserSession
from scoville_server.accounts.model.account_limits import DAY_MS
from scoville_server.accounts.sessions import User
from scoville_server.accounts.tokens import Tokens
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.books import Book
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import AccountWarnedNotice, AccountWarning, WarningKind

MOST: Final = 5
"""Warnings kept for one user, the latest ones."""

LISTED_MS: Final = 30 * DAY_MS
"""Milliseconds for which a warning is listed in the account."""


class Warned(Struct, frozen=True):
    """A user's warnings, oldest first; the last `unseen` of them were not sent yet."""

    warnings: tuple[AccountWarning, ...] = ()
    unseen: int = 0


class AccountWarnings:
    """The warnings of all users in a `book`: sent to their connections, and written in the background."""

    def __init__(
        self, book: Book[Warned], tokens: Tokens, background: BackgroundTasks, now_ms: Callable[[], int]
    ) -> None:
        self._book = book
        self._tokens = tokens
        self._background = background
        self._now_ms = now_ms
        self._of: dict[UserId, Warned] = {}

    def restore_warnings(self) -> None:
        """Load the book."""
        self._of = {UserId(user): warned for user, warned in self._book.items()}

    def warn_user(self, user: User, kind: WarningKind, session: UserSession | None = None) -> None:
        """Warn the owner of a name about a session, or about the whole account.

        They get the warning at once if another session of theirs is connected, else when they connect.
        """
        if not user.claimed:
            return
        self._add_warning(user.id, kind, session)
        if self._tokens.get_session(user.session) is not None:  # not the connection of a session that has just ended
            self.send_unseen(user)
        self._background.write_soon(self._write_warnings(user.id))

    def warn_for(self, user: User, reason: str) -> None:
        """Warn a user, also a guest, for what a moderator has seen."""
        self._add_warning(user.id, "moderator", None, reason)
        self.send_unseen(user)
        self._background.write_soon(self._write_warnings(user.id))

    def _add_warning(self, user: UserId, kind: WarningKind, session: UserSession | None, reason: str = "") -> None:
        number, client = (None, None) if session is None else (session.id, session.client or None)
        warning = AccountWarning(kind=kind, at_ms=self._now_ms(), session=number, client=client, reason=reason or None)
        before = self._of.get(user, Warned())
        self._of[user] = Warned((*before.warnings, warning)[-MOST:], min(before.unseen + 1, MOST))

    def send_unseen(self, user: User) -> None:
        """Send a user the warnings that they have not seen, if they are connected."""
        warned = self._of.get(user.id)
        if user.peer is None or warned is None or not warned.unseen:
            return
        self._of[user.id] = replace(warned, unseen=0)
        for warning in warned.warnings[-warned.unseen :]:
            user.peer.notify(AccountWarnedNotice(warning=warning))
        self._background.write_soon(self._write_warnings(user.id))

    def warnings_of(self, user: UserId) -> Iterator[AccountWarning]:
        """List a user's warnings of the last 30 days, newest first."""
        warnings, now_ms = self._of.get(user, Warned()).warnings, self._now_ms()
        return (warning for warning in reversed(warnings) if now_ms - warning.at_ms < LISTED_MS)

    def forget_user(self, user: UserId) -> None:
        """Forget a user's warnings."""
        self._of.pop(user, None)
        self._background.write_soon(self._write_warnings(user))

    async def _write_warnings(self, user: UserId) -> None:
        warned = self._of.get(user)
        if self._book.get(user) != warned:
            await self._book.write_rows({user: warned})
