"""Reconnect grace: a disconnected player's seat is kept for a while, then a bot takes over after a warning."""

from collections.abc import Callable
from functools import partial

from msgspec import UNSET

from scoville_server.accounts.sessions import User
from scoville_server.clock import SYSTEM, Alarm, Clock
from scoville_server.tables.model.table import Table
from scoville_shared.ids import TableId

WARNING_SECONDS = 10.0
"""Seconds between the warning and the bot; at half of the grace if that is less than twice as much."""

Waiting = tuple[User, TableId]


class ReconnectGrace:
    """The seats of disconnected players. `warn` is called with the seconds left, then `lapse` at the end."""

    def __init__(
        self,
        warn: Callable[[User, TableId, float], None],
        lapse: Callable[[User, TableId], None],
        clock: Clock = SYSTEM,
    ) -> None:
        self._warn = warn
        self._call_later = clock.call_later
        self._lapse = lapse
        self._timers: dict[Waiting, Alarm] = {}

    def begin(self, user: User, table: TableId, seconds: float) -> None:
        """Start the grace of a seat, unless it runs already; 0 seconds are for ever."""
        if not seconds or (user, table) in self._timers:
            return
        left = min(WARNING_SECONDS, seconds / 2)
        self._set(seconds - left, self._nearly_over, user, table, left)

    def waits(self, user: User, table: TableId) -> bool:
        """Whether a seat's grace runs."""
        return (user, table) in self._timers

    def end(self, user: User, table: TableId) -> None:
        """End a seat's grace: the player has reconnected or left."""
        timer = self._timers.pop((user, table), None)
        if timer is not None:
            timer.cancel()

    def end_all(self) -> None:
        """End every grace period at once."""
        for user, table in tuple(self._timers):
            self.end(user, table)

    def _nearly_over(self, user: User, table: TableId, left: float) -> None:
        self._set(left, self._over, user, table)
        self._warn(user, table, left)

    def _over(self, user: User, table: TableId) -> None:
        del self._timers[(user, table)]
        self._lapse(user, table)

    def _set(self, seconds: float, do: Callable[..., None], user: User, table: TableId, *more: float) -> None:
        self._timers[(user, table)] = self._call_later(seconds, partial(do, user, table, *more))


def grace_of(table: Table, default: float) -> float:
    """Return the seconds for which a table keeps a disconnected player's seat; 0 is for ever.

    Args:
        table: The table, whose options may name the seconds.
        default: The server's setting, for tables that do not.
    """
    absence_ms = table.opened.clock.absence_ms
    return default if absence_ms is UNSET else (absence_ms or 0) / 1000
