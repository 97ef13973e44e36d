"""Proofs of identity: passwords, SSH keys and recovery codes. Wrong ones count as wrong log-ins, whatever they are for.

Slow work is done by worker threads.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple

from msgspec.structs import replace

from scoville_server.accounts.login_guesses import LogInGuesses
from scoville_server.accounts.model.account import Account, SshKey
from scoville_server.accounts.model.naming.permitted import reduce_to_skeleton
from scoville_server.accounts.password_hasher import PasswordHasher
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.background.keyed_locks import KeyedLocks
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.background.workers import Workers
from scoville_server.limits.guessing import Attempt
from scoville_server.limits.throttle import Source
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId


class Signed(NamedTuple):
    """A key, and its signature of a text; an empty text is signed by no key."""

    line: str
    signature: str
    text: str

    def prove_key(self) -> SshKey:
        """Return the key if the signature proves it. Takes milliseconds of CPU time. Raises ScovilleError `bad_key`."""
        # Late, as below: with the cryptography of all kinds of keys, for which players against bots would wait.
        from scoville_server.accounts.model.ssh_keys import check_signature, read_key

        key = read_key(self.line)
        check_signature(key, self.signature, self.text)
        return key


class Proofs:
    """Checks proofs of who owns a name. `source` is where a request comes from, for the limits.

    `changing` is held for a user while their account is read and stored again.
    """

    def __init__(
        self,
        users: Users,
        changing: KeyedLocks,
        background: BackgroundTasks,
        clock: Callable[[], float],
    ) -> None:
        limits = users.limits
        self.passwords = PasswordHasher(limits.select(lambda limits: limits.hashing))
        checks = limits.select(lambda limits: limits.key_checks)
        self._key_checks = Workers(
            "keys",
            workers=checks.select(lambda checks: checks.workers),
            waiting=checks.value.waiting,
            waiting_per_address=checks.select(lambda checks: checks.waiting_per_address),
            busy="Too many keys are being checked right now; try again in a moment.",
        )
        self._users = users
        self._changing = changing
        self._background = background
        self.guesses = LogInGuesses(limits.value, clock, lambda: users.sessions.arrivals)

    def close(self) -> None:
        """Cancel the checks that wait."""
        self.passwords.close()
        self._key_checks.close()

    async def check_password(self, name: str, password: str, source: Source) -> User:
        """Return the owner of a name who proves it with its password.

        Raises ScovilleError `wrong_login`, whether the name, the password or both are wrong, after the same work;
        `slow_down`, `busy`.
        """
        owner, account = self._find_account(name)
        with self._count_attempt(name, source) as attempt:
            # Also for a name that nobody has: the time that it takes must not tell.
            attempt.failed = not await self._password_fits(owner, account, password, source)
        if attempt.failed or owner is None:
            raise wrong_login()
        return self._user_of(owner)

    async def check_key(self, name: str, signed: Signed, source: Source) -> User:
        """Return the owner of a name who proves it with one of its keys.

        Raises ScovilleError `bad_key`, `wrong_login`, `slow_down`, `busy`.
        """
        with self.guesses.of_key(source) as attempt:
            # Until it succeeds: whatever is raised on the way counts, unless the server itself was busy.
            attempt.failed = True
            try:
                key = await self.prove_key(signed, source)
                owner = self._users.claims.find_key_owner(key.fingerprint)
                attempt.failed = owner is None or owner != self._users.claims.find_owner(name)
            except ScovilleError as error:
                attempt.failed = error.code != Code.BUSY
                raise
        if attempt.failed or owner is None:
            raise wrong_login()
        return self._user_of(owner)

    async def check_recovery_code(self, name: str, code: str, source: Source) -> User:
        """Return the owner of a name who shows its recovery code. Raises ScovilleError `wrong_login`, `slow_down`."""
        owner, account = self._find_account(name)
        with self._count_attempt(name, source) as attempt:
            now_ms = self._users.time.now_ms()
            attempt.failed = (
                owner is None or account is None or not self._users.recoveries.is_valid_code(owner, code, now_ms)
            )
        if attempt.failed or owner is None:
            raise wrong_login()
        return self._user_of(owner)

    async def prove_key(self, signed: Signed, source: Source) -> SshKey:
        """Return a proved key, checked by a worker thread. Raises ScovilleError `bad_key`, `busy`."""
        if not signed.text:
            raise refuse_unchallenged()
        key = await self._key_checks.run_work(source, signed.prove_key)
        return replace(key, added_ms=self._users.time.now_ms())

    async def read_key(self, line: str, source: Source) -> SshKey:
        """Return a key that was proved elsewhere, read by a worker thread. Raises ScovilleError `bad_key`, `busy`."""
        from scoville_server.accounts.model.ssh_keys import read_key

        key = await self._key_checks.run_work(source, lambda: read_key(line))
        return replace(key, comment="", added_ms=self._users.time.now_ms())

    def _count_attempt(self, name: str, source: Source) -> AbstractContextManager[Attempt]:
        owner, account = self._find_account(name)
        homes = () if owner is None or account is None else self._user_of(owner).homes
        # Those at a name that nobody has count too: a guesser who never had to wait would know that it is free.
        return self.guesses.of_name(source, owner or reduce_to_skeleton(name), homes)

    def _find_account(self, name: str) -> tuple[UserId | None, Account | None]:
        owner = self._users.claims.find_owner(name)
        return owner, None if owner is None else self._users.claims.account_of(owner)

    async def _password_fits(
        self, owner: UserId | None, account: Account | None, password: str, source: Source
    ) -> bool:
        hashed = "" if account is None else account.password
        fits = await self.passwords.match_password(hashed, password, source)
        if fits and owner is not None and self.passwords.is_outdated(hashed):
            self._background.start_task(self._rehash_password(owner, hashed, password, source))
        return fits

    async def _rehash_password(self, owner: UserId, outdated: str, password: str, source: Source) -> None:
        """Hash a password with the present costs, unless it was changed meanwhile; the next log-in tries again."""
        try:
            hashed = await self.passwords.hash_password(password, source)
            async with self._changing.hold_keys([owner]):
                account = self._users.claims.account_of(owner)
                if account is not None and account.password == outdated:
                    await self._users.claims.put_account(owner, replace(account, password=hashed))
        except ScovilleError:
            return

    def _user_of(self, owner: UserId) -> User:
        user = self._users.sessions.find_user(owner)
        assert user is not None, "a user with a claimed name is remembered"
        return user


def refuse_unchallenged() -> ScovilleError:
    """Refuse a signature for which the server has given nothing to sign."""
    return ScovilleError(Code.BAD_KEY, "Request a challenge first; each one is valid for a single signature.")


def wrong_login() -> ScovilleError:
    """Return the one error for a wrong name, password, key or code."""
    return ScovilleError(Code.WRONG_LOGIN, "Wrong name, password or key.")
