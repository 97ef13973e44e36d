"""Reconnect grace: a disconnected player's seat is kept for a while, then a bot takes over after a warning.

A running game without connected players is paused while seats are kept, and closed after a week.
"""

from collections.abc import Callable
from functools import partial
from typing import Final, Literal, NamedTuple

from msgspec import UNSET

from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_server.accounts.sessions import User
from scoville_server.limits.live import Live
from scoville_server.tables.actions.close import Close
from scoville_server.tables.actions.pause import ResumeDeserted
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.action import Command
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_server.tables.watching.project import IsHere
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
        """Forget the used grace of a game: it begins or is removed."""
        self._used = {waiting: used for waiting, used in self._used.items() if waiting[1] != table}

    def end_all_absences(self) -> None:
        for user, table in tuple(self._absences):
            self.end_absence(user, table)

    def _nearly_over(self, user: User, table: TableId, left: float) -> None:
        # The absence goes on, so the second timer keeps when it began.
        self._set_timer(self._absences[(user, table)].since, left, self._end_grace, user, table)
        if left:  # nobody is warned of a bot that takes over at once
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


Wait = tuple[TableId, Literal["seat", "anybody"]]

CLOSING = Close(reason="Nobody has been here for a long time.", cause="deserted")


class DesertedGames(TableObserver):
    """Pauses and closes deserted games.

    A game that all players have left is paused; otherwise bots would finish it within a second. It waits as long as
    the table keeps a seat (`grace_seconds` if the table does not say), then bots play on. A game without any
    connected player is closed after `deserted_seconds`; this bounds seats that wait for ever. 0 seconds mean for
    ever. Every wait starts again after a restart.
    """

    observed = frozenset({Change.STATUS, Change.SEATS, Change.PAUSE})

    # Leaving must never cost a game, and an abandoned table must not stay for ever.
    def __init__(
        self, registry: TableRegistry, is_here: IsHere, grace_seconds: Live[float], deserted_seconds: Live[float]
    ) -> None:
        self._call_later = registry.clock.call_later
        self._registry = registry
        self._is_here = is_here
        self._grace_seconds = grace_seconds
        self._deserted_seconds = deserted_seconds
        self._timers: dict[Wait, Alarm] = {}
        for seconds in (grace_seconds, deserted_seconds):
            seconds.follow(self._restart_waits)

    def table_opened(self, actor: TableActor) -> None:
        self._update_waits(actor)

    def table_changed(self, actor: TableActor, done: Done) -> None:
        """Schedule the next deadline; a move in a running game does not change it."""
        before, after = done
        if before.seats is not after.seats or _course_of(before) != _course_of(after):
            self._update_waits(actor)

    def presence_changed(self, actor: TableActor) -> None:
        self._update_waits(actor)

    def table_removed(self, actor: TableActor) -> None:
        self._cancel_wait((actor.table.id, "seat"))
        self._cancel_wait((actor.table.id, "anybody"))

    def stop_waiting(self) -> None:
        for wait in tuple(self._timers):
            self._cancel_wait(wait)

    def _restart_waits(self, _: float) -> None:
        """Wait as long as the settings say now, from now on."""
        self.stop_waiting()
        for actor in self._registry.tables.all_tables():
            self._update_waits(actor)

    def _update_waits(self, actor: TableActor) -> None:
        table = actor.table.id
        kept = grace_of(actor.table, self._grace_seconds.value)
        self._update_wait((table, "seat"), kept, ResumeDeserted(), lambda: actor.table.deserted)
        self._update_wait(
            (table, "anybody"), self._deserted_seconds.value, CLOSING, lambda: self._without_anybody(actor.table)
        )

    def _update_wait(self, wait: Wait, seconds: float, command: Command, wanted: Callable[[], bool]) -> None:
        """Send a command after some seconds if it is still `wanted` then; never for 0."""
        if not seconds or not wanted():
            self._cancel_wait(wait)
        # A wait that runs goes on: it began when the last player left, not at the latest change.
        elif wait not in self._timers:
            self._timers[wait] = self._call_later(seconds, partial(self._end_wait, wait, command, wanted))

    def _end_wait(self, wait: Wait, command: Command, wanted: Callable[[], bool]) -> None:
        del self._timers[wait]
        # Insisted on and asked again: the table may be busy, and a player may return in the meantime.
        self._registry.commands.send_until_answered(wait[0], command, wanted)

    def _cancel_wait(self, wait: Wait) -> None:
        timer = self._timers.pop(wait, None)
        if timer is not None:
            timer.cancel()

    def _without_anybody(self, table: Table) -> bool:
        users = (table.seats[seat].user for seat in table.human_seats)
        # A shared deal waits for its only player until its own time is over.
        if table.opened.deal:
            return False
        # Players of a game by correspondence are hardly ever here; their clocks say when it goes on.
        if table.opened.clock.by_days:
            return table.running and not table.human_seats
        return table.running and not any(user is not None and self._is_here(user) for user in users)


def _course_of(table: Table) -> tuple[object, ...]:
    return table.status, table.paused, table.closed
