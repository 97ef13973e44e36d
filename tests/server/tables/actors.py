"""Table actors for tests, with a manual clock."""

import asyncio
from collections.abc import Callable

from scoville_runtime.clock import Clock
from scoville_server.background.tasks import retry_delay
from scoville_server.journal.base import START, Mark
from scoville_server.tables.actor import Done, RecordLog, TableActor, TableRuntime
from scoville_server.tables.model.table import Table
from tests.support.server import GatedJournal
from tests.support.tables import NOON


class Watch:
    """A manual clock for tables; advancing it triggers due timers in order."""

    class Alarm:
        def __init__(self, at: float, do: Callable[[], None]) -> None:
            self.at, self.do, self.off = at, do, False

        def cancel(self) -> None:
            self.off = True

    def __init__(self) -> None:
        self.seconds = 0.0
        self.alarms: list[Watch.Alarm] = []

    def now(self) -> int:
        return NOON + round(self.seconds * 1000)

    def later(self, seconds: float, do: Callable[[], None]) -> "Watch.Alarm":
        self.alarms.append(Watch.Alarm(self.seconds + seconds, do))
        return self.alarms[-1]

    async def go_on(self, seconds: float) -> None:
        """Let time pass."""
        end = self.seconds + seconds
        while due := [alarm for alarm in self.alarms if not alarm.off and alarm.at <= end]:
            alarm = min(due, key=lambda alarm: alarm.at)
            alarm.off, self.seconds = True, max(alarm.at, self.seconds)
            alarm.do()
            for _ in range(20):
                await asyncio.sleep(0)
        self.seconds = end


class Room:
    """Makes actors, and records their changes."""

    def __init__(self) -> None:
        self.watch = Watch()
        self.journal = GatedJournal()
        self.changes: list[Done] = []
        self.audiences: list[int] = []
        self.actors: list[TableActor] = []

    def actor(self, table: Table, inbox: int = 16, mark: Mark = START) -> TableActor:
        clock = Clock(self.watch.now, lambda: self.watch.seconds, self.watch.later)
        runtime = TableRuntime(clock, lambda: retry_delay(clock.chance), inbox, lambda _: True)
        actor = TableActor(table, RecordLog(self.journal, table.id, mark), runtime, self, lambda _, __: None)
        self.actors.append(actor)
        return actor

    def notify_changed(self, _actor: TableActor, done: Done) -> None:
        self.changes.append(done)

    def notify_presence(self, actor: TableActor) -> None:
        self.audiences.append(actor.watched.describe_table().spectator_count)
