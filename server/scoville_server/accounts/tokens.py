"""Rotating tokens of sessions: each use gives the next one, and a token from before the last use ends its session.

A token is base64url of `selector (18 bytes) | step (5) | mark (4) | seal (12)`. The selector names the session, and the
server stores only its hash. The step counts the tokens of a session; the mark is random, so that two tokens of one step
differ. The seal is a MAC of all three with a key of the session. So the server recognizes each token that it has ever
issued without storing any, and neither a stolen journal nor an old token is enough to make one.
"""

import base64
import binascii
import hashlib
import hmac
import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Final, NamedTuple

from msgspec.structs import replace

from scoville_server.accounts.model.account import NO_MARKS, MarkIndex, Marks, Origin, UserSession
from scoville_server.accounts.model.account_limits import AccountLimits
from scoville_server.journal.base import Books
from scoville_server.journal.books import Book
from scoville_server.limits.live import Adjustable, as_live
from scoville_shared.ids import UserId

WRITTEN_MS: Final = 60 * 1000
"""Milliseconds between two writes of one session's uses. After a crash the server knows an older use, so that a token
that was used up in the last minute is valid until a newer one is shown; a newer one is recognized by its seal."""

FEW: Final = 2
"""Sessions that a user keeps who gets another one when the server's limit is reached."""

_SELECTOR, _STEP, _MARK, _SEAL = 18, 5, 4, 12
"""Bytes of each part of a token."""
_SEALED: Final = _SELECTOR + _STEP + _MARK
_LENGTH: Final = _SEALED + _SEAL


class IssuedToken(NamedTuple):
    """A token that this server has issued: its session, whose hash is `key`, its step and its mark.

    `reused` says that a later token of the session was used before, or another one of the same step: two programs have
    shown tokens of one session, and one of them is not its owner's.
    """

    key: str
    session: UserSession
    selector: bytes
    step: int
    mark: bytes

    @property
    def reused(self) -> bool:
        """Whether this token was used up before."""
        newest = self.session
        return self.step < newest.step or (self.step == newest.step and self.mark != newest.mark)


class TokenUse(NamedTuple):
    """Which token of a session was used last, by the session's key, and the token's step and mark."""

    key: str
    step: int
    mark: bytes


