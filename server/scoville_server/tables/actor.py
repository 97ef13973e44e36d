"""The actor of one table: a bounded inbox, and journal before notify."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from scoville_outside.guard import GameFailed
from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import Clock
from scoville_server.background.eventual import Pending, pass_on, start_awaitable
from scoville_server.background.shared_reads import SharedReads
from scoville_server.errors import make_goodbye, shutting_down, table_awaits_adoption, table_moved
from scoville_server.journal.base import Fenced, Journal, JournalError, Mark
from scoville_server.nodes.members import Incarnation
from scoville_server.tables.actions.play import PlayForSeat
from scoville_server.tables.actions.restart import CatchUp, Restart
from scoville_server.tables.automation import Automation, close_after, close_without_fallback
from scoville_server.tables.bots import Ask, no_answer
from scoville_server.tables.hold import HeldTable, Hold, SendOn
from scoville_server.tables.model.action import Command, Refused, require_granted
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import (
    Decided,
    condense_if_long,
    decide,
    pack_record,
    replaces_all,
    restore_table,
    unpack_record,
)
from scoville_server.tables.watching.project import IsHere
from scoville_server.tables.watching.watched_table import WatchedTable
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId

J = TypeVar("J")


class Inbox(Generic[J]):
    """Runs jobs one after the other. Each job calls `end_job` at its end.

    At its own end the inbox drops its callbacks: they refer to its owner, and a cycle would keep that in memory.

    Args:
        limit: Most jobs, the running one included, before the inbox counts as full.
        begin: Begins a job; may call `end_job` before it returns.
        soon: Calls a function in the next turn of the event loop.
        ended: Called once, when the inbox is closed and empty.
    """

    def __init__(
        self,
        limit: int,
        begin: Callable[[J], None],
        soon: Callable[[Callable[[], None]], object],
        ended: Callable[[], None],
    ) -> None:
        self._limit = limit
        self._begin = begin
        self._soon = soon
        self._ended = ended
        self._jobs: deque[J] = deque()
        self._working = False
        self._woken = False
        self._closed = False
        self._begin_soon()

    @property
    def is_full(self) -> bool:
        return len(self._jobs) + self._working >= self._limit

    @property
    def is_nearly_full(self) -> bool:
        """Whether only players may put jobs: the last eighth is reserved for them."""
        return len(self._jobs) + self._working >= self._limit - self._limit // 8

    def put_job(self, job: J, *, at_once: bool = False) -> None:
        """Add a job; a closed inbox drops it.

        It begins in a later turn of the loop, so that a table of bots alone lets others run between two moves;
        `at_once` begins it now if no job is running.
        """
        if self._closed:
            return
        # Nothing may overtake: with a wake-up due there are jobs that came first.
        if at_once and not self._working and not self._woken:
            self._begin_job(job)
        else:
            self._jobs.append(job)
            self._begin_soon()

    def end_job(self) -> None:
        """End the running job; the next one begins in a later turn of the loop."""
        self._working = False
        if self._jobs or self._closed:
            self._begin_soon()

    def close(self) -> None:
        """Accept no more jobs; `ended` is called when the waiting ones are done."""
        # Called once: a table that was removed may then be found to have moved, and its inbox has ended by then.
        if not self._closed:
            self._closed = True
            self._begin_soon()

    def _begin_soon(self) -> None:
        if not self._working and not self._woken:
            self._woken = True
            self._soon(self._begin_next)

    def _begin_next(self) -> None:
        self._woken = False
        if self._jobs:
            self._begin_job(self._jobs.popleft())
        elif self._closed:
            ended = self._ended
            # Both know the actor, and the cycle would keep the closed table in memory.
            del self._begin, self._ended
            ended()

    def _begin_job(self, job: J) -> None:
        self._working = True
        self._begin(job)


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


class TableRuntime(NamedTuple):
    """The services that the actors of all tables share.

    Attributes:
        clock: The source of each table's time.
        new_back_off: Returns the waits after failures in a row.
        inbox: Most commands that wait at one table.
        is_here: Whether a user is connected.
        ask: Has the questions of searching bots answered.
        find_owner: Returns as whom this node adopts tables; None for a server alone.
    """

    clock: Clock
    new_back_off: Callable[[], BackOff]
    inbox: int
    is_here: IsHere
    ask: Ask = no_answer
    find_owner: Callable[[], Incarnation | None] = lambda: None


class ActorObservers(Protocol):
    """Follow the changes of a table, after its watchers were notified."""

    def notify_changed(self, actor: "TableActor", done: Done) -> None:
        """A command has changed the table."""

    def notify_presence(self, actor: "TableActor") -> None:
        """The spectators of the table have changed."""


_QUICK_MS: Final = 20
"""So much time may pass until a change is kept: else times of records would fall behind the date with each move."""


class SteadyTime:
    """Milliseconds since 1970 for thinking time: the wall time at first, then they advance evenly.

    Args:
        clock: The clock.
        not_before_ms: The earliest first time: a table's time never goes back, even when the system's clock was set
            back while the server was down.
        goes_on: Whether that is the first time, since another node has counted up to it: its clock may be another one.
    """

    def __init__(self, clock: Clock, not_before_ms: int = 0, *, goes_on: bool = False) -> None:
        self._seconds = clock.seconds
        self._begun = clock.seconds()
        self._begun_ms = not_before_ms if goes_on else max(clock.date_ms(), not_before_ms)

    def now_ms(self) -> int:
        return self._begun_ms + int((self._seconds() - self._begun) * 1000)

    def move_on(self, at_ms: int) -> None:
        """Continue from a time, if that is later."""
        self._begun_ms += max(0, at_ms - self.now_ms())

    def leave_out_unseen(self, at_ms: int) -> None:
        """Let no time have passed since what was decided at `at_ms`: until a slow journal has kept it nobody saw it."""
        unseen = self.now_ms() - at_ms
        self._begun_ms -= 0 if 0 <= unseen <= _QUICK_MS else unseen


Read = tuple[list[bytes], Mark]
"""All packed records of a table, and the mark of the newest."""


class RecordLog:
    """Appends the records of one `table`, fenced by a mark.

    Attributes:
        mark: The mark of the newest record: the journal refuses an append if another writer has added one.
        doubtful: Whether the journal may have kept records that the table lacks: they must be read back.
        missed: Whether they may be those of another node, which has seen this one hang: nobody is shown the table until
            they were read. After an append of an unknown outcome it is shown all the same, as long as the journal is
            silent.
    """

    __slots__ = ("_journal", "_table", "doubtful", "mark", "missed")

    def __init__(self, journal: Journal, table: TableId, mark: Mark) -> None:
        self._journal = journal
        self._table = table
        self.mark = mark
        self.doubtful = self.missed = False

    def begin_doubting(self) -> None:
        """Doubt what the table is: others may have missed this node, and have adopted it."""
        self.doubtful = self.missed = True

    def append_records(self, records: Sequence[Record]) -> Pending[Mark]:
        """Append records; `adopt_append` takes the result. Raises the errors of packing and of the journal."""
        packed, afresh = [pack_record(record) for record in records], replaces_all(records)
        return start_awaitable(self._journal.append(self._table, packed, self.mark, afresh=afresh))

    def adopt_append(self, kept: Pending[Mark]) -> None:
        """Adopt the result of an append. Raises its error, after which the log may be doubtful."""
        try:
            self.mark = kept.result()
        except BaseException as error:
            # Other errors are certain: nothing was written, and the next append may use the same mark.
            if isinstance(error, Fenced) or getattr(error, "code", "") == Code.OUTCOME_UNKNOWN:
                self.doubtful = True
            raise

    def read_records(self) -> Pending[Read]:
        """Read all records after a doubtful append; `list_added` takes the result."""
        return start_awaitable(self._journal.read(self._table))

    def list_added(self, found: Pending[Read]) -> list[Record] | None:
        """Return all records if the journal has more than the table, else None. Raises the error of `read_records`."""
        packed, mark = found.result()
        # Marks name contents, so equal ones say that nothing was added without reading it.
        return [unpack_record(record) for record in packed] if mark != self.mark else None

    def adopt_read(self, found: Pending[Read]) -> None:
        """Take the mark of a read over: the table has the journal's records again."""
        _, self.mark = found.result()
        self.doubtful = self.missed = False


