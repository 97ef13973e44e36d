"""People whose line is down: each of their seats waits as long as its table says, is warned, and is then a bot's."""

import asyncio
from collections.abc import Callable

from scoville_server.accounts.sessions import User
from scoville_shared.ids import TableId

WARNING_SECONDS = 10.0
"""How long before a bot plays on the table is told; with less than twice as much to wait, at half of it."""

Waiting = tuple[User, TableId]


class ReconnectGrace:
    """The seats that wait. `warn` hears how many seconds are left, then `lapse` that they are over."""

    def __init__(self, warn: Callable[[User, TableId, float], None], lapse: Callable[[User, TableId], None]) -> None:
        self._warn = warn
        self._lapse = lapse
        self._timers: dict[Waiting, asyncio.TimerHandle] = {}

    def begin(self, person: User, table: TableId, seconds: float) -> None:
        """Let a seat wait, if it does not wait already; for ever when there are no `seconds`."""
        if not seconds or (person, table) in self._timers:
            return
        left = min(WARNING_SECONDS, seconds / 2)
        self._set(seconds - left, self._nearly_over, person, table, left)

    def waits(self, person: User, table: TableId) -> bool:
        """Check whether a seat waits."""
        return (person, table) in self._timers

    def end(self, person: User, table: TableId) -> None:
        """Let a seat wait no more: the person is back, or has left for good."""
        timer = self._timers.pop((person, table), None)
        if timer is not None:
            timer.cancel()

    def end_all(self) -> None:
        """Let nobody wait any more."""
        for person, table in tuple(self._timers):
            self.end(person, table)

    def _nearly_over(self, person: User, table: TableId, left: float) -> None:
        self._set(left, self._over, person, table)
        self._warn(person, table, left)

    def _over(self, person: User, table: TableId) -> None:
        del self._timers[(person, table)]
        self._lapse(person, table)

    def _set(self, seconds: float, do: Callable[..., None], person: User, table: TableId, *more: float) -> None:
        later = asyncio.get_running_loop().call_later
        self._timers[(person, table)] = later(seconds, do, person, table, *more)
