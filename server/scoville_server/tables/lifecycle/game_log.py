"""Observer of tables that writes the start and the end of every game to the event log."""

from scoville_server.event_log import EventLog
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver


class GameLog(TableObserver):
    """Writes `game_start` and `game_end`; games that continue after a restart are not started again."""

    observed = frozenset({Change.STATUS})

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def table_changed(self, actor: TableActor, done: Done) -> None:  # noqa: ARG002 - an observer gets both
        before, after = done
        if before.status != "playing" and after.status == "playing":
            humans = len(after.human_seats)
            self._log.write_event("game_start", **_fields_of(after), humans=humans, bots=len(after.seats) - humans)
        if before.running and not after.running:
            result = "finished" if after.status == "finished" else "closed"
            self._log.write_event("game_end", **_fields_of(after), result=result, moves=len(after.moves))


def _fields_of(table: Table) -> dict[str, str]:
    return {"table": table.id, "game": table.opened.game}