# Decision 042: newer tokens are recognized by their seal, so none is written before it is given away.
class Tokens:
    """All sessions by the hash of their selector, kept in a `book` except for those of guests who just came.

    Nothing expires before `may_expire` returns true: until then the clock may be wrong, and a dropped session is lost.
    The methods that begin with `write` wait for the disk; everything else is decided in memory. Writes of other nodes
    are followed: of two uses of a session the later one counts, and one that has ended elsewhere ends here.

    Attributes:
        is_user: Whether this node knows a user.
        on_ended: Is called with a session that another node has ended, and its key.
        on_copied: Is called with the key of a session of which two nodes have taken different tokens of one step.
        on_heard: Is called with the user of a session that another node has begun.
        on_used: Is called with each use, for the other nodes, which would hear of it a minute later.
    """

    def __init__(
        self,
        journal: Books,
        limits: Adjustable[AccountLimits],
        may_expire: Callable[[], bool] = lambda: True,
    ) -> None:
        self._limits = as_live(limits)
        self._may_expire = may_expire
        self._good: dict[str, UserSession] = {}
        self._checked = ""
        """The token that was looked at last."""
        self._found: IssuedToken | None = None
        self._of: dict[UserId, dict[str, None]] = {}
        self._gone: dict[UserId, set[str]] = {}
        self.marks = MarkIndex()
        self._unwritten: set[UserId] = set()
        """Users with uses in the last minute that `write_uses` writes."""
        self._strangers: defaultdict[UserId, dict[str, UserSession]] = defaultdict(dict)
        """Sessions at other nodes of users whom this one does not know yet."""
        self._is_restored = False
        self.is_user: Callable[[UserId], bool] = lambda _: True
        self.on_ended: Callable[[UserSession, str], object] = lambda *_: None
        self.on_copied: Callable[[str], object] = lambda _: None
        self.on_heard: Callable[[UserId], object] = lambda _: None
        self.on_used: Callable[[TokenUse], object] = lambda _: None
        self._book = Book("sessions", UserSession, journal, self._follow_session)

    def _follow_session(self, key: str, before: UserSession | None, after: UserSession | None) -> None:
        """Follow a row; one that this node has written is what it knows already, or less."""
        if not self._is_restored:
            return
        known = self._good.get(key)
        if after is None:
            self._end_elsewhere(key, known or before)
        elif known is not None:
            self._note_step(key, known, after.step, after.mark)
        elif key not in self._gone.get(after.user, ()):
            if self.is_user(after.user):
                self._add_session(key, after)
                self.on_heard(after.user)
            else:
                self._strangers[after.user][key] = after

    def _end_elsewhere(self, key: str, session: UserSession | None) -> None:
        if key in self._good:
            ended = self._remove_session(key)
            self.on_ended(ended, key)
        elif session is not None and session.user in self._strangers:
            self._strangers[session.user].pop(key, None)

    def note_use(self, use: TokenUse) -> None:
        """Note a use, here or at another node."""
        known = self._good.get(use.key)
        if known is not None:
            self._note_step(use.key, known, use.step, use.mark)

    def _note_step(self, key: str, known: UserSession, step: int, mark: bytes) -> None:
        """Note which token of a session another node has taken; the highest step counts."""
        if step > known.step:
            self._good[key] = replace(known, step=step, mark=mark)
        elif step == known.step and mark != known.mark:
            self.on_copied(key)

    def adopt_user(self, user: UserId) -> None:
        """Take the sessions, begun at other nodes, of a user whom this node knows from now on."""
        for key, session in self._strangers.pop(user, {}).items():
            self._add_session(key, session)

    def restore_sessions(self, users: Collection[UserId], now_ms: int) -> None:
        """Load the book; sessions that have expired or lost their user are dropped in turn."""
        # The order in which sessions are added is that of their uses from now on.
        for key, session in sorted(self._book.items(), key=lambda row: row[1].used_ms):
            if session.user in users and not self._is_over(session, now_ms):
                self._add_session(key, session)
            else:
                self._gone.setdefault(session.user, set()).add(key)
        self._is_restored = True

    def find_session(self, token: str, now_ms: int) -> IssuedToken | None:
        """Find the session of a token; None if this server has not issued it or the session has ended."""
        # One hello asks four times. Compared by identity: comparing with another user's token would take longer the
        # more of it is guessed.
        if token is self._checked and self._found is not None:
            known = self._found
            if self._good.get(known.key) is known.session and not self._is_over(known.session, now_ms):
                return known
        self._checked, self._found = token, self._check_token(token, now_ms)
        return self._found

    def _check_token(self, token: str, now_ms: int) -> IssuedToken | None:
        raw = _decode_token(token)
        key = _key_of(raw[:_SELECTOR])
        session = self._good.get(key)
        # Before anything else is looked at or changed: a forged token learns nothing, not even by the time it takes.
        if session is None or not hmac.compare_digest(raw[_SEALED:], _seal_token(session, raw[:_SEALED])):
            return None
        if self._is_over(session, now_ms):
            self.drop_sessions([key])
            return None
        step = int.from_bytes(raw[_SELECTOR : _SELECTOR + _STEP])
        return IssuedToken(key, session, raw[:_SELECTOR], step, raw[_SELECTOR + _STEP : _SEALED])

    def _is_over(self, session: UserSession, now_ms: int) -> bool:
        return session.expires_ms <= now_ms and self._may_expire()

    def renew_sessions(self, keys: Iterable[str], claimed: Callable[[UserId], bool], now_ms: int) -> None:
        """Extend sessions that seem to have expired as if they were used now: their dates were wrong."""
        for key in keys:
            session = self._good.get(key)
            if session is not None and session.expires_ms <= now_ms:
                holds_ms = self._limits.value.token_ms(claimed(session.user))
                self._good[key] = replace(session, expires_ms=now_ms + holds_ms)
                # Only noted, nothing dropped: the next `write_dropped` writes the session.
                self._gone.setdefault(session.user, set())

    def put_right(self, keys: Iterable[str], claimed: Callable[[UserId], bool], now_ms: int) -> None:
        """Give sessions their full time from now on that end much later: a clock was ahead when they were used."""
        for key in keys:
            session = self._good.get(key)
            if session is None:
                continue
            holds_ms = self._limits.value.token_ms(claimed(session.user))
            if session.expires_ms > now_ms + 2 * holds_ms:
                self._good[key] = replace(
                    session,
                    created_ms=min(session.created_ms, now_ms),
                    used_ms=min(session.used_ms, now_ms),
                    expires_ms=now_ms + holds_ms,
                )
                # Only noted, nothing dropped: the next `write_dropped` writes the session.
                self._gone.setdefault(session.user, set())

    def expired_sessions(self, keys: Iterable[str], now_ms: int) -> list[str]:
        """List which of some sessions have expired."""
        sessions = ((key, self._good.get(key)) for key in keys)
        return [key for key, session in sessions if session is not None and self._is_over(session, now_ms)]

    @property
    def keys(self) -> list[str]:
        """The hashes of all sessions' selectors."""
        return [*self._good]

    def get_session(self, key: str) -> UserSession | None:
        """Find a session by the hash of its selector."""
        return self._good.get(key)

    def sessions_of(self, user: UserId) -> list[tuple[str, UserSession]]:
        """List a user's sessions with their keys, most recently used first.

        The order is that of their uses, not of the stored times: the clock may have been wrong.
        """
        return [(key, self._good[key]) for key in reversed(self._of.get(user, {}))]

    def issue_token(
        self, user: UserId, client: str, origin: Origin, claimed: bool, now_ms: int, marks: Marks = NO_MARKS
    ) -> tuple[str, str]:
        """Begin a session: its first token and its key. Beyond the limit the least recently used session goes."""
        most = self._limits.value.tokens if len(self._good) < self._limits.value.tokens_total else FEW
        self.drop_sessions([key for key, _ in self.sessions_of(user)[min(most, self._limits.value.tokens) - 1 :]])
        selector, mark = secrets.token_bytes(_SELECTOR), secrets.token_bytes(_MARK)
        session = UserSession(
            user=user,
            id=secrets.token_hex(4),
            client=client,
            origin=origin,
            secret=secrets.token_bytes(16),
            step=1,
            mark=mark,
            created_ms=now_ms,
            used_ms=now_ms,
            expires_ms=now_ms + self._limits.value.token_ms(claimed),
            **marks._asdict(),
        )
        key = _key_of(selector)
        self._add_session(key, session)
        return _write_token(session, selector, 1, mark), key

    def use_token(self, shown: IssuedToken, claimed: bool, now_ms: int) -> str:
        """Use a token that is not `reused`: extend its session, and return the next token."""
        self.extend_session(shown.key, claimed, now_ms)
        session = self._good[shown.key] = replace(self._good[shown.key], step=shown.step, mark=shown.mark)
        self.on_used(TokenUse(shown.key, shown.step, shown.mark))
        return _write_token(session, shown.selector, shown.step + 1, secrets.token_bytes(_MARK))

    def extend_session(self, key: str, claimed: bool, now_ms: int) -> None:
        """Extend a session from now on; its expiry never moves back."""
        session = self._good[key]
        # Moved to the end, as the session that was used last.
        self._of[session.user][key] = self._of[session.user].pop(key)
        expires_ms = max(session.expires_ms, now_ms + self._limits.value.token_ms(claimed))
        self._good[key] = replace(session, used_ms=max(now_ms, session.used_ms), expires_ms=expires_ms)
        self._unwritten.add(session.user)

    def is_due(self, key: str, used_ms: int = 0) -> bool:
        """Whether the uses of a session, perhaps one more, are to be written now, and not with those of a minute."""
        session, written = self._good.get(key), self._book.get(key)
        if session is None or written is None:
            return session is not None
        return max(session.used_ms, used_ms) - written.used_ms >= WRITTEN_MS

    def mark_session(self, key: str, marks: Marks) -> None:
        """Change the marks of a session."""
        self.marks.remove_session(key, self._good[key])
        self._good[key] = replace(self._good[key], **marks._asdict())
        self.marks.add_session(key, self._good[key])
        self._unwritten.add(self._good[key].user)

    def end_resume_code(self, key: str) -> None:
        """Take the resume code from a session."""
        session = self._good[key]
        if session.resume:
            self.mark_session(key, Marks(session.key, parent=session.parent))

    def drop_sessions(self, keys: Iterable[str]) -> list[str]:
        """End sessions, and those that began with their web codes; returns all of them."""
        ended = [*keys]
        for key in ended:
            session = self._remove_session(key)
            self._gone.setdefault(session.user, set()).add(key)
            # The list grows while it is walked: what began with a web code of an ended session ends too, and so on.
            ended += [child for child in self.marks.children_of(key) if child not in ended]
        return ended

    def _remove_session(self, key: str) -> UserSession:
        session = self._good.pop(key)
        self._of[session.user].pop(key, None)
        self.marks.remove_session(key, session)
        return session

    def forget_user(self, user: UserId) -> None:
        """End all sessions of a user."""
        self.drop_sessions([*self._of.get(user, ())])
        self._of.pop(user, None)

    def discard_user(self, user: UserId) -> None:
        """End all sessions of a user who is not in the book."""
        self.forget_user(user)
        self._gone.pop(user, None)
        self._unwritten.discard(user)

    async def write_sessions(self, user: UserId) -> None:
        """Write a user's changed sessions to the book. Raises JournalError."""
        await self._write_users([user])

    async def write_dropped(self) -> None:
        """Delete rows that no user can need any more. Raises JournalError."""
        for user in [*self._gone]:
            await self.write_sessions(user)

    async def write_uses(self, kept: Callable[[UserId], bool]) -> None:
        """Write the latest uses, of those users whom the journal knows. Raises JournalError."""
        await self._write_users([user for user in self._unwritten if kept(user)])

    async def _write_users(self, users: Collection[UserId]) -> None:
        # Taken before the write: sessions that end during it are written the next time.
        gone = {user: self._gone.pop(user, set()) for user in users}
        self._unwritten.difference_update(users)
        changes = {key: session for user in users for key, session in self._changes_of(user, gone[user]).items()}
        if not changes:
            return
        kept = False
        try:
            await self._book.write_rows(changes)
            kept = True
        finally:
            if not kept:
                self._unwritten.update(users)
                for user in users:
                    if gone[user]:
                        self._gone.setdefault(user, set()).update(gone[user])

    def _changes_of(self, user: UserId, gone: Iterable[str]) -> dict[str, UserSession | None]:
        mine = {key: self._good[key] for key in self._of.get(user, ())}
        changed = {key: session for key, session in mine.items() if self._book.get(key) != session}
        return {**dict.fromkeys(gone), **changed}

    def _add_session(self, key: str, session: UserSession) -> None:
        self._good[key] = session
        self.marks.add_session(key, session)
        self._of.setdefault(session.user, {})[key] = None


def _decode_token(token: str) -> bytes:
    """Decode a token to its bytes; anything else to zeros, whose hash no session has."""
    try:
        raw = base64.b64decode(token.encode(), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    return raw if len(raw) == _LENGTH else bytes(_LENGTH)


def _key_of(selector: bytes) -> str:
    """Hash a selector, so that the stored value gives no access."""
    return hashlib.sha256(selector).hexdigest()


def _write_token(session: UserSession, selector: bytes, step: int, mark: bytes) -> str:
    sealed = selector + step.to_bytes(_STEP) + mark
    return base64.urlsafe_b64encode(sealed + _seal_token(session, sealed)).decode()


def _seal_token(session: UserSession, sealed: bytes) -> bytes:
    return hmac.digest(session.secret, sealed, "sha256")[:_SEAL]
