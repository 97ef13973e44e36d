"""Maintenance mode, in which only admins and players of unfinished games may connect, and the planned end of a server.

The end is announced at certain times before it, and to users who connect meanwhile.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from msgspec import Struct

from scoville_runtime.clock import Alarm, Clock
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver
from scoville_server.journal.base import Journal
from scoville_server.journal.books import Book
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import Notice, ShutdownNotice

_KEY: Final = "on"


class MaintenanceOn(Struct, frozen=True):
    """Who switched it on, why, and when (milliseconds since 1970)."""

    by: str
    reason: str
    since_ms: int


class Maintenance:
    """The mode of a server. It outlasts a restart: hosts look at an upgraded server before they let others in."""

    def __init__(self, journal: Journal) -> None:
        self._book = Book("maintenance", MaintenanceOn, journal)

    @property
    def mode(self) -> MaintenanceOn | None:
        """Who switched it on and why; None while it is off."""
        return self._book.get(_KEY)

    async def switch_mode(self, mode: MaintenanceOn | None) -> None:
        """Switch it on or off. Raises JournalError."""
        if mode is not None:
            await self._book.put_row(_KEY, mode)
        elif self.mode is not None:
            await self._book.drop_row(_KEY)

    def check_open(self) -> None:
        """Refuse a user who is no exception. Raises ScovilleError `maintenance`."""
        mode = self.mode
        if mode is not None:
            why = f": {mode.reason}" if mode.reason else ""
            # Hosts type a reason as half a sentence or as a whole one.
            end = "" if why.endswith((".", "!", "?")) else "."
            sentence = f"This server is under maintenance and takes no new users{why}{end}"
            raise ScovilleError(Code.MAINTENANCE, sentence, {"reason": mode.reason or None})


STEPS_SECONDS: Final = (600.0, 300.0, 60.0, 30.0, 10.0)
"""When the end is announced again: seconds before it."""


class _Plan(NamedTuple):
    ends_at: float
    reason: str


class PlannedShutdown(UserObserver):
    """Counts down to the end. `clock` is the server's, `notify_all_users` sends a notice to all connected users."""

    def __init__(self, clock: Clock, notify_all_users: Callable[[Notice], None]) -> None:
        self._clock = clock
        self._notify_all_users = notify_all_users
        self._plan: _Plan | None = None
        self._alarms: list[Alarm] = []

    @property
    def left_seconds(self) -> float | None:
        """The seconds that are left; None while no end is planned."""
        return None if self._plan is None else max(0.0, self._plan.ends_at - self._clock.seconds())

    @property
    def reason(self) -> str:
        """The reason of the planned end."""
        return "" if self._plan is None else self._plan.reason

    def plan_shutdown(self, seconds: float, reason: str, on_due: Callable[[], None] = lambda: None) -> None:
        """Announce the end in so many seconds, in place of one that was planned before; `on_due` is called then."""
        self._cancel_alarms()
        self._plan = _Plan(self._clock.seconds() + seconds, reason)
        self._notify_all_users(self._describe_plan())
        steps = [step for step in STEPS_SECONDS if step < seconds]
        self._alarms = [self._clock.call_later(seconds - step, self._announce_plan) for step in steps]
        self._alarms.append(self._clock.call_later(seconds, on_due))

    def call_off(self) -> bool:
        """Call the end off, and tell all users; return whether one was planned."""
        if self._plan is None:
            return False
        self.forget_plan()
        self._notify_all_users(ShutdownNotice(ends_in_ms=None))
        return True

    def forget_plan(self) -> None:
        """Forget the planned end, and tell nobody."""
        self._cancel_alarms()
        self._plan = None

    def user_connected(self, user: User) -> None:
        if self._plan is not None and user.peer is not None:
            user.peer.notify(self._describe_plan())

    def _announce_plan(self) -> None:
        self._notify_all_users(self._describe_plan())

    def _describe_plan(self) -> ShutdownNotice:
        return ShutdownNotice(ends_in_ms=round(1000 * (self.left_seconds or 0.0)), reason=self.reason or None)

    def _cancel_alarms(self) -> None:
        for alarm in self._alarms:
            alarm.cancel()
        self._alarms.clear()
