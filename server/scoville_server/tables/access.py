"""Access to tables by code and password, with back-off for wrong guesses."""

from collections.abc import Callable, Container, Hashable, Iterator
from contextlib import contextmanager

from scoville_runtime.clock import SYSTEM
from scoville_server.accounts.model import word_codes as codes
from scoville_server.accounts.password_hasher import PasswordHasher
from scoville_server.accounts.sessions import User
from scoville_server.errors import slow_down, unknown_table
from scoville_server.limits.budgets import GuessLimits
from scoville_server.limits.guessing import Attempt, Guarded, Guesses
from scoville_server.limits.throttle import KEYS_OF_NETWORKS, WIDER, PenaltyThrottle, Source, Throttle
from scoville_server.nodes.codes import SharedCodes
from scoville_server.tables.actions.enter import Enter
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import EnterRequest


class TableAccess(TableObserver):
    """Checks codes and passwords. Wrong ones count per user, per address and per table.

    Args:
        registry: The tables.
        passwords: Hashes and checks passwords in worker threads.
        limits: How many wrong guesses are free.
        arrivals: Returns the number of guests who have connected so far.
        now: Monotonic seconds.
    """

    observed = frozenset({Change.CODE})

    def __init__(
        self,
        registry: TableRegistry,
        passwords: PasswordHasher,
        limits: GuessLimits,
        arrivals: Callable[[], int],
        now: Callable[[], float] = SYSTEM.seconds,
    ) -> None:
        self.now = now
        self._registry = registry
        self._passwords = passwords

        def penalty(allowed: int) -> Throttle:
            return PenaltyThrottle(allowed, limits.seconds)

        def penalty_of_network(allowed: int) -> Throttle:
            return PenaltyThrottle(allowed, limits.seconds, keys=KEYS_OF_NETWORKS, lasting=True)

        self._guesses = Guesses(penalty(limits.per_user), lambda: self.now())  # noqa: PLW0108 - tests set `now`
        self._addresses = [Guarded(limits.per_address * factor, penalty, arrivals) for factor in (1, WIDER)]
        self._at_table = Guarded(limits.per_table, penalty, arrivals, shares=penalty_of_network)
        self._tables: dict[str, TableId | None] = {}
        """The table of each code; None while that is being opened."""

    # --- codes -----------------------------------------------------------------------------------------

    @contextmanager
    def reserved_code(self) -> Iterator[str]:
        """Reserve a free code while a table is opened; it is released if the table was not opened."""
        code = codes.draw_free_code(_TakenCodes(self._tables, self._registry.codes))
        self._tables[code] = None
        try:
            yield code
        finally:
            if code in self._tables and self._tables[code] is None:
                del self._tables[code]

    @contextmanager
    def code_for_a_kick(self, table: Table) -> Iterator[str]:
        """Reserve the new code of a private table, empty for a public one, while a kick may need it."""
        if not table.opened.settings.private:
            yield ""
            return
        with self.reserved_code() as code:
            yield code

    def table_changed(self, actor: TableActor, done: Done) -> None:
        """Register the new code that a table has after a kick."""
        before, after = done.before.opened.code, done.after.opened.code
        if before != after:
            self._forget_code(before)
            self._note_code(after, actor.table.id)

    def table_opened(self, actor: TableActor) -> None:
        if actor.table.opened.code:
            self._note_code(actor.table.opened.code, actor.table.id)

    def table_removed(self, actor: TableActor) -> None:
        self._forget_code(actor.table.opened.code)

    def _note_code(self, code: str, table: TableId) -> None:
        self._tables[code] = table
        self._registry.codes.hold_code(code, table)

    def _forget_code(self, code: str) -> None:
        self._tables.pop(code, None)
        self._registry.codes.release_code(code)

    # --- entering --------------------------------------------------------------------------------------

    async def admit_user(self, user: User, source: Source, request: EnterRequest) -> TableActor:
        """Admit a user by code or password; a user who is admitted already needs neither. Raises ScovilleError."""
        actor = self._by_code(request) if request.code else self._by_id(user, request.table or "")
        if actor is None or not actor.table.admits_user(user.id):
            actor = await self._check_proof(actor, user, source, request)
        await actor.carry_out(Enter(user=user.id))
        return actor

    async def hash_password(self, password: str | None, source: Source) -> bytes:
        """Hash the password of a new table; b"" for none. Raises ScovilleError `busy`."""
        return (await self._passwords.hash_password(password, source)).encode() if password else b""

    def _by_code(self, request: EnterRequest) -> TableActor | None:
        table = self._tables.get(codes.read_code(request.code or ""))
        return None if table is None or request.table not in (None, table) else self._registry.tables.find_table(table)

    async def _check_proof(
        self, actor: TableActor | None, user: User, source: Source, request: EnterRequest
    ) -> TableActor:
        """Check a code and a password. Raises ScovilleError."""
        # Without a password nothing is guessed at this table.
        locked = actor is not None and actor.table.locked and bool(request.password)
        with self.count_guess(source, actor.table.id if actor is not None and locked else "") as attempt:
            if actor is None:
                attempt.failed = True
                sentence = f"No table has the code {request.code!r}."
                raise ScovilleError(Code.UNKNOWN_CODE, sentence, {"code": request.code})
            # `Enter` refuses a kicked user whatever they send: no password is hashed for that.
            if actor.table.locked and user.id not in actor.table.kicked:
                await self._check_password(actor, source, request.password or "", attempt)
        return actor

    def _by_id(self, user: User, table: str) -> TableActor:
        """Find a table by id; a private one seems not to exist for users who do not know its code."""
        actor = self._registry.tables.find_table(table)
        if actor.table.hidden_from(user.id):
            raise unknown_table(table)
        return actor

    async def _check_password(self, actor: TableActor, source: Source, password: str, attempt: Attempt) -> None:
        if not password:
            raise _wrong_password(actor, "This table has a password; send it to join.")
        if not await self._passwords.match_password(actor.table.opened.password.decode(), password, source):
            attempt.failed = True
            raise _wrong_password(actor, "Wrong password for this table.")

    @contextmanager
    def count_guess(self, source: Source, table: str) -> Iterator[Attempt]:
        """Count one guess at a code, or at a table's password or key. Raises ScovilleError `slow_down`."""
        guarded: list[tuple[Guarded, Hashable]] = [*zip(self._addresses, source.networks, strict=False)]
        if table:
            guarded.append((self._at_table, table))
        with self._guesses.check_guess(source, guarded, _too_often) as attempt:
            yield attempt


class _TakenCodes:
    """The codes that this node may give to no new table."""

    def __init__(self, here: Container[str], shared: SharedCodes) -> None:
        self._here = here
        self._shared = shared

    def __contains__(self, code: object) -> bool:
        return code in self._here or not (isinstance(code, str) and self._shared.may_draw(code))


def _too_often(seconds: float) -> ScovilleError:
    return slow_down("Too many wrong attempts", seconds)


def _wrong_password(actor: TableActor, sentence: str) -> ScovilleError:
    return ScovilleError(Code.WRONG_PASSWORD, sentence, {"table": actor.table.id})
