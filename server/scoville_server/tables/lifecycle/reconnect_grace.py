"""Reconnect grace: a disconnected player's seat is kept for a while, then a bot takes over after a warning."""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from msgspec import UNSET

from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_server.accounts.sessions import User
from scoville_server.tables.model.table import Table
from scoville_shared.ids import TableId

WARNING_SECONDS = 10.0
"""Seconds between the warning and the bot; at half of the grace if that is less than twice as much."""

Waiting = tuple[User, TableId]


GRACES: Final = 3
"""How many times its grace a seat waits in one game, all absences together; after that a bot takes over at once."""


class _Absence(NamedTuple):
    """An absence that runs: its timer, and when it began (monotonic seconds)."""

    timer: Alarm
    since: float


class ReconnectGrace:
    """The seats of disconnected players.

    `warn` is called with the seconds left, then `lapse` at the end with those of the absence.

    The time is a budget for the game: a player who came back shortly before the end of each absence would hold the
    others up for ever. Time before the start and in pauses holds nobody up, and is not charged.
    """

    def __init__(
        self,
        warn: Callable[[User, TableId, float], None],
        lapse: Callable[[User, TableId, float], None],
        clock: Clock = SYSTEM,
    ) -> None:
        self._warn = warn
        self._call_later = clock.call_later
        self._lapse = lapse
        self._seconds = clock.seconds
        self._absences: dict[Waiting, _Absence] = {}
        self._used: dict[Waiting, float] = {}
        """Seconds that earlier absences have taken of a seat's budget."""

    def begin_absence(self, user: User, table: TableId, seconds: float) -> None:
        """Start the grace of a seat, unless it runs already; 0 seconds are for ever."""
        if not seconds or self.waits_for(user, table):
            return
        # At most one grace at a time, and never more than the rest of the game's budget.
        rest = max(0.0, min(seconds, GRACES * seconds - self._used.get((user, table), 0.0)))
        left = min(WARNING_SECONDS, rest / 2)
        self._set_timer(self._seconds(), rest - left, self._nearly_over, user, table, left)

    def waits_for(self, user: User, table: TableId) -> bool:
        """Whether a seat's grace runs."""
        return (user, table) in self._absences

    def end_absence(self, user: User, table: TableId) -> float:
        """End a seat's grace: the player has reconnected or left. Returns the seconds of the absence."""
        absence = self._absences.pop((user, table), None)
        if absence is None:
            return 0.0
        absence.timer.cancel()
        return self._seconds() - absence.since

    def charge_absence(self, user: User, table: TableId, seconds: float) -> None:
        self._used[(user, table)] = self._used.get((user, table), 0.0) + seconds

    def forget_table(self, table: TableId) -> None:
        """Forget what the absences of a game have used: it begins or is removed."""
        self._used = {waiting: used for waiting, used in self._used.items() if waiting[1] != table}

    def end_all_absences(self) -> None:
        for user, table in tuple(self._absences):
            self.end_absence(user, table)

    def _nearly_over(self, user: User, table: TableId, left: float) -> None:
        # The absence goes on, so the second timer keeps when it began.
        self._set_timer(self._absences[(user, table)].since, left, self._end_grace, user, table)
        self._warn(user, table, left)

    def _end_grace(self, user: User, table: TableId) -> None:
        self._lapse(user, table, self.end_absence(user, table))

    def _set_timer(
        self, since: float, seconds: float, do: Callable[..., None], user: User, table: TableId, *more: float
    ) -> None:
        timer = self._call_later(seconds, partial(do, user, table, *more))
        self._absences[(user, table)] = _Absence(timer, since)


def grace_of(table: Table, default: float) -> float:
    """Return the seconds for which a table keeps a disconnected player's seat; 0 is for ever.

    Args:
        table: The table, whose options may name the seconds.
        default: The server's setting, for tables that do not.
    """
    absence_ms = table.opened.clock.absence_ms
    return default if absence_ms is UNSET else (absence_ms or 0) / 1000
