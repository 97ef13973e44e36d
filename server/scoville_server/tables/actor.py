"""The actor of one table: a bounded inbox, and journal before notify."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.background.eventual import Pending, pass_on
from scoville_server.background.retry import retry_delay
from scoville_server.errors import shutting_down
from scoville_server.journal.base import START, Journal, JournalError, Mark
from scoville_server.net.service import Peer
from scoville_server.tables.actions.action import Command, Refused, granted
from scoville_server.tables.actions.close import Close
from scoville_server.tables.automation import Automation
from scoville_server.tables.bots import Ask, no_answer
from scoville_server.tables.inbox import Inbox
from scoville_server.tables.model.table import Table
from scoville_server.tables.outside_games import GameFailed
from scoville_server.tables.record_log import Read, RecordLog
from scoville_server.tables.state_machine import Decided, condense_if_long, decide, fold
from scoville_server.tables.watching.audience import Watcher
from scoville_server.tables.watching.project import IsHere, legal_moves
from scoville_server.tables.watching.watched_table import WatchedTable
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import LookBackReply, TableSnapshot
from scoville_shared.values import Plain

_log = logging.getLogger(__name__)


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


class TableActor(WatchedTable):
    """The only place where a table changes. Users, bots and timers all send commands.

    Records are in the journal before anybody is notified.

    Args:
        table: The table as its records make it.
        journal: Where its further records are kept.
        mark: The mark of its newest record: the journal refuses an append if another writer has added one.
        is_here: Whether a user is connected.
        changed: Called for every change, after the watchers were notified.
        inbox: Most commands that wait.
        now: Wall milliseconds since 1970 that never run backwards.
        clock: Sets timers.
        audience_changed: Called for a change among the spectators, after the watchers were notified.
        delay: The waits after failures.
        ask: Has the questions of searching bots answered.
    """

    def __init__(
        self,
        table: Table,
        journal: Journal,
        mark: Mark = START,
        *,
        is_here: IsHere,
        changed: Changed,
        inbox: int,
        now: Callable[[], int] | None = None,
        clock: Clock = SYSTEM,
        audience_changed: AudienceChanged = lambda _: None,
        delay: BackOff | None = None,
        ask: Ask = no_answer,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        now = now or clock.steady()
        super().__init__(table, is_here=is_here, now=now, clock=clock)
        self._records = RecordLog(journal, table.id, mark)
        self._changed = changed
        self._call_audience_changed = audience_changed
        self._automation = Automation(
            lambda: self.table, self._post, now, clock.call_later, delay or retry_delay(clock.chance), ask
        )
        self._retiring = self._closing_endless = False
        self._over: asyncio.Future[None] = self._loop.create_future()
        # Not at once: a restored table is registered first, or a bot's move would reach observers that do not know it.
        self._loop.call_soon(self._automation.proceed)
        self._inbox: Inbox[_Job] = Inbox(inbox, self._begin, self._loop.call_soon, self._end)

    @property
    def mark(self) -> Mark:
        """The mark of the table's newest record in the journal."""
        return self._records.mark

    # --- requests --------------------------------------------------------------------------------------

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
        return granted(await self.ask(command))

    def snapshot(self, watcher: Watcher, since: int) -> TableSnapshot:
        """Return a snapshot. Raises GameFailed, which closes the table if its game did not end."""
        with self._closing_if_endless():
            return super().snapshot(watcher, since)

    def look_back(self, peer: Peer, since: int) -> LookBackReply | None:
        with self._closing_if_endless():
            return super().look_back(peer, since)

    def legal_moves(self, seat: Seat) -> list[Plain]:
        """List the legal moves of a seat. Raises GameFailed."""
        with self._closing_if_endless():
            return legal_moves(self.table, seat)

    def hold_start(self) -> None:
        """Start no game by a countdown any more: the server drains."""
        self._automation.hold_start()

    def stop(self, *, retire: bool = False) -> None:
        """Accept no more commands, and end when those in the inbox are answered; `retire` removes the table.

        A retiring table refuses them: a player who joined now would sit at a table that nobody can find.
        """
        if not self._stopped:
            self._stopped, self._retiring = True, retire
            self._automation.stop()
            self._inbox.close()

    async def ended(self) -> None:
        """Wait until a stopped actor has ended."""
        await self._over

    # --- inner work ------------------------------------------------------------------------------------

    def _check_open(self, command: Command) -> None:
        if self._stopped:
            raise _gone(self.table) if self._retiring else shutting_down()
        if self._inbox.full or (self._inbox.nearly_full and _comes_from_stranger(self.table, command)):
            raise ScovilleError(Code.BUSY, "This table is overloaded; try again in a moment.")

    def _post(self, command: Command) -> None:
        self._inbox.put(_Job(command, _nobody))

    def _begin(self, job: _Job) -> None:
        """Decide a command and append its records; `_finish` follows, now or when the journal has stored them.

        The table has no Task of its own: a move would wait for three more turns of the loop.
        """
        # The journal may hold records that this table lacks, and `decide` would judge a state that is no longer true.
        if self._records.doubtful:
            self._records.read().add_done_callback(partial(self._read_back, job))
            return
        command = job.command
        self._automation.begun(command)
        try:
            decision = self._decide(command)
            if isinstance(decision, Decided) and decision.records:
                # Applied before the append: a record that cannot be applied must never reach the disk.
                records, after = condense_if_long(decision, self.now())
                kept = self._records.append(records)
        except Exception as error:  # noqa: BLE001 - one command's failure must not end the table
            self._finish(job, _failure(self.table, command, error))
            self._close_if_endless(error)
            return
        if isinstance(decision, Refused):
            self._finish(job, decision)
        elif decision.records:
            kept.add_done_callback(partial(self._kept, job, after))
        else:
            self._finish(job, Done(self.table, self.table))

    def _decide(self, command: Command) -> Decided | Refused:
        if self._retiring:
            # Again at its turn: it may have waited in the inbox while the table was removed.
            gone = _gone(self.table)
            return Refused(gone.code, gone.message, gone.data)
        return decide(self.table, command, self.now())

    def _kept(self, job: _Job, after: Table, kept: Pending[Mark]) -> None:
        try:
            self._records.appended(kept)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - see `_begin`
            self._finish(job, _failure(self.table, job.command, error))
        else:
            self._automation.release()
            done = Done(self.table, after)
            self.table = after
            self._finish(job, done)

    def _read_back(self, job: _Job, found: Pending[Read]) -> None:
        """Bring the table up to date after a write whose result is unknown, then begin the command that waited."""
        try:
            records = self._records.added(found)
            after = fold(records, lambda _: self.table.game) if records is not None else self.table
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - see `_begin`
            self._finish(job, _failure(self.table, job.command, error))
            return
        self._records.caught_up(found)
        done = Done(self.table, after)
        self.table = after
        if records is not None:
            _log.warning("table %s: a write with an unknown result was saved; continuing after it", after.id)
            try:
                self._notify(done)
            except Exception:  # noqa: BLE001 - see `_finish`
                _log.exception("table %s: what was read back had consequences that failed", after.id)
        self._begin(job)

    def _finish(self, job: _Job, answer: Done | Refused) -> None:
        """Notify the watchers, answer, and let the next command begin; a fault in one step does not stop the next."""
        # Else a bot would repeat the refused move in each turn of the loop, as long as the disk is full.
        if isinstance(answer, Refused) and (answer.passing or self._automation.still_due(job.command)):
            self._automation.hold()
        # Watchers first, then bots and timers, then the answer: no reply overtakes the event that it causes.
        steps: list[Callable[[], object]] = [self._automation.proceed, partial(job.answered, answer)]
        if isinstance(answer, Done) and answer.after is not answer.before:
            steps.insert(0, partial(self._notify, answer))
        for step in steps:
            try:
                step()
            except Exception as error:  # noqa: BLE001 - a watcher lost is no reason to lose the table
                _log.exception("table %s: %s had consequences that failed", self.table.id, type(job.command).__name__)
                self._close_if_endless(error)
        self._inbox.done()

    @contextmanager
    def _closing_if_endless(self) -> Iterator[None]:
        try:
            yield
        except GameFailed as error:
            _log.error("table %s: %s", self.table.id, error)  # the client is sent no reason
            self._close_if_endless(error)
            raise

    def _close_if_endless(self, error: BaseException) -> None:
        """Close the table when a call of its game did not end: the next one would hold up every other table, too."""
        if isinstance(error, GameFailed) and error.timed_out and not self._closing_endless:
            self._closing_endless = True
            self._post(Close(reason=f"The game {error.slug} did not answer, so the table was closed."))

    def _notify(self, done: Done) -> None:
        self._publish(done.before, done.after)
        self._changed(self, done)

    def _audience_changed(self) -> None:
        self._call_audience_changed(self)

    def _end(self) -> None:
        """End, and leave no reference cycle behind: the garbage collector hardly ever looks at old objects."""
        self._automation.close()
        self._close()
        self._over.set_result(None)


def _comes_from_stranger(table: Table, command: Command) -> bool:
    """Whether a command comes from a user without a seat at the table."""
    user = getattr(command, "user", None)
    return user is not None and table.owned_seat(user) is None


def _nobody(_: Done | Refused) -> None:
    pass


def _failure(table: Table, command: Command, error: BaseException) -> Refused:
    if isinstance(error, JournalError):
        return Refused(error.code, error.message, passing=True)
    _log.error("table %s: %s failed", table.id, type(command).__name__, exc_info=error)
    sentence = "The server failed at that and has changed nothing; try again."
    return Refused(Code.INTERNAL, sentence, passing=True)


def _gone(table: Table) -> ScovilleError:
    return ScovilleError(Code.UNKNOWN_TABLE, f"Table {table.id} has been closed.", {"table": table.id})
