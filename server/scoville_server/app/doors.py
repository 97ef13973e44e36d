"""The doors of the tables: found by their codes, opened by their passwords, and slow for whoever guesses."""

import time
from collections.abc import Callable
from math import ceil

from scoville_server import codes
from scoville_server.actor import TableActor
from scoville_server.app.floor import Floor, Follower
from scoville_server.app.hashing import Passwords
from scoville_server.lobby import unknown_table
from scoville_server.sessions import Person
from scoville_server.table.commands import Admit
from scoville_server.throttle import BackOff, Throttle
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.wire.messages import EnterTable


class Doors(Follower):
    """Who knows a code or a password comes in. `person` and `address` count wrong guesses, whosever table they were at.

    `now` is in seconds. Somebody who waits for their own guesses, or for those of their address, is told how long;
    nobody waits for somebody else's.
    """

    def __init__(
        self, floor: Floor, passwords: Passwords, person: BackOff, address: BackOff, invitations: Throttle
    ) -> None:
        self.now: Callable[[], float] = time.monotonic
        self._floor = floor
        self._passwords = passwords
        self._person = person
        self._address = address
        self._invitations = invitations
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

    async def enter(self, person: Person, address: str, wish: EnterTable) -> TableActor:
        """Open a door for somebody. Raises ScovilleError."""
        self.let_guess(person, address)
        actor = self._found(person, address, wish)
        if actor.table.locked and not (actor.table.admits(person.id) or person.id in actor.table.kicked):
            await self._unlock(actor, person, address, wish.password)
        await actor.do(Admit(person=person.id))
        return actor

    async def lock(self, password: str, address: str) -> bytes:
        """Make a lock for a new table; none for an empty password. Raises ScovilleError `busy`."""
        return (await self._passwords.hash(password, address)).encode() if password else b""

    def count_invitation(self, person: Person) -> None:
        """Count an invitation. Raises ScovilleError `slow_down`."""
        wait = self._invitations.take(person.id, self.now())
        if wait is not None:
            raise slow_down("You invite people too fast", wait)

    def _found(self, person: Person, address: str, wish: EnterTable) -> TableActor:
        if not wish.code:
            return self._by_id(person, wish.table)
        table = self._tables.get(codes.read(wish.code))
        if table is None or wish.table not in ("", table):
            self.guessed_wrong(person, address)
            raise ScovilleError(Code.UNKNOWN_CODE, f"No table has the code {wish.code!r}.", {"code": wish.code})
        return self._floor.lobby.find(table)

    def _by_id(self, person: Person, table: str) -> TableActor:
        """Find a table that is no secret; a private one is not there for who does not know its code."""
        actor = self._floor.lobby.find(table)
        if actor.table.hidden_from(person.id):
            raise unknown_table(table)
        return actor

    async def _unlock(self, actor: TableActor, person: Person, address: str, password: str) -> None:
        if not password:
            raise _wrong(actor, "This table has a password; say it to come in.")
        if not await self._passwords.match(actor.table.opened.password.decode(), password, address):
            self.guessed_wrong(person, address)
            raise _wrong(actor, "That is not the password of this table.")

    def let_guess(self, person: Person, address: str) -> None:
        """Let somebody try a code, a password or a key. Raises ScovilleError `slow_down`."""
        now = self.now()
        waits = [self._person.check(person.id, now), self._address.check(address, now) if address else None]
        longest = max((wait for wait in waits if wait is not None), default=None)
        if longest is not None:
            raise slow_down("That was wrong too often", longest)

    def guessed_wrong(self, person: Person, address: str) -> None:
        """Count a wrong one."""
        now = self.now()
        self._person.fail(person.id, now)
        if address:
            self._address.fail(address, now)


def slow_down(why: str, seconds: float) -> ScovilleError:
    """Ask somebody to wait."""
    left = max(1, ceil(seconds))
    unit = "second" if left == 1 else "seconds"
    return ScovilleError(Code.SLOW_DOWN, f"{why}; try again in {left} {unit}.", {"retry_after": round(seconds, 3)})


def _wrong(actor: TableActor, sentence: str) -> ScovilleError:
    return ScovilleError(Code.WRONG_PASSWORD, sentence, {"table": actor.table.id})
