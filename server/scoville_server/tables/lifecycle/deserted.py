"""Running games without connected players: paused while seats are kept, closed after a week."""

from collections.abc import Callable
from functools import partial
from typing import Literal

from scoville_runtime.clock import Alarm
from scoville_server.limits.live import Live
from scoville_server.tables.actions.action import Command
from scoville_server.tables.actions.close import Close
from scoville_server.tables.actions.pause import ResumeDeserted
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.lifecycle.reconnect_grace import grace_of
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_server.tables.watching.project import IsHere
from scoville_shared.ids import TableId

Wait = tuple[TableId, Literal["seat", "anybody"]]

CLOSING = Close(reason="Nobody has been here for a long time.")


class DesertedGames(TableObserver):
    """Pauses and closes deserted games.

    A game that all players have left is paused; otherwise bots would finish it within a second. It waits as long as
    the table keeps a seat (`grace_seconds` if the table does not say), then bots play on. A game without any
    connected player is closed after `deserted_seconds`; this bounds seats that wait for ever. 0 seconds mean for
    ever. Every wait starts anew after a restart.
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
            seconds.follow(self._begin_waits_anew)

    def table_opened(self, actor: TableActor) -> None:
        self._update_waits(actor)

    def table_changed(self, actor: TableActor, done: Done) -> None:
        """Schedule the next deadline; a move in a running game does not change it."""
        before, after = done
        if before.seats is not after.seats or _course(before) != _course(after):
            self._update_waits(actor)

    def presence_changed(self, actor: TableActor) -> None:
        self._update_waits(actor)

    def table_removed(self, actor: TableActor) -> None:
        self._cancel_wait((actor.table.id, "seat"))
        self._cancel_wait((actor.table.id, "anybody"))

    def stop_waiting(self) -> None:
        for wait in tuple(self._timers):
            self._cancel_wait(wait)

    def _begin_waits_anew(self, _: float) -> None:
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
        return table.running and not any(user is not None and self._is_here(user) for user in users)


def _course(table: Table) -> tuple[object, ...]:
    return table.status, table.paused, table.closed
