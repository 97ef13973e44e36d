"""The users of a server: their sessions, tokens, claimed names, recovery codes and warnings, and what is kept."""

import asyncio
import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from scoville_runtime.clock import SYSTEM
from scoville_server.accounts.model.account import NO_MARKS, Account, Marks, Origin, UserSession
from scoville_server.accounts.model.account_limits import DAY_MS, AccountLimits
from scoville_server.accounts.name_register import Claims
from scoville_server.accounts.orphans import IsKnown, drop_orphans
from scoville_server.accounts.sessions import GivenName, Greeted, Opened, Sessions, User
from scoville_server.accounts.tokens import Tokens
from scoville_server.accounts.told_once import WaitingRow, WaitingRows
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import Journal, StoredUser
from scoville_server.journal.books import Book, OwnWrites
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.net.peer import Peer
from scoville_server.nodes.connections import UserConnections
from scoville_server.trusted_time import TrustedTime
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import (
    AccountWarnedNotice,
    AccountWarning,
    AnnouncedNotice,
    ByeNotice,
    HelloRequest,
    Notice,
    WarningKind,
)

MOST_WARNINGS: Final = 5
"""Warnings kept for one user, the latest ones."""

LISTED_MS: Final = 30 * DAY_MS
"""Milliseconds for which a warning is listed in the account."""


class UserWarnings(WaitingRow, frozen=True):
    """A user's warnings, oldest first; the last `unseen` of them were not sent yet."""

    warnings: tuple[AccountWarning, ...] = ()
    unseen: int = 0

    def add_warning(self, warning: AccountWarning, *, is_seen: bool) -> "UserWarnings":
        """Return them with another one, which was sent already if it `is_seen`."""
        unseen = 0 if is_seen else min(self.unseen + 1, MOST_WARNINGS)
        return replace(self, warnings=(*self.warnings, warning)[-MOST_WARNINGS:], unseen=unseen)


