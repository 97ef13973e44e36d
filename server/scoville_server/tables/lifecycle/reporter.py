"""Observer of tables that reports when tables and their games begin and end."""

from scoville_runtime.events import Events
from scoville_server.events import GameEnd, GameStart, TableClose, TableOpen
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.observers import Change, TableObserver


class TableReporter(TableObserver):
    """Reports events of tables; those that were restored, and their games, do not begin again."""

    observed = frozenset({Change.STATUS})

    def __init__(self, events: Events) -> None:
        self._events = events
        self._restored = False

    def end_restoring(self) -> None:
        """Report the tables that are opened from now on: those before were restored."""
        self._restored = True

    def table_opened(self, actor: TableActor) -> None:
        if self._restored:
            table = actor.table
            self._events.report_event(TableOpen(table=table.id, game=table.opened.game))

    def table_removed(self, actor: TableActor) -> None:
        self._events.report_event(TableClose(table=actor.table.id))

    def table_moved(self, actor: TableActor) -> None:
        """The table goes on elsewhere."""

    def table_changed(self, actor: TableActor, done: Done) -> None:  # noqa: ARG002 - an observer gets both
        before, after = done
        if before.status != "playing" and after.status == "playing":
            humans = len(after.human_seats)
            bots = len(after.seats) - humans
            self._events.report_event(GameStart(table=after.id, game=after.opened.game, humans=humans, bots=bots))
        if before.running and not after.running:
            result = "finished" if after.status == "finished" else "closed"
            moves = len(after.moves)
            self._events.report_event(GameEnd(table=after.id, game=after.opened.game, result=result, moves=moves))
