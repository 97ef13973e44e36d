"""The account service: claims, log-ins and proofs; slow work in worker threads, one change at a time."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from msgspec.structs import replace

from scoville_server.accounts.login_guesses import LogInGuesses
from scoville_server.accounts.model.account import Account, SshKey
from scoville_server.accounts.model.naming.skeleton import skeleton
from scoville_server.accounts.model.ssh_keys import check_signature, read_key
from scoville_server.accounts.password_hasher import PasswordHasher
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.background.workers import Workers
from scoville_server.errors import slow_down
from scoville_server.limits.fair_shares import Shares
from scoville_server.limits.rate_budgets import Budget
from scoville_server.limits.throttle import Rate, Source
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId

_HOUR = 3600.0


class Signed(NamedTuple):
    """A key, and its signature of the connection's challenge."""

    line: str
    signature: str
    challenge: str

    def key(self) -> SshKey:
        """Return the key if the signature proves it. Takes milliseconds of CPU time. Raises ScovilleError `bad_key`."""
        key = read_key(self.line)
        check_signature(key, self.signature, self.challenge)
        return key


class AccountService:
    """Answers every request about accounts. `place` is where it comes from, for the limits.

    A change continues if its connection is lost meanwhile: once begun, it ends in the journal or not at all.
    """

    def __init__(self, people: Users, background: BackgroundTasks, clock: Callable[[], float] | None = None) -> None:
        limits = self._limits = people.limits
        self.passwords = PasswordHasher(limits.hashing)
        checks = limits.key_checks
        self._key_checks = Workers(
            "keys",
            workers=checks.workers,
            waiting=checks.waiting,
            waiting_per_address=checks.waiting_per_address,
            busy="Too many keys are being checked right now; try again in a moment.",
        )
        self._people = people
        self._background = background
        self._clock = clock or people.time.seconds
        self._changing = asyncio.Lock()
        self._shares: Shares[object] = Shares()
        """Names claimed since the server started, by network: earlier origins are not stored."""
        self._log_ins = LogInGuesses(limits, lambda: self._clock(), lambda: people.sessions.arrivals)  # noqa: PLW0108 - tests set it
        self._claimed = Budget(Rate(0, _HOUR), Rate(limits.claims_per_hour, _HOUR))
        self._changes = Budget(Rate(limits.changes_per_hour, _HOUR), Rate(limits.changes_per_hour_per_address, _HOUR))

    def close(self) -> None:
        """Cancel the proofs that wait."""
        self.passwords.close()
        self._key_checks.close()

    # --- proofs ------------------------------------------------------------------------------------------

    async def by_password(self, name: str, password: str, source: Source) -> User:
        """Return the owner of a name who proves it with its password.

        Raises ScovilleError `wrong_login`, whether the name, the password or both are wrong, after the same work;
        `slow_down`, `busy`.
        """
        owner = self._people.claims.owner(name)
        account = None if owner is None else self._people.claims.of(owner)
        homes = () if owner is None or account is None else self._owner(owner).homes
        with self._log_ins.of_name(source, owner or skeleton(name), homes) as attempt:
            fits = await self._fits(account, password, source)
            attempt.failed = not fits
        if not fits or owner is None:
            raise _wrong_login()
        return self._owner(owner)

    async def proved(self, signed: Signed, source: Source) -> SshKey:
        """Return a proved key, checked by a worker thread. Raises ScovilleError `bad_key`, `busy`."""
        if not signed.challenge:
            raise ScovilleError(Code.BAD_KEY, "Request a challenge first; each one is valid for a single signature.")
        key = await self._key_checks.do(source, signed.key)
        return replace(key, added_ms=self._people.time.now_ms())

    async def by_key(self, signed: Signed, source: Source) -> User:
        """Return the user who proves a key. Raises ScovilleError `bad_key`, `wrong_login`, `slow_down`, `busy`."""
        with self._log_ins.of_key(source) as attempt:
            attempt.failed = True
            try:
                user = self.person_of_key((await self.proved(signed, source)).fingerprint)
                attempt.failed = user is None
            except ScovilleError as error:
                attempt.failed = error.code != Code.BUSY
                raise
        if user is None:
            raise _wrong_login()
        return user

    def person_of_key(self, fingerprint: str) -> User | None:
        """Find the owner of a fingerprint, in the format of `ssh-keygen -l`, for callers that have checked the key."""
        owner = self._people.claims.owner_of_key(fingerprint)
        return None if owner is None else self._owner(owner)

    async def _fits(self, account: Account | None, password: str, source: Source) -> bool:
        return await self.passwords.match("" if account is None else account.password, password, source)

    def _owner(self, owner: UserId) -> User:
        user = self._people.sessions.find(owner)
        assert user is not None, "whoever has claimed a name is remembered"
        return user

    # --- changes -----------------------------------------------------------------------------------------

    async def claim(self, user: User, password: str, key: SshKey | None, source: Source) -> None:
        """Claim the user's present name. Raises ScovilleError `name_claimed` among others."""
        if not password and key is None:
            raise ScovilleError(Code.BAD_PARAMS, "To claim a name, send a password, a key, or both.")
        self._long_enough(password)
        self._take(self._claimed, source)
        if self._shares.refuses(source.networks, self._people.claims.free):
            raise ScovilleError(Code.TOO_MANY, "Your address has claimed its share of this server's names.")
        self._people.claims.reserve(user.id, user.name)
        self._shares.hold(user.id, source.networks)
        await self._to_the_end(self._claim(user, user.name, password, key, source))

    async def _claim(self, user: User, name: str, password: str, key: SshKey | None, source: Source) -> None:
        try:
            hashed = await self.passwords.hash(password, source) if password else ""
            account = Account(
                name=name, since_ms=self._people.time.now_ms(), password=hashed, keys=() if key is None else (key,)
            )
            await self._people.remember(user)
            async with self._changing:
                await self._people.claims.put(user.id, account)
        finally:
            self._people.claims.unreserve(name)
            if self._people.claims.of(user.id) is None:
                self._shares.release(user.id)
        self._people.claims_changed(user)

    async def change_password(self, user: User, new: str, old: str, source: Source) -> None:
        """Change the password. Raises ScovilleError `wrong_login` if the old one is wrong."""
        if not new:
            raise ScovilleError(Code.BAD_PARAMS, "The new password is empty.")
        self._long_enough(new)
        await self._allowed_by_password(user, old, source)
        hashed = await self.passwords.hash(new, source)
        await self._change(user, source, lambda account: replace(account, password=hashed))

    async def add_key(self, user: User, source: Source, key: SshKey) -> None:
        """Add a key; one that the account already has is kept once."""
        await self._change(user, source, lambda account: replace(account, keys=self._with_key(account, key)))

    async def remove_key(self, user: User, source: Source, fingerprint: str) -> None:
        """Remove a key. Raises ScovilleError `bad_key` for the last credential."""
        await self._change(user, source, lambda account: _without_key(account, fingerprint))

    async def release(self, user: User, password: str, source: Source) -> None:
        """Release a name. Raises ScovilleError `wrong_login` for a wrong password, if there is one."""
        await self._allowed_by_password(user, password, source)
        self.check_pace(source)
        await self._to_the_end(self._release(user))

    async def _release(self, user: User) -> None:
        async with self._changing:
            self._people.claims.held(user.id)
            await self._people.claims.drop(user.id)
        self._shares.release(user.id)
        self._people.claims_changed(user)

    async def _change(self, user: User, source: Source, change: Callable[[Account], Account]) -> None:
        self._people.claims.held(user.id)
        self.check_pace(source)
        await self._to_the_end(self._changed(user, change))

    async def _changed(self, user: User, change: Callable[[Account], Account]) -> None:
        async with self._changing:
            await self._people.claims.put(user.id, change(self._people.claims.held(user.id)))

    def check_pace(self, source: Source) -> None:
        """Count a user's change. Raises ScovilleError `slow_down`."""
        self._take(self._changes, source)

    def _take(self, budget: Budget, source: Source) -> None:
        wait = budget.take(source, self._clock())
        if wait is not None:
            raise slow_down("Too many requests of this kind", wait)

    async def _to_the_end(self, work: Coroutine[Any, Any, None]) -> None:
        await self._background.outlive(self._background.do(work))

    async def _allowed_by_password(self, user: User, password: str, source: Source) -> None:
        account = self._people.claims.held(user.id)
        if not account.password:
            return
        with self._log_ins.of_user(source) as attempt:
            attempt.failed = not await self._fits(account, password, source)
        if attempt.failed:
            raise _wrong_login()

    def _long_enough(self, password: str) -> None:
        if password and len(password) < self._limits.password_shortest:
            raise ScovilleError(
                Code.BAD_PARAMS, f"A password must have at least {self._limits.password_shortest} characters."
            )

    def _with_key(self, account: Account, key: SshKey) -> tuple[SshKey, ...]:
        others = tuple(held for held in account.keys if held.fingerprint != key.fingerprint)
        if len(others) >= self._limits.keys:
            raise ScovilleError(Code.TOO_MANY, f"You already have {self._limits.keys} keys; remove one first.")
        return (*others, key)


def _without_key(account: Account, fingerprint: str) -> Account:
    left = replace(account, keys=tuple(key for key in account.keys if key.fingerprint != fingerprint))
    if left.keys == account.keys:
        raise ScovilleError(Code.BAD_KEY, f"You have no key {fingerprint}.")
    if not left.proofs:
        raise ScovilleError(Code.BAD_KEY, "This is your only way to log in; set a password or add another key first.")
    return left


def _wrong_login() -> ScovilleError:
    return ScovilleError(Code.WRONG_LOGIN, "Wrong name, password or key.")