class AccountWarnings:
    """The warnings of all users: sent to their connections, and written in the background.

    A warning for a user who is connected to this node is sent at once. The others wait in the row of the user: of
    several nodes to which a user comes one after the other, one sends them.

    Attributes:
        find_user: Finds a user whom this node knows.
        unseen: Sends those that wait.
    """

    def __init__(
        self, journal: Journal, tokens: Tokens, background: BackgroundTasks, now_ms: Callable[[], int]
    ) -> None:
        self._tokens = tokens
        self._background = background
        self._now_ms = now_ms
        self._new: dict[UserId, tuple[AccountWarning, ...]] = {}
        """Warnings that are not written yet."""
        self.find_user: Callable[[UserId], User | None] = lambda _: None
        self.unseen = WaitingRows("warnings", UserWarnings, journal, background, self)
        self._book = self.unseen.book

    def warn_user(self, user: User, kind: WarningKind, session: UserSession | None = None) -> None:
        """Warn the owner of a name about a session, or about the whole account.

        They get the warning at once if another session of theirs is connected, else when they connect.
        """
        if user.claimed:
            self._warn_user(user, kind, session)

    def warn_for(self, user: User, reason: str) -> None:
        """Warn a user or guest on behalf of a moderator."""
        self._warn_user(user, "moderator", None, reason)

    def _warn_user(self, user: User, kind: WarningKind, session: UserSession | None, reason: str = "") -> None:
        number, client = (None, None) if session is None else (session.id, session.client or None)
        warning = AccountWarning(kind=kind, at_ms=self._now_ms(), session=number, client=client, reason=reason or None)
        is_seen = self._send_warnings(user, [warning])
        self._new[user.id] = (*self._new.get(user.id, ()), warning)
        self._background.insist_on_write(partial(self._add_warning, user.id, warning, is_seen=is_seen))

    async def _add_warning(self, user: UserId, warning: AccountWarning, *, is_seen: bool) -> None:
        if warning in self._new.get(user, ()):  # the user was not forgotten meanwhile
            await self._book.change_row(
                user, lambda before: (before or UserWarnings()).add_warning(warning, is_seen=is_seen)
            )
            self._forget_new(user, warning)

    def _forget_new(self, user: UserId, warning: AccountWarning) -> None:
        left = tuple(each for each in self._new.get(user, ()) if each is not warning)
        if left:
            self._new[user] = left
        else:
            self._new.pop(user, None)

    def send_unseen(self, user: User) -> None:
        """Send a user the warnings that they have not seen, if they are connected."""
        self.unseen.send_soon(user.id)

    def is_reached(self, user: UserId) -> bool:
        known = self.find_user(user)
        return known is not None and self._find_peer(known) is not None

    def has_waiting(self, row: UserWarnings) -> bool:
        return row.unseen > 0

    async def send_row(self, user: UserId, row: UserWarnings) -> UserWarnings | None:
        known = self.find_user(user)
        is_sent = known is not None and self._send_warnings(known, row.warnings[-row.unseen :])
        return row if is_sent else None

    def leave_out(self, row: UserWarnings, sent: UserWarnings) -> UserWarnings | None:
        seen = sent.warnings[-sent.unseen :]
        return replace(row, unseen=sum(each not in seen for each in row.warnings[-row.unseen :] if row.unseen))

    def _send_warnings(self, user: User, warnings: Sequence[AccountWarning]) -> bool:
        peer = self._find_peer(user)
        if peer is None:
            return False
        for warning in warnings:
            peer.notify(AccountWarnedNotice(warning=warning))
        return True

    def _find_peer(self, user: User) -> Peer | None:
        """Return the connection of a user, but not that of a session that has just ended."""
        return None if self._tokens.get_session(user.session) is None else user.peer

    def warnings_of(self, user: UserId) -> Iterator[AccountWarning]:
        """List a user's warnings of the last 30 days, newest first."""
        warned, now_ms = self._book.get(user), self._now_ms()
        kept = () if warned is None else warned.warnings
        warnings = (*kept, *(warning for warning in self._new.get(user, ()) if warning not in kept))[-MOST_WARNINGS:]
        return (warning for warning in reversed(warnings) if now_ms - warning.at_ms < LISTED_MS)

    def forget_user(self, user: UserId) -> None:
        """Forget a user's warnings."""
        if self._new.pop(user, None) is not None or user in self._book:
            self._background.insist_on_write(partial(self._book.drop_row, user))

    def plan_tidying(self, is_known: IsKnown) -> None:
        """Plan to delete the warnings of users of an earlier run who do not exist any more."""
        self._background.plan_tidying(lambda: drop_orphans(self._book, is_known))


_BYTES: Final = 10
"""Random bytes of a code: 80 bits, 16 characters of base32."""
_GROUP: Final = 4


class Recovery(Struct, frozen=True, kw_only=True):
    """A code that was not used yet, as its SHA-256. `by` is the admin's name."""

    digest: str
    by: str
    expires_ms: int


class Recoveries:
    """At most one code for each user, in a `book`: each is valid once, until it expires."""

    def __init__(self, book: Book[Recovery]) -> None:
        self._book = book

    async def make_code(self, user: UserId, by: str, expires_ms: int) -> str:
        """Make a code for a user, in place of an earlier one. Raises JournalError."""
        code = base64.b32encode(secrets.token_bytes(_BYTES)).decode().lower()
        await self._book.put_row(user, Recovery(digest=_digest_code(code), by=by, expires_ms=expires_ms))
        return "-".join(code[start : start + _GROUP] for start in range(0, len(code), _GROUP))

    def is_valid_code(self, user: UserId, code: str, now_ms: int) -> bool:
        """Whether a code, with or without its hyphens, is that of a user, and still valid."""
        held = self._book.get(user)
        shown = _digest_code("".join(char for char in code.lower() if char.isalnum()))
        return held is not None and hmac.compare_digest(held.digest, shown) and now_ms < held.expires_ms

    async def delete_code(self, user: UserId) -> None:
        """Delete a user's code. Raises JournalError."""
        if user in self._book:
            await self._book.drop_row(user)

    async def delete_expired(self, now_ms: int) -> None:
        """Delete the codes that have expired. Raises JournalError."""
        over = {user: None for user, recovery in self._book.items() if recovery.expires_ms <= now_ms}
        if over:
            await self._book.write_rows(over)


