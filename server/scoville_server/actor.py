"""One actor per table: one bounded inbox, the pure table inside, the journal before anybody is told."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from scoville_server.botseat import think
from scoville_server.clock import Clock
from scoville_server.journal.base import Journal, JournalError
from scoville_server.net.service import Peer
from scoville_server.retry import RetryDelay
from scoville_server.table import clock
from scoville_server.table.audience import Watcher, barred
from scoville_server.table.commands import BotPlays, Command, Refused, StartByItself, WarnOfClock
from scoville_server.table.decide import decide
from scoville_server.table.evolve import evolve
from scoville_server.table.model import Table
from scoville_server.table.project import IsHere
from scoville_server.table.records import AnyRecord
from scoville_server.watchers import Watchers, seen_by
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import PersonId, Seat
from scoville_shared.wire.messages import AudienceNotice, PresenceNotice, TableInfo, TableSnapshot

_log = logging.getLogger(__name__)

AUDIENCE_SECONDS = 0.5
"""How long it takes until all are told who looks on: whoever comes and goes meanwhile is told of together."""


class Done(NamedTuple):
    """A command was carried out: the table before and after it."""

    before: Table
    after: Table


Changed = Callable[["TableActor", Done], None]
"""Hears of every change, after the watchers have."""

AudienceChanged = Callable[["TableActor"], None]
"""Hears that other people look on."""


class Alarm(Protocol):
    """Something that will be done later."""

    def cancel(self) -> None:
        """Let it not be done."""


Later = Callable[[float, Callable[[], None]], Alarm]
"""Does something after so many seconds."""


class TableActor:
    """The only place where a table changes. People, bots and whatever else moves take the same path."""

    def __init__(
        self,
        table: Table,
        journal: Journal,
        *,
        is_here: IsHere,
        changed: Changed,
        inbox: int,
        now: Callable[[], int] | None = None,
        later: Later | None = None,
        audience_changed: AudienceChanged = lambda _: None,
        delay: RetryDelay | None = None,
    ) -> None:
        self.table = table
        self._journal = journal
        self._is_here = is_here
        self._changed = changed
        self._now = now or Clock().steady()
        self._limit = inbox
        self._inbox: asyncio.Queue[tuple[Command, asyncio.Future[Done | Refused]] | None] = asyncio.Queue()
        self._watchers = Watchers()
        self._audience_changed = audience_changed
        self._audience = AudienceNotice(table=table.id, spectators=[])
        self._audience_alarm: Alarm | None = None
        self._thinking: set[Seat] = set()
        self._alarm: Alarm | None = None
        self._delay = delay or RetryDelay()
        self._retry: Alarm | None = None
        self._stopped = False
        self._retiring = False
        self._loop = asyncio.get_running_loop()
        self._later = later or self._loop.call_later
        self._next_event: asyncio.Future[None] = self._loop.create_future()
        self._task = self._loop.create_task(self._run(), name=f"table {table.id}")

    # --- what others ask -------------------------------------------------------------------------------

    def now(self) -> int:
        """Returns the table's time: milliseconds since 1970 that pass evenly while the server runs."""
        return self._now()

    def ask(self, command: Command) -> asyncio.Future[Done | Refused]:
        """Put a command into the inbox; its answer comes even when the asker has gone.

        Raises ScovilleError `busy` when the inbox is full, `unknown_table` when the table was cleared away, and
        `shutting_down`.
        """
        if self._stopped:
            raise _gone(self.table) if self._retiring else shutting_down()
        if self._inbox.qsize() >= self._limit:
            raise ScovilleError(Code.BUSY, "This table has more to do than it can; try again in a moment.")
        return self._post(command)

    async def do(self, command: Command) -> Done:
        """Ask and wait for the answer. Raises ScovilleError with the reason of a refusal."""
        answer = await self.ask(command)
        if isinstance(answer, Refused):
            raise answer.error()
        return answer

    def watch(self, peer: Peer, watcher: Watcher, since: int) -> TableSnapshot:
        """Tell `peer` of every event from now on; answers with those after `since`, so that none is missed."""
        self._watchers.add(peer, watcher)
        self._see_to_audience()
        return self.snapshot(watcher, since)

    def unwatch(self, peer: Peer) -> None:
        """Tell `peer` no more."""
        self._watchers.remove(peer)
        self._see_to_audience()

    async def poll(self, watcher: Watcher, since: int, wait_ms: int) -> TableSnapshot:
        """Answer as soon as there is an event after `since` for this watcher, or when `wait_ms` are over.

        Raises ScovilleError when they may no longer look by then.
        """
        end = self._loop.time() + wait_ms / 1000
        while seen_by(self.table, watcher).seq <= since and not self._stopped and (left := end - self._loop.time()) > 0:
            await asyncio.wait((self._next_event,), timeout=left)
            if (no := barred(self.table, watcher)) is not None:
                raise no.error()
        return self.snapshot(watcher, since)

    def snapshot(self, watcher: Watcher, since: int) -> TableSnapshot:
        """Show the table as a watcher may see it."""
        return self._watchers.snapshot(self.table, watcher, since, self._is_here, self._now())

    def info(self, reader: PersonId | None = None) -> TableInfo:
        """Show the table as the lobby does, to a reader or to anybody."""
        return self._watchers.info(self.table, self._is_here, self._now(), reader)

    def listed(self, person: PersonId) -> TableInfo:
        """Show the table as this person's list of tables does."""
        seat = self.table.place_of(person)
        return replace(self.info(person), yours=seat, your_turn=seat is not None and seat in self.table.pending)

    def hearing(self) -> list[PersonId]:
        """List who hears what is said here: those who sit at the table and those who are told of it, each once."""
        seated = [chair.person for chair in self.table.chairs if chair.human and chair.person is not None]
        return [*dict.fromkeys([*seated, *self._watchers.people])]

    def watcher(self, peer: Peer) -> Watcher | None:
        """Find who is told of the table on a line."""
        return self._watchers.at(peer)

    def presence(self, person: PersonId, connected: bool) -> None:
        """Tell the watchers that a seated person's line came or went."""
        seat = self.table.seat_of(person)
        if seat is not None:
            self._watchers.say(self.table, PresenceNotice(table=self.table.id, seat=seat, connected=connected))

    def stop(self, *, retire: bool = False) -> None:
        """Take no more commands, and end once those in the inbox are answered; `retire` clears the table away.

        Then they are refused: whoever sat down now would sit at a table that nobody finds.
        """
        if not self._stopped:
            self._stopped, self._retiring = True, retire
            self._inbox.put_nowait(None)

    async def ended(self) -> None:
        """Wait until a stopped actor has ended."""
        await self._task

    # --- what it does ----------------------------------------------------------------------------------

    async def _run(self) -> None:
        self._go_on()
        while (item := await self._inbox.get()) is not None:
            command, reply = item
            answer = await self._answer(command)
            if not reply.done():
                reply.set_result(answer)
            self._follow(answer)
            await asyncio.sleep(0)  # a table of bots alone must leave the loop to others between two moves
        self._silence()
        self._wake_pollers()
        self._watchers.clear()
        for alarm in (self._audience_alarm, self._retry):
            if alarm is not None:
                alarm.cancel()

    def _follow(self, answer: Done | Refused) -> None:
        try:
            if isinstance(answer, Done) and answer.after is not answer.before:
                self._tell(answer)
                self._changed(self, answer)
        except Exception:  # noqa: BLE001 - a watcher lost is no reason to lose the table
            _log.exception("table %s: telling of an event failed; its watchers will ask for it", self.table.id)
        self._go_on()

    async def _answer(self, command: Command) -> Done | Refused:
        if isinstance(command, BotPlays) and command.by == "bot":
            self._thinking.discard(command.seat)
        try:
            answer = await self._carry_out(command)
        except JournalError as error:
            answer = Refused(error.code, error.message, passing=True)
        except Exception:  # noqa: BLE001 - one command's failure must not end the table
            _log.exception("table %s: %s failed", self.table.id, type(command).__name__)
            sentence = "The server could not do that and has changed nothing; try again."
            answer = Refused(Code.INTERNAL, sentence, passing=True)
        if isinstance(answer, Refused) and (answer.passing or self._still_due(command)):
            self._hold()
        return answer

    async def _carry_out(self, command: Command) -> Done | Refused:
        before = self.table
        if self._retiring:
            gone = _gone(before)
            return Refused(gone.code, gone.message, gone.data)
        records = decide(before, command, self._now())
        if isinstance(records, Refused):
            return records
        after = reduce(evolve, records, before)
        await self._keep(records)
        self.table = after
        return Done(before, after)

    async def _keep(self, records: Sequence[AnyRecord]) -> None:
        if records:
            await self._journal.append(self.table.id, records)
            self._release()

    def _tell(self, done: Done) -> None:
        self._watchers.tell(done.before, done.after)
        self._see_to_audience()
        self._wake_pollers()

    def _see_to_audience(self) -> None:
        """Let all be told soon who looks on, if that has changed."""
        if self._audience_alarm is None and not self._stopped and self._watchers.audience(self.table) != self._audience:
            self._audience_alarm = self._later(AUDIENCE_SECONDS, self._say_audience)

    def _say_audience(self) -> None:
        self._audience_alarm = None
        audience = self._watchers.audience(self.table)
        if audience != self._audience:
            self._audience = audience
            self._watchers.say_audience(audience)
            self._audience_changed(self)

    def _wake_pollers(self) -> None:
        waited_for, self._next_event = self._next_event, self._loop.create_future()
        waited_for.set_result(None)

    def _go_on(self) -> None:
        """See to what comes next without anybody's asking: bots move, clocks run. After a failure both wait."""
        if self._retry is None:
            self._call_bots()
            self._set_alarm()

    def _still_due(self, command: Command) -> bool:
        """Check whether a bot or a clock would repeat a command at once that was just refused."""
        match command:
            case BotPlays(by="bot"):
                return command.seat in self.table.bots_due and command.nth == self.table.played[command.seat]
            case BotPlays() | WarnOfClock() | StartByItself():
                due = self._due_ms()
                return due is not None and due <= self._now()
            case _:
                return False

    def _hold(self) -> None:
        """Stop bots and clocks until the back-off is over: there is one retry, however many commands have failed."""
        if self._retry is None and not self._stopped:
            self._silence()
            self._retry = self._later(self._delay.next(), self._try_again)

    def _try_again(self) -> None:
        self._retry = None
        self._go_on()

    def _release(self) -> None:
        """Let bots and clocks go on: the journal has taken something."""
        self._delay.reset()
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    def _set_alarm(self) -> None:
        self._silence()
        due = self._due_ms()
        if due is not None and not self._stopped:
            self._alarm = self._later(max(0, due - self._now()) / 1000, self._ring)

    def _due_ms(self) -> int | None:
        """Say when something happens here by time alone: a thinking time ends, or a countdown."""
        clocks = self.table.clocks
        return self.table.next_start_ms if clocks is None else clock.next_ms(clocks)

    def _silence(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def _ring(self) -> None:
        """Let happen what is due: through the inbox, like everything else."""
        due, now = self._due_ms(), self._now()
        if due is None:
            return
        if now < due:  # it rang a moment too early
            self._set_alarm()
        elif self.table.clocks is None:
            self._post(StartByItself())
        else:
            self._see_to_clocks(self.table.clocks, now)

    def _see_to_clocks(self, clocks: clock.Clocks, now: int) -> None:
        """Warn whose time is nearly over, and call a bot for whom it is over."""
        for seat in clock.to_warn(clocks, now):
            self._post(WarnOfClock(seat=seat))
        for seat in clock.overdue(clocks, now):
            think(self.table, seat, self._post, by="clock")

    def _call_bots(self) -> None:
        for seat in self.table.bots_due:
            if seat not in self._thinking and not self._stopped:
                self._thinking.add(seat)
                think(self.table, seat, self._post)

    def _post(self, command: Command) -> asyncio.Future[Done | Refused]:
        reply: asyncio.Future[Done | Refused] = self._loop.create_future()
        self._inbox.put_nowait((command, reply))
        return reply


def shutting_down() -> ScovilleError:
    """What a request hears that comes too late."""
    return ScovilleError(Code.SHUTTING_DOWN, "The server is shutting down.")


def _gone(table: Table) -> ScovilleError:
    return ScovilleError(Code.UNKNOWN_TABLE, f"Table {table.id} has been cleared away.", {"table": table.id})
