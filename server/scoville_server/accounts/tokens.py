"""Tokens for reconnecting: several for each user, each valid until it has not been used for a long time."""

import hashlib
import secrets
from collections.abc import Callable, Collection, Iterable
from typing import Final

from msgspec.structs import replace

from scoville_server.accounts.model.account import Token
from scoville_server.accounts.model.limits import AccountLimits
from scoville_server.journal.books import Book
from scoville_shared.ids import UserId

NOTED_MS: Final = 60 * 60 * 1000
"""How long a token is used before its use is written again: an expiry in days needs no more, and the disk is spared."""


FEW: Final = 2
"""Tokens that a user keeps who gets another one when the server's limit is reached."""


class Tokens:
    """All valid tokens by digest, kept in a `book` except for those of guests who just came.

    Nothing expires before `may_expire` returns true: until then the clock may be wrong, and what is dropped is lost.
    `keep` writes the changes; everything else is decided in memory and waits for no disk.
    """

    def __init__(self, book: Book[Token], limits: AccountLimits, may_expire: Callable[[], bool] = lambda: True) -> None:
        self._book = book
        self._limits = limits
        self._may_expire = may_expire
        self._good: dict[str, Token] = {}
        self._of: dict[UserId, dict[str, None]] = {}
        self._gone: dict[UserId, set[str]] = {}

    def restore(self, people: Collection[UserId], now_ms: int) -> None:
        """Load the book; tokens that have expired or lost their user are dropped in turn."""
        for key, token in sorted(self._book.items(), key=lambda row: row[1].used_ms):
            if token.user in people and not self._is_over(token, now_ms):
                self._add(key, token)
            else:
                self._gone.setdefault(token.user, set()).add(key)

    def find(self, shown: str, now_ms: int) -> tuple[str, Token] | None:
        """Find a token with its digest; None if it is not valid."""
        key = digest_of(shown)
        token = self._good.get(key)
        if token is None:
            return None
        if self._is_over(token, now_ms):
            self.drop([key])
            return None
        return key, token

    def _is_over(self, token: Token, now_ms: int) -> bool:
        return token.expires_ms <= now_ms and self._may_expire()

    def renew(self, keys: Iterable[str], claimed: Callable[[UserId], bool], now_ms: int) -> None:
        """Extend tokens that seem to have expired as if they were used now: their dates were wrong."""
        for key in keys:
            token = self._good.get(key)
            if token is not None and token.expires_ms <= now_ms:
                holds_ms = self._limits.token_ms(claimed(token.user))
                self._good[key] = replace(token, expires_ms=now_ms + holds_ms)
                self._gone.setdefault(token.user, set())

    def expired(self, keys: Iterable[str], now_ms: int) -> list[str]:
        """List which of some tokens have expired."""
        tokens = ((key, self._good.get(key)) for key in keys)
        return [key for key, token in tokens if token is not None and self._is_over(token, now_ms)]

    @property
    def keys(self) -> list[str]:
        """The digests of all valid tokens."""
        return [*self._good]

    def get(self, key: str) -> Token | None:
        """Find a token by its digest."""
        return self._good.get(key)

    def of(self, user: UserId) -> list[tuple[str, Token]]:
        """List a user's tokens with their digests, most recently used first.

        The order is that of their uses, not of the stored times: the clock may have been wrong.
        """
        return [(key, self._good[key]) for key in reversed(self._of.get(user, {}))]

    def issue(self, user: UserId, client: str, claimed: bool, now_ms: int) -> tuple[str, str]:
        """Create a token: the secret and its digest. Beyond the limit the least recently used one goes."""
        most = self._limits.tokens if len(self._good) < self._limits.tokens_total else FEW
        self.drop([key for key, _ in self.of(user)[min(most, self._limits.tokens) - 1 :]])
        shown = secrets.token_urlsafe(24)
        key = digest_of(shown)
        self._add(key, _new(user, client, now_ms, self._limits.token_ms(claimed)))
        return shown, key

    def use(self, key: str, claimed: bool, now_ms: int) -> bool:
        """Extend a token from now on; returns whether that is worth writing."""
        token = self._good[key]
        self._of[token.user][key] = self._of[token.user].pop(key)
        expires = now_ms + self._limits.token_ms(claimed)
        if expires - token.expires_ms < NOTED_MS:  # an expiry never moves back
            return False
        self._good[key] = replace(token, used_ms=max(now_ms, token.used_ms), expires_ms=expires)
        return True

    def drop(self, keys: Iterable[str]) -> None:
        """Revoke tokens."""
        for key in keys:
            token = self._good.pop(key)
            self._of[token.user].pop(key, None)
            self._gone.setdefault(token.user, set()).add(key)

    def forget(self, user: UserId) -> None:
        """Drop all tokens of a user."""
        self.drop([*self._of.get(user, ())])
        self._of.pop(user, None)

    def discard(self, user: UserId) -> None:
        """Drop all tokens of a user who is not in the book."""
        self.forget(user)
        self._gone.pop(user, None)

    async def keep(self, user: UserId) -> None:
        """Write a user's changed tokens to the book. Raises JournalError."""
        gone = self._gone.pop(user, set())
        changes = self._unkept(user, gone)
        if not changes:
            return
        kept = False
        try:
            await self._book.write(changes)
            kept = True
        finally:
            if not kept and gone:
                self._gone.setdefault(user, set()).update(gone)

    async def tidy(self) -> None:
        """Delete from the book what no user can need any more. Raises JournalError."""
        for user in [*self._gone]:
            await self.keep(user)

    def _unkept(self, user: UserId, gone: Iterable[str]) -> dict[str, Token | None]:
        mine = {key: self._good[key] for key in self._of.get(user, ())}
        changed = {key: token for key, token in mine.items() if self._book.get(key) != token}
        return {**dict.fromkeys(gone), **changed}

    def _add(self, key: str, token: Token) -> None:
        self._good[key] = token
        self._of.setdefault(token.user, {})[key] = None


def digest_of(shown: str) -> str:
    """Hash a token, so that what is stored gives no access."""
    return hashlib.sha256(shown.encode()).hexdigest()


def _new(user: UserId, client: str, now_ms: int, holds_ms: int) -> Token:
    return Token(
        user=user,
        id=secrets.token_hex(4),
        client=client,
        created_ms=now_ms,
        used_ms=now_ms,
        expires_ms=now_ms + holds_ms,
    )