def _digest_code(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


GHOST: Final = "–"
"""The name of a deleted account where others' data have one: in chat, in clubs, in results."""

_AT_ONCE: Final = 1_000
"""Sessions checked in one turn of the loop: less than a millisecond."""


class Expiry:
    """Deletes expired rows by a `time` that is trusted."""

    def __init__(self, time: TrustedTime, tokens: Tokens, claims: Claims, recoveries: Recoveries) -> None:
        self._time = time
        self._tokens = tokens
        self._claims = claims
        self._recoveries = recoveries

    async def delete_expired(self) -> None:
        """Delete everything that has expired. Raises JournalError.

        After the clock has jumped ahead, sessions are renewed instead.
        """
        now, jumped = self._time.now_ms(), self._time.jumped
        if not self._time.warning:
            self._tokens.put_right(self._tokens.keys, lambda user: self._claims.account_of(user) is not None, now)
        await self._check_sessions(now, jumped)
        self._time.jumped = self._time.jumped and not jumped
        await self._tokens.write_dropped()
        if self._time.may_expire():
            await self._recoveries.delete_expired(now)
            await self._claims.expire_retired_names(now)

    async def _check_sessions(self, now: int, jumped: bool) -> None:
        """Drop or renew the sessions that have expired, some at a time so that nobody waits."""
        keys = self._tokens.keys
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            if jumped:
                self._tokens.renew_sessions(some, lambda user: self._claims.account_of(user) is not None, now)
            else:
                self._tokens.drop_sessions(self._tokens.expired_sessions(some, now))
            await asyncio.sleep(0)


_REVOKED: Final = ByeNotice(code=Code.REVOKED, message="The session of this connection has been ended.")
_REUSED: Final = ByeNotice(
    code=Code.TOKEN_REUSED, message="Another program has shown an old token of this session; the session was ended."
)


class UserObserver:
    """Observes the users of this node; called at once, so it may start work but never wait."""

    def users_restored(self, is_known: IsKnown) -> None:
        """All users of an earlier run are known: what is kept of others can be deleted once this node serves."""

    def user_connected(self, user: User) -> None:
        """A user was greeted or has logged in on a connection, `user.peer`."""

    def user_disconnected(self, user: User) -> None:
        """A user's connection was lost or became that of another user, and no other one has taken over."""

    def connection_released(self, peer: Peer) -> None:
        """A connection was lost or became that of another user, who watches nothing yet."""

    def name_changed(self, user: UserId) -> None:
        """A user has claimed or released a name."""

    def account_deleted(self, user: User) -> None:
        """A user has deleted their account: what others have of them keeps no name. `user_forgotten` follows."""

    def user_forgotten(self, user: UserId) -> None:
        """A user has been deleted."""

    def export_user(self, user: User) -> Mapping[str, Any]:  # noqa: ARG002 - most keep nothing
        """Return all data of a user, for themselves, as fields of `ExportAccountReply`.

        Data about them that is not theirs, such as a ban, is left out.
        """
        return {}


class BannedNames(Protocol):
    """Knows which names are banned."""

    def is_banned_name(self, name: str) -> bool:
        """Whether a name is banned, so that it is never given to users who did not ask for it."""


class Users:
    """Joins the sessions with their tokens and claimed names, and keeps them in the journal.

    A guest is kept once there is something to return to; until then only memory knows them.
    """

    def __init__(
        self,
        most: Adjustable[int],
        limits: Adjustable[AccountLimits],
        journal: Journal,
        background: BackgroundTasks,
        connections: UserConnections,
        time: TrustedTime | None = None,
    ) -> None:
        self.limits = as_live(limits)
        self.connections = connections
        self.observers: Sequence[UserObserver] = ()
        self._journal = journal
        self._background = background
        self.time = time or TrustedTime(SYSTEM)
        self._writing: OwnWrites[StoredUser] = OwnWrites()
        self._early: list[tuple[UserId, StoredUser | None]] = []
        """Changes by other nodes while this one read its users."""
        self._is_restored = False
        journal.follow_users(self._follow_user)
        self._kept_recoveries = Book("recoveries", Recovery, journal)
        self.recoveries = Recoveries(self._kept_recoveries)
        self.tokens = Tokens(journal, self.limits, self.time.may_expire)
        self.claims = Claims(journal, self.limits.select(lambda limits: limits.claims))
        self.warnings = AccountWarnings(journal, self.tokens, background, self.time.now_ms)
        self._expiry = Expiry(self.time, self.tokens, self.claims, self.recoveries)
        self.sessions = Sessions(
            most, self.tokens, self.claims, connections, self.limits.value.newcomer_seconds, self.time.seconds
        )
        self.sessions.on_forgotten = self._delete_user
        self.warnings.find_user = self.sessions.find_user

    def connect_observers(self, observers: Sequence[UserObserver], banned: BannedNames) -> None:
        """Connect the services that depend on the users; once, before the first user. Observers are called in order."""
        self.observers = observers
        self.sessions.avoid_names(banned.is_banned_name)

    def restore_users(self, stored: Sequence[StoredUser]) -> None:
        """Restore all users of an earlier run, by their rows."""
        now = self.time.now_ms()
        # After the claims: the owners of names are users even where the journal has lost their rows.
        self.sessions.restore_users(stored)
        self.tokens.restore_sessions({*(known.user for known in stored), *(user for user, _ in self.claims)}, now)
        if not self.time.warning:
            self.tokens.put_right(self.tokens.keys, lambda user: self.claims.account_of(user) is not None, now)
        self._background.plan_tidying(self.tokens.write_dropped)
        for each in stored:
            self._date_guest(each.user)
        self.claims.on_elsewhere = self._follow_account
        self.tokens.is_user = lambda number: self.sessions.find_user(number) is not None
        self.tokens.on_ended = self._follow_end
        self.tokens.on_copied = self._end_copied
        self.tokens.on_heard = self._date_guest
        self._is_restored = True
        early, self._early = self._early, []
        for number, known in early:
            self._follow_user(number, known)
        self.warnings.plan_tidying(self.tokens.is_user)
        for observer in self.observers:
            observer.users_restored(self.tokens.is_user)

    def note_stored(self, known: StoredUser) -> None:
        """Note a user who is in the journal, as another node says: their row may come later."""
        self._follow_user(known.user, known)

    def _follow_user(self, number: UserId, known: StoredUser | None) -> None:
        """Follow a user whom another node has stored or deleted; its own changes this node knows already."""
        if not self._is_restored:
            self._early.append((number, known))
            return
        user = self.sessions.find_user(number)
        if known is not None:
            if not self._writing.has_written(number, known) and (user is None or user.written != known):
                self.sessions.note_stored(known)
                self.tokens.adopt_user(number)
                self._date_guest(number)
        elif user is not None and user.written is not None:
            # The node that has deleted the row deletes the sessions as well, once.
            user.written = None
            if user.is_idle and not user.claimed:
                self.sessions.forget_user(user)

    def _date_guest(self, number: UserId) -> None:
        """Date a stored guest by their oldest session: a restart or another node does not make a new guest known."""
        began = min((session.created_ms for _, session in self.tokens.sessions_of(number)), default=None)
        if began is not None:
            self.sessions.date_guest(number, (self.time.now_ms() - began) / 1000)

    def _follow_account(self, number: UserId, before: Account | None, after: Account | None) -> None:
        """Follow a name that was claimed or released at another node, which writes what has to be written."""
        if (before is None) != (after is None) and self.sessions.note_account(number, after) is not None:
            self.tokens.adopt_user(number)
            for observer in self.observers:
                observer.name_changed(number)

    def _follow_end(self, session: UserSession, key: str) -> None:
        """Follow a session that was ended at another node."""
        user = self.sessions.find_user(session.user)
        if user is not None:
            self._close_ended(user, [key], _REVOKED)

    def _close_ended(self, user: User, ended: Collection[str], bye: ByeNotice) -> None:
        """Close the connection of a session that has ended, if it is to this node.

        All nodes follow the end. To one that a user has left, their latest session there is not that of today.
        """
        if user.is_here and user.session in ended:
            self.connections.close_connection(user.id, bye)

    async def delete_expired(self) -> None:
        """Delete expired rows, and write the latest uses of all sessions. Raises JournalError."""
        await self._expiry.delete_expired()
        await self.write_uses()

    async def write_uses(self) -> None:
        """Write the latest uses of all sessions. Raises JournalError."""
        await self.tokens.write_uses(self._is_written)

    def _is_written(self, number: UserId) -> bool:
        user = self.sessions.find_user(number)
        return user is not None and user.written is not None

    def greet_connection(
        self, hello: HelloRequest, peer: Peer, opened: Opened | None = None, given: GivenName | None = None
    ) -> Greeted:
        """Greet a connection, without waiting for the disk. Raises ScovilleError `too_many`."""
        shown = self.tokens.find_session(hello.token or "", self.time.now_ms())
        reused = shown is not None and shown.reused
        if shown is not None and reused:
            self._end_copied(shown.key)
        greeted = self.sessions.greet_user(hello, peer, self.time.now_ms(), opened, given)
        greeted = greeted._replace(token_reused=reused)
        self.warnings.send_unseen(greeted.user)
        # Written afterwards and once a minute, so that reconnecting waits for no disk; the seal makes up for a lost
        # write.
        if greeted.user.written is not None and self.tokens.is_due(greeted.user.session):
            self._background.write_soon(self.tokens.write_sessions(greeted.user.id))
        return greeted

    def _end_copied(self, key: str) -> None:
        """End a session whose token was used after it was used up, or of which two of one step were used.

        It was copied, and the thief may have either token.
        """
        session = self.tokens.get_session(key)
        user = None if session is None else self.sessions.find_user(session.user)
        assert user is not None, "sessions end with their users"
        ended = self.tokens.drop_sessions([key])
        self.write_sessions_soon(user)
        self._close_ended(user, ended, _REUSED)
        self.warnings.warn_user(user, "token_reused", session)
        self.forget_if_lost(user)

    def is_known_token(self, hello: HelloRequest) -> bool:
        """Whether a hello comes from a user who owns a name, has a seat, or was here some time ago."""
        user = self.sessions.find_by_token(hello.token, self.time.now_ms()) if hello.token else None
        return user is not None and self.sessions.is_known(user)

    def find_last_connected(self, user: User | None) -> int | None:
        """Find when a user was last connected, in milliseconds since 1970; None for newcomers and connected users."""
        if user is None or user.is_here:
            return None
        return max((session.used_ms for _, session in self.tokens.sessions_of(user.id)), default=None)

    def note_departure(self, user: User) -> None:
        """Note that a user's connection has ended: until now their session was used."""
        self._extend_session(user)
        if user.written is not None and self.tokens.is_due(user.session):
            self._background.write_soon(self.tokens.write_sessions(user.id))

    async def write_last_uses(self) -> None:
        """Write the latest uses at the end of the server, which ends all connections. Raises JournalError.

        Those that are less than a minute old are as good: users wait for the end of a node that hands over.
        """
        now_ms = self.time.now_ms()
        for user in self.sessions.connected_users():
            if self.tokens.is_due(user.session, now_ms):
                self._extend_session(user)
        await self.write_uses()

    def _extend_session(self, user: User) -> None:
        if self.tokens.get_session(user.session) is not None:  # it may have ended with the connection
            self.tokens.extend_session(user.session, user.claimed, self.time.now_ms())

    def new_session(self, user: User, client: str, origin: Origin, marks: Marks = NO_MARKS) -> tuple[str, str]:
        """Begin another session, for a program: its token and its key. `write_user` writes it."""
        return self.tokens.issue_token(user.id, client, origin, user.claimed, self.time.now_ms(), marks)

    def write_sessions_soon(self, user: User) -> None:
        """Write the sessions of a user whom the journal knows; nothing waits for it."""
        if user.written is not None:
            self._background.write_soon(self.tokens.write_sessions(user.id))

    def client_of(self, user: User) -> str:
        """Return the name of a user's client program."""
        session = self.tokens.get_session(user.session)
        return "" if session is None else session.client

    async def end_sessions(self, user: User, keys: Collection[str]) -> None:
        """End sessions, and close the connection of one of them. Raises JournalError."""
        ended = self.tokens.drop_sessions(
            [key for key in keys if self.tokens.get_session(key) is not None]
        )  # a request may come twice
        if user.written is not None:
            await self.tokens.write_sessions(user.id)
        # The sessions end in memory first, but no connection is closed before the disk has it.
        self._close_ended(user, ended, _REVOKED)

    def forget_if_lost(self, user: User) -> None:
        """Forget a user who has nothing left to return to, and is not forgotten yet."""
        is_lost = user.is_idle and not user.claimed and not self.tokens.sessions_of(user.id)
        if is_lost and self.sessions.find_user(user.id) is user:
            self.sessions.forget_user(user)

    def forget_user(self, user: User) -> None:
        """Forget a user who has deleted their account, with their sessions, and close their connections."""
        for observer in self.observers:
            observer.account_deleted(user)
        self.sessions.forget_user(user)

    def claims_changed(self, user: User) -> None:
        """Follow a name that was claimed or released."""
        user.claimed = self.claims.account_of(user.id) is not None
        for key, _ in self.tokens.sessions_of(user.id):
            self.tokens.extend_session(key, user.claimed, self.time.now_ms())
            # Owners come back by their credentials alone: three words would be a weak one.
            self.tokens.end_resume_code(key)
        if not user.claimed:
            self.warnings.forget_user(user.id)
        self.sessions.note_owner(user)
        self.write_user_soon(user)
        for observer in self.observers:
            observer.name_changed(user.id)

    async def write_user(self, user: User) -> None:
        """Write a user and their tokens to the journal. Raises JournalError."""
        known = user.known
        if user.written != known:
            with self._writing.note_write(user.id, known):
                # Together: the journal takes both in one write.
                await asyncio.gather(self._journal.put_user(known), self.tokens.write_sessions(user.id))
            user.written = known
        else:
            await self.tokens.write_sessions(user.id)

    def insist_on_writing(self, user: User) -> None:
        """Write a user, and repeat it while the disk refuses: the rows that follow would name an unknown user."""
        self._background.insist_on_write(lambda: self.write_user(user))

    def write_user_soon(self, user: User) -> None:
        """Write a user later: nothing waits for it."""
        self._background.write_soon(self.write_user(user))

    def announce_text(self, text: str) -> None:
        """Send an announcement to all users of this node."""
        self.notify_all_users(AnnouncedNotice(text=text))

    def announce_error(self, error: ScovilleError) -> None:
        """Report a failure that concerns all users to those who are connected to this node."""
        self.notify_all_users(AnnouncedNotice(text=error.message, code=error.code))

    def notify_all_users(self, notice: Notice) -> None:
        """Send a notice to all users of this node."""
        self.connections.notify_all((user.id for user in self.sessions.connected_users()), notice)

    def _delete_user(self, user: User) -> None:
        if user.written is None:
            self.tokens.discard_user(user.id)
        else:
            self.tokens.forget_user(user.id)
            self._background.write_soon(self._journal.delete_user(user.id))
            self._background.write_soon(self.tokens.write_sessions(user.id))
        for observer in self.observers:
            observer.user_forgotten(user.id)
