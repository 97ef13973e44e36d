"""How long a table may stand without a game."""

import asyncio

from scoville_server.actor import Done, TableActor
from scoville_server.app.floor import Floor, Follower
from scoville_shared.ids import TableId


class Patience(Follower):
    """Clears a new table away at which nobody sits down for `unseated_seconds`; 0 is for ever."""

    def __init__(self, floor: Floor, unseated_seconds: float) -> None:
        self._floor = floor
        self._unseated_seconds = unseated_seconds
        self._timers: dict[TableId, asyncio.TimerHandle] = {}

    def opened(self, actor: TableActor) -> None:
        """Begin to wait for the first player."""
        if self._unseated_seconds and not actor.table.seq:
            later = asyncio.get_running_loop().call_later
            self._timers[actor.table.id] = later(self._unseated_seconds, self._floor.clear, actor)

    def changed(self, actor: TableActor, _done: Done) -> None:
        """Wait no more."""
        self._forget(actor.table.id)

    def cleared(self, actor: TableActor) -> None:
        """Wait no more."""
        self._forget(actor.table.id)

    def close(self) -> None:
        """Wait for nobody any more."""
        for table in tuple(self._timers):
            self._forget(table)

    def _forget(self, table: TableId) -> None:
        timer = self._timers.pop(table, None)
        if timer is not None:
            timer.cancel()
