"""Rates of what users do beside playing, by user, by address and by who receives it."""

import time
from collections.abc import Callable
from math import ceil

from scoville_server.config import Settings
from scoville_server.limits.rate_budgets import Budget, Counter, Inbox, take_all
from scoville_server.limits.throttle import Rate, Source
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId


class Budgets:
    """Counts openings of tables, actions at tables, and invitations. Each method raises ScovilleError `slow_down`.

    `now` is in seconds. What is refused counts nowhere.
    """

    def __init__(self, settings: Settings, now: Callable[[], float] = time.monotonic) -> None:
        s = settings
        self.now = now
        self._openings = _budget(s.openings, s.openings_of_address, s.openings_seconds)
        self._actions = _budget(s.dealings, s.dealings_of_address, s.dealings_seconds)
        self._at_table = _inbox(s.dealings_at_table_of_address, s.dealings_at_table, s.dealings_seconds)
        self._invitations = _budget(s.invitations, s.invitations_of_address, s.invitations_seconds)
        self._invited = _inbox(s.invitations_received_of_address, s.invitations_received, s.invitations_seconds)

    def opening(self, source: Source) -> None:
        """Count a table that somebody opens."""
        self._take(self._openings.counters(source, self.now()), "You open tables too fast")

    def action(self, source: Source, table: str = "") -> None:
        """Count what somebody does at a table beside the game, or, without a table, looking for one."""
        now = self.now()
        at_table = self._at_table.counters(table, source, now) if table else []
        self._take([*self._actions.counters(source, now), *at_table], "You are quicker than others can follow")

    def invitation(self, source: Source, guest: UserId) -> None:
        """Count an invitation for a guest."""
        now = self.now()
        counters = [*self._invitations.counters(source, now), *self._invited.counters(guest, source, now)]
        self._take(counters, "You invite people too fast")

    def _take(self, counters: list[Counter], why: str) -> None:
        wait = take_all(counters, self.now())
        if wait is not None:
            raise slow_down(why, wait)


def slow_down(why: str, seconds: float) -> ScovilleError:
    """Ask somebody to wait."""
    left = max(1, ceil(seconds))
    unit = "second" if left == 1 else "seconds"
    return ScovilleError(Code.SLOW_DOWN, f"{why}; try again in {left} {unit}.", {"retry_after": round(seconds, 3)})


def _budget(user: int, address: int, seconds: float) -> Budget:
    return Budget(Rate(user, seconds), Rate(address, seconds))


def _inbox(address: int, total: int, seconds: float) -> Inbox:
    return Inbox(Rate(address, seconds), Rate(total, seconds))
