"""The users of a server: their sessions, tokens and claimed names, and what of them is kept."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import Final

from scoville_server.accounts.claims import Claims
from scoville_server.accounts.model.account import Account, Token
from scoville_server.accounts.model.limits import AccountLimits
from scoville_server.accounts.sessions import Greeted, Sessions, User
from scoville_server.accounts.tokens import Tokens
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.clock import SYSTEM
from scoville_server.journal.base import Journal, Kept
from scoville_server.journal.books import Book
from scoville_server.net.service import Peer
from scoville_server.trusted_time import TrustedTime
from scoville_shared.errors import Code
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import AnnouncedNotice, ByeNotice, HelloRequest

_REVOKED: Final = ByeNotice(code=Code.REVOKED, message="The token of this connection has been revoked.")

_AT_ONCE = 1_000
"""Tokens checked in one turn of the loop: less than a millisecond."""


class Users:
    """Joins the sessions with their tokens and claimed names, and keeps them in the journal.

    A guest is kept once there is something to return to; until then only memory knows them.
    """

    def __init__(
        self,
        most: int,
        limits: AccountLimits,
        journal: Journal,
        background: BackgroundTasks,
        time: TrustedTime | None = None,
    ) -> None:
        self.limits = limits
        self._forgotten: Sequence[Callable[[UserId], None]] = ()
        self._renamed: Sequence[Callable[[UserId], None]] = ()
        self._journal = journal
        self._background = background
        self.time = time or TrustedTime(SYSTEM)
        self._kept_tokens = Book("tokens", Token, journal)
        self._kept_accounts = Book("accounts", Account, journal)
        self.tokens = Tokens(self._kept_tokens, limits, self.time.may_expire)
        self.claims = Claims(self._kept_accounts, limits.claims)
        self.sessions = Sessions(
            most, self.tokens, self.claims, self._forgot, limits.newcomer_seconds, self.time.seconds
        )

    def connect(
        self,
        forgotten: Sequence[Callable[[UserId], None]],
        renamed: Sequence[Callable[[UserId], None]],
        shunned: Callable[[str], bool],
    ) -> None:
        """Connect the services that depend on the users; once, before the first user.

        Args:
            forgotten: Called for every user who is forgotten.
            renamed: Called for everyone who claims or releases a name.
            shunned: Whether a name is never given to users who did not ask for it.
        """
        self._forgotten, self._renamed = forgotten, renamed
        self.sessions.connect(shunned)

    async def restore(self, kept: Kept) -> None:
        """Load all users of an earlier run. Raises JournalError."""
        now = self.time.now_ms()
        self._kept_tokens.restore(kept.books)
        self._kept_accounts.restore(kept.books)
        self.claims.restore()
        self.sessions.restore(kept.people)
        self.tokens.restore({*(known.user for known in kept.people), *(user for user, _ in self.claims)}, now)
        self._background.write(self.tokens.tidy())

    async def expire_tokens(self) -> None:
        """Drop expired tokens, some at a time so that nobody waits. Raises JournalError.

        After the clock has jumped ahead they are renewed instead.
        """
        now, jumped, keys = self.time.now_ms(), self.time.jumped, self.tokens.keys
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            if jumped:
                self.tokens.renew(some, lambda user: self.claims.of(user) is not None, now)
            else:
                self.tokens.drop(self.tokens.expired(some, now))
            await asyncio.sleep(0)
        self.time.jumped = self.time.jumped and not jumped
        await self.tokens.tidy()

    def greet(self, hello: HelloRequest, peer: Peer) -> Greeted:
        """Greet a connection, without waiting for the disk. Raises ScovilleError `too_many`."""
        greeted = self.sessions.greet(hello, peer, self.time.now_ms())
        if greeted.user.written is not None:
            self._background.write(self.tokens.keep(greeted.user.id))
        return greeted

    def knows(self, hello: HelloRequest) -> bool:
        """Whether a hello comes from a user who owns a name, has a seat, or was here some time ago."""
        user = self.sessions.whose(hello.token, self.time.now_ms()) if hello.token else None
        return user is not None and (bool(user.tables) or self.sessions.standing(user) > 0)

    def new_token(self, user: User, client: str) -> tuple[str, str]:
        """Issue another token for a program: the secret and its digest. `remember` writes it."""
        return self.tokens.issue(user.id, client, user.claimed, self.time.now_ms())

    def client_of(self, user: User) -> str:
        """Return the name of a user's client program."""
        token = self.tokens.get(user.came_by)
        return "" if token is None else token.client

    async def revoke(self, user: User, keys: Collection[str]) -> None:
        """Revoke tokens, and close the connection that came by one of them. Raises JournalError."""
        self.tokens.drop([key for key in keys if self.tokens.get(key) is not None])  # a request may come twice
        if user.written is not None:
            await self.tokens.keep(user.id)
        if user.came_by in keys and user.peer is not None:
            user.peer.close(_REVOKED)

    def forget_if_lost(self, user: User) -> None:
        """Forget a user who has nothing left to return to."""
        if user.idle and not user.claimed and not self.tokens.of(user.id):
            self.sessions.forget(user)

    def claims_changed(self, user: User) -> None:
        """Follow a name that was claimed or released."""
        user.claimed = self.claims.of(user.id) is not None
        for key, _ in self.tokens.of(user.id):
            self.tokens.use(key, user.claimed, self.time.now_ms())
        self.sessions.owns_name(user)
        self.remember_soon(user)
        for renamed in self._renamed:
            renamed(user.id)

    async def remember(self, user: User) -> None:
        """Write a user and their tokens to the journal. Raises JournalError."""
        known = user.known
        if user.written != known:
            await asyncio.gather(self._journal.remember(known), self.tokens.keep(user.id))
            user.written = known
        else:
            await self.tokens.keep(user.id)

    def remember_soon(self, user: User) -> None:
        """Write a user later: nothing waits for it."""
        self._background.write(self.remember(user))

    def announce(self, text: str) -> None:
        """Send an announcement to everybody who is connected."""
        notice = AnnouncedNotice(text=text)
        for user in self.sessions.here():
            if user.peer is not None:
                user.peer.notify(notice)

    def _forgot(self, user: User) -> None:
        if user.written is None:
            self.tokens.discard(user.id)
        else:
            self.tokens.forget(user.id)
            self._background.write(self._journal.forget(user.id))
            self._background.write(self.tokens.keep(user.id))
        for forgotten in self._forgotten:
            forgotten(user.id)
