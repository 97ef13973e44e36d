"""Observer of tables that reports the start and the end of every game."""

from scoville_runtime.events import Events
from scoville_server.events import GameEnd, GameStart
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.observers import Change, TableObserver


class GameLog(TableObserver):
    """Reports `game_start` and `game_end`; games that continue after a restart are not started again."""

    observed = frozenset({Change.STATUS})

    def __init__(self, events: Events) -> None:
        self._events = events

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
