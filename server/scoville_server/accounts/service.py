"""The account service: claims, changes of credentials, recovery and deletion; one change at a time."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from msgspec.structs import replace

from scoville_runtime.events import Event, Events
from scoville_server.accounts.model.account import Account, SshKey
from scoville_server.accounts.model.account_limits import HOUR_MS
from scoville_server.accounts.proofs import Proofs, wrong_login
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.background.keyed_locks import KeyedLocks
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.errors import slow_down
from scoville_server.events import AccountChange, Claim
from scoville_server.limits.fair_shares import Shares
from scoville_server.limits.rate_budgets import Budget
from scoville_server.limits.throttle import Rate, Source
from scoville_shared.errors import Code, ScovilleError

_HOUR = 3600.0


class AccountService:
    """Changes accounts. `source` is where a request comes from, for the limits; `proofs` checks who it comes from.

    A change continues if its connection is lost meanwhile: once begun, it ends in the journal or not at all.
    """

    def __init__(
        self, users: Users, background: BackgroundTasks, events: Events, clock: Callable[[], float] | None = None
    ) -> None:
        limits = self._limits = users.limits
        self._users = users
        self._background = background
        self._events = events
        self._clock = clock or users.time.seconds
        self._changing = KeyedLocks()
        self.proofs = Proofs(users, self._changing, background, lambda: self._clock())  # noqa: PLW0108 - tests set it
        self.passwords = self.proofs.passwords
        self._shares: Shares[object] = Shares()
        """Names claimed since the server started, by network: earlier origins are not stored."""
        self._claimed = Budget(Rate(0, _HOUR), limits.select(lambda limits: Rate(limits.claims_per_hour, _HOUR)))
        self._changes = Budget(
            limits.select(lambda limits: Rate(limits.changes_per_hour, _HOUR)),
            limits.select(lambda limits: Rate(limits.changes_per_hour_per_address, _HOUR)),
        )

    def close(self) -> None:
        """Cancel the proofs that wait."""
        self.proofs.close()

    # --- fresh proofs ------------------------------------------------------------------------------------

    def fresh_until(self) -> float:
        """Return how long a proof given now is fresh (monotonic seconds)."""
        return self._clock() + self._limits.value.proof_seconds

    def check_fresh(self, user: User, fresh_until: float) -> None:
        """Check that an owner has proved who they are lately on this connection: a token alone may be stolen.

        Raises ScovilleError `not_claimed`, `proof_required`.
        """
        self._users.claims.known_account(user.id)
        if self._clock() >= fresh_until:
            raise ScovilleError(Code.PROOF_REQUIRED, "Confirm first who you are, with your password or an SSH key.")

    # --- changes -----------------------------------------------------------------------------------------

    async def claim_name(self, user: User, password: str, key: SshKey | None, source: Source) -> None:
        """Claim the user's present name. Raises ScovilleError `name_claimed` among others."""
        if not password and key is None:
            raise ScovilleError(Code.BAD_PARAMS, "To claim a name, send a password, a key, or both.")
        self._check_length(password)
        self._count_use(self._claimed, source)
        if self._shares.refuses_more(source.networks, self._users.claims.free_names):
            raise ScovilleError(Code.TOO_MANY, "Your address has claimed its share of this server's names.")
        # Before the password is hashed, which takes a while: of two users who claim a name at once exactly one gets it.
        self._users.claims.reserve_name(user.id, user.name)
        self._shares.hold_thing(user.id, source.networks)
        # A lost connection must not leave a name half claimed.
        await self._finish_and_report(self._store_claim(user, user.name, password, key, source), user, Claim)

    async def _store_claim(self, user: User, name: str, password: str, key: SshKey | None, source: Source) -> None:
        try:
            hashed = await self.passwords.hash_password(password, source) if password else ""
            account = Account(
                name=name, since_ms=self._users.time.now_ms(), password=hashed, keys=() if key is None else (key,)
            )
            await self._users.write_user(user)
            async with self._changing.hold_keys([user.id]):
                await self._users.claims.put_account(user.id, account)
        finally:
            self._users.claims.unreserve_name(name)
            if self._users.claims.account_of(user.id) is None:
                self._shares.release_thing(user.id)
        self._users.claims_changed(user)

    async def change_password(self, user: User, new: str, source: Source, *, ends: Callable[[str], bool]) -> None:
        """Change the password, and end the sessions whose keys `ends` chooses. Raises ScovilleError."""
        if not new:
            raise ScovilleError(Code.BAD_PARAMS, "The new password is empty.")
        self._check_length(new)
        self._users.claims.known_account(user.id)
        self.count_change(source)
        hashed = await self.passwords.hash_password(new, source)
        await self._finish_and_report(self._change_password(user, hashed, ends), user, _account_change("password"))

    async def _change_password(self, user: User, hashed: str, ends: Callable[[str], bool]) -> None:
        async with self._changing.hold_keys([user.id]):
            await self._set_password(user, hashed, ends)

    async def _set_password(self, user: User, hashed: str, ends: Callable[[str], bool]) -> None:
        """End the sessions first: if the server is killed in between, a thief is out and the owner repeats it."""
        account = self._users.claims.known_account(user.id)
        await self._users.end_sessions(user, [key for key, _ in self._users.tokens.sessions_of(user.id) if ends(key)])
        await self._users.recoveries.delete_code(user.id)
        await self._users.claims.put_account(user.id, replace(account, password=hashed))

    async def add_key(self, user: User, source: Source, key: SshKey) -> None:
        """Add a key; one that the account already has is kept once."""
        await self._change_account(
            user, source, "add_key", lambda account: replace(account, keys=self._with_key(account, key))
        )

    async def remove_key(self, user: User, source: Source, fingerprint: str) -> None:
        """Remove a key. Raises ScovilleError `bad_key` for the last credential."""
        await self._change_account(user, source, "remove_key", lambda account: _without_key(account, fingerprint))

    async def release_name(self, user: User, source: Source) -> None:
        """Release a name: anybody can claim it at once."""
        self.count_change(source)
        await self._finish_and_report(self._drop_account(user, retired=False), user, _account_change("release_name"))

    async def delete_account(self, user: User, source: Source) -> None:
        """Delete an account: nobody can have the name for a while. The caller forgets the user."""
        self.count_change(source)
        await self._finish_and_report(self._drop_account(user, retired=True), user, _account_change("delete"))

    async def _drop_account(self, user: User, *, retired: bool) -> None:
        async with self._changing.hold_keys([user.id]):
            self._users.claims.known_account(user.id)
            await self._users.recoveries.delete_code(user.id)
            await self._users.claims.drop_account(user.id, self._retired_until() if retired else None)
        self._shares.release_thing(user.id)
        self._users.claims_changed(user)

    def _retired_until(self) -> int:
        return self._users.time.now_ms() + self._limits.value.retired_name_days * 24 * HOUR_MS

    async def begin_recovery(self, user: User, by: str) -> tuple[str, int]:
        """Make a recovery code for the owner of a name, and warn them; returns it and when it expires."""
        self._users.claims.known_account(user.id)
        expires_ms = self._users.time.now_ms() + self._limits.value.recovery_hours * HOUR_MS
        code = await self._users.recoveries.make_code(user.id, by, expires_ms)
        self._users.warnings.warn_user(user, "recovery_code")
        return code, expires_ms

    async def recover_account(self, name: str, code: str, new: str, source: Source) -> User:
        """Give an account another password by its recovery code, and end all its sessions. Raises ScovilleError."""
        if not new:
            raise ScovilleError(Code.BAD_PARAMS, "The new password is empty.")
        self._check_length(new)
        user = await self.proofs.check_recovery_code(name, code, source)
        hashed = await self.passwords.hash_password(new, source)
        await self._finish_and_report(self._finish_recovery(user, code, hashed), user, _account_change("recover"))
        return user

    async def _finish_recovery(self, user: User, code: str, hashed: str) -> None:
        async with self._changing.hold_keys([user.id]):
            if not self._users.recoveries.is_valid_code(user.id, code, self._users.time.now_ms()):
                raise wrong_login()  # of two who show a code at one instant, one gets in
            await self._set_password(user, hashed, lambda _: True)

    async def _change_account(
        self, user: User, source: Source, name: str, change: Callable[[Account], Account]
    ) -> None:
        self._users.claims.known_account(user.id)
        self.count_change(source)
        await self._finish_and_report(self._store_change(user, change), user, _account_change(name))

    async def _store_change(self, user: User, change: Callable[[Account], Account]) -> None:
        async with self._changing.hold_keys([user.id]):
            await self._users.claims.put_account(user.id, change(self._users.claims.known_account(user.id)))

    def count_change(self, source: Source) -> None:
        """Count a user's change. Raises ScovilleError `slow_down`."""
        self._count_use(self._changes, source)

    def _count_use(self, budget: Budget, source: Source) -> None:
        wait = budget.take_use(source, self._clock())
        if wait is not None:
            raise slow_down("Too many requests of this kind", wait)

    async def _finish_and_report(self, work: Coroutine[Any, Any, None], user: User, kind: Callable[..., Event]) -> None:
        """Finish a change of an account even if the connection is lost, and report it."""
        await self._background.shield_task(self._background.start_task(self._do_and_report(work, user, kind)))

    async def _do_and_report(self, work: Coroutine[Any, Any, None], user: User, kind: Callable[..., Event]) -> None:
        peer, name = user.peer, user.name  # as they are now: a change may end the session
        await work
        address, number = ("", 0) if peer is None else (peer.address, peer.number)
        self._events.report_event(kind(address=address, connection=number, user=name))

    def _check_length(self, password: str) -> None:
        if password and len(password) < self._limits.value.password_shortest:
            raise ScovilleError(
                Code.BAD_PARAMS, f"A password must have at least {self._limits.value.password_shortest} characters."
            )

    def _with_key(self, account: Account, key: SshKey) -> tuple[SshKey, ...]:
        others = tuple(held for held in account.keys if held.fingerprint != key.fingerprint)
        if len(others) >= self._limits.value.keys:
            most = self._limits.value.keys
            sentence = f"You already have {most} keys; remove one first."
            raise ScovilleError(Code.TOO_MANY, sentence, {"why": "keys", "most": most})
        return (*others, key)


def _account_change(what: str) -> Callable[..., Event]:
    return partial(AccountChange, change=what)


def _without_key(account: Account, fingerprint: str) -> Account:
    left = replace(account, keys=tuple(key for key in account.keys if key.fingerprint != fingerprint))
    if left.keys == account.keys:
        raise ScovilleError(Code.BAD_KEY, f"You have no key {fingerprint}.")
    if not left.proof_count:
        raise ScovilleError(Code.BAD_KEY, "This is your only way to log in; set a password or add another key first.")
    return left
