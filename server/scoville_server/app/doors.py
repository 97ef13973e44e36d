"""The doors of the tables: found by their codes, opened by their passwords, and slow for whoever guesses."""

import time
from collections.abc import Callable

from scoville_server import codes
from scoville_server.actor import TableActor
from scoville_server.app.budgets import slow_down
from scoville_server.app.floor import Floor, Follower
from scoville_server.app.hashing import Passwords
from scoville_server.lobby import unknown_table
from scoville_server.sessions import Person
from scoville_server.table.commands import Admit
from scoville_server.throttle import BackOff, Counter, Source, longest_wait
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.wire.messages import EnterTable


class Doors(Follower):
    """Who knows a code or a password comes in. `person` and `address` count wrong guesses, whosever table they were at.

    `now` is in seconds. Somebody who waits for their own guesses, or for those of their address, is told how long;
    nobody waits for somebody else's.
    """

    def __init__(self, floor: Floor, passwords: Passwords, person: BackOff, address: BackOff) -> None:
        self.now: Callable[[], float] = time.monotonic
        self._floor = floor
        self._passwords = passwords
        self._person = person
        self._address = address
        self._tables: dict[str, TableId | None] = {}

    # --- codes -----------------------------------------------------------------------------------------

    def new_code(self) -> str:
        """Draw a code for a table that is about to be opened; it is nobody else's."""
        code = codes.fresh(self._tables)
        self._tables[code] = None
        return code

    def give_up(self, code: str) -> None:
        """Free a code whose table was not opened after all."""
        if code in self._tables and self._tables[code] is None:
            del self._tables[code]

    def opened(self, actor: TableActor) -> None:
        """Let a table be found by its code."""
        if actor.table.opened.code:
            self._tables[actor.table.opened.code] = actor.table.id

    def cleared(self, actor: TableActor) -> None:
        """Free a table's code."""
        self._tables.pop(actor.table.opened.code, None)

    # --- coming in -------------------------------------------------------------------------------------

    async def enter(self, person: Person, source: Source, wish: EnterTable) -> TableActor:
        """Open a door for somebody. Raises ScovilleError."""
        self.let_guess(source)
        actor = self._found(person, source, wish)
        if actor.table.locked and not (actor.table.admits(person.id) or person.id in actor.table.kicked):
            await self._unlock(actor, source, wish.password)
        await actor.do(Admit(person=person.id))
        return actor

    async def lock(self, password: str, source: Source) -> bytes:
        """Make a lock for a new table; none for an empty password. Raises ScovilleError `busy`."""
        return (await self._passwords.hash(password, source)).encode() if password else b""

    def _found(self, person: Person, source: Source, wish: EnterTable) -> TableActor:
        if not wish.code:
            return self._by_id(person, wish.table)
        table = self._tables.get(codes.read(wish.code))
        if table is None or wish.table not in ("", table):
            self.guessed_wrong(source)
            raise ScovilleError(Code.UNKNOWN_CODE, f"No table has the code {wish.code!r}.", {"code": wish.code})
        return self._floor.lobby.find(table)

    def _by_id(self, person: Person, table: str) -> TableActor:
        """Find a table that is no secret; a private one is not there for who does not know its code."""
        actor = self._floor.lobby.find(table)
        if actor.table.hidden_from(person.id):
            raise unknown_table(table)
        return actor

    async def _unlock(self, actor: TableActor, source: Source, password: str) -> None:
        if not password:
            raise _wrong(actor, "This table has a password; say it to come in.")
        if not await self._passwords.match(actor.table.opened.password.decode(), password, source):
            self.guessed_wrong(source)
            raise _wrong(actor, "That is not the password of this table.")

    def let_guess(self, source: Source) -> None:
        """Let somebody try a code, a password or a key. Raises ScovilleError `slow_down`."""
        now = self.now()
        longest = longest_wait(self._counters(source), now)
        if longest is not None:
            raise slow_down("That was wrong too often", longest)

    def guessed_wrong(self, source: Source) -> None:
        """Count a wrong one."""
        for throttle, key in self._counters(source):
            throttle.fail(key, self.now())

    def _counters(self, source: Source) -> list[Counter]:
        return [(self._person, source.user), *((self._address, network) for network in source.networks[:1])]


def _wrong(actor: TableActor, sentence: str) -> ScovilleError:
    return ScovilleError(Code.WRONG_PASSWORD, sentence, {"table": actor.table.id})
