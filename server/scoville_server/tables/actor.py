"""The actor of one table: a bounded inbox, journal before notify, bots and clocks."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial, reduce
from typing import NamedTuple

from msgspec.structs import replace

from scoville_server.background.eventual import Pending, begun, pass_on
from scoville_server.background.retry import RetryDelay
from scoville_server.clock import SYSTEM, Alarm, Clock
from scoville_server.errors import shutting_down
from scoville_server.journal.base import Journal, JournalError
from scoville_server.net.service import Peer
from scoville_server.tables.bots import think
from scoville_server.tables.inbox import Inbox
from scoville_server.tables.model import clock
from scoville_server.tables.model.audience import Watcher, barred, by_stranger
from scoville_server.tables.model.commands import AutoStart, Command, PlayForSeat, Refused, WarnOfClock
from scoville_server.tables.model.condense import shortened
from scoville_server.tables.model.decide import decide
from scoville_server.tables.model.deciding.verdict import Decision
from scoville_server.tables.model.evolve import evolve
from scoville_server.tables.model.project import IsHere
from scoville_server.tables.model.table import Table
from scoville_server.tables.watching.presence import PresenceFeed
from scoville_server.tables.watching.watchers import Watchers, seen_by
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import PresenceNotice, SpectatorsNotice, TableInfo, TableSnapshot

_log = logging.getLogger(__name__)

AUDIENCE_SECONDS = 0.5
"""Delay of notices about spectators, in seconds: arrivals and departures within it share one notice."""


class Done(NamedTuple):
    """A command was carried out: the table before and after it."""

    before: Table
    after: Table


Answered = Callable[[Done | Refused], object]
"""Callback for the answer to a command."""


class _Job(NamedTuple):
    command: Command
    answered: Answered


Changed = Callable[["TableActor", Done], None]
"""Callback for every change, after the watchers were notified."""

AudienceChanged = Callable[["TableActor"], None]
"""Callback for a change among the spectators."""


class TableActor:
    """The only place where a table changes. Users, bots and timers all send commands.

    Records are in the `journal` before anybody is notified. `changed` and `audience_changed` are called when watchers
    have been notified; `inbox` bounds the waiting commands; `now` returns wall milliseconds that never run backwards.
    """

    def __init__(
        self,
        table: Table,
        journal: Journal,
        *,
        is_here: IsHere,
        changed: Changed,
        inbox: int,
        now: Callable[[], int] | None = None,
        clock: Clock = SYSTEM,
        audience_changed: AudienceChanged = lambda _: None,
        delay: RetryDelay | None = None,
    ) -> None:
        self.table = table
        self._journal = journal
        self._is_here = is_here
        self._changed = changed
        self._now = now or clock.steady()
        self._watchers = Watchers()
        self._audience_changed = audience_changed
        self._audience = SpectatorsNotice(table=table.id, spectators=[])
        self._audience_alarm: Alarm | None = None
        self._thinking: set[Seat] = set()
        self._alarm: Alarm | None = None
        self._delay = delay or RetryDelay()
        self._retry: Alarm | None = None
        self._stopped = False
        self.holds_start = False  # set while the server drains: no countdown starts a game
        self._retiring = False
        self._loop = asyncio.get_running_loop()
        self._clock = clock
        self._presence = PresenceFeed(self._tell_presence, clock.call_later)
        self._next_event: asyncio.Future[None] | None = None
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._loop.call_soon(self._go_on)
        self._inbox: Inbox[_Job] = Inbox(inbox, self._begin, self._loop.call_soon, self._end)

    # --- requests --------------------------------------------------------------------------------------

    def now(self) -> int:
        """Return the table's time: milliseconds since 1970 that advance evenly while the server runs."""
        return self._now()

    def ask(self, command: Command) -> asyncio.Future[Done | Refused]:
        """Put a command into the inbox and return its answer as a future; it is carried out even if nobody awaits that.

        Raises ScovilleError `busy` if the inbox is full, `unknown_table` if the table was removed, and
        `shutting_down`.
        """
        self._check_open(command)
        reply: asyncio.Future[Done | Refused] = self._loop.create_future()
        self._inbox.put(_Job(command, partial(pass_on, reply)))
        return reply

    def submit(self, command: Command, answered: Answered) -> None:
        """Carry out a command as soon as possible: in this turn of the loop if the table is idle. Raises like `ask`.

        `answered` is called in the turn in which the journal has stored the command's records, after the watchers
        have been notified. If the table is idle, a refusal arrives before this method returns.
        """
        self._check_open(command)
        self._inbox.put(_Job(command, answered), at_once=True)

    async def do(self, command: Command) -> Done:
        """Carry out a command and return the change. Raises ScovilleError if it is refused."""
        answer = await self.ask(command)
        if isinstance(answer, Refused):
            raise answer.error()
        return answer

    def watch(self, peer: Peer, watcher: Watcher, since: int) -> TableSnapshot:
        """Send all later events to `peer`, and return those after `since`, so that none is missed."""
        self._watchers.add(peer, watcher)
        self._see_to_audience()
        return self.snapshot(watcher, since)

    def unwatch(self, peer: Peer) -> None:
        """Stop sending events to `peer`."""
        self._watchers.remove(peer)
        self._see_to_audience()

    async def poll(self, watcher: Watcher, since: int, wait_ms: int) -> TableSnapshot:
        """Return a snapshot as soon as there is an event after `since` for this watcher, or after `wait_ms`.

        Raises ScovilleError if the watcher may no longer watch by then.
        """
        with self._clock.deadline(wait_ms / 1000) as over:
            while seen_by(self.table, watcher).seq <= since and not self._stopped and not over.done() and wait_ms > 0:
                if self._next_event is None:
                    self._next_event = self._loop.create_future()
                await asyncio.wait((self._next_event, over), return_when=asyncio.FIRST_COMPLETED)
                if (no := barred(self.table, watcher)) is not None:
                    raise no.error()
        return self.snapshot(watcher, since)

    def snapshot(self, watcher: Watcher, since: int) -> TableSnapshot:
        """Return a snapshot of the table for a watcher who knows the events up to `since`."""
        return self._watchers.snapshot(self.table, watcher, since, self._is_here, self._now())

    def info(self, reader: UserId | None = None) -> TableInfo:
        """Describe the table as the lobby shows it to `reader`, or to any user for None."""
        return self._watchers.info(self.table, self._is_here, self._now(), reader)

    def listed(self, user: UserId) -> TableInfo:
        """Describe the table as the list of tables shows it to a user."""
        seat = self.table.place_of(user)
        if seat is None:
            return self.info(user)
        return replace(self.info(user), yours=seat, your_turn=seat in self.table.pending)

    def hearing(self) -> list[UserId]:
        """List the recipients of the table's chat: players and watchers, each once."""
        seated = [chair.user for chair in self.table.chairs if chair.human and chair.user is not None]
        return [*dict.fromkeys([*seated, *self._watchers.people])]

    def watcher(self, peer: Peer) -> Watcher | None:
        """Return the watcher of a connection, or None."""
        return self._watchers.at(peer)

    def presence(self, user: UserId, connected: bool) -> None:
        """Notify the watchers that a player connected or disconnected."""
        self._presence.changed(user, connected)

    def _tell_presence(self, user: UserId, connected: bool) -> None:
        if (seat := self.table.seat_of(user)) is not None:
            self._watchers.say(self.table, PresenceNotice(table=self.table.id, seat=seat, connected=connected))

    def stop(self, *, retire: bool = False) -> None:
        """Accept no more commands, and end when those in the inbox are answered; `retire` removes the table.

        A retiring table refuses them: a player who joined now would sit at a table that nobody can find.
        """
        if not self._stopped:
            self._stopped, self._retiring = True, retire
            self._inbox.close()

    async def ended(self) -> None:
        """Wait until a stopped actor has ended."""
        await self._over

    # --- inner work ------------------------------------------------------------------------------------

    def _check_open(self, command: Command) -> None:
        if self._stopped:
            raise _gone(self.table) if self._retiring else shutting_down()
        if self._inbox.full or (self._inbox.nearly_full and by_stranger(self.table, command)):
            raise ScovilleError(Code.BUSY, "This table has more to do than it can; try again in a moment.")

    def _begin(self, job: _Job) -> None:
        """Decide a command and append its records; `_finish` follows, now or when the journal has stored them.

        The table has no Task of its own: a move would wait for three more turns of the loop.
        """
        command = job.command
        if isinstance(command, PlayForSeat) and command.by == "bot":
            self._thinking.discard(command.seat)
        try:
            records = self._decided(command)
            if not isinstance(records, Refused) and records:
                records, after = shortened(records, reduce(evolve, records, self.table), self._now())
                kept = begun(self._journal.append(self.table.id, records))
        except Exception as error:  # noqa: BLE001 - one command's failure must not end the table
            self._finish(job, self._failure(command, error))
            return
        if isinstance(records, Refused):
            self._finish(job, records)
        elif records:
            kept.add_done_callback(partial(self._kept, job, after))
        else:
            self._finish(job, Done(self.table, self.table))

    def _decided(self, command: Command) -> Decision:
        if self._retiring:
            gone = _gone(self.table)
            return Refused(gone.code, gone.message, gone.data)
        return decide(self.table, command, self._now())

    def _kept(self, job: _Job, after: Table, kept: Pending[None]) -> None:
        try:
            kept.result()
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - see `_begin`
            self._finish(job, self._failure(job.command, error))
        else:
            self._release()
            done = Done(self.table, after)
            self.table = after
            self._finish(job, done)

    def _failure(self, command: Command, error: BaseException) -> Refused:
        if isinstance(error, JournalError):
            return Refused(error.code, error.message, passing=True)
        _log.error("table %s: %s failed", self.table.id, type(command).__name__, exc_info=error)
        sentence = "The server could not do that and has changed nothing; try again."
        return Refused(Code.INTERNAL, sentence, passing=True)

    def _finish(self, job: _Job, answer: Done | Refused) -> None:
        """Notify the watchers, answer, and let the next command begin; a fault in one step does not stop the next."""
        if isinstance(answer, Refused) and (answer.passing or self._still_due(job.command)):
            self._hold()
        steps: list[Callable[[], object]] = [self._go_on, partial(job.answered, answer)]
        if isinstance(answer, Done) and answer.after is not answer.before:
            steps.insert(0, partial(self._tell, answer))
        for step in steps:
            try:
                step()
            except Exception:  # noqa: BLE001 - a watcher lost is no reason to lose the table
                _log.exception("table %s: %s had consequences that failed", self.table.id, type(job.command).__name__)
        self._inbox.done()

    def _end(self) -> None:
        self._silence()
        self._wake_pollers()
        self._watchers.clear()
        self._presence.close()
        for alarm in (self._audience_alarm, self._retry):
            if alarm is not None:
                alarm.cancel()
        self._over.set_result(None)

    def _tell(self, done: Done) -> None:
        self._watchers.tell(done.before, done.after)
        self._see_to_audience()
        self._wake_pollers()
        self._changed(self, done)

    def _see_to_audience(self) -> None:
        if self._audience_alarm is None and not self._stopped and self._watchers.audience(self.table) != self._audience:
            self._audience_alarm = self._clock.call_later(AUDIENCE_SECONDS, self._say_audience)

    def _say_audience(self) -> None:
        self._audience_alarm = None
        audience = self._watchers.audience(self.table)
        if audience != self._audience:
            self._audience = audience
            self._watchers.say_audience(audience)
            self._audience_changed(self)

    def _wake_pollers(self) -> None:
        if self._next_event is not None:
            self._next_event.set_result(None)
            self._next_event = None

    def _go_on(self) -> None:
        """Let bots move and clocks run. After a failure both wait for the back-off."""
        if self._retry is None:
            self._call_bots()
            self._set_alarm()

    def _still_due(self, command: Command) -> bool:
        """Whether a bot or a clock would repeat a refused command at once."""
        match command:
            case PlayForSeat(by="bot"):
                return command.seat in self.table.bots_due and command.nth == self.table.played[command.seat]
            case PlayForSeat() | WarnOfClock() | AutoStart():
                due = self._due_ms()
                return due is not None and due <= self._now()
            case _:
                return False

    def _hold(self) -> None:
        """Stop bots and clocks until the back-off is over; however many commands failed, there is one retry."""
        if self._retry is None and not self._stopped:
            self._silence()
            self._retry = self._clock.call_later(self._delay.next(), self._try_again)

    def _try_again(self) -> None:
        self._retry = None
        self._go_on()

    def _release(self) -> None:
        """Let bots and clocks run again: the journal works."""
        self._delay.reset()
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    def _set_alarm(self) -> None:
        self._silence()
        if (due := self._due_ms()) is not None and not self._stopped:
            self._alarm = self._clock.call_later(max(0, due - self._now()) / 1000, self._ring)

    def _due_ms(self) -> int | None:
        """Return the time of the next timeout, warning or automatic start (milliseconds since 1970)."""
        if (clocks := self.table.clocks) is not None:
            return clock.next_ms(clocks)
        return None if self.holds_start else self.table.next_start_ms

    def _silence(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def _ring(self) -> None:
        """Send the commands that are due by time through the inbox."""
        due, now = self._due_ms(), self._now()
        if due is None:
            return
        if now < due:  # the timer fired slightly early
            self._set_alarm()
        elif self.table.clocks is None:
            self._post(AutoStart())
        else:
            self._see_to_clocks(self.table.clocks, now)

    def _see_to_clocks(self, clocks: clock.Clocks, now: int) -> None:
        """Warn players whose time is nearly over, and let a bot move for those whose time is over."""
        for seat in clock.to_warn(clocks, now):
            self._post(WarnOfClock(seat=seat))
        for seat in clock.overdue(clocks, now):
            think(self.table, seat, self._post, by="clock")

    def _call_bots(self) -> None:
        for seat in self.table.bots_due:
            if seat not in self._thinking and not self._stopped:
                self._thinking.add(seat)
                think(self.table, seat, self._post)

    def _post(self, command: Command) -> None:
        self._inbox.put(_Job(command, _nobody))


def _nobody(_: Done | Refused) -> None:
    pass


def _gone(table: Table) -> ScovilleError:
    return ScovilleError(Code.UNKNOWN_TABLE, f"Table {table.id} has been cleared away.", {"table": table.id})
