"""Writes that only the serving node may make: one atomic batch after the other, each with a fence."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from scoville_runtime.clock import Clock
from scoville_server.background.eventual import Eventual
from scoville_server.journal.base import Conflict, Deposed, Fenced, JournalError
from scoville_server.journal.figures import JournalFigures
from scoville_server.journal.jetstream.engine import (
    MOST_IN_BATCH,
    Engine,
    InFlight,
    NoAnswer,
    NotKept,
    Outgoing,
    find_too_large,
)
from scoville_server.journal.jetstream.insistence import Insistence, is_deleted, outcome_unknown
from scoville_server.journal.jetstream.messages import EPOCH, FENCE, LANES, row_of, subject_of_lane, table_of
from scoville_server.journal.jetstream.mirror import CLUSTER
from scoville_server.limits.live import Adjustable, as_live
from scoville_shared.errors import Code

_log = logging.getLogger(__name__)


class WriteGate:
    """Bounds the waiting writes, and counts their results and their time by `seconds`."""

    def __init__(self, figures: JournalFigures, most: Adjustable[int], clock: Clock) -> None:
        self._figures = figures
        self._most = as_live(most)
        self.seconds = clock.seconds
        self._is_closed = False

    def admit_write(self, answer: Eventual[Any]) -> bool:
        """Count a write that begins; one too many is refused by its answer."""
        if self._is_closed:
            answer.set_exception(JournalError("The server is shutting down.", Code.SHUTTING_DOWN))
        elif self._figures.waiting >= self._most.value:
            answer.set_exception(JournalError("The server is overloaded; try again in a moment.", Code.BUSY))
        else:
            self._figures.waiting += 1
            return True
        return False

    def note_writes(self, began: float, *, failed: bool, writes: int = 1) -> None:
        """Count writes that have ended now."""
        now = self.seconds()
        figures = self._figures
        figures.waiting -= writes
        figures.writes += 0 if failed else writes
        figures.failed += writes if failed else 0
        figures.state = "failing" if failed else "ready"
        figures.commits.add_duration(now - began, now)

    def close(self) -> None:
        """Admit nothing more."""
        self._is_closed = True


class EpochFences:
    """The fences of the epoch in which a node writes: each of its writes needs that one of them is as it was.

    Who takes the next epoch replaces all of them. Nodes of earlier versions know the message of the epoch alone; where
    one runs, that is the only fence.

    Args:
        first: Which one a node tries first; it goes on to the next one when another node writes behind it.
        is_known: Whether all nodes know them.
    """

    def __init__(self, first: int, is_known: Callable[[], bool]) -> None:
        self.epoch = 0
        self._next = first
        self._is_known = is_known
        self._lanes: list[tuple[str, int]] = []

    def begin_epoch(self, sequence: int, lanes: Mapping[str, int]) -> None:
        """Write in an epoch from now on, known by the sequence of its message and those of its fences."""
        self.epoch, self._lanes = sequence, sorted(lanes.items())

    def make_message(self) -> Outgoing:
        """Make the message that is refused, with all others of its write, once another node has taken an epoch."""
        if not self._lanes or not self._is_known():
            return Outgoing(FENCE, b"", expected=self.epoch, guard=EPOCH, replaces=True)
        lane = self._next % len(self._lanes)
        guard, sequence = self._lanes[lane]
        # Two writes at once to one subject would be in each other's way again.
        return Outgoing(f"{FENCE}.{lane}", b"", expected=sequence, guard=guard, replaces=True)

    def try_next(self) -> None:
        """Use another fence from now on."""
        self._next += 1

    def use_epoch_alone(self) -> None:
        """Use the message of the epoch from now on."""
        self._lanes = []


async def write_lanes(insistence: Insistence, sequence: int, epoch: bytes) -> dict[str, int]:
    """Begin all fences of an epoch that this node has just taken, whose message has that sequence.

    After that nothing that a former node writes is kept. Raises JournalError, Conflict if another node was faster.
    """
    lanes = [subject_of_lane(lane) for lane in range(LANES)]
    last = await insistence.read_last(lanes, insistence.deadline())
    # With conditions of their own: the engine judges them and what former nodes still write one after the other.
    expected = [last[lane].sequence if lane in last else 0 for lane in lanes]
    begun = [
        Outgoing(lane, epoch, expected=before, replaces=True) for lane, before in zip(lanes, expected, strict=True)
    ]
    fence = Outgoing(FENCE, b"", expected=sequence, guard=EPOCH, replaces=True)
    kept = await insistence.publish_together([fence, *begun], Conflict(CLUSTER, EPOCH))
    return dict(zip(lanes, kept[1:], strict=True))


class _Job(NamedTuple):
    """Messages that only the serving node may write, all or none, and their answer: their sequences."""

    messages: list[Outgoing]
    answer: Eventual[list[int]]


class FencedWriter:
    """Writes in the epoch of this node.

    Args:
        engine: The engine.
        insistence: Repeats unanswered requests to the engine.
        gate: Bounds the writes.
        deleted: The sequences of messages that say that something was deleted, by subject.
        on_deposed: Is called when another node has taken an epoch.
        fences: Those of its epoch.

    Attributes:
        is_deposed: Whether another node has taken an epoch.
    """

    def __init__(
        self,
        engine: Engine,
        insistence: Insistence,
        gate: WriteGate,
        deleted: Mapping[str, int],
        on_deposed: Callable[[], object],
        fences: EpochFences | None = None,
    ) -> None:
        self.is_deposed = False
        self._engine = engine
        self._insistence = insistence
        self._gate = gate
        self._deleted = deleted
        self._on_deposed = on_deposed
        self._fences = fences or EpochFences(0, lambda: False)
        self._jobs: list[_Job] = []
        self._committing: asyncio.Task[None] | None = None

    def begin_epoch(self, sequence: int, lanes: Mapping[str, int] = {}) -> None:
        """Write in an epoch from now on, known by the sequence of its message and those of its fences."""
        self._fences.begin_epoch(sequence, lanes)

    @property
    def has_epoch(self) -> bool:
        """Whether this node serves, as far as it knows."""
        return bool(self._fences.epoch) and not self.is_deposed

    def post_job(self, messages: list[Outgoing]) -> Eventual[list[int]]:
        """Write messages together with those of other callers; the answer is their sequences."""
        answer: Eventual[list[int]] = Eventual()
        if not self.has_epoch:
            answer.set_exception(Deposed())
        # Alone: as a part of a batch it would refuse the writes of others as well.
        elif (too_large := find_too_large(messages, self._engine.most_bytes)) is not None:
            answer.set_exception(too_large)
        elif self._gate.admit_write(answer):
            self._jobs.append(_Job(messages, answer))
            if self._committing is None:
                self._committing = asyncio.get_running_loop().create_task(self._commit_jobs(), name="journal")
        return answer

    async def _commit_jobs(self) -> None:
        """Write waiting records, batch after batch: the engine judges no two with the same condition at once."""
        try:
            while self._jobs:
                batch = self._take_batch()
                began = self._gate.seconds()
                try:
                    results = await self._commit_batch(batch)
                    failed = any(isinstance(result, NoAnswer) for result in results)
                except Exception:  # noqa: BLE001 - whatever the library raises, tables wait for these answers
                    _log.exception("A write to the engine of the cluster has failed for an unknown reason.")
                    results, failed = [outcome_unknown() for _ in batch], True
                self._gate.note_writes(began, failed=failed, writes=len(batch))
                for job, result in zip(batch, results, strict=True):
                    if isinstance(result, JournalError):
                        job.answer.set_exception(result)
                    else:
                        job.answer.set_result(result)
        finally:
            self._committing = None

    def _take_batch(self) -> list[_Job]:
        """Take the jobs that fit into one batch: it may have no subject twice."""
        batch: list[_Job] = []
        subjects: set[str] = set()
        size = 1  # the fence
        for job in self._jobs:
            named = {message.subject for message in job.messages}
            if batch and (size + len(named) > MOST_IN_BATCH or subjects & named):
                break
            batch.append(job)
            subjects |= named
            size += len(named)
        self._jobs = self._jobs[len(batch) :]
        return batch

    async def _commit_batch(self, jobs: Sequence[_Job], attempts: int = 3) -> list[list[int] | JournalError]:
        """Write jobs together; returns the sequences of each, or its error."""
        until = self._insistence.deadline()
        messages = [message for job in jobs for message in job.messages]
        try:
            while True:
                try:
                    fenced = [self._fences.make_message(), *messages]
                    return _share_out(await self._engine.publish_batch(fenced), jobs)
                except InFlight:
                    self._fences.try_next()
                except NotKept:
                    break
                # It may have been kept: `NotKept` at the next attempt says so.
                except NoAnswer:
                    pass
                await self._insistence.wait_to_retry(until)
            kept = await self._find_kept(jobs, until)
        except JournalError as error:
            return [error] * len(jobs)

        if kept is not None:
            return kept
        if len(jobs) > 1:
            # The condition of one of them must not refuse all others.
            return [result for job in jobs for result in await self._commit_batch([job])]
        return [await self._judge_refused(jobs[0], until, attempts)]

    async def _find_kept(self, jobs: Sequence[_Job], until: float) -> list[list[int] | JournalError] | None:
        """Return the sequences if the jobs were kept after all, by an attempt whose answer was lost."""
        subjects = [message.subject for job in jobs for message in job.messages]
        last = await self._insistence.read_last(subjects, until)
        sequences = [0]
        for job in jobs:
            for message in job.messages:
                found = last.get(message.subject)
                if found is None or found.payload != message.payload or not message.payload:
                    return None
                sequences.append(found.sequence)
        return _share_out(sequences, jobs)

    async def _judge_refused(self, job: _Job, until: float, attempts: int) -> list[int] | JournalError:
        """Find out why the engine has refused a job; one that only looked stale is written again."""
        try:
            last = await self._insistence.read_last([EPOCH, *(message.subject for message in job.messages)], until)
        except JournalError as error:
            return error

        epoch = last.get(EPOCH)
        if epoch is None or epoch.sequence != self._fences.epoch:
            self.note_deposed()
            return Deposed()

        corrected = []
        for message in job.messages:
            found = last.get(message.subject)
            sequence = 0 if found is None else found.sequence
            if message.expected is None or message.expected == sequence:
                corrected.append(message)
            elif (found is None or is_deleted(found)) and message.expected in (
                0,
                self._deleted.get(message.subject),
            ):
                # A deleted row is absent, whether or not the engine still remembers that.
                corrected.append(message._replace(expected=sequence))
            else:
                return _conflict_of(message)

        if corrected == job.messages:
            # Whatever is wrong with the fence, the epoch is still this node's.
            self._fences.use_epoch_alone()
        if not attempts:
            return JournalError("The engine of the cluster has refused this; nothing was saved. Try again.")
        (result,) = await self._commit_batch([_Job(corrected, job.answer)], attempts - 1)
        return result

    async def check_newest(self, sequence: int) -> None:
        """Check that a sequence is that of the newest epoch. Raises JournalError, Conflict if it is not."""
        last = await self._insistence.read_last([EPOCH], self._insistence.deadline())
        if EPOCH not in last or last[EPOCH].sequence != sequence:
            raise Conflict(CLUSTER, EPOCH)

    async def check_epoch(self) -> None:
        """Look whether another node has taken an epoch. Raises JournalError."""
        last = await self._insistence.read_last([EPOCH], self._insistence.deadline())
        if self.has_epoch and EPOCH in last and last[EPOCH].sequence != self._fences.epoch:
            self.note_deposed()

    def note_deposed(self) -> None:
        """Note that another node has taken an epoch."""
        if not self.is_deposed:
            self.is_deposed = True
            asyncio.get_running_loop().call_soon(self._on_deposed)

    async def finish_writes(self) -> None:
        """Wait for the writes that wait."""
        while self._committing is not None:
            await asyncio.gather(self._committing, return_exceptions=True)


def _share_out(sequences: Sequence[int], jobs: Sequence[_Job]) -> list[list[int] | JournalError]:
    """Return each job's share of the sequences, of which the first is that of the fence."""
    shares: list[list[int] | JournalError] = []
    start = 1
    for job in jobs:
        shares.append([*sequences[start : start + len(job.messages)]])
        start += len(job.messages)
    return shares


def _conflict_of(message: Outgoing) -> JournalError:
    table = table_of(message.subject)
    if table is not None:
        return Fenced(table)
    row = row_of(message.subject)
    assert row is not None, "only tables and rows have conditions"
    return Conflict(*row)