class TableActor:
    """The only place where a table changes. Users, bots and timers all send commands.

    Of several nodes one owns the table: the one that has adopted it last. The actor does nothing before its own
    adoption is kept, and ends when it finds a later one: what waits is refused with `moved`, and its watchers are sent
    on to the other node. Nothing else may end it: a write that was refused alone does not say who is right.

    Records are in the journal before anybody is notified. `watched` is the table as others see it, and `now` its time
    in milliseconds since 1970, never before its last record. After `begin_doubting` it is read before it is shown.

    Args:
        table: The table as its records make it.
        log: Where its further records are kept.
        runtime: The runtime of all actors.
        observers: Are notified of every change.
        note_moved: Is called once another node has adopted the table, with whether it has removed it by now.
        time: Its time, if another node has served it until then.
    """

    def __init__(
        self,
        table: Table,
        log: RecordLog,
        runtime: TableRuntime,
        observers: ActorObservers,
        note_moved: Callable[["TableActor", bool], None],
        time: SteadyTime | None = None,
    ) -> None:
        self._loop, clock = asyncio.get_running_loop(), runtime.clock
        self._time = time or SteadyTime(clock, table.latest_ms)
        # Not a method of the actor: its holder would hold the actor, in a cycle that outlives the table.
        self.now = self._time.now_ms
        self.watched = WatchedTable(table, runtime.is_here, self.now, clock.call_later, self)
        self._records, self._observers, self._note_moved = log, observers, note_moved
        self.begin_doubting = log.begin_doubting
        self._automation = Automation(
            lambda: self.table, self._post_command, self.now, clock.call_later, runtime.new_back_off, runtime.ask
        )
        self._me, self._shared_reads = runtime.find_owner(), SharedReads(clock)
        self.watched.awaits_adoption = not self._is_mine(table)
        self._stopped = self._retiring = self._moved = self._closing_failed = False
        self._over: asyncio.Future[None] = self._loop.create_future()
        # Not at once: a restored table is registered first, or a bot's move would reach observers that do not know it.
        self._loop.call_soon(self._automation.send_due_commands)
        self._inbox: Inbox[_Job] = Inbox(runtime.inbox, self._begin_job, self._loop.call_soon, self._end_actor)

    @property
    def table(self) -> Table:
        return self.watched.table

    @property
    def mark(self) -> Mark:
        return self._records.mark

    def queue_command(self, command: Command) -> asyncio.Future[Done | Refused]:
        """Put a command into the inbox and return its answer as a future; it is carried out even if nobody awaits that.

        Raises ScovilleError `busy` if the inbox is full, `unknown_table` if the table was removed, `moved` if another
        node has it, and `shutting_down`.
        """
        self._check_open(command)
        reply: asyncio.Future[Done | Refused] = self._loop.create_future()
        self._inbox.put_job(_Job(command, partial(pass_on, reply)))
        return reply

    def submit_command(self, command: Command, answered: Answered) -> None:
        """Carry out a command as soon as possible: in this turn of the loop if the table is idle.

        Raises as `queue_command` does. `answered` is called in the turn in which the journal has stored the command's
        records, after the watchers have been notified. If the table is idle, a refusal arrives before this returns.
        """
        self._check_open(command)
        self._inbox.put_job(_Job(command, answered), at_once=True)

    async def carry_out(self, command: Command) -> Done:
        """Carry out a command and return the change. Raises ScovilleError if it is refused."""
        return require_granted(await self.queue_command(command))

    def is_behind(self, since: int = 0) -> bool:
        """Whether another node may have adopted the table: this one was missed, or a user knows later events."""
        return self._me is not None and (self._records.missed or since > self.table.seq)

    async def catch_up(self) -> None:
        """Read the table back for a user who claims to know more of it.

        Raises ScovilleError `moved`, and `busy` when it cannot be read: what this node has may be old.
        """
        await self._shared_reads.share_read(self._read_for_users)

    async def wait_for_adoption(self) -> None:
        """Wait until this node's adoption of the table is kept. Raises ScovilleError, `busy` if it cannot be kept."""
        # Behind the adoption, which is the first command of all.
        await self.carry_out(CatchUp())

    async def _read_for_users(self) -> None:
        self._records.doubtful = True
        try:
            await self.carry_out(CatchUp())
        except ScovilleError as error:
            raise error if error.code in (Code.MOVED, Code.UNKNOWN_TABLE) else table_awaits_adoption() from error

    def hold_start(self) -> None:
        """Stop starting games by countdown: the server drains."""
        self._automation.hold_start()

    def stop_accepting(self, *, retire: bool = False) -> None:
        """Accept no more commands, and end when those in the inbox are answered; `retire` removes the table.

        A retiring table refuses them: a player who joined now would sit at a table that nobody can find.
        """
        if not self._stopped:
            self._stopped, self._retiring = True, retire
            self.watched.stop_reporting()
            self._automation.stop_sending()
            self._inbox.close()

    def end_moved(self, *, removed: bool = False, send_on: SendOn | None = None) -> None:
        """End, since another node owns the table, or has `removed` it: refuse what waits, and send the watchers on."""
        if self._moved:
            return
        self._stopped = self._moved = True
        self._automation.stop_sending()
        self._inbox.close()
        # Before what waits is refused: its users ask the other node then, after what lets them watch there.
        self.watched.send_watchers_on(make_goodbye(table_moved(self.table.id)), send_on)
        self._note_moved(self, removed)

    async def wait_for_end(self) -> None:
        await self._over

    def _check_open(self, command: Command) -> None:
        if self._moved:
            raise table_moved(self.table.id)
        if self._stopped:
            raise _unknown_table(self.table) if self._retiring else shutting_down()
        if self._inbox.is_full or (self._inbox.is_nearly_full and _comes_from_stranger(self.table, command)):
            raise ScovilleError(Code.BUSY, "This table is overloaded; try again in a moment.")

    def _post_command(self, command: Command) -> None:
        self._inbox.put_job(_Job(command, _ignore_answer))

    def _begin_job(self, job: _Job) -> None:
        """Decide a command and append its records; `_finish_job` follows, now or when the journal has stored them."""
        # The table has no Task of its own: a move would wait for three more turns of the loop.
        # The journal may hold records that this table lacks, and `decide` would judge a state that is no longer true.
        if self._records.doubtful and not self._moved:
            self._records.read_records().add_done_callback(partial(self._read_back, job))
            return
        # A starting node may have read no more than a copy from before an adoption.
        if self._is_deposed(self.table):
            self.end_moved()
        command = job.command
        if isinstance(command, Hold) and not (self._moved or self._retiring):
            command.begin(HeldTable(self.mark, self.now(), partial(self._end_hold, job)))
            return
        self._automation.note_begun(command)
        try:
            decision = self._decide_command(command)
            if isinstance(decision, Decided) and decision.records:
                # Applied before the append: a record that cannot be applied must never reach the disk.
                records, after = condense_if_long(decision, self.now())
                kept = self._records.append_records(records)
        except Exception as error:  # noqa: BLE001 - one command's failure must not end the table
            self._finish_job(job, _refuse_after(self.table, command, error))
            self._close_if_failed(error, alone=getattr(command, "user", None) is None)
            return
        if isinstance(decision, Refused):
            self._finish_job(job, decision)
        elif decision.records:
            kept.add_done_callback(partial(self._adopt_result, job, after))
        else:
            self._finish_job(job, Done(self.table, self.table))

    def _end_hold(self, job: _Job, send_on: SendOn | None, in_doubt: bool) -> None:
        self._records.doubtful = in_doubt
        if send_on is not None:
            self.end_moved(send_on=send_on)
        self._finish_job(job, Done(self.table, self.table))

    def _decide_command(self, command: Command) -> Decided | Refused:
        # Both again at its turn: it may have waited in the inbox while the table was removed, or moved.
        if self._moved:
            return _make_refusal(table_moved(self.table.id))
        if self._retiring:
            return _make_refusal(_unknown_table(self.table))
        if not self._is_mine(self.table) and not isinstance(command, Restart):
            # A command before the adoption would be written in the name of the former owner.
            return _make_refusal(table_awaits_adoption(), passing=True)
        return decide(self.table, command, self.now())

    def _is_mine(self, table: Table) -> bool:
        return self._me is None or table.owner == self._me

    def _is_deposed(self, found: Table) -> bool:
        """Whether a table that was read back has been adopted by a later owner than this node."""
        owner, me = found.owner, self._me
        if me is None or owner is None or owner == me:
            return False
        # In one epoch a table goes from node to node: this one takes it over from the owner that it had then.
        is_former = self.watched.awaits_adoption and owner == self.table.owner
        return owner.epoch > me.epoch or (owner.epoch == me.epoch and not is_former)

    def _adopt_result(self, job: _Job, after: Table, kept: Pending[Mark]) -> None:
        try:
            self._records.adopt_append(kept)
        except Fenced:
            # Nothing was kept, so it is decided again by the present table, or refused by its end here.
            self._begin_job(job)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - see `_begin_job`
            # The player who has moved must move again, and could do nothing meanwhile.
            self._time.leave_out_unseen(after.latest_ms)
            self._finish_job(job, _refuse_after(self.table, job.command, error))
        else:
            self._automation.release_hold()
            self._time.leave_out_unseen(after.latest_ms)
            done = Done(self.table, after)
            self.watched.table, self.watched.awaits_adoption = after, not self._is_mine(after)
            self._finish_job(job, done)

    def _read_back(self, job: _Job, found: Pending[Read]) -> None:
        """Bring the table up to date after a write whose result is unknown, then begin the command that waited."""
        try:
            records = self._records.list_added(found)
            after = restore_table(records, lambda _: self.table.game) if records else self.table
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - see `_begin_job`
            self._finish_job(job, _refuse_after(self.table, job.command, error))
            return
        # None are left where a later owner has removed the table. Its mark is not taken over, nor shown what is new:
        # a former owner that wrote or showed anything after that would be a second one.
        # One that has moved while it read is such an owner as well.
        if records == [] or self._moved or self._is_deposed(after):
            self.end_moved(removed=records == [])
            self._finish_job(job, _make_refusal(table_moved(self.table.id)))
            return
        self._records.adopt_read(found)
        # The clock of the node that wrote this may be ahead.
        (self._time.move_on if records is None else self._time.leave_out_unseen)(after.latest_ms)
        done = Done(self.table, after)
        # Perhaps the adoption was kept: then no further record says so.
        self.watched.table, self.watched.awaits_adoption = after, not self._is_mine(after)
        if records is not None:
            _log.warning("table %s: a write with an unknown result was saved; continuing after it", after.id)
            try:
                self._notify_change(done)
            except Exception:  # noqa: BLE001 - see `_finish_job`
                _log.exception("table %s: what was read back had consequences that failed", after.id)
        self._begin_job(job)

    def _finish_job(self, job: _Job, answer: Done | Refused) -> None:
        """Notify the watchers, answer, and let the next command begin; a fault in one step does not stop the next."""
        # Else a bot would repeat the refused move in each turn of the loop, as long as the disk is full.
        if isinstance(answer, Refused) and (answer.passing or self._automation.still_due(job.command)):
            self._automation.hold_until_retry()
            if isinstance(job.command, PlayForSeat) and answer.code not in set(Code):
                # A bot's move is legal, else it was the fallback: the game allows no move that can be made for it.
                self._post_command(close_without_fallback(self.table))
        # Watchers first, then bots and timers, then the answer: no reply overtakes the event that it causes.
        steps: list[Callable[[], object]] = [self._automation.send_due_commands, partial(job.answered, answer)]
        if isinstance(answer, Done) and answer.after is not answer.before:
            steps.insert(0, partial(self._notify_change, answer))
        for step in steps:
            try:
                step()
            except Exception as error:  # noqa: BLE001 - a watcher lost is no reason to lose the table
                _log.exception("table %s: %s had consequences that failed", self.table.id, type(job.command).__name__)
                self._close_if_failed(error, alone=step is not steps[-1])
        self._inbox.end_job()

    def game_failed(self, error: GameFailed) -> None:
        self._close_if_failed(error, alone=False)

    def _close_if_failed(self, error: BaseException, *, alone: bool) -> None:
        """Close the table when a call of its game did not end: the next one would hold up every other table, too.

        Also when one has failed that no player has requested, so that all were left `alone` with it: a player whose
        View cannot be built, or everybody where a bot has no move, would wait forever.
        """
        # One close is enough, however many calls of the game fail until it is carried out.
        if isinstance(error, GameFailed) and (error.timed_out or alone) and not self._closing_failed:
            self._closing_failed = True
            self._post_command(close_after(error))

    def _notify_change(self, done: Done) -> None:
        try:
            self.watched.publish_change(done.before, done.after)
        finally:
            # A table whose game fails is closed: what follows from that may not wait for its Views. After a write that
            # was under way when the table moved or was removed, the observers have forgotten it already.
            if not (self._moved or self._retiring):
                self._observers.notify_changed(self, done)

    def presence_changed(self) -> None:
        """Pass on that the spectators have changed."""
        self._observers.notify_presence(self)

    def _end_actor(self) -> None:
        """End, and leave no reference cycle behind: the garbage collector hardly ever looks at old objects."""
        self._automation.close()
        self.watched.stop_watching()
        self._over.set_result(None)


def _make_refusal(error: ScovilleError, *, passing: bool = False) -> Refused:
    return Refused(error.code, error.message, error.data, passing=passing)


def _comes_from_stranger(table: Table, command: Command) -> bool:
    """Whether a command comes from a user without a seat at the table."""
    user = getattr(command, "user", None)
    return user is not None and table.owned_seat(user) is None


def _ignore_answer(_: Done | Refused) -> None:
    pass


def _refuse_after(table: Table, command: Command, error: BaseException) -> Refused:
    if isinstance(error, JournalError):
        return Refused(error.code, error.message, passing=True)
    _log.error("table %s: %s failed", table.id, type(command).__name__, exc_info=error)
    if isinstance(error, GameFailed):
        return Refused(error.code, error.message, error.data, passing=True)
    sentence = "The server failed at that and has changed nothing; try again."
    return Refused(Code.INTERNAL, sentence, passing=True)


def _unknown_table(table: Table) -> ScovilleError:
    return ScovilleError(Code.UNKNOWN_TABLE, f"Table {table.id} has been closed.", {"table": table.id})
